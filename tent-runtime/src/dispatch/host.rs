//! Whether a request's `Host` and `Origin` are ours: what keeps a page of another site, or a name that
//! was made to point at this machine (DNS rebinding), from reaching the app through somebody's browser.

use std::net::IpAddr;
use std::sync::{PoisonError, RwLock};

use http::request::Parts;
use http::{HeaderMap, header};
use tent_core::codes;

use crate::error::{Error, Result};
use crate::settings::Web;

/// The hosts and origins that the app serves.
#[derive(Debug)]
pub struct Hosts {
    /// Lower case, without a port where every port is meant.
    hosts: Vec<String>,
    /// Lower case, `scheme://host[:port]`.
    origins: Vec<String>,
    /// Whether pages of this server's own come by https alone, but for those on this machine.
    https: bool,
    /// Addresses that a listener was given beside the settings.
    listening: RwLock<Vec<String>>,
}

/// The names by which a machine reaches itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl Hosts {
    /// The loopback names, the address that is listened on, the public address, and what the settings add.
    pub fn new(web: &Web) -> Self {
        let mut hosts: Vec<String> = LOOPBACK.map(str::to_owned).into();
        if !web.addr.ip().is_unspecified() {
            hosts.push(host_of(web.addr.ip()));
        }
        let mut origins: Vec<_> = web.origins.iter().map(|o| normal_origin(o)).collect();
        if let Some(public) = &web.public_url {
            origins.push(normal_origin(public.origin()));
            hosts.push(public.host().to_ascii_lowercase());
        }
        hosts.extend(web.hosts.iter().map(|host| host.to_ascii_lowercase()));
        let https = web.public_url.as_ref().is_some_and(|url| url.is_https());
        Hosts {
            hosts,
            origins,
            https,
            listening: RwLock::default(),
        }
    }

    /// Also serves requests to this address, on which the server listens.
    pub fn serve(&self, address: IpAddr) {
        if !address.is_unspecified() {
            let mut listening = self
                .listening
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            listening.push(host_of(address));
        }
    }

    /// # Errors
    /// T0014 for a host or an origin that is not served, or that is not named exactly once.
    pub fn check(&self, parts: &Parts) -> Result<()> {
        let host = host(parts).filter(|host| self.serves(host));
        let host =
            host.ok_or_else(|| wrong("The request names no host that this server serves."))?;
        let mut origins = parts.headers.get_all(header::ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Ok(()),
            (Some(origin), None) if origin.to_str().is_ok_and(|o| self.is_ours(o, &host)) => Ok(()),
            _ => Err(wrong(
                "The request comes from an origin that this server does not serve.",
            )),
        }
    }

    fn serves(&self, host: &str) -> bool {
        let bare = without_port(host);
        let is_ours = |ours: &String| ours == host || ours == bare;
        self.hosts.iter().any(is_ours) || {
            let listening = self
                .listening
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            listening.iter().any(is_ours)
        }
    }

    /// A listed origin, or that of a page which this server gave out itself. Where the world reaches it
    /// by https, a page that came by http may be anybody's who sits on the way.
    fn is_ours(&self, origin: &str, host: &str) -> bool {
        let origin = normal_origin(origin);
        let own = |scheme: &str| origin == normal_origin(&format!("{scheme}://{host}"));
        let by_http = !self.https || LOOPBACK.contains(&without_port(host));
        self.origins.contains(&origin) || own("https") || (by_http && own("http"))
    }

    /// Whether a page of this origin was listed in the settings, rather than being of this server.
    pub fn lists(&self, origin: &str) -> bool {
        self.origins.contains(&normal_origin(origin))
    }
}

/// The host that the request names, if it names one and only one. Where its target holds one too, as a
/// request to a proxy has it, both have to be the same: who stands before this server may go by either.
fn host(parts: &Parts) -> Option<String> {
    let named = one(&parts.headers, header::HOST).map(str::to_ascii_lowercase);
    let Some(authority) = parts.uri.authority() else {
        return named;
    };
    let authority = authority.as_str().to_ascii_lowercase();
    let agrees = !parts.headers.contains_key(header::HOST) || named.as_ref() == Some(&authority);
    agrees.then_some(authority)
}

fn one(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(only), None) => only.to_str().ok(),
        _ => None,
    }
}

/// An address as a `Host` header has it.
fn host_of(address: IpAddr) -> String {
    match address {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((bare, port)) if port.bytes().all(|b| b.is_ascii_digit()) => bare,
        _ => host,
    }
}

/// An origin in lower case, without the port that its scheme has anyway and without a path.
fn normal_origin(origin: &str) -> String {
    let lower = origin.trim_end_matches('/').to_ascii_lowercase();
    let without = |scheme: &str, port: &str| {
        lower
            .starts_with(scheme)
            .then(|| lower.strip_suffix(port).map(str::to_owned))
            .flatten()
    };
    without("http://", ":80")
        .or_else(|| without("https://", ":443"))
        .unwrap_or(lower)
}

fn wrong(message: &'static str) -> Error {
    Error::new(codes::WRONG_HOST_OR_ORIGIN).with_message(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(change: impl FnOnce(&mut Web)) -> Hosts {
        let mut web = Web::default();
        change(&mut web);
        Hosts::new(&web)
    }

    fn asked(hosts: &Hosts, headers: &[(&str, &str)]) -> bool {
        let mut request = http::Request::builder().uri("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        hosts.check(&parts).is_ok()
    }

    #[test]
    fn by_default_loopback_names_are_served_and_no_others() {
        let hosts = hosts(|_| {});
        for host in [
            "localhost",
            "LOCALHOST:3000",
            "127.0.0.1:3000",
            "[::1]:3000",
            "[::1]",
        ] {
            assert!(asked(&hosts, &[("host", host)]), "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:3000",
            "",
            "10.0.0.1",
        ] {
            assert!(!asked(&hosts, &[("host", host)]), "{host}");
        }
        assert!(!asked(&hosts, &[]));
        assert!(!asked(
            &hosts,
            &[("host", "localhost"), ("host", "evil.example")]
        ));
    }

    #[test]
    fn an_origin_is_our_own_or_listed() {
        let hosts = hosts(|web| web.origins = vec!["https://App.example".to_owned()]);
        let from = |origin| asked(&hosts, &[("host", "localhost:3000"), ("origin", origin)]);
        assert!(from("http://localhost:3000"));
        assert!(from("https://app.example"));
        assert!(from("https://app.example:443"));
        for origin in [
            "http://localhost:5173",
            "http://evil.example",
            "null",
            "",
            "https://app.example.evil.example",
            "http://app.example",
        ] {
            assert!(!from(origin), "{origin}");
        }
    }

    #[test]
    fn the_public_address_names_a_host_and_an_origin() {
        let hosts = hosts(|web| {
            web.public_url = Some(
                crate::settings::PublicUrl::parse("https://tools.example.com")
                    .expect("it is an address"),
            )
        });
        assert!(asked(
            &hosts,
            &[
                ("host", "tools.example.com"),
                ("origin", "https://tools.example.com")
            ]
        ));
        assert!(!asked(&hosts, &[("host", "tools.example.org")]));
    }

    #[test]
    fn where_the_world_comes_by_https_a_page_that_came_by_http_is_not_our_own() {
        let public = crate::settings::PublicUrl::parse("https://tools.example.com");
        let hosts = hosts(|web| {
            web.public_url = Some(public.expect("it is an address"));
            web.hosts = vec!["other.example.com".to_owned()];
        });
        let from = |host: &str, origin: &str| asked(&hosts, &[("host", host), ("origin", origin)]);
        for host in ["tools.example.com", "other.example.com"] {
            assert!(from(host, &format!("https://{host}")), "{host}");
            assert!(from(&format!("{host}:443"), &format!("https://{host}")));
            assert!(!from(host, &format!("http://{host}")), "{host}");
            assert!(!from(&format!("{host}:80"), &format!("http://{host}")));
        }
        // Nobody sits on the way from a machine to itself.
        assert!(from("localhost:3000", "http://localhost:3000"));
        assert!(!from("localhost:3000", "http://localhost:3001"));
        let local = [("host", "localhost"), ("origin", "http://localhost")];
        assert!(asked(&Hosts::new(&Web::default()), &local));
    }

    #[test]
    fn a_host_in_the_target_has_to_be_the_one_in_the_header() {
        let hosts = hosts(|_| {});
        let asked = |target: &str, named: &[&str]| {
            let mut request = http::Request::builder().uri(target);
            for host in named {
                request = request.header("host", *host);
            }
            let (parts, ()) = request.body(()).expect("a request").into_parts();
            hosts.check(&parts).is_ok()
        };
        assert!(asked("http://localhost:3000/mcp", &["LOCALHOST:3000"]));
        assert!(asked("http://localhost:3000/mcp", &[]), "as HTTP/2 has it");
        for named in [
            &["evil.example"][..],
            &["127.0.0.1:3000"],
            &["localhost:3000", "localhost:3000"],
            &[""],
        ] {
            assert!(!asked("http://localhost:3000/mcp", named), "{named:?}");
        }
        assert!(!asked("http://evil.example/mcp", &["localhost:3000"]));
        assert!(!asked("http://evil.example/mcp", &["evil.example"]));
        assert!(!asked("http://user@localhost/mcp", &["localhost"]));
    }
}
