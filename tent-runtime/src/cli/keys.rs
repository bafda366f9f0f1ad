//! `keys`: creates, lists and revokes keys in the store of the server, whether the server runs or not.

use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::error::Result;
use crate::keys::{self, KeyRecord, Keys as KeyStore, NewKey};
use crate::server::Prepared;
use crate::settings::values;

use super::out;

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
    let keys = KeyStore::new(prepared.store().await?);
    match command {
        Keys::Create {
            scopes,
            owner,
            label,
            expires,
        } => {
            let mut new = NewKey::new(scopes);
            new.owner = owner;
            new.label = label;
            new.lifetime = expires;
            out::data(keys.create(new).await?.text())?;
        }
        Keys::List { json: as_json } => {
            let records = keys.list().await?;
            match as_json {
                true => out::data(format_args!(
                    "{:#}",
                    records.iter().map(as_value).collect::<Value>()
                ))?,
                false if records.is_empty() => {}
                false => out::data(records.iter().map(row).collect::<Vec<_>>().join("\n"))?,
            }
        }
        Keys::Revoke { id } => {
            if !keys.revoke(&id).await? {
                out::say(format_args!(
                    "error: unknown key {id}; `keys list` shows all keys"
                ));
                return Ok(ExitCode::FAILURE);
            }
            out::say(format_args!("revoked {id}"));
        }
    }
    Ok(ExitCode::SUCCESS)
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
