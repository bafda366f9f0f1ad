//! Writes input requests (elicitation, sampling, roots) for each revision.
//! Must not send them.

use serde_json::{Map, Value, json};
use tent_core::codes;

use crate::cx::{InputKind, InputRequest};
use crate::error::{Error, Result};
use crate::mcp::protocol::content;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::sampling;

/// Checks that this revision can express an input request.
///
/// # Errors
/// T0021 for a field that the forms of the revision do not have.
pub(crate) fn check(request: &InputRequest, revision: Revision) -> Result<()> {
    let InputKind::Form { schema, .. } = request.kind() else {
        return Ok(());
    };
    if revision.has_elicitation_modes() {
        return Ok(());
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_list = |field: &Value| field.get("type").and_then(Value::as_str) == Some("array");
    let mut all = properties.into_iter().flatten();
    match all.find(|(_, field)| is_list(field)) {
        None => Ok(()),
        Some((name, _)) => Err(Error::new(codes::MISSING_CAPABILITY).with_message(format!(
            "The client uses MCP {}, whose forms cannot ask for several choices, as `{name}` does.",
            revision.name()
        ))
        .with_fix("Call it with a client of MCP 2025-11-25 or later.")),
    }
}

/// The method and the params of an input request that [`check`] accepts. `id` is the `elicitationId` of legacy revisions.
pub(crate) fn request(request: &InputRequest, revision: Revision, id: &str) -> Value {
    let (method, params) = match request.kind() {
        InputKind::Form { message, schema } => {
            let mut params = json!({"message": message, "requestedSchema": schema});
            if revision.has_elicitation_modes() {
                params["mode"] = "form".into();
            } else {
                downgrade_schema(&mut params["requestedSchema"]);
            }
            ("elicitation/create", params)
        }
        InputKind::Url { message, url } => {
            let mut params = json!({"mode": "url", "message": message, "url": url});
            if !revision.is_modern() {
                params["elicitationId"] = id.into();
            }
            ("elicitation/create", params)
        }
        InputKind::Sampling(request) => {
            let mut params = sampling::params(request);
            if let Some(Value::Array(messages)) = params.get_mut("messages")
                && !revision.has_message_lists()
            {
                let all = std::mem::take(messages).into_iter();
                *messages = all
                    .flat_map(|message| single_block_messages(message, revision))
                    .collect();
            }
            ("sampling/createMessage", Value::Object(params))
        }
        InputKind::Roots => ("roots/list", Value::Object(Map::new())),
    };
    json!({"method": method, "params": params})
}

/// Rewrites the fields of a form for 2025-06-18: the titles of an enum are in `enumNames`, and only booleans have
/// defaults.
fn downgrade_schema(schema: &mut Value) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    let properties = properties.into_iter().flat_map(Map::values_mut);
    for property in properties.filter_map(Value::as_object_mut) {
        if property.get("type").and_then(Value::as_str) != Some("boolean") {
            property.remove("default");
        }
        let Some(Value::Array(choices)) = property.remove("oneOf") else {
            continue;
        };
        let value = |choice: &Value| choice.get("const").cloned().unwrap_or_default();
        let title = |choice: &Value| choice.get("title").cloned();
        let titles = choices
            .iter()
            .map(|choice| title(choice).unwrap_or_else(|| value(choice)));
        property.insert("enumNames".to_owned(), titles.collect());
        property.insert("enum".to_owned(), choices.iter().map(value).collect());
    }
}

/// A sampling message for the revisions before 2025-11-25, which allow one content block: each block is a separate message.
fn single_block_messages(message: Value, revision: Revision) -> Vec<Value> {
    let one = |content: Value| {
        let mut message = message.clone();
        message["content"] = without_audio(content, revision);
        message
    };
    match message.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().cloned().map(one).collect(),
        Some(content) => vec![one(content.clone())],
        None => vec![message],
    }
}

/// A content block, with text in place of audio for a revision without audio.
fn without_audio(content: Value, revision: Revision) -> Value {
    let text = |name: &str| content.get(name).and_then(Value::as_str);
    if text("type") != Some("audio") || revision.has_annotations_and_audio() {
        return content;
    }
    // Four characters of base64 are three bytes, without the padding.
    let data = text("data").unwrap_or_default();
    let size = data.trim_end_matches('=').len() * 3 / 4;
    let text = content::audio_as_text(text("mimeType").unwrap_or_default(), size);
    json!({"type": "text", "text": text})
}
