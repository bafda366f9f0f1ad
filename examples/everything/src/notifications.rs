//! Tools that notify clients of changes. The lists themselves do not change: they are those of the program.

use tent::Notifier;
use tent::prelude::*;

/// Notify clients that the list of tools changed.
#[action(access = "anyone", offer = "mcp", changes = false, blocking = false)]
fn test_trigger_tool_change(notifier: &Notifier) -> Content {
    notifier.tools_changed();
    Content::text("The clients were notified.")
}

/// Notify clients that the list of prompts changed.
#[action(access = "anyone", offer = "mcp", changes = false, blocking = false)]
fn test_trigger_prompt_change(notifier: &Notifier) -> Content {
    notifier.prompts_changed();
    Content::text("The clients were notified.")
}

/// Notify clients that the list of resources changed.
#[action(access = "anyone", offer = "mcp", changes = false, blocking = false)]
fn test_trigger_resource_change(notifier: &Notifier) -> Content {
    notifier.resources_changed();
    Content::text("The clients were notified.")
}

/// Notify the subscribers of the watched resource that it changed.
#[action(access = "anyone", offer = "mcp", changes = false, blocking = false)]
fn test_trigger_resource_update(notifier: &Notifier) -> Content {
    notifier.resource_updated("test://watched-resource");
    Content::text("The clients were notified.")
}
