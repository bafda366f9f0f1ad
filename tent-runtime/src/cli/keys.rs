//! `keys`: creates, lists and revokes keys in the store of the server, whether the server runs or not.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;
use serde_json::{Value, json};
use tent_core::codes;

use crate::error::{Error, Result};
use crate::keys::{self, KeyRecord, Keys as KeyStore, NewKey};
use crate::server::Prepared;
use crate::settings::{StoreUrl, values};
use crate::store;

use super::{counted, out};

#[derive(Subcommand)]
pub(super) enum Keys {
    /// Create a key and print it; it is shown only once
    Create {
        /// A scope of the key, for example read, write or orders:write; repeat for several
        #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = keys::parse_scope)]
        scopes: Vec<String>,
        /// The id of the owner
        #[arg(long, value_parser = keys::line)]
        owner: Option<String>,
        /// A label for people
        #[arg(long, value_parser = keys::line)]
        label: Option<String>,
        /// The lifetime, for example 90d [default: no expiry]
        #[arg(long, value_name = "TIME", value_parser = lifetime)]
        expires: Option<Duration>,
    },
    /// List the keys, without the keys themselves
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key; every running server rejects it within a second
    Revoke {
        /// The id that `list` shows
        id: String,
    },
}

pub(super) async fn run(prepared: Prepared, command: Keys) -> Result<ExitCode> {
    let file = file(&prepared.settings.store.url)?;
    let place = file.display();
    if !matches!(command, Keys::Create { .. }) && !file.try_exists()? {
        return Err(no_store(&file));
    }
    let url = prepared.settings.store.url.clone();
    match command {
        Keys::Create {
            scopes,
            owner,
            label,
            expires,
        } => {
            if let Some(owner) = &owner {
                let known = prepared.check_owner(owner).await;
                known.map_err(|error| with_owner(error, owner))?;
            }
            let mut new = NewKey::new(scopes);
            (new.owner, new.label, new.lifetime) = (owner, label, expires);
            let keys = KeyStore::new(store::open(&url).await?);
            let made = keys.create(new).await?;
            let KeyRecord {
                id, owner, scopes, ..
            } = &made.record;
            out::say(format_args!(
                "created the key {id}: owner {}, {} {}, store {place}",
                owner.as_deref().unwrap_or("none"),
                if scopes.len() == 1 { "scope" } else { "scopes" },
                scopes.join(" "),
            ));
            out::data(made.text())?;
        }
        Keys::List { json: as_json } => {
            let records = KeyStore::new(store::open(&url).await?).list().await?;
            match as_json {
                true => out::data(format_args!(
                    "{:#}",
                    records.iter().map(as_value).collect::<Value>()
                ))?,
                false if records.is_empty() => {}
                false => out::data(records.iter().map(row).collect::<Vec<_>>().join("\n"))?,
            }
            out::say(format_args!(
                "{} in the store {place}",
                counted(records.len(), "key")
            ));
        }
        Keys::Revoke { id } => {
            let keys = KeyStore::new(store::open(&url).await?);
            if !keys.revoke(&id).await? {
                out::say(format_args!(
                    "error: the store {place} has no key {id}; `keys list` shows all keys"
                ));
                return Ok(ExitCode::FAILURE);
            }
            out::say(format_args!("revoked {id} in the store {place}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The absolute path of the file that has the keys.
///
/// # Errors
/// T7019 for a store in memory: it ends with this process, and no server knows its keys.
fn file(url: &StoreUrl) -> Result<PathBuf> {
    match url {
        StoreUrl::Sqlite(path) => Ok(std::path::absolute(path)?),
        StoreUrl::Memory => Err(Error::new(codes::INVALID_SETTING)
            .with_message("The store is memory:, so each process has its own keys and no server knows these.")
            .with_fix("Set store.url to the file of the server, for example TENT_STORE__URL=sqlite:tent.db, or make keys in code with Tent::keys.")),
    }
}

/// The error for a command that must not make a new store: the keys of the server are in another one.
fn no_store(file: &Path) -> Error {
    Error::new(codes::INVALID_SETTING)
        .with_message(format!("The store {} does not exist.", file.display()))
        .with_fix("Run the command in the folder of the server, or set store.url to its file.")
}

fn with_owner(error: Error, owner: &str) -> Error {
    match error.is(codes::SIGN_IN) {
        true => error
            .with_message(format!("The app does not know the user `{owner}`."))
            .with_fix("Use the id of a user of the app for --owner, or leave --owner out."),
        false => error,
    }
}

fn lifetime(text: &str) -> Result<Duration, String> {
    values::positive_duration(text).map_err(|why| format!("it {why}"))
}

fn row(record: &KeyRecord) -> String {
    let owner = record.owner.as_deref().unwrap_or("-");
    let state = match (record.revoked, record.expires) {
        (Some(revoked), _) => format!("revoked {revoked}"),
        (None, Some(expires)) => format!("until {expires}"),
        (None, None) => "good".to_owned(),
    };
    let label = record.label.as_deref().unwrap_or_default();
    format!(
        "{}  {owner}  {}  {state}  made {}  {label}",
        record.id,
        record.scopes.join(","),
        record.created
    )
    .trim_end()
    .to_owned()
}

fn as_value(record: &KeyRecord) -> Value {
    json!({
        "id": record.id,
        "owner": record.owner,
        "scopes": record.scopes,
        "label": record.label,
        "created": record.created.to_string(),
        "expires": record.expires.map(|time| time.to_string()),
        "revoked": record.revoked.map(|time| time.to_string()),
    })
}
