//! Content and resources as MCP writes them, each revision as it can: what an older one lacks is left out, or
//! said in words.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::function::{
    Annotations, Content, ContentKind, Embedded, Icon, Meta, PromptResult, ResourceData,
    ResourceInfo, Role, Theme,
};
use crate::mcp::protocol::revision::Revision;

/// One content, in words where the revision has no type for it.
pub(crate) fn shown(content: &Content, revision: Revision) -> Value {
    let text = |text: String| json!({"type": "text", "text": text});
    let mut shown = match &content.kind {
        ContentKind::Text(said) => json!({"type": "text", "text": said}),
        ContentKind::Image { data, media_type } => {
            json!({"type": "image", "data": STANDARD.encode(data), "mimeType": media_type})
        }
        ContentKind::Audio { data, media_type } if revision.has_annotations_and_audio() => {
            json!({"type": "audio", "data": STANDARD.encode(data), "mimeType": media_type})
        }
        ContentKind::Audio { data, media_type } => text(sound(media_type, data.len())),
        ContentKind::Resource(resource) => {
            let mut held = held(resource);
            add_meta(&mut held, &resource.meta, revision);
            json!({"type": "resource", "resource": held})
        }
        ContentKind::Link(link) if revision.has_titles_and_structure() => {
            let mut shown = listed(link, revision);
            shown.insert("type".to_owned(), "resource_link".into());
            shown.into()
        }
        ContentKind::Link(link) => text(format!("{}: {}", link.name, link.uri)),
    };
    if let Some(annotations) = annotations(&content.annotations, revision) {
        shown["annotations"] = annotations;
    }
    add_meta(&mut shown, &content.meta, revision);
    shown
}

/// A sound in words, for a revision that has none.
pub(crate) fn sound(media_type: &str, size: usize) -> String {
    format!("[a sound: {media_type}, {size} bytes]")
}

/// One line of the conversation that a prompt begins with.
pub(crate) fn messages(prompted: &PromptResult, revision: Revision) -> Vec<Value> {
    let message = |message: &crate::function::PromptMessage| {
        json!({
            "role": message.role.name(),
            "content": shown(&message.content, revision),
        })
    };
    prompted.messages.iter().map(message).collect()
}

/// A resource with what it holds.
fn held(resource: &Embedded) -> Value {
    let mut held = json!({"uri": resource.uri, "mimeType": resource.media_type});
    match &resource.data {
        ResourceData::Text(text) => held["text"] = text.as_str().into(),
        ResourceData::Bytes(bytes) => held["blob"] = STANDARD.encode(bytes).into(),
    }
    held
}

/// A content as what is read under `uri`. `stated` is the media type of the resource, which counts for a text;
/// what else there is has its own.
pub(crate) fn read(
    content: &Content,
    uri: &str,
    stated: Option<&str>,
    revision: Revision,
) -> Value {
    let mut read = match &content.kind {
        ContentKind::Text(text) => {
            json!({"uri": uri, "mimeType": stated.unwrap_or("text/plain"), "text": text})
        }
        ContentKind::Image { data, media_type } | ContentKind::Audio { data, media_type } => {
            json!({"uri": uri, "mimeType": media_type, "blob": STANDARD.encode(data)})
        }
        ContentKind::Resource(resource) => held(resource),
        // What is read is bytes or a text; the media type of a text that is an address is this one (RFC 2483, 5).
        ContentKind::Link(link) => {
            json!({"uri": uri, "mimeType": "text/uri-list", "text": link.uri})
        }
    };
    match &content.kind {
        ContentKind::Resource(resource) => {
            add_meta(&mut read, &resource.meta.or(&content.meta), revision);
        }
        ContentKind::Link(link) => add_meta(&mut read, &link.meta, revision),
        _ => add_meta(&mut read, &content.meta, revision),
    }
    read
}

/// Puts in the members of `_meta`, which is not on every object before 2025-06-18.
fn add_meta(shown: &mut Value, meta: &Meta, revision: Revision) {
    if !meta.is_empty() && revision.has_titles_and_structure() {
        shown["_meta"] = meta.members().clone().into();
    }
}

/// A resource in a list, or a link to one.
pub(crate) fn listed(listed: &ResourceInfo, revision: Revision) -> Map<String, Value> {
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
    } = listed;
    let mut shown = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            shown.insert(key.to_owned(), value);
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
    shown
}

/// The pictures, where there are some and the revision has them.
pub(crate) fn icons(icons: &[Icon], revision: Revision) -> Option<Value> {
    let shown = |icon: &Icon| {
        let mut shown = json!({"src": icon.src});
        if let Some(media_type) = &icon.media_type {
            shown["mimeType"] = media_type.as_str().into();
        }
        if !icon.sizes.is_empty() {
            shown["sizes"] = json!(icon.sizes);
        }
        if let Some(theme) = icon.theme.map(Theme::name) {
            shown["theme"] = theme.into();
        }
        shown
    };
    let has_some = revision.has_icons() && !icons.is_empty();
    has_some.then(|| icons.iter().map(shown).collect())
}

/// The hints, if there are any. The first revisions had no time among them.
fn annotations(annotations: &Annotations, revision: Revision) -> Option<Value> {
    let mut shown = Map::new();
    if !annotations.audience.is_empty() {
        let audience = annotations.audience.iter().copied().map(Role::name);
        shown.insert("audience".to_owned(), audience.collect());
    }
    if let Some(priority) = annotations.priority {
        shown.insert("priority".to_owned(), priority.into());
    }
    if let Some(time) = &annotations.last_modified
        && revision.has_titles_and_structure()
    {
        shown.insert("lastModified".to_owned(), time.as_str().into());
    }
    (!shown.is_empty()).then(|| shown.into())
}
