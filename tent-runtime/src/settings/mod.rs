//! [`Settings`]: reads the configuration of the server once, before it starts.
//!
//! A setting is named `section.key`. Its value comes from the variable `TENT_<SECTION>__<KEY>` (two underscores between
//! section and key), from the app's code, or from a command-line flag; a later source in this list overrides an earlier
//! one. Sections that tent does not know belong to the app, which reads them with [`Settings::get`]. Settings never change
//! after the start, and the value of a secret is never shown.

mod builder;
mod limits;
mod network;
mod own;
mod secret;
mod urls;
pub(crate) mod values;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};

use serde::de::DeserializeOwned;
use tent_core::codes;

use crate::error::{Error, Result};
use own::Node;

pub use builder::Builder;
pub use limits::Limits;
pub use network::Network;
pub use secret::{MIN_BYTES, Secret};
pub use urls::{PublicUrl, StoreUrl};

/// All settings, with defaults for those that are not set.
///
/// ```
/// use tent::Settings;
/// let settings = Settings::from_vars([
///     ("TENT_LIMITS__MAX_BODY", "8MiB"),
///     ("TENT_SHOP__DB", "orders.db"),
/// ])?;
/// assert_eq!(settings.web.addr.to_string(), "127.0.0.1:3000");
/// assert_eq!(settings.limits.max_body, 8 * 1024 * 1024);
/// assert_eq!(settings.get::<String>("shop.db")?, "orders.db");
/// # Ok::<(), tent::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// The address that the server listens on, and the names that clients reach it by.
    pub web: Web,
    /// The MCP endpoint.
    pub mcp: Mcp,
    /// Limits on size, time and number.
    pub limits: Limits,
    /// The store of tent's own data.
    pub store: Store,
    /// `secret`: the first secret seals, every secret opens. To rotate, put the new secret first and remove the old one
    /// later. Empty (the default): tent generates a secret and keeps it in the store.
    pub secrets: Vec<Secret>,
    own: BTreeMap<String, Node>,
    warnings: Vec<String>,
}

/// Section `web`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Web {
    /// `web.addr`: the address and port to listen on. Default: `127.0.0.1:3000`.
    pub addr: SocketAddr,
    /// `web.public_url`: the URL that clients use, if a proxy is in front of the server. Default: none.
    pub public_url: Option<PublicUrl>,
    /// `web.hosts`: additional hosts that requests may name, in lower case, each with or without a port. Default: none.
    pub hosts: Vec<String>,
    /// `web.origins`: additional origins whose pages may call, in lower case; `null` for pages without an origin.
    /// Default: none.
    pub origins: Vec<String>,
    /// `web.trusted_proxies`: the addresses and networks of the proxies in front of the server, such as `10.0.0.0/8`. Many
    /// clients share the address of a proxy, so the limits of bytes and connections per address do not apply to it, only
    /// those in total. Default: none.
    pub trusted_proxies: Vec<Network>,
}

impl Default for Web {
    fn default() -> Self {
        Web {
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, 3000)),
            public_url: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            trusted_proxies: Vec::new(),
        }
    }
}

/// Section `mcp`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Mcp {
    /// `mcp.anyone`: whether clients without credentials may list and call functions with `access = "anyone"`. Default:
    /// `false`, so such a client must sign in.
    pub anyone: bool,
    /// `mcp.stream`: whether clients may open subscription streams, which notify them of changed lists. Each stream holds
    /// a connection. Default: `false`.
    pub stream: bool,
}

/// Section `store`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Store {
    /// `store.url`: `memory:`, or `sqlite:` and a file. Default: `sqlite:tent.db` in the working directory; `memory:` where
    /// the feature `sqlite` of tent is off.
    pub url: StoreUrl,
}

impl Default for Store {
    fn default() -> Self {
        Store {
            url: match cfg!(feature = "sqlite") {
                true => StoreUrl::Sqlite("tent.db".into()),
                false => StoreUrl::Memory,
            },
        }
    }
}

impl Settings {
    /// A builder without any setting.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Reads the environment variables of this process.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn from_env() -> Result<Self> {
        Self::builder().env().build()
    }

    /// Reads the given variables: pairs of name and value.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn from_vars<N, V>(vars: impl IntoIterator<Item = (N, V)>) -> Result<Self>
    where
        N: Into<String>,
        V: Into<String>,
    {
        Self::builder().vars(vars).build()
    }

    /// Reads a setting of the app as the type `T`: a string, a number, `true` or `false`, a list (separated by commas), an
    /// `Option` for an optional setting, or a whole section as a struct that derives `Deserialize`. `shop.db` is the
    /// variable `TENT_SHOP__DB`; names are in lower case.
    ///
    /// # Errors
    /// T7019 if the setting is not set and `T` is not an `Option`, if the value is not valid for `T`, and for a setting of
    /// tent.
    ///
    /// ```
    /// # use tent::Settings;
    /// #[derive(serde::Deserialize)]
    /// struct Shop { db: String, workers: u8 }
    /// let settings = Settings::from_vars([("TENT_SHOP__DB", "orders.db"), ("TENT_SHOP__WORKERS", "4")])?;
    /// let shop: Shop = settings.get("shop")?;
    /// assert_eq!((shop.db.as_str(), shop.workers), ("orders.db", 4));
    /// assert_eq!(settings.get::<Option<u16>>("shop.port")?, None);
    /// assert_eq!(settings.get::<u16>("shop.port").unwrap_err().code(), "T7019");
    /// # Ok::<(), tent::Error>(())
    /// ```
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<T> {
        if KNOWN.iter().any(|known| known.key == key) {
            return Err(Error::new(codes::INVALID_SETTING)
                .with_message(format!("{key} is a setting of tent."))
                .with_fix("Read the field of Settings that has its name."));
        }
        let found = Node::at(&self.own, key);
        let read = match found {
            Some(node) => node.read(),
            None => Node::absent(),
        };
        read.map_err(|invalid| {
            let variable = builder::variable(key);
            let message = match found {
                Some(_) => format!("{key} ({variable}) is not valid: {invalid}."),
                None => format!("{key} ({variable}) is not set."),
            };
            Error::new(codes::INVALID_SETTING)
                .with_message(message)
                .with_fix(format!("Set {variable} to a valid value."))
                .with_field(variable, invalid.to_string())
        })
    }

    /// Probable mistakes to log at start, each as a sentence: variables whose names are near the name of a setting.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// A setting of tent.
pub(crate) struct Known {
    /// `section.key`, or a key alone.
    pub(crate) key: &'static str,
    /// Whether the value is a secret and is never shown.
    secret: bool,
    parse: fn(&mut Settings, &str) -> Result<(), String>,
}

const fn known(key: &'static str, parse: fn(&mut Settings, &str) -> Result<(), String>) -> Known {
    Known {
        key,
        secret: false,
        parse,
    }
}

/// All settings of tent, in the order of the documentation.
pub(crate) const KNOWN: &[Known] = &[
    known("web.addr", |settings, text| {
        settings.web.addr = values::addr(text)?;
        Ok(())
    }),
    known("web.public_url", |settings, text| {
        settings.web.public_url = Some(PublicUrl::parse(text)?);
        Ok(())
    }),
    known("web.hosts", |settings, text| {
        settings.web.hosts = values::list(text, values::host)?;
        Ok(())
    }),
    known("web.origins", |settings, text| {
        settings.web.origins = values::list(text, values::origin)?;
        Ok(())
    }),
    known("web.trusted_proxies", |settings, text| {
        settings.web.trusted_proxies = values::list(text, Network::parse)?;
        Ok(())
    }),
    known("mcp.anyone", |settings, text| {
        settings.mcp.anyone = values::flag(text)?;
        Ok(())
    }),
    known("mcp.stream", |settings, text| {
        settings.mcp.stream = values::flag(text)?;
        Ok(())
    }),
    known("limits.max_body", |settings, text| {
        settings.limits.max_body = values::size(text)?;
        Ok(())
    }),
    known("limits.max_response", |settings, text| {
        settings.limits.max_response = values::size(text)?;
        Ok(())
    }),
    known("limits.call_timeout", |settings, text| {
        settings.limits.call_timeout = values::positive_duration(text)?;
        Ok(())
    }),
    known("limits.drain", |settings, text| {
        settings.limits.drain = values::duration(text)?;
        Ok(())
    }),
    known("limits.grace", |settings, text| {
        settings.limits.grace = Some(values::duration(text)?);
        Ok(())
    }),
    known("limits.write_timeout", |settings, text| {
        settings.limits.write_timeout = values::positive_duration(text)?;
        Ok(())
    }),
    known("limits.in_flight", |settings, text| {
        settings.limits.in_flight = values::size(text)?;
        Ok(())
    }),
    known("limits.in_flight_per_address", |settings, text| {
        settings.limits.in_flight_per_address = Some(values::size(text)?);
        Ok(())
    }),
    known("limits.connections", |settings, text| {
        settings.limits.connections = Some(values::count(text)?);
        Ok(())
    }),
    known("limits.connections_per_address", |settings, text| {
        settings.limits.connections_per_address = Some(values::count(text)?);
        Ok(())
    }),
    known("limits.ask_time", |settings, text| {
        settings.limits.ask_time = values::positive_duration(text)?;
        Ok(())
    }),
    known("limits.list_ttl", |settings, text| {
        settings.limits.list_ttl = values::duration(text)?;
        Ok(())
    }),
    known("limits.streams_per_caller", |settings, text| {
        settings.limits.streams_per_caller = values::count(text)?;
        Ok(())
    }),
    // The URL of a store may contain a password.
    Known {
        key: "store.url",
        secret: true,
        parse: |settings, text| {
            settings.store.url = StoreUrl::parse(text)?.supported()?;
            Ok(())
        },
    },
    Known {
        key: "secret",
        secret: true,
        parse: |settings, text| {
            let secrets: Result<Vec<Secret>, String> = text
                .split(',')
                .map(str::trim)
                .filter(|one| !one.is_empty())
                .map(Secret::parse)
                .collect();
            settings.secrets = secrets?;
            Ok(())
        },
    },
];

/// The sections of tent: an unknown key in one of them is an error. Sections without keys are reserved for later
/// versions.
pub(crate) const SECTIONS: [&str; 6] = ["web", "mcp", "limits", "store", "issuers", "secret"];

#[cfg(test)]
mod tests;
