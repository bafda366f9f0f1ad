//! PendingRequests as requests to a client, in the form that its revision has for them.

use serde_json::{Map, Value, json};
use tent_core::codes;

use crate::cx::{InputKind, InputRequest};
use crate::error::{Error, Result};
use crate::mcp::protocol::content;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::sampling;

/// Whether this revision has words for a question at all.
///
/// # Errors
/// T0021 for a field that its forms do not have.
pub(crate) fn check(question: &InputRequest, revision: Revision) -> Result<()> {
    let InputKind::Form { schema, .. } = question.kind() else {
        return Ok(());
    };
    if revision.has_modes_of_elicitation() {
        return Ok(());
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let several = |field: &Value| field.get("type").and_then(Value::as_str) == Some("array");
    let mut all = properties.into_iter().flatten();
    match all.find(|(_, field)| several(field)) {
        None => Ok(()),
        Some((name, _)) => Err(Error::new(codes::MISSING_CAPABILITY).with_message(format!(
            "The client speaks MCP {}, whose forms have no choice of several, as `{name}` is one.",
            revision.name()
        ))
        .with_fix("Call it with a client of MCP 2025-11-25 or later.")),
    }
}

/// The method and the parameters of a question that [`check`] has passed. `id` is by what an older client tells
/// elicitations apart.
pub(crate) fn request(question: &InputRequest, revision: Revision, id: &str) -> Value {
    let (method, params) = match question.kind() {
        InputKind::Form { message, schema } => {
            let mut params = json!({"message": message, "requestedSchema": schema});
            if revision.has_modes_of_elicitation() {
                params["mode"] = "form".into();
            } else {
                in_older_words(&mut params["requestedSchema"]);
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
                && !revision.has_messages_of_parts()
            {
                let all = std::mem::take(messages).into_iter();
                *messages = all
                    .flat_map(|message| in_parts(message, revision))
                    .collect();
            }
            ("sampling/createMessage", Value::Object(params))
        }
        InputKind::Roots => ("roots/list", Value::Object(Map::new())),
    };
    json!({"method": method, "params": params})
}

/// Fields as 2025-06-18 has them. The titles of choices stand beside them, under `enumNames`; only what is yes or
/// no has a default.
fn in_older_words(schema: &mut Value) {
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

/// A message as the revisions before 2025-11-25 have it, with one content: each part is a message of its own.
fn in_parts(message: Value, revision: Revision) -> Vec<Value> {
    let one = |content: Value| {
        let mut message = message.clone();
        message["content"] = in_words(content, revision);
        message
    };
    match message.get("content") {
        Some(Value::Array(parts)) => parts.iter().cloned().map(one).collect(),
        Some(content) => vec![one(content.clone())],
        None => vec![message],
    }
}

/// A content, in words where the revision has no type for it.
fn in_words(content: Value, revision: Revision) -> Value {
    let text = |name: &str| content.get(name).and_then(Value::as_str);
    if text("type") != Some("audio") || revision.has_annotations_and_audio() {
        return content;
    }
    // Four characters of base64 are three bytes, less those that are but padding.
    let data = text("data").unwrap_or_default();
    let size = data.trim_end_matches('=').len() * 3 / 4;
    let said = content::sound(text("mimeType").unwrap_or_default(), size);
    json!({"type": "text", "text": said})
}
