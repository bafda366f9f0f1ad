//! Checks that `Host` and `Origin` of a request are this server's. That keeps a page of another site, and a name that
//! an attacker points at this machine (DNS rebinding), from reaching the app through a user's browser.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::{PoisonError, RwLock};

use http::request::Parts;
use http::{HeaderMap, header};
use tent_core::codes;

use crate::error::{Error, Result};
use crate::settings::Web;
use crate::settings::values::{normal_authority, without_default_port};

/// The hosts and origins that an app serves.
#[derive(Debug)]
pub(crate) struct Hosts {
    /// In lower case. One without a port means every port.
    hosts: Vec<String>,
    /// In lower case: `scheme://host[:port]`.
    origins: Vec<String>,
    /// The addresses of listeners that the settings do not name.
    listening: RwLock<Vec<String>>,
    /// Whether the pages of this server use https, except on this machine.
    https: bool,
}

/// The names that a machine has for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl Hosts {
    /// The loopback names, the address that the server listens on, `web.public_url`, and `web.hosts` and `web.origins`.
    pub(crate) fn new(web: &Web) -> Self {
        let mut hosts: Vec<String> = LOOPBACK.map(str::to_owned).into();
        if !web.addr.ip().is_unspecified() {
            hosts.push(host_of(web.addr.ip()));
        }
        let mut origins: Vec<_> = web.origins.iter().map(|o| normal_origin(o)).collect();
        if let Some(public) = &web.public_url {
            origins.push(normal_origin(public.origin()));
            hosts.push(normal_authority(public.host()).into_owned());
        }
        let normal = |host: &String| normal_authority(host).into_owned();
        hosts.extend(web.hosts.iter().map(normal));
        let https = web.public_url.as_ref().is_some_and(|url| url.is_https());
        Hosts {
            hosts,
            origins,
            listening: RwLock::default(),
            https,
        }
    }

    /// Also serves requests to this address, on which the server listens.
    pub(crate) fn serve(&self, address: IpAddr) {
        if !address.is_unspecified() {
            // No code panics while it holds the lock.
            let mut listening = self
                .listening
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            listening.push(host_of(address));
        }
    }

    /// Checks `Host` and `Origin` of a request.
    ///
    /// # Errors
    /// T0014 for a host or an origin that is not served, or that does not appear exactly once.
    pub(crate) fn check(&self, parts: &Parts) -> Result<()> {
        let host = host(parts).filter(|host| self.serves(host));
        let host = host.ok_or_else(|| wrong("The Host of the request is not served here."))?;
        let mut origins = parts.headers.get_all(header::ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Ok(()),
            (Some(origin), None) if origin.to_str().is_ok_and(|o| self.is_ours(o, &host)) => Ok(()),
            _ => Err(wrong("The Origin of the request is not allowed here.")),
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

    /// Whether the origin is listed, or is that of a page of this server. If this server is public over https, a page
    /// that came over http may be from an attacker on the network.
    fn is_ours(&self, origin: &str, host: &str) -> bool {
        let origin = normal_origin(origin);
        let own = |scheme: &str| origin == normal_origin(&format!("{scheme}://{host}"));
        let by_http = !self.https || LOOPBACK.contains(&without_port(host));
        self.origins.contains(&origin) || own("https") || (by_http && own("http"))
    }
}

/// The host of the request, if it names exactly one. If the request target holds a host too, as in a request to a proxy,
/// both must be equal: a proxy in front of this server may read either.
fn host(parts: &Parts) -> Option<Cow<'_, str>> {
    let named = one(&parts.headers, header::HOST).map(normal_authority);
    let Some(authority) = parts.uri.authority() else {
        return named;
    };
    let authority = normal_authority(authority.as_str());
    let agrees = !parts.headers.contains_key(header::HOST) || named.as_ref() == Some(&authority);
    agrees.then_some(authority)
}

/// An address as a `Host` header has it.
fn host_of(address: IpAddr) -> String {
    match address {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

fn one(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(only), None) => only.to_str().ok(),
        _ => None,
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((bare, port)) if port.bytes().all(|b| b.is_ascii_digit()) => bare,
        _ => host,
    }
}

/// The normal form of an origin: that of its host, without the default port of its scheme and without a path.
fn normal_origin(origin: &str) -> String {
    let origin = origin.trim_end_matches('/');
    let Some((scheme, authority)) = origin.split_once("://") else {
        return origin.to_ascii_lowercase();
    };
    let scheme = scheme.to_ascii_lowercase();
    let authority = normal_authority(authority);
    format!("{scheme}://{}", without_default_port(&scheme, &authority))
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

    fn accepts(hosts: &Hosts, headers: &[(&str, &str)]) -> bool {
        let mut request = http::Request::builder().uri("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        hosts.check(&parts).is_ok()
    }

    #[test]
    fn serves_only_loopback_names_by_default() {
        let hosts = hosts(|_| {});
        for host in [
            "localhost",
            "LOCALHOST:3000",
            "127.0.0.1:3000",
            "[::1]:3000",
            "[::1]",
        ] {
            assert!(accepts(&hosts, &[("host", host)]), "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:3000",
            "",
            "10.0.0.1",
        ] {
            assert!(!accepts(&hosts, &[("host", host)]), "{host}");
        }
        assert!(!accepts(&hosts, &[]));
        assert!(!accepts(
            &hosts,
            &[("host", "localhost"), ("host", "evil.example")]
        ));
    }

    // P35.
    #[test]
    fn a_host_is_the_same_in_every_spelling() {
        let hosts = hosts(|web| {
            web.hosts = vec!["tools.example.com".to_owned()];
            web.origins = vec!["https://app.example".to_owned()];
        });
        for host in [
            "localhost.",
            "LOCALHOST.:3000",
            "localhost:",
            "localhost:03000",
            "tools.example.com.",
            "Tools.Example.com.:443",
            "[0:0:0:0:0:0:0:1]:3000",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(accepts(&hosts, &[("host", host)]), "{host}");
            let origin = format!("https://{host}");
            assert!(
                accepts(&hosts, &[("host", host), ("origin", &origin)]),
                "{host}"
            );
        }
        let from = |origin| accepts(&hosts, &[("host", "localhost:3000"), ("origin", origin)]);
        for origin in [
            "http://localhost.:3000",
            "https://app.example.",
            "HTTPS://App.Example.:443",
        ] {
            assert!(from(origin), "{origin}");
        }
        for host in [
            ".",
            "localhost..",
            "tools.example.com..",
            "..",
            "[::2]",
            "[::1",
        ] {
            assert!(!accepts(&hosts, &[("host", host)]), "{host}");
        }
        assert!(!from("https://app.example.."));
        assert!(!from("http://localhost.:3001"));
    }

    #[test]
    fn accepts_its_own_and_listed_origins() {
        let hosts = hosts(|web| web.origins = vec!["https://App.example".to_owned()]);
        let from = |origin| accepts(&hosts, &[("host", "localhost:3000"), ("origin", origin)]);
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
    fn accepts_the_host_and_the_origin_of_the_public_url() {
        let hosts = hosts(|web| {
            web.public_url = Some(
                crate::settings::PublicUrl::parse("https://tools.example.com")
                    .expect("a valid URL"),
            )
        });
        assert!(accepts(
            &hosts,
            &[
                ("host", "tools.example.com"),
                ("origin", "https://tools.example.com")
            ]
        ));
        assert!(!accepts(&hosts, &[("host", "tools.example.org")]));
    }

    #[test]
    fn rejects_its_http_origin_if_it_is_public_over_https() {
        let public = crate::settings::PublicUrl::parse("https://tools.example.com");
        let hosts = hosts(|web| {
            web.public_url = Some(public.expect("a valid URL"));
            web.hosts = vec!["other.example.com".to_owned()];
        });
        let from =
            |host: &str, origin: &str| accepts(&hosts, &[("host", host), ("origin", origin)]);
        for host in ["tools.example.com", "other.example.com"] {
            assert!(from(host, &format!("https://{host}")), "{host}");
            assert!(from(&format!("{host}:443"), &format!("https://{host}")));
            assert!(!from(host, &format!("http://{host}")), "{host}");
            assert!(!from(&format!("{host}:80"), &format!("http://{host}")));
        }
        // No attacker is between a machine and itself.
        assert!(from("localhost:3000", "http://localhost:3000"));
        assert!(!from("localhost:3000", "http://localhost:3001"));
        let local = [("host", "localhost"), ("origin", "http://localhost")];
        assert!(accepts(&Hosts::new(&Web::default()), &local));
    }

    #[test]
    fn requires_the_host_of_the_target_to_equal_the_header() {
        let hosts = hosts(|_| {});
        let accepts = |target: &str, named: &[&str]| {
            let mut request = http::Request::builder().uri(target);
            for host in named {
                request = request.header("host", *host);
            }
            let (parts, ()) = request.body(()).expect("a request").into_parts();
            hosts.check(&parts).is_ok()
        };
        assert!(accepts("http://localhost:3000/mcp", &["LOCALHOST:3000"]));
        assert!(
            accepts("http://localhost:3000/mcp", &[]),
            "as HTTP/2 has it"
        );
        for named in [
            &["evil.example"][..],
            &["127.0.0.1:3000"],
            &["localhost:3000", "localhost:3000"],
            &[""],
        ] {
            assert!(!accepts("http://localhost:3000/mcp", named), "{named:?}");
        }
        assert!(!accepts("http://evil.example/mcp", &["localhost:3000"]));
        assert!(!accepts("http://evil.example/mcp", &["evil.example"]));
        assert!(!accepts("http://user@localhost/mcp", &["localhost"]));
    }
}
