//! The two settings that are addresses of another kind: [`PublicUrl`] and [`StoreUrl`]. Neither opens anything.

use std::path::PathBuf;

use http::Uri;

use super::values::{authority, without_usual_port};

/// The address that the world reaches this server at: `http` or `https`, a host, perhaps a path; without
/// a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    text: String,
    origin: String,
}

impl PublicUrl {
    /// From its text.
    ///
    /// # Errors
    /// What was expected, as the end of a sentence that begins with the text.
    ///
    /// ```
    /// use tent::settings::PublicUrl;
    /// let url = PublicUrl::parse("https://Tools.example.com:443/shop/")?;
    /// assert_eq!(url.as_str(), "https://tools.example.com/shop");
    /// assert_eq!(url.origin(), "https://tools.example.com");
    /// assert_eq!(url.host(), "tools.example.com");
    /// assert!(url.is_https());
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = || "is no address, such as https://tools.example.com".to_owned();
        let text = text.trim();
        let uri: Uri = text.parse().map_err(|_| expected())?;
        let scheme = uri
            .scheme_str()
            .filter(|scheme| matches!(*scheme, "http" | "https"));
        let (Some(scheme), Some(found)) = (scheme, uri.authority()) else {
            return Err(expected());
        };
        if uri.query().is_some() || text.contains('#') {
            return Err("has more than a host and a path; remove what follows ? or #".into());
        }
        let authority = authority(found.as_str()).ok_or_else(expected)?;
        let origin = format!("{scheme}://{}", without_usual_port(scheme, &authority));
        let text = format!("{origin}{}", uri.path().trim_end_matches('/'));
        Ok(PublicUrl { text, origin })
    }

    /// The whole of it, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its scheme and host, and its port where that is not the usual one: as browsers write an origin.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Its host, and its port where that is not the usual one: as a `Host` header has it.
    pub fn host(&self) -> &str {
        self.origin.split_once("://").map_or("", |(_, host)| host)
    }

    /// Whether it is reached over TLS.
    pub fn is_https(&self) -> bool {
        self.origin.starts_with("https:")
    }
}

/// Where the store keeps its data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreUrl {
    /// In this process, until it ends: `memory:`.
    Memory,
    /// In an SQLite file: `sqlite:` and its path.
    Sqlite(PathBuf),
}

impl StoreUrl {
    /// From its text.
    ///
    /// # Errors
    /// What was expected, as the end of a sentence that begins with the text.
    ///
    /// ```
    /// use tent::settings::StoreUrl;
    /// assert_eq!(StoreUrl::parse("sqlite:data/tent.db"), Ok(StoreUrl::Sqlite("data/tent.db".into())));
    /// assert_eq!(StoreUrl::parse("memory:"), Ok(StoreUrl::Memory));
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if matches!(text, "memory:" | "memory" | "sqlite::memory:") {
            return Ok(StoreUrl::Memory);
        }
        let Some(path) = text.strip_prefix("sqlite:") else {
            return Err("is no store: memory: and sqlite:<file> are".into());
        };
        // Others write sqlite://tent.db and sqlite:///var/tent.db for the same two files.
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() {
            return Err("names no file: write sqlite:tent.db".into());
        }
        if path.contains('?') {
            return Err("has options, and the file takes none: remove what follows the ?".into());
        }
        Ok(StoreUrl::Sqlite(path.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_urls() {
        for (text, whole) in [
            ("https://a.example", "https://a.example"),
            ("https://a.example/", "https://a.example"),
            ("http://A.example:8080/x/", "http://a.example:8080/x"),
            ("https://[::1]:8443", "https://[::1]:8443"),
        ] {
            assert_eq!(PublicUrl::parse(text).map(|url| url.text), Ok(whole.into()));
        }
        for bad in [
            "a.example",
            "ftp://a",
            "https://u:p@a",
            "https://a?b=1",
            "https://a/#b",
            "/x",
            "",
            "https://",
        ] {
            assert!(PublicUrl::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn stores() {
        for text in ["sqlite:/var/t.db", "sqlite:///var/t.db"] {
            assert_eq!(
                StoreUrl::parse(text),
                Ok(StoreUrl::Sqlite("/var/t.db".into()))
            );
        }
        assert_eq!(
            StoreUrl::parse("sqlite://t.db"),
            Ok(StoreUrl::Sqlite("t.db".into()))
        );
        for bad in [
            "",
            "tent.db",
            "sqlite:",
            "postgres://x",
            "sqlite:t.db?mode=rwc",
        ] {
            assert!(StoreUrl::parse(bad).is_err(), "{bad}");
        }
    }
}
