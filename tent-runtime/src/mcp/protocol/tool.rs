//! A tool as `tools/list` writes it, for each revision.
//! Must not decide which tools a caller sees.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::function::{Function, OutputShape};
use crate::mcp::protocol::content;
use crate::mcp::protocol::revision::Revision;

/// A tool. The members are in the order that people read them in.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tool<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    description: Cow<'a, str>,
    input_schema: Cow<'a, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    annotations: Option<ToolAnnotations<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    icons: Option<Value>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Map::is_empty")]
    meta: Cow<'a, Map<String, Value>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolAnnotations<'a> {
    #[serde(borrow)]
    title: Cow<'a, str>,
    read_only_hint: bool,
    destructive_hint: bool,
    idempotent_hint: bool,
    open_world_hint: bool,
}

impl<'a> Tool<'a> {
    /// The tool of this function. The annotations repeat the title, which is there alone in older revisions.
    pub(crate) fn new(function: &'a Function, revision: Revision) -> Self {
        let has_titles = revision.has_titles_and_structure();
        let title = Cow::Borrowed(&*function.title);
        let annotations = &function.annotations;
        Tool {
            name: Cow::Borrowed(&function.name),
            title: has_titles.then(|| title.clone()),
            description: Cow::Borrowed(&function.about),
            input_schema: Cow::Borrowed(function.input.published()),
            output_schema: output_schema(function).filter(|_| has_titles),
            annotations: revision
                .has_annotations_and_audio()
                .then_some(ToolAnnotations {
                    title,
                    read_only_hint: annotations.read_only,
                    destructive_hint: annotations.destructive,
                    idempotent_hint: annotations.idempotent,
                    open_world_hint: annotations.open_world,
                }),
            icons: content::icons(&function.icons, revision),
            meta: match has_titles {
                true => Cow::Borrowed(function.meta.members()),
                false => Cow::default(),
            },
        }
    }
}

/// The schema of a call's structured content; `None` where the function does not declare one.
fn output_schema(function: &Function) -> Option<Value> {
    match &function.output {
        _ if !function.structured => None,
        OutputShape::Value(Some(schema)) if schema.is_object() => Some(schema.published().clone()),
        OutputShape::Value(Some(schema)) => Some(schema.wrapped()),
        OutputShape::Value(None) | OutputShape::Nothing | OutputShape::Content => None,
    }
}
