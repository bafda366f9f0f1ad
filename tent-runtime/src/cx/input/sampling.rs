//! [`Sampling`]: a message of the client's model.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::{IntoInputRequest, Kind, TypedInputRequest};
use crate::content::Role;
use crate::error::{Error, Result};

/// What is asked of the client's model. The client may change it, and its person may refuse it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    params: Map<String, Value>,
    messages: Vec<Value>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SamplingContent {
    /// A text.
    Text(String),
    /// An image.
    Image {
        /// The bytes.
        data: Vec<u8>,
        /// Its media type, such as `image/png`.
        media_type: String,
    },
    /// A sound.
    Audio {
        /// The bytes.
        data: Vec<u8>,
        /// Its media type, such as `audio/wav`.
        media_type: String,
    },
    /// The model calls a tool that it was given.
    ToolUse {
        /// By which the result names it.
        id: String,
        /// The tool's name.
        name: String,
        /// What it is called with. The model's word: check it.
        input: Map<String, Value>,
    },
    /// What came of such a call. A user's message with one has nothing else in it.
    ToolResult {
        /// The id of the call.
        id: String,
        /// What is told the model.
        text: String,
        /// Whether it failed.
        failed: bool,
    },
}

impl SamplingContent {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        SamplingContent::Text(text.into())
    }

    fn written(&self) -> Value {
        match self {
            SamplingContent::Text(text) => json!({"type": "text", "text": text}),
            SamplingContent::Image { data, media_type } => {
                json!({"type": "image", "data": STANDARD.encode(data), "mimeType": media_type})
            }
            SamplingContent::Audio { data, media_type } => {
                json!({"type": "audio", "data": STANDARD.encode(data), "mimeType": media_type})
            }
            SamplingContent::ToolUse { id, name, input } => {
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }
            SamplingContent::ToolResult { id, text, failed } => {
                let mut result = json!({
                    "type": "tool_result",
                    "toolUseId": id,
                    "content": [{"type": "text", "text": text}],
                });
                if *failed {
                    result["isError"] = true.into();
                }
                result
            }
        }
    }

    fn read(value: &Value) -> Result<Self, String> {
        let text = |name: &str| {
            let text = value.get(name).and_then(Value::as_str);
            text.map(str::to_owned)
                .ok_or_else(|| format!("has a content without the text `{name}`"))
        };
        let bytes = || {
            STANDARD
                .decode(text("data")?)
                .map_err(|_| "has a content whose data is no base64".to_owned())
        };
        Ok(match &*text("type")? {
            "text" => SamplingContent::Text(text("text")?),
            "image" => SamplingContent::Image {
                data: bytes()?,
                media_type: text("mimeType")?,
            },
            "audio" => SamplingContent::Audio {
                data: bytes()?,
                media_type: text("mimeType")?,
            },
            "tool_use" => SamplingContent::ToolUse {
                id: text("id")?,
                name: text("name")?,
                input: match value.get("input") {
                    Some(Value::Object(input)) => input.clone(),
                    _ => return Err("calls a tool with no object".to_owned()),
                },
            },
            other => return Err(format!("has a content of the type {other:?}")),
        })
    }
}

/// A tool that the model may call; the function runs it, and asks again with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// The schema of its input, an object's.
    pub input: Value,
}

/// Whether the model calls tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    Auto,
    /// At least one.
    Required,
    /// None.
    Never,
}

impl Sampling {
    /// Without messages yet; `max_tokens` is the most that the answer may have.
    pub fn new(max_tokens: u32) -> Self {
        let params = Map::from_iter([("maxTokens".to_owned(), max_tokens.into())]);
        Sampling {
            params,
            messages: Vec::new(),
        }
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }

    /// With one message more.
    #[must_use]
    pub fn message(mut self, role: Role, parts: impl IntoIterator<Item = SamplingContent>) -> Self {
        let mut parts: Vec<_> = parts.into_iter().map(|part| part.written()).collect();
        // One part alone is written as every revision reads it.
        let content = match parts.len() {
            1 => parts.remove(0),
            _ => Value::Array(parts),
        };
        self.messages
            .push(json!({"role": role.name(), "content": content}));
        self
    }

    /// What the model is told before all messages. The client may leave it out.
    #[must_use]
    pub fn system(self, prompt: impl Into<String>) -> Self {
        self.with("systemPrompt", prompt.into())
    }

    /// How free the model is, 0 for not at all; what is no finite number is left out.
    #[must_use]
    pub fn temperature(self, temperature: f64) -> Self {
        match temperature.is_finite() {
            true => self.with("temperature", temperature),
            false => self,
        }
    }

    /// Texts at which the model stops.
    #[must_use]
    pub fn stop<S: Into<String>>(self, at: impl IntoIterator<Item = S>) -> Self {
        let at: Vec<String> = at.into_iter().map(Into::into).collect();
        self.with("stopSequences", at)
    }

    /// Models by name or a part of it, the dearest first. The client may choose another.
    #[must_use]
    pub fn models<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        let hints = names.into_iter().map(|name| json!({"name": name.into()}));
        let hints: Vec<Value> = hints.collect();
        self.preference("hints", hints.into())
    }

    /// How much cost, speed and intelligence matter in the choice of a model, each from 0 to 1; what lies outside
    /// counts as the nearer of these, and what is no number is left out.
    #[must_use]
    pub fn priorities(self, cost: f64, speed: f64, intelligence: f64) -> Self {
        let each = [
            ("costPriority", cost),
            ("speedPriority", speed),
            ("intelligencePriority", intelligence),
        ];
        let each = each.into_iter().filter(|(_, much)| !much.is_nan());
        each.fold(self, |request, (name, much)| {
            request.preference(name, much.clamp(0.0, 1.0).into())
        })
    }

    fn preference(mut self, name: &str, value: Value) -> Self {
        let preferences = self.params.entry("modelPreferences");
        if let Value::Object(preferences) = preferences.or_insert_with(|| json!({})) {
            preferences.insert(name.to_owned(), value);
        }
        self
    }

    /// What the provider of the model is handed as it is.
    #[must_use]
    pub fn metadata(self, metadata: Map<String, Value>) -> Self {
        self.with("metadata", metadata)
    }

    /// With a tool that the model may call: for clients that said `sampling.tools` (else T0021).
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        let written = json!({
            "name": tool.name,
            "description": tool.about,
            "inputSchema": tool.input,
        });
        if let Value::Array(tools) = self.params.entry("tools").or_insert_with(|| json!([])) {
            tools.push(written);
        }
        self
    }

    /// Whether the model calls tools: for clients that said `sampling.tools` (else T0021).
    #[must_use]
    pub fn tool_choice(self, choice: ToolChoice) -> Self {
        let mode = match choice {
            ToolChoice::Auto => "auto",
            ToolChoice::Required => "required",
            ToolChoice::Never => "none",
        };
        self.with("toolChoice", json!({"mode": mode}))
    }
}

/// What the client's model said.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplingResult {
    /// Its message, in parts.
    pub content: Vec<SamplingContent>,
    /// Which model it was.
    pub model: String,
    /// Why it stopped, where that is known: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or another.
    pub stop_reason: Option<String>,
}

impl SamplingResult {
    /// Its texts, one after the other.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|part| match part {
            SamplingContent::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

impl IntoInputRequest for Sampling {
    type Response = SamplingResult;

    fn into_input_request(self) -> Result<TypedInputRequest<SamplingResult>> {
        let Sampling {
            mut params,
            messages,
        } = self;
        balanced(&messages)
            .map_err(|why| Error::unexpected(format!("a model cannot be asked this: {why}")))?;
        params.insert("messages".to_owned(), messages.into());
        Ok(TypedInputRequest::new(Kind::Sampling(params), |answer| {
            let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
            let content = match answer.get("content") {
                Some(Value::Array(parts)) => parts.iter().map(SamplingContent::read).collect(),
                Some(part) => SamplingContent::read(part).map(|part| vec![part]),
                None => Err("has no content".to_owned()),
            };
            Ok(SamplingResult {
                content: content?,
                model: text("model").ok_or("names no model")?,
                stop_reason: text("stopReason"),
            })
        }))
    }
}

/// Whether the messages keep what is asked of calls of tools (client/sampling, Tool Result Messages, Tool Use and Result
/// Balance): the calls in a message of the model are answered by the message after it, each by one result, and results
/// stand with nothing else.
fn balanced(messages: &[Value]) -> Result<(), String> {
    // The ids of the calls that the message before made.
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        let parts = match &message["content"] {
            Value::Array(parts) => parts.as_slice(),
            part => std::slice::from_ref(part),
        };
        if parts.is_empty() {
            return Err("a message has no part".to_owned());
        }
        let ids = |kind: &str, name: &str| {
            let of = parts.iter().filter(|part| part["type"] == kind);
            of.filter_map(|part| part[name].as_str())
                .collect::<Vec<_>>()
        };
        let results = ids("tool_result", "toolUseId");
        let calls = ids("tool_use", "id");
        let is_user = message["role"] == "user";
        if !results.is_empty() && (!is_user || results.len() < parts.len()) {
            return Err(
                "results of tools stand alone, in a message of the user's with nothing else"
                    .to_owned(),
            );
        }
        for id in results {
            let Some(at) = open.iter().position(|open| *open == id) else {
                return Err(format!(
                    "a result is of the call {id:?}, which the message before it does not make"
                ));
            };
            open.swap_remove(at);
        }
        if let Some(id) = open.first() {
            return Err(format!(
                "the message after the call {id:?} does not give its result"
            ));
        }
        if is_user && !calls.is_empty() {
            return Err("a tool is called by the model, not by the user".to_owned());
        }
        open = calls;
    }
    match open.first() {
        None => Ok(()),
        Some(id) => Err(format!(
            "no message follows the call {id:?} with its result"
        )),
    }
}
