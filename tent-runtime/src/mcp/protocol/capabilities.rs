//! The capabilities that the server declares, for each revision, and those that a client declares.
//! Must not depend on the caller: every client of a revision gets the same server capabilities.

use serde::de::MapAccess;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::cx::Capabilities;
use crate::dispatch::Dispatcher;
use crate::json::{Take, Taking, members};
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

/// The capabilities that a client declares.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClientCapabilities<'a> {
    pub(crate) declared: Capabilities,
    /// `extensions`, as the client sent it. [`KnownExtensions`](crate::mcp::protocol::extensions::KnownExtensions) reads it.
    pub(crate) extensions: Option<&'a RawValue>,
}

/// Reads the capabilities of a client; `None` if they are not an object.
#[derive(Clone)]
pub(crate) struct CapabilitiesSeed;

impl<'de> Take<'de> for CapabilitiesSeed {
    type Out = Option<ClientCapabilities<'de>>;

    fn other(self) -> Self::Out {
        None
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Self::Out, A::Error> {
        let mut declared = Capabilities::default();
        let mut extensions = None;
        members(object, &mut |key, object| {
            match key {
                "roots" => {
                    declared.roots = object.next_value_seed(Taking(PartsSeed([])))?.is_some()
                }
                "sampling" => {
                    let parts = object.next_value_seed(Taking(PartsSeed(["tools", "context"])))?;
                    declared.sampling = parts.is_some();
                    [declared.sampling_tools, declared.sampling_context] =
                        parts.unwrap_or_default();
                }
                "elicitation" => {
                    let parts = object.next_value_seed(Taking(PartsSeed(["form", "url"])))?;
                    // An empty object means forms, which are older than the names of the modes.
                    declared.form = parts.is_some_and(|[form, url]| form || !url);
                    declared.url = parts.is_some_and(|[_, url]| url);
                }
                "extensions" => extensions = object.next_value()?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(Some(ClientCapabilities {
            declared,
            extensions,
        }))
    }
}

/// The sub-capabilities that a capability has, of these; `None` if it is not an object. A capability or sub-capability
/// that is not an object counts as not declared.
struct PartsSeed<const N: usize>([&'static str; N]);

impl<'de, const N: usize> Take<'de> for PartsSeed<N> {
    type Out = Option<[bool; N]>;

    fn other(self) -> Self::Out {
        None
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Self::Out, A::Error> {
        let mut has = [false; N];
        members(object, &mut |key, object| {
            let Some(at) = self.0.iter().position(|part| *part == key) else {
                return Ok(false);
            };
            has[at] = object.next_value_seed(Taking(PartsSeed([])))?.is_some();
            Ok(true)
        })?;
        Ok(Some(has))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn reads_the_capabilities_of_a_client() {
        const ALL: [&str; 6] = [
            "elicitation.form",
            "elicitation.url",
            "sampling",
            "sampling.tools",
            "sampling.context",
            "roots",
        ];
        for (text, expected) in [
            ("{}", &[][..]),
            (r#"{"elicitation":{}}"#, &ALL[..1]),
            (r#"{"elicitation":{"form":{}}}"#, &ALL[..1]),
            (r#"{"elicitation":{"url":{}}}"#, &ALL[1..2]),
            (r#"{"elicitation":{"form":{},"url":{}}}"#, &ALL[..2]),
            (r#"{"elicitation":{"url":true}}"#, &ALL[..1]),
            (r#"{"elicitation":true,"sampling":[],"roots":1}"#, &[]),
            (
                r#"{"sampling":{},"roots":{"listChanged":true}}"#,
                &["sampling", "roots"],
            ),
            (r#"{"sampling":{"tools":{},"context":{}}}"#, &ALL[2..5]),
            (r#"{"sampling":{"tools":null,"other":{}}}"#, &ALL[2..3]),
        ] {
            let read = json::read(text, Taking(CapabilitiesSeed)).expect("it is read");
            let read = read.expect("it is an object").declared;
            let declared: Vec<_> = ALL.into_iter().filter(|name| read.has(name)).collect();
            assert_eq!(declared, expected, "{text}");
        }
        let none = json::read("[]", Taking(CapabilitiesSeed)).expect("it is read");
        assert!(none.is_none());
    }
}
