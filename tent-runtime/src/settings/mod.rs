//! [`Settings`]: what the server is told from outside, read once, before it starts.
//!
//! A setting is named `section.key`. It comes from the variable `TENT_<SECTION>__<KEY>` (two underscores
//! between section and key), from the app's own code, or from the command line; the later of these
//! wins. A section that tent does not know belongs to the app, which reads it with
//! [`Settings::get`]. After the start nothing here is read or changed again, and no value of a secret
//! is ever shown.

mod builder;
mod own;
mod secret;
mod urls;
pub(crate) mod values;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use serde::de::DeserializeOwned;
use tent_core::codes;

use crate::error::{Error, Result};
use own::Node;

pub use builder::Builder;
pub use secret::{FEWEST_BYTES, Secret};
pub use urls::{PublicUrl, StoreUrl};

/// Everything that is set, defaults filled in.
///
/// ```
/// use tent_runtime::settings::Settings;
/// let settings = Settings::from_vars([
///     ("TENT_LIMITS__BODY", "8MiB"),
///     ("TENT_SHOP__DB", "orders.db"),
/// ])?;
/// assert_eq!(settings.web.addr.to_string(), "127.0.0.1:3000");
/// assert_eq!(settings.limits.body, 8 * 1024 * 1024);
/// assert_eq!(settings.get::<String>("shop.db")?, "orders.db");
/// # Ok::<(), tent_runtime::error::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// Where the server listens, and by which names it is reached.
    pub web: Web,
    /// What MCP clients may do.
    pub mcp: Mcp,
    /// How much and how long.
    pub limits: Limits,
    /// Where the data of tent itself is kept.
    pub store: Store,
    /// `secret`: what is sealed with the first of these can be opened with any. A list, so that a new
    /// one can be put in front before an old one goes. Empty (the default): one is made, and kept in
    /// the store.
    pub secrets: Vec<Secret>,
    own: BTreeMap<String, Node>,
    warnings: Vec<String>,
}

/// Section `web`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Web {
    /// `web.addr`: the address and port to listen at. Default: `127.0.0.1:3000`.
    pub addr: SocketAddr,
    /// `web.public_url`: the address that the world uses, where a proxy stands in front. Default: none.
    pub public_url: Option<PublicUrl>,
    /// `web.hosts`: further hosts that requests may name, in small letters, each with or without a
    /// port. Default: none.
    pub hosts: Vec<String>,
    /// `web.origins`: further origins whose pages may call, in small letters; `null` for pages without
    /// one. Default: none.
    pub origins: Vec<String>,
}

impl Default for Web {
    fn default() -> Self {
        Web {
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, 3000)),
            public_url: None,
            hosts: Vec::new(),
            origins: Vec::new(),
        }
    }
}

/// Section `mcp`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Mcp {
    /// `mcp.anyone`: whether a client without a key is served: it may list and call what
    /// `access = "anyone"` allows. Default: `false`, and such a client is asked to sign in.
    pub anyone: bool,
    /// `mcp.stream`: whether clients may keep a stream open, on which they are told that lists have
    /// changed. Each holds a connection. Default: `false`.
    pub stream: bool,
}

/// Section `limits`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// `limits.body`: the most bytes of a request's body. Default: 4 MiB.
    pub body: usize,
    /// `limits.answer`: the most bytes that a function may give, and of the answers to one array of
    /// messages. Default: 16 MiB.
    pub answer: usize,
    /// `limits.call_time`: how long a request may take, with all the rules and functions that it leads to. A function
    /// that states a time of its own has that, from its call on.
    /// Default: 30 seconds.
    pub call_time: Duration,
    /// `limits.ask_time`: how long what is asked of a person or of a client waits for its answer, longer than
    /// nothing. Default: 10 minutes.
    pub ask_time: Duration,
    /// `limits.tools_kept`: how long a client may keep a list of tools. Default: 5 minutes.
    pub tools_kept: Duration,
    /// `limits.live_connections`: the most streams that MCP clients keep open at once with this process, for
    /// each caller, whatever their addresses; where nobody is known ([`mcp.anyone`](Mcp::anyone)), for each
    /// address, of IPv6 each network of 64 bits. The address is that of the connection: behind a proxy all of
    /// nobody's streams count as one address's, and so they do on a listener of the app's own that tells no
    /// `axum::extract::ConnectInfo<SocketAddr>`. One more is refused with T0006. Default: 100.
    pub live_connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            body: 4 << 20,
            answer: 16 << 20,
            call_time: Duration::from_secs(30),
            ask_time: Duration::from_secs(600),
            tools_kept: Duration::from_secs(300),
            live_connections: 100,
        }
    }
}

/// Section `store`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Store {
    /// `store.url`: `memory:`, or `sqlite:` and a file. Default: `sqlite:tent.db`, in the directory that
    /// the server is started in.
    pub url: StoreUrl,
}

impl Default for Store {
    fn default() -> Self {
        Store {
            url: StoreUrl::Sqlite("tent.db".into()),
        }
    }
}

impl Settings {
    /// Nothing yet, to be added to.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// From the variables of this process, which are read now.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn from_env() -> Result<Self> {
        Self::builder().env().build()
    }

    /// From variables that are given: pairs of name and value.
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

    /// One of the app's own settings, as whatever type is asked for: a text, a number, `true` or `false`,
    /// a list (parted by commas), an `Option` where it may be absent, or a whole section as a struct that
    /// derives `Deserialize`. `shop.db` is the variable `TENT_SHOP__DB`; names are in small letters.
    ///
    /// # Errors
    /// T7019 where it is not set and the type is no `Option`, where its value does not fit the type, and for
    /// what is tent's own.
    ///
    /// ```
    /// # use tent_runtime::settings::Settings;
    /// #[derive(serde::Deserialize)]
    /// struct Shop { db: String, workers: u8 }
    /// let settings = Settings::from_vars([("TENT_SHOP__DB", "orders.db"), ("TENT_SHOP__WORKERS", "4")])?;
    /// let shop: Shop = settings.get("shop")?;
    /// assert_eq!((shop.db.as_str(), shop.workers), ("orders.db", 4));
    /// assert_eq!(settings.get::<Option<u16>>("shop.port")?, None);
    /// assert_eq!(settings.get::<u16>("shop.port").unwrap_err().code(), "T7019");
    /// # Ok::<(), tent_runtime::error::Error>(())
    /// ```
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<T> {
        if KNOWN.iter().any(|known| known.key == key) {
            return Err(Error::new(codes::INVALID_SETTING)
                .with_message(format!("{key} is tent's own."))
                .with_fix("Read it from the field of Settings that has its name."));
        }
        let found = Node::at(&self.own, key);
        let read = match found {
            Some(node) => node.read(),
            None => Node::absent(),
        };
        read.map_err(|misfit| {
            let variable = builder::variable(key);
            let message = match found {
                Some(_) => format!("{key} ({variable}) does not fit: {misfit}."),
                None => format!("{key} ({variable}) is not set."),
            };
            Error::new(codes::INVALID_SETTING)
                .with_message(message)
                .with_fix(format!("Set {variable} to a value that fits."))
                .with_field(variable, misfit.to_string())
        })
    }

    /// What looks like a mistake but may be none: variables that no setting of tent reads, though their
    /// names are near one that does. Each is a sentence, to be logged at start.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// A setting of tent's own.
pub(crate) struct Known {
    /// `section.key`, or a key alone.
    pub(crate) key: &'static str,
    /// Whether its value may never be shown.
    secret: bool,
    read: fn(&mut Settings, &str) -> Result<(), String>,
}

const fn known(key: &'static str, read: fn(&mut Settings, &str) -> Result<(), String>) -> Known {
    Known {
        key,
        secret: false,
        read,
    }
}

/// Every setting of tent's own, in the order in which they are documented.
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
    known("mcp.anyone", |settings, text| {
        settings.mcp.anyone = values::flag(text)?;
        Ok(())
    }),
    known("mcp.stream", |settings, text| {
        settings.mcp.stream = values::flag(text)?;
        Ok(())
    }),
    known("limits.body", |settings, text| {
        settings.limits.body = values::size(text)?;
        Ok(())
    }),
    known("limits.answer", |settings, text| {
        settings.limits.answer = values::size(text)?;
        Ok(())
    }),
    known("limits.call_time", |settings, text| {
        settings.limits.call_time = values::some_duration(text)?;
        Ok(())
    }),
    known("limits.ask_time", |settings, text| {
        settings.limits.ask_time = values::some_duration(text)?;
        Ok(())
    }),
    known("limits.tools_kept", |settings, text| {
        settings.limits.tools_kept = values::duration(text)?;
        Ok(())
    }),
    known("limits.live_connections", |settings, text| {
        settings.limits.live_connections = values::count(text)?;
        Ok(())
    }),
    // An address of a store may hold a password.
    Known {
        key: "store.url",
        secret: true,
        read: |settings, text| {
            settings.store.url = StoreUrl::parse(text)?;
            Ok(())
        },
    },
    Known {
        key: "secret",
        secret: true,
        read: |settings, text| {
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

/// The sections that are tent's own: a key in one of them that is not in [`KNOWN`] is a mistake. Those
/// without any key yet are kept, so that no app has a section that becomes tent's later.
pub(crate) const SECTIONS: [&str; 6] = ["web", "mcp", "limits", "store", "issuers", "secret"];

#[cfg(test)]
mod tests;
