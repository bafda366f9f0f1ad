//! The capabilities that the server declares, for each revision.
//! Must not depend on the caller: every client of a revision gets the same.

use serde_json::{Map, Value, json};

use crate::dispatch::Dispatcher;
use crate::mcp::protocol::revision::Revision;
use crate::registry::Registry;

/// Whether a function of the app implements a method whose name starts with `prefix`.
pub(crate) fn implements(registry: &Registry, prefix: &str) -> bool {
    let mut methods = registry.functions().iter().filter_map(|f| f.on.as_deref());
    methods.any(|method| method.starts_with(prefix))
}

/// The `ServerCapabilities` of this app.
pub(crate) fn server(dispatcher: &Dispatcher, revision: Revision) -> Map<String, Value> {
    let registry = &*dispatcher.registry();
    let implemented = |prefix| implements(registry, prefix);
    let streams = dispatcher.settings().mcp.stream;
    let list = if streams {
        json!({"listChanged": true})
    } else {
        json!({})
    };
    let has_resources = !registry.resources().is_empty() || implemented("resources/");
    let has_prompts = !registry.prompts().is_empty() || implemented("prompts/");
    // 2024-11-05 has completion/complete, but no capability that announces it.
    let completes = registry.completes() || implemented("completion/");
    let completes = completes && revision.has_annotations_and_audio();
    let mut resources = list.clone();
    if streams && registry.resources().iter().any(|one| one.options.subscribe) {
        resources["subscribe"] = true.into();
    }
    let standard = [
        ("completions", completes, json!({})),
        ("logging", true, json!({})),
        ("prompts", has_prompts, list.clone()),
        ("resources", has_resources, resources),
        ("tools", true, list),
    ];
    let standard = standard.into_iter().filter(|(_, declared, _)| *declared);
    let standard = standard.map(|(name, _, capability)| (name.to_owned(), capability));
    let about = dispatcher.about();
    // 2026-07-28 defines `extensions`. Older revisions allow additional capabilities.
    let additional = [
        ("experimental", &about.experimental),
        ("extensions", &about.extensions),
    ];
    let additional = additional.into_iter().filter(|(_, all)| !all.is_empty());
    let additional = additional.map(|(name, all)| (name.to_owned(), json!(all)));
    standard.chain(additional).collect()
}
