//! Parses the values of settings: sizes, durations, addresses, hosts, origins.
//!
//! An error is the end of a sentence that starts with the value. Nothing here reads a file or the environment.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tent_core::duration::{self, InvalidDuration};

/// Parses a number of bytes: a plain number, or a number with `kB`, `MB`, `GB` (powers of 1000) or `KiB`, `MiB`, `GiB`
/// (powers of 1024). The case of the unit does not matter.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor: u64 = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => 0,
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
        .and_then(|bytes| usize::try_from(bytes).ok())
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| "is not a valid size: use for example 4194304, 512kB or 8MiB".into())
}

/// Parses `true` or `false`.
pub(crate) fn flag(text: &str) -> Result<bool, String> {
    text.trim()
        .parse()
        .map_err(|_| "is not valid: use true or false".into())
}

/// Parses a number of at least 1.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    let count = text.trim().parse().ok().filter(|&count| count > 0);
    count.ok_or_else(|| "is not valid: use a whole number of at least 1".into())
}

/// Parses a duration, which may be zero.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    duration::parse(text).map_err(invalid_duration)
}

/// Parses a duration that must be greater than zero.
pub(crate) fn positive_duration(text: &str) -> Result<Duration, String> {
    duration::parse_positive(text).map_err(invalid_duration)
}

fn invalid_duration(why: InvalidDuration) -> String {
    match why {
        InvalidDuration::Zero => why.to_string(),
        _ => format!("{why}: use for example {}", duration::EXAMPLES),
    }
}

/// Parses an address to listen on: an IP address or `localhost`, and a port.
pub(crate) fn addr(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    let named = text
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    named.as_deref().unwrap_or(text).parse().map_err(|_| {
        "is not an address with a port: use for example 127.0.0.1:3000, [::1]:3000 or, for all networks, 0.0.0.0:3000"
            .into()
    })
}

/// Parses a list whose items are separated by commas. Spaces around items and empty items are ignored.
pub(crate) fn list<T>(
    text: &str,
    item: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    text.split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .map(|one| {
            item(one).map_err(|why| format!("contains `{}`, which {why}", without_password(one)))
        })
        .collect()
}

/// Replaces the text between the scheme and the last `@`, which may be a user name and a password, so that errors can show
/// the value.
pub(crate) fn without_password(text: &str) -> Cow<'_, str> {
    let Some((before, after)) = text.rsplit_once('@') else {
        return text.into();
    };
    let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
    let joint = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{joint}…@{after}").into()
}

/// Parses a host of the `Host` header: a name or an IP address, with or without a port. Returns it in lower case.
pub(crate) fn host(text: &str) -> Result<String, String> {
    let expected =
        || "is not a host: use for example tools.example.com or tools.example.com:8443".to_owned();
    if text.contains('*') {
        return Err("has a wildcard: list each host in full".into());
    }
    if text.contains("://") {
        return Err("is a URL: use only the host, for example tools.example.com".into());
    }
    if text.parse::<IpAddr>().is_ok_and(|ip| ip.is_ipv6()) {
        return Ok(format!("[{}]", text.to_ascii_lowercase()));
    }
    authority(text).ok_or_else(expected)
}

/// Parses an origin as browsers send it: a scheme and a host, with or without a port; or `null`.
pub(crate) fn origin(text: &str) -> Result<String, String> {
    if text == "null" {
        return Ok(text.into());
    }
    if text.contains('*') {
        return Err("has a wildcard: list each origin in full".into());
    }
    let expected = || "is not an origin: use for example https://app.example.com".to_owned();
    let (scheme, rest) = text.split_once("://").ok_or_else(expected)?;
    let scheme = scheme.to_ascii_lowercase();
    let scheme_is_valid = scheme.starts_with(|c: char| c.is_ascii_lowercase())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if !scheme_is_valid {
        return Err(expected());
    }
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    if rest.contains(['/', '?', '#']) {
        return Err(
            "has a path: use only scheme and host, for example https://app.example.com".into(),
        );
    }
    let authority = authority(rest).ok_or_else(expected)?;
    Ok(format!(
        "{scheme}://{}",
        without_default_port(&scheme, &authority)
    ))
}

/// Parses a host with or without a port, and nothing else. Returns its [normal form](normal_authority).
pub(super) fn authority(text: &str) -> Option<String> {
    let authority: http::uri::Authority = text.parse().ok()?;
    let port_is_valid = match text.rsplit_once(':') {
        Some((_, port)) if !port.ends_with(']') => port.parse::<u16>().is_ok(),
        _ => true,
    };
    (port_is_valid && !text.contains('@') && !authority.host().is_empty())
        .then(|| normal_authority(text).into_owned())
}

/// The normal form of a host with or without a port. In lower case; without the dot at the end of a name, which only says
/// that the name is complete (RFC 3986, section 3.2.2); an IPv6 address in its shortest spelling, and an IPv4-mapped one
/// as the IPv4 address; a port without leading zeros, and no colon before an empty one.
pub(crate) fn normal_authority(text: &str) -> Cow<'_, str> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, Some(port)),
        _ => (text, None),
    };
    let is_literal = host.starts_with('[');
    let is_normal = !is_literal
        && !host.ends_with('.')
        && !text.bytes().any(|byte| byte.is_ascii_uppercase())
        && port.is_none_or(|port| !port.is_empty() && !port.starts_with('0'));
    // Nearly every request names its host in this form.
    if is_normal {
        return text.into();
    }
    let literal = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let address = literal.and_then(|literal| literal.parse::<IpAddr>().ok());
    let mut normal = match address.filter(IpAddr::is_ipv6).map(|ip| ip.to_canonical()) {
        Some(IpAddr::V4(ip)) => ip.to_string(),
        Some(IpAddr::V6(ip)) => format!("[{ip}]"),
        // One dot: a name with an empty label is another name, and not a valid one.
        None => match host.strip_suffix('.').filter(|host| !host.is_empty()) {
            Some(name) if !name.ends_with('.') => name.to_ascii_lowercase(),
            _ => host.to_ascii_lowercase(),
        },
    };
    match port.map(|port| port.trim_start_matches('0')) {
        Some("") if port == Some("") => {}
        Some("") => normal.push_str(":0"),
        Some(port) => {
            normal.push(':');
            normal.push_str(port);
        }
        None => {}
    }
    normal.into()
}

/// Removes the default port of the scheme.
pub(crate) fn without_default_port<'a>(scheme: &str, authority: &'a str) -> &'a str {
    let default = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => return authority,
    };
    authority.strip_suffix(default).unwrap_or(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_decimal_and_binary_units() {
        for (text, bytes) in [
            ("1", 1),
            ("4194304", 4 << 20),
            ("8MiB", 8 << 20),
            ("8 mib", 8 << 20),
            ("512kB", 512_000),
            ("2GB", 2_000_000_000),
            ("64 B", 64),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "0",
            "-1",
            "8M",
            "1.5MiB",
            "MiB",
            "99999999999999999999",
            "18446744073709551615kB",
            "8MiBs",
            "٣",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_have_the_units_of_attributes() {
        for (text, millis) in [
            ("500ms", 500),
            ("30s", 30_000),
            ("5min", 300_000),
            ("5 m", 300_000),
            ("24h", 86_400_000),
            ("90d", 7_776_000_000),
            ("0s", 0),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in [
            "",
            "30",
            "s",
            "1.5s",
            "-1s",
            "5 weeks",
            "18446744073709551615d",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(
            positive_duration("0s"),
            Err("must be greater than zero".into())
        );
    }

    #[test]
    fn hosts_and_origins_have_no_wildcards() {
        assert_eq!(
            host("Tools.Example.com:8443"),
            Ok("tools.example.com:8443".into())
        );
        assert_eq!(host("::1"), Ok("[::1]".into()));
        assert_eq!(host("[::1]:8080"), Ok("[::1]:8080".into()));
        assert_eq!(host("mcp"), Ok("mcp".into()));
        // P35.
        assert_eq!(host("Tools.example.com."), Ok("tools.example.com".into()));
        assert_eq!(host("[0:0:0:0:0:0:0:1]:80"), Ok("[::1]:80".into()));
        for bad in [
            "https://a.example",
            "*.example.com",
            "a b",
            "a/b",
            "u@a",
            "a:99999",
            "a:",
            "",
        ] {
            assert!(host(bad).is_err(), "{bad}");
        }
        assert_eq!(
            origin("HTTPS://App.example.com:443/"),
            Ok("https://app.example.com".into())
        );
        assert_eq!(
            origin("http://localhost:6274"),
            Ok("http://localhost:6274".into())
        );
        assert_eq!(
            origin("https://App.example.com.:443"),
            Ok("https://app.example.com".into())
        );
        assert_eq!(
            origin("vscode-webview://x"),
            Ok("vscode-webview://x".into())
        );
        assert_eq!(origin("null"), Ok("null".into()));
        for bad in [
            "*",
            "app.example.com",
            "https://a/b",
            "https://a?b",
            "https://",
            "://a",
            "https://u@a",
        ] {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }

    // P35.
    #[test]
    fn a_host_has_one_normal_form() {
        for (text, normal) in [
            ("localhost", "localhost"),
            ("LocalHost.:03000", "localhost:3000"),
            ("localhost:", "localhost"),
            ("localhost:0", "localhost:0"),
            ("tools.example.com.", "tools.example.com"),
            ("tools.example.com.:8443", "tools.example.com:8443"),
            ("[::1]", "[::1]"),
            ("[0:0::1]:80", "[::1]:80"),
            ("[2001:DB8::A]", "[2001:db8::a]"),
            ("[::ffff:127.0.0.1]:80", "127.0.0.1:80"),
            // These are not hosts, and stay what they are.
            (".", "."),
            ("..", ".."),
            ("localhost..", "localhost.."),
            ("[::1", "[::1"),
            ("", ""),
        ] {
            assert_eq!(normal_authority(text), normal, "{text}");
        }
    }

    #[test]
    fn an_address_to_listen_on_has_a_port() {
        assert_eq!(
            addr("localhost:80").map(|a| a.to_string()),
            Ok("127.0.0.1:80".into())
        );
        assert_eq!(addr("[::]:0").map(|a| a.port()), Ok(0));
        for bad in [
            "3000",
            ":3000",
            "127.0.0.1",
            "127.0.0.1:70000",
            "example.com:80",
        ] {
            assert!(addr(bad).is_err(), "{bad}");
        }
    }
}
