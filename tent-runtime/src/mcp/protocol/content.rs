//! Writes content and resources for each revision. An older revision gets text in place of a content type that it does
//! not have, and no members that it does not have.
//! Must not know which result it writes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use tent_core::count::counted;

use crate::function::{
    Annotations, Content, ContentKind, Embedded, Icon, Meta, PromptResult, ResourceData,
    ResourceInfo, Role, Theme,
};
use crate::mcp::protocol::revision::Revision;

/// A content block.
pub(crate) fn block(content: &Content, revision: Revision) -> Value {
    let text = |text: String| json!({"type": "text", "text": text});
    let mut block = match &content.kind {
        ContentKind::Text(text) => json!({"type": "text", "text": text}),
        ContentKind::Image { data, media_type } => {
            json!({"type": "image", "data": STANDARD.encode(data), "mimeType": media_type})
        }
        ContentKind::Audio { data, media_type } if revision.has_annotations_and_audio() => {
            json!({"type": "audio", "data": STANDARD.encode(data), "mimeType": media_type})
        }
        ContentKind::Audio { data, media_type } => text(audio_as_text(media_type, data.len())),
        ContentKind::Resource(resource) => {
            let mut contents = resource_contents(resource);
            add_meta(&mut contents, &resource.meta, revision);
            json!({"type": "resource", "resource": contents})
        }
        ContentKind::Link(link) if revision.has_titles_and_structure() => {
            let mut block = resource_info(link, revision);
            block.insert("type".to_owned(), "resource_link".into());
            block.into()
        }
        ContentKind::Link(link) => text(format!("{}: {}", link.name, link.uri)),
    };
    if let Some(annotations) = annotations(&content.annotations, revision) {
        block["annotations"] = annotations;
    }
    add_meta(&mut block, &content.meta, revision);
    block
}

/// The text in place of audio, for a revision without audio.
pub(crate) fn audio_as_text(media_type: &str, size: usize) -> String {
    format!("[a sound: {media_type}, {}]", counted(size, "byte"))
}

/// The messages of a prompt.
pub(crate) fn messages(prompt: &PromptResult, revision: Revision) -> Vec<Value> {
    let message = |message: &crate::function::PromptMessage| {
        json!({
            "role": message.role.name(),
            "content": block(&message.content, revision),
        })
    };
    prompt.messages.iter().map(message).collect()
}

/// The contents of an embedded resource.
fn resource_contents(resource: &Embedded) -> Value {
    let mut contents = json!({"uri": resource.uri, "mimeType": resource.media_type});
    match &resource.data {
        ResourceData::Text(text) => contents["text"] = text.as_str().into(),
        ResourceData::Bytes(bytes) => contents["blob"] = STANDARD.encode(bytes).into(),
    }
    contents
}

/// Content as the contents of the resource `uri`. `declared` is the media type of the resource, which applies
/// to text; other content has its own.
pub(crate) fn contents(
    content: &Content,
    uri: &str,
    declared: Option<&str>,
    revision: Revision,
) -> Value {
    let mut contents = match &content.kind {
        ContentKind::Text(text) => {
            json!({"uri": uri, "mimeType": declared.unwrap_or("text/plain"), "text": text})
        }
        ContentKind::Image { data, media_type } | ContentKind::Audio { data, media_type } => {
            json!({"uri": uri, "mimeType": media_type, "blob": STANDARD.encode(data)})
        }
        ContentKind::Resource(resource) => resource_contents(resource),
        // The contents of a resource are text or bytes. This is the media type of a list of URIs (RFC 2483, section 5).
        ContentKind::Link(link) => {
            json!({"uri": uri, "mimeType": "text/uri-list", "text": link.uri})
        }
    };
    match &content.kind {
        ContentKind::Resource(resource) => {
            add_meta(&mut contents, &resource.meta.or(&content.meta), revision);
        }
        ContentKind::Link(link) => add_meta(&mut contents, &link.meta, revision),
        _ => add_meta(&mut contents, &content.meta, revision),
    }
    contents
}

/// Adds `_meta`, which most types have from 2025-06-18 on.
fn add_meta(object: &mut Value, meta: &Meta, revision: Revision) {
    if !meta.is_empty() && revision.has_titles_and_structure() {
        object["_meta"] = meta.members().clone().into();
    }
}

/// A resource in a list, or a link to one.
pub(crate) fn resource_info(info: &ResourceInfo, revision: Revision) -> Map<String, Value> {
    let ResourceInfo {
        uri,
        name,
        title,
        about,
        media_type,
        size,
        annotations,
        icons,
        meta,
    } = info;
    let mut object = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            object.insert(key.to_owned(), value);
        }
    };
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    put("uri", Some(uri.as_str().into()));
    put("name", Some(name.as_str().into()));
    put(
        "title",
        text(title).filter(|_| revision.has_titles_and_structure()),
    );
    put("description", text(about));
    put("mimeType", text(media_type));
    put("size", size.map(Value::from));
    put("annotations", self::annotations(annotations, revision));
    put("icons", self::icons(icons, revision));
    let has_meta = !meta.is_empty() && revision.has_titles_and_structure();
    put("_meta", has_meta.then(|| meta.members().clone().into()));
    object
}

/// The icons, if there are any and the revision has them.
pub(crate) fn icons(icons: &[Icon], revision: Revision) -> Option<Value> {
    let write = |icon: &Icon| {
        let mut written = json!({"src": icon.src});
        if let Some(media_type) = &icon.media_type {
            written["mimeType"] = media_type.as_str().into();
        }
        if !icon.sizes.is_empty() {
            written["sizes"] = json!(icon.sizes);
        }
        if let Some(theme) = icon.theme.map(Theme::name) {
            written["theme"] = theme.into();
        }
        written
    };
    let has_some = revision.has_icons() && !icons.is_empty();
    has_some.then(|| icons.iter().map(write).collect())
}

/// The annotations, if there are any. Older revisions have no `lastModified`.
fn annotations(annotations: &Annotations, revision: Revision) -> Option<Value> {
    let mut written = Map::new();
    if !annotations.audience.is_empty() {
        let audience = annotations.audience.iter().copied().map(Role::name);
        written.insert("audience".to_owned(), audience.collect());
    }
    if let Some(priority) = annotations.priority {
        written.insert("priority".to_owned(), priority.into());
    }
    if let Some(time) = &annotations.last_modified
        && revision.has_titles_and_structure()
    {
        written.insert("lastModified".to_owned(), time.as_str().into());
    }
    (!written.is_empty()).then(|| written.into())
}
