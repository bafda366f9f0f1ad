//! Parses the settings that are URLs: [`PublicUrl`] and [`StoreUrl`]. Nothing here opens a connection or a file.

use std::path::PathBuf;

use http::Uri;

use super::values::{authority, without_default_port};

/// The URL that clients reach this server at: `http` or `https`, a host, and optionally a path; without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    text: String,
    origin: String,
}

impl PublicUrl {
    /// Parses the text of the setting.
    ///
    /// # Errors
    /// The problem, as the end of a sentence that starts with the text.
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
        let expected = || "is not a URL: use for example https://tools.example.com".to_owned();
        let text = text.trim();
        let uri: Uri = text.parse().map_err(|_| expected())?;
        let scheme = uri
            .scheme_str()
            .filter(|scheme| matches!(*scheme, "http" | "https"));
        let (Some(scheme), Some(found)) = (scheme, uri.authority()) else {
            return Err(expected());
        };
        if uri.query().is_some() || text.contains('#') {
            return Err("has a query or a fragment: remove the part from ? or #".into());
        }
        let authority = authority(found.as_str()).ok_or_else(expected)?;
        let origin = format!("{scheme}://{}", without_default_port(scheme, &authority));
        let text = format!("{origin}{}", uri.path().trim_end_matches('/'));
        Ok(PublicUrl { text, origin })
    }

    /// The whole URL, without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The origin as browsers send it: scheme, host, and the port unless it is the default.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The host as the `Host` header has it: with the port unless it is the default.
    pub fn host(&self) -> &str {
        self.origin.split_once("://").map_or("", |(_, host)| host)
    }

    /// Whether the scheme is `https`.
    pub fn is_https(&self) -> bool {
        self.origin.starts_with("https:")
    }
}

/// The location of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreUrl {
    /// `memory:`: in this process, until it ends.
    Memory,
    /// `sqlite:` and a path: in an SQLite file. Needs the feature `sqlite` of tent, which is on by default.
    Sqlite(PathBuf),
}

impl StoreUrl {
    /// Why an app without the feature `sqlite` cannot use an SQLite file, as the end of a sentence.
    #[cfg(not(feature = "sqlite"))]
    pub(crate) const NO_SQLITE: &str = "is an SQLite file, but this program was built without the feature `sqlite` of tent: \
        use memory: or turn the feature on in Cargo.toml";

    /// Checks that this program can open such a store.
    ///
    /// # Errors
    /// The problem, as the end of a sentence that starts with the name of the setting.
    pub(super) fn supported(self) -> Result<Self, String> {
        #[cfg(not(feature = "sqlite"))]
        if let StoreUrl::Sqlite(_) = self {
            return Err(Self::NO_SQLITE.to_owned());
        }
        Ok(self)
    }

    /// Parses the text of the setting.
    ///
    /// # Errors
    /// The problem, as the end of a sentence that starts with the text.
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
            return Err("is not a store: use memory: or sqlite:<file>".into());
        };
        // Other tools write sqlite://tent.db and sqlite:///var/tent.db for the same files.
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() {
            return Err("has no file: use for example sqlite:tent.db".into());
        }
        if path.contains('?') {
            return Err("has options, which are not supported: remove the part from ?".into());
        }
        Ok(StoreUrl::Sqlite(path.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_normalised() {
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
    fn a_store_is_memory_or_a_file() {
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
