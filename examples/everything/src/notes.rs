//! Tools that have the server tell its clients that something has changed. Nothing has: the lists are those of the program.

use tent::Notifier;
use tent::prelude::*;

/// Tell that the list of tools has changed.
#[action(access = "anyone", offer = "mcp", changes = false)]
fn test_trigger_tool_change(notes: &Notifier) -> Content {
    notes.tools_changed();
    Content::text("Told.")
}

/// Tell that the list of prompts has changed.
#[action(access = "anyone", offer = "mcp", changes = false)]
fn test_trigger_prompt_change(notes: &Notifier) -> Content {
    notes.prompts_changed();
    Content::text("Told.")
}

/// Tell that the list of resources has changed.
#[action(access = "anyone", offer = "mcp", changes = false)]
fn test_trigger_resource_change(notes: &Notifier) -> Content {
    notes.resources_changed();
    Content::text("Told.")
}

/// Tell those who subscribed to it that the watched resource has changed.
#[action(access = "anyone", offer = "mcp", changes = false)]
fn test_trigger_resource_update(notes: &Notifier) -> Content {
    notes.resource_updated("test://watched-resource");
    Content::text("Told.")
}
