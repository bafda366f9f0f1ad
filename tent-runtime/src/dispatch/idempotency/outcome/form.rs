//! The stored forms of outputs and errors. They mirror the types of the app, which have no `Serialize` themselves: that would
//! make them values that a function can return.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tent_core::codes;

use crate::content::{
    Annotations, Content, ContentKind, Icon, Meta, Resource, ResourceData, ResourceInfo, Role,
    Theme,
};
use crate::error::{AppCode, Error};
use crate::function::{Output, PromptMessage, PromptResult};

type MetaForm = Map<String, Value>;

#[derive(Serialize, Deserialize)]
pub(super) struct OutputForm {
    value: Option<Box<RawValue>>,
    content: Vec<ContentForm>,
    replaces_text: bool,
    meta: MetaForm,
    prompt: Option<PromptForm>,
}

#[derive(Serialize, Deserialize)]
struct PromptForm {
    about: String,
    messages: Vec<(RoleForm, ContentForm)>,
    meta: MetaForm,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ErrorForm {
    code: String,
    name: String,
    status: u16,
    message: String,
    fix: String,
    fields: Map<String, Value>,
    retry_after: Option<Duration>,
    content: Vec<ContentForm>,
}

#[derive(Serialize, Deserialize)]
struct ContentForm {
    kind: KindForm,
    annotations: AnnotationsForm,
    meta: MetaForm,
}

/// Bytes are in base64.
#[derive(Serialize, Deserialize)]
enum KindForm {
    Text(String),
    Image(String, String),
    Audio(String, String),
    ResourceText(ResourceForm),
    ResourceBytes(ResourceForm),
    Link(Box<LinkForm>),
}

#[derive(Serialize, Deserialize)]
struct ResourceForm {
    uri: String,
    media_type: String,
    data: String,
    meta: MetaForm,
}

#[derive(Serialize, Deserialize)]
struct LinkForm {
    uri: String,
    name: String,
    title: Option<String>,
    about: Option<String>,
    media_type: Option<String>,
    size: Option<u64>,
    annotations: AnnotationsForm,
    icons: Vec<IconForm>,
    meta: MetaForm,
}

#[derive(Serialize, Deserialize)]
struct AnnotationsForm {
    audience: Vec<RoleForm>,
    /// The bits of the number: JSON would round it.
    priority: Option<u64>,
    last_modified: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct IconForm {
    src: String,
    media_type: Option<String>,
    sizes: Vec<String>,
    dark: Option<bool>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum RoleForm {
    User,
    Assistant,
}

impl From<&Output> for OutputForm {
    fn from(output: &Output) -> Self {
        OutputForm {
            value: output.value.clone(),
            content: output.content.iter().map(Into::into).collect(),
            replaces_text: output.replaces_text,
            meta: output.meta.members().clone(),
            prompt: output.prompt.as_ref().map(|prompt| PromptForm {
                about: prompt.about.clone(),
                messages: prompt
                    .messages
                    .iter()
                    .map(|message| (message.role.into(), (&message.content).into()))
                    .collect(),
                meta: prompt.meta.members().clone(),
            }),
        }
    }
}

impl OutputForm {
    /// `None` for what this version cannot have stored.
    pub(super) fn restore(self) -> Option<Output> {
        let prompt = match self.prompt {
            None => None,
            Some(prompt) => {
                let message = |(role, content): (RoleForm, ContentForm)| {
                    Some(PromptMessage {
                        role: role.into(),
                        content: content.restore()?,
                    })
                };
                Some(PromptResult {
                    about: prompt.about,
                    messages: prompt
                        .messages
                        .into_iter()
                        .map(message)
                        .collect::<Option<_>>()?,
                    meta: meta(prompt.meta)?,
                })
            }
        };
        Some(Output {
            value: self.value,
            content: contents(self.content)?,
            replaces_text: self.replaces_text,
            meta: meta(self.meta)?,
            prompt,
            reservation: None,
        })
    }
}

impl From<&Error> for ErrorForm {
    fn from(error: &Error) -> Self {
        ErrorForm {
            code: error.code().to_owned(),
            name: error.name().to_owned(),
            status: error.status(),
            message: error.message().to_owned(),
            fix: error.fix().to_owned(),
            fields: error.fields().clone(),
            retry_after: error.retry_after(),
            content: error.content().iter().map(Into::into).collect(),
        }
    }
}

impl ErrorForm {
    /// The error without its source, which only the log of the first call has.
    pub(super) fn restore(self) -> Option<Error> {
        let error = match codes::find(&self.code) {
            Some(code) => Error::new(code).with_message(self.message),
            None => Error::declared(AppCode::stored(&self.code)?, self.status, self.message),
        };
        let error = error
            .with_name(self.name)
            .with_fix(self.fix)
            .with_content(contents(self.content)?);
        let error = match self.retry_after {
            Some(wait) => error.with_retry_after(wait),
            None => error,
        };
        let fields = self.fields.into_iter();
        Some(fields.fold(error, |error, (name, value)| error.with_field(name, value)))
    }
}

impl From<&Content> for ContentForm {
    fn from(content: &Content) -> Self {
        let bytes = |bytes: &[u8]| STANDARD.encode(bytes);
        let kind = match &content.kind {
            ContentKind::Text(text) => KindForm::Text(text.clone()),
            ContentKind::Image { data, media_type } => {
                KindForm::Image(bytes(data), media_type.clone())
            }
            ContentKind::Audio { data, media_type } => {
                KindForm::Audio(bytes(data), media_type.clone())
            }
            ContentKind::Resource(resource) => {
                let form = |data| ResourceForm {
                    uri: resource.uri.clone(),
                    media_type: resource.media_type.clone(),
                    data,
                    meta: resource.meta.members().clone(),
                };
                match &resource.data {
                    ResourceData::Text(text) => KindForm::ResourceText(form(text.clone())),
                    ResourceData::Bytes(data) => KindForm::ResourceBytes(form(bytes(data))),
                }
            }
            ContentKind::Link(link) => KindForm::Link(Box::new((&**link).into())),
        };
        ContentForm {
            kind,
            annotations: (&content.annotations).into(),
            meta: content.meta.members().clone(),
        }
    }
}

impl ContentForm {
    fn restore(self) -> Option<Content> {
        let bytes = |text: String| STANDARD.decode(text).ok();
        let resource = |form: ResourceForm, is_text| {
            Some(ContentKind::Resource(Resource {
                uri: form.uri,
                media_type: form.media_type,
                data: match is_text {
                    true => ResourceData::Text(form.data),
                    false => ResourceData::Bytes(bytes(form.data)?),
                },
                meta: meta(form.meta)?,
            }))
        };
        let kind = match self.kind {
            KindForm::Text(text) => ContentKind::Text(text),
            KindForm::Image(data, media_type) => ContentKind::Image {
                data: bytes(data)?,
                media_type,
            },
            KindForm::Audio(data, media_type) => ContentKind::Audio {
                data: bytes(data)?,
                media_type,
            },
            KindForm::ResourceText(form) => resource(form, true)?,
            KindForm::ResourceBytes(form) => resource(form, false)?,
            KindForm::Link(link) => ContentKind::Link(Box::new(link.restore()?)),
        };
        Some(Content {
            kind,
            annotations: self.annotations.restore(),
            meta: meta(self.meta)?,
        })
    }
}

impl From<&ResourceInfo> for LinkForm {
    fn from(link: &ResourceInfo) -> Self {
        let icon = |icon: &Icon| IconForm {
            src: icon.src.clone(),
            media_type: icon.media_type.clone(),
            sizes: icon.sizes.clone(),
            dark: icon.theme.map(|theme| theme == Theme::Dark),
        };
        LinkForm {
            uri: link.uri.clone(),
            name: link.name.clone(),
            title: link.title.clone(),
            about: link.about.clone(),
            media_type: link.media_type.clone(),
            size: link.size,
            annotations: (&link.annotations).into(),
            icons: link.icons.iter().map(icon).collect(),
            meta: link.meta.members().clone(),
        }
    }
}

impl LinkForm {
    fn restore(self) -> Option<ResourceInfo> {
        let icon = |icon: IconForm| Icon {
            src: icon.src,
            media_type: icon.media_type,
            sizes: icon.sizes,
            theme: icon.dark.map(|dark| match dark {
                true => Theme::Dark,
                false => Theme::Light,
            }),
        };
        Some(ResourceInfo {
            uri: self.uri,
            name: self.name,
            title: self.title,
            about: self.about,
            media_type: self.media_type,
            size: self.size,
            annotations: self.annotations.restore(),
            icons: self.icons.into_iter().map(icon).collect(),
            meta: meta(self.meta)?,
        })
    }
}

impl From<&Annotations> for AnnotationsForm {
    fn from(annotations: &Annotations) -> Self {
        AnnotationsForm {
            audience: annotations
                .audience
                .iter()
                .map(|&role| role.into())
                .collect(),
            priority: annotations.priority.map(f64::to_bits),
            last_modified: annotations.last_modified.clone(),
        }
    }
}

impl AnnotationsForm {
    fn restore(self) -> Annotations {
        Annotations {
            audience: self.audience.into_iter().map(Into::into).collect(),
            priority: self.priority.map(f64::from_bits),
            last_modified: self.last_modified,
        }
    }
}

impl From<Role> for RoleForm {
    fn from(role: Role) -> Self {
        match role {
            Role::User => RoleForm::User,
            Role::Assistant => RoleForm::Assistant,
        }
    }
}

impl From<RoleForm> for Role {
    fn from(role: RoleForm) -> Self {
        match role {
            RoleForm::User => Role::User,
            RoleForm::Assistant => Role::Assistant,
        }
    }
}

fn contents(forms: Vec<ContentForm>) -> Option<Vec<Content>> {
    forms.into_iter().map(ContentForm::restore).collect()
}

/// The members were valid when they were stored.
fn meta(members: MetaForm) -> Option<Meta> {
    Meta::from_declared(Value::Object(members)).ok()
}
