//! Writes the server's `Implementation` for each revision.
//! Must not be called for each request: the server writes it at start and in a handshake.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::dispatch::AppInfo;
use crate::mcp::protocol::content::icons;
use crate::mcp::protocol::revision::Revision;

/// The whole `Implementation`, for `initialize` and `server/discover`.
pub(crate) fn implementation(about: &AppInfo, revision: Revision) -> Value {
    let mut server = brief(about, revision);
    if !revision.has_icons() {
        return server;
    }
    if let Some(description) = &about.about {
        server["description"] = description.as_str().into();
    }
    if let Some(website) = &about.website {
        server["websiteUrl"] = website.as_str().into();
    }
    if let Some(icons) = icons(&about.icons, revision) {
        server["icons"] = icons;
    }
    server
}

/// The part that the `_meta` of every modern result repeats. Icons in it would make every result as large as an icon.
pub(crate) fn brief(about: &AppInfo, revision: Revision) -> Value {
    let mut server = json!({"name": about.name, "version": about.version});
    if let Some(title) = &about.title
        && revision.has_titles_and_structure()
    {
        server["title"] = title.as_str().into();
    }
    server
}

/// An `Implementation` that is written once.
pub(crate) fn raw(implementation: &Value) -> Box<RawValue> {
    to_raw_value(implementation).expect("texts and JSON values are written to memory")
}
