//! What the texts of settings mean: sizes, durations, addresses, hosts, origins.
//!
//! Each parser gives the value, or what was expected as the end of a sentence that begins with the
//! setting and its text. None of them reads a file or the environment.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// A number of bytes: a plain number, or one with `kB`, `MB`, `GB` (powers of 1000) or `KiB`, `MiB`,
/// `GiB` (powers of 1024), in any capitals.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = number_and_unit(text);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
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
        .ok_or_else(|| "is no size, such as 4194304, 512kB or 8MiB".into())
}

/// Yes or no.
pub(crate) fn flag(text: &str) -> Result<bool, String> {
    text.trim()
        .parse()
        .map_err(|_| "is neither true nor false".into())
}

/// How many there may be.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    let count = text.trim().parse().ok().filter(|&count| count > 0);
    count.ok_or_else(|| "is no number of at least 1".into())
}

/// A length of time: a whole number with `ms`, `s`, `min`, `h` or `d`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = number_and_unit(text);
    let millis: Option<u64> = match unit {
        "ms" => Some(1),
        "s" => Some(1000),
        "m" | "min" => Some(60_000),
        "h" => Some(3_600_000),
        "d" => Some(86_400_000),
        _ => None,
    };
    millis
        .zip(number.parse::<u64>().ok())
        .and_then(|(millis, number)| number.checked_mul(millis))
        .map(Duration::from_millis)
        .ok_or_else(|| "is no length of time, such as 500ms, 30s, 5min or 24h".into())
}

/// As [`duration`], but longer than nothing.
pub(crate) fn some_duration(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("is no time at all; take at least 1ms".into()),
        some => Ok(some),
    }
}

fn number_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim_start())
}

/// An address to listen at: an IP address or `localhost`, and a port.
pub(crate) fn addr(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    let named = text
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    named.as_deref().unwrap_or(text).parse().map_err(|_| {
        "is no address with a port, such as 127.0.0.1:3000, [::1]:3000 or, for every network, 0.0.0.0:3000"
            .into()
    })
}

/// A list: its items parted by commas, blanks around them and empty items left out.
pub(crate) fn list<T>(
    text: &str,
    item: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    text.split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .map(|one| item(one).map_err(|why| format!("has `{}`, which {why}", without_password(one))))
        .collect()
}

/// A text as an error may show it: what stands before an `@`, but for a scheme, is a name and a password.
pub(crate) fn without_password(text: &str) -> Cow<'_, str> {
    let Some((before, after)) = text.rsplit_once('@') else {
        return text.into();
    };
    let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
    let joint = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{joint}…@{after}").into()
}

/// A host as requests name it, in small letters: a name or an IP address, perhaps with a port.
pub(crate) fn host(text: &str) -> Result<String, String> {
    let expected = || "is no host, such as tools.example.com or tools.example.com:8443".to_owned();
    if text.contains('*') {
        return Err("is no host: each is named in full, without *".into());
    }
    if text.contains("://") {
        return Err("is a URL; name the host alone, such as tools.example.com".into());
    }
    if text.parse::<IpAddr>().is_ok_and(|ip| ip.is_ipv6()) {
        return Ok(format!("[{}]", text.to_ascii_lowercase()));
    }
    authority(text).ok_or_else(expected)
}

/// An origin as browsers write it: a scheme, a host, perhaps a port; or the word `null`.
pub(crate) fn origin(text: &str) -> Result<String, String> {
    if text == "null" {
        return Ok(text.into());
    }
    if text.contains('*') {
        return Err("is no origin: each is named in full, without *".into());
    }
    let expected = || "is no origin, such as https://app.example.com".to_owned();
    let (scheme, rest) = text.split_once("://").ok_or_else(expected)?;
    let scheme = scheme.to_ascii_lowercase();
    let scheme_fits = scheme.starts_with(|c: char| c.is_ascii_lowercase())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if !scheme_fits {
        return Err(expected());
    }
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    if rest.contains(['/', '?', '#']) {
        return Err(
            "has a path; an origin is a scheme and a host, such as https://app.example.com".into(),
        );
    }
    let authority = authority(rest).ok_or_else(expected)?;
    Ok(format!(
        "{scheme}://{}",
        without_usual_port(&scheme, &authority)
    ))
}

/// A host with or without a port, and nothing else, in small letters.
pub(super) fn authority(text: &str) -> Option<String> {
    let authority: http::uri::Authority = text.parse().ok()?;
    let port_fits = match text.rsplit_once(':') {
        Some((_, port)) if !port.ends_with(']') => port.parse::<u16>().is_ok(),
        _ => true,
    };
    (port_fits && !text.contains('@') && !authority.host().is_empty())
        .then(|| text.to_ascii_lowercase())
}

pub(super) fn without_usual_port<'a>(scheme: &str, authority: &'a str) -> &'a str {
    let usual = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => return authority,
    };
    authority.strip_suffix(usual).unwrap_or(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
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
    fn lengths_of_time() {
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
        assert!(some_duration("0s").is_err());
    }

    #[test]
    fn hosts_and_origins_are_named_in_full() {
        assert_eq!(
            host("Tools.Example.com:8443"),
            Ok("tools.example.com:8443".into())
        );
        assert_eq!(host("::1"), Ok("[::1]".into()));
        assert_eq!(host("[::1]:8080"), Ok("[::1]:8080".into()));
        assert_eq!(host("mcp"), Ok("mcp".into()));
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

    #[test]
    fn addresses_to_listen_at() {
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
