//! What a server says of itself (`Implementation`), as each revision has it. Everything here is written once, at
//! start, or when a client makes itself known.

use serde_json::{Value, json};

use crate::dispatch::AppInfo;
use crate::mcp::protocol::content::icons;
use crate::mcp::protocol::revision::Revision;

/// All that a client of this revision is told when it makes itself known.
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

/// The part that every result of a modern server repeats. A picture in each would make each as large as the picture.
pub(crate) fn brief(about: &AppInfo, revision: Revision) -> Value {
    let mut server = json!({"name": about.name, "version": about.version});
    if let Some(title) = &about.title
        && revision.has_titles_and_structure()
    {
        server["title"] = title.as_str().into();
    }
    server
}

/// The server as a member of the `_meta` of a modern result.
pub(crate) fn member(server: &Value) -> String {
    format!("\"io.modelcontextprotocol/serverInfo\":{server}")
}
