//! Extensions of MCP: the app declares one, and tools depend on whether the client supports it.

use tent::prelude::*;
use tent::{Icon, Theme};

/// MCP Apps: tools that a client shows as pages.
pub(crate) const UI: &str = "io.modelcontextprotocol/ui";

/// The icons of the app and of one tool.
pub(crate) fn icons() -> Vec<Icon> {
    vec![
        Icon::svg(include_str!("icon.svg")).theme(Theme::Light),
        Icon::png(crate::media::PNG).sizes(["1x1"]),
    ]
}

fn shows_pages(cx: &Cx) -> bool {
    cx.client().extension(UI).is_some()
}

/// Report whether the client shows pages, and of which media types.
#[query(access = "anyone", offer = "mcp", icons = icons(), blocking = false)]
fn client_shows_pages(cx: &Cx) -> String {
    match cx.client().extension(UI) {
        Some(settings) => format!("The client shows pages: {settings}"),
        None => "The client shows no pages.".to_owned(),
    }
}

/// A tool that only clients that show pages can see.
#[query(access = shows_pages, offer = "mcp", blocking = false)]
fn listed_where_pages_are_shown() -> String {
    "Here it is.".to_owned()
}

/// A tool that refuses clients that do not show pages.
#[query(access = "anyone", offer = "mcp", needs = ["io.modelcontextprotocol/ui"], blocking = false)]
fn needs_pages() -> String {
    "It ran.".to_owned()
}
