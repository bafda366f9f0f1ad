//! Extensions of the protocol: one that the app declares, and what depends on whether the client has it too.

use tent::prelude::*;
use tent::{Icon, Theme};

/// MCP Apps: tools that are shown as pages.
pub(crate) const UI: &str = "io.modelcontextprotocol/ui";

/// The picture of the app, and of what has one here.
pub(crate) fn icons() -> Vec<Icon> {
    vec![
        Icon::svg(include_str!("icon.svg")).theme(Theme::Light),
        Icon::png(crate::media::PNG),
    ]
}

fn shows_pages(cx: &Cx) -> bool {
    cx.client().extension(UI).is_some()
}

/// Say whether the client shows pages, and of which media types.
#[query(access = "anyone", offer = "mcp", icons = icons())]
fn client_shows_pages(cx: &Cx) -> String {
    match cx.client().extension(UI) {
        Some(settings) => format!("The client shows pages: {settings}"),
        None => "The client shows no pages.".to_owned(),
    }
}

/// What only clients that show pages are listed.
#[query(access = shows_pages, offer = "mcp")]
fn listed_where_pages_are_shown() -> String {
    "Here it is.".to_owned()
}

/// What refuses clients that show no pages.
#[query(access = "anyone", offer = "mcp", needs = ["io.modelcontextprotocol/ui"])]
fn needs_pages() -> String {
    "It ran.".to_owned()
}
