//! [`Sampling`]: a request for a message of the client's model, and [`SamplingResult`], the message.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::{InputResponse, IntoInputRequest, Kind, OTHER_KIND, TypedInputRequest};
use crate::bounded;
use crate::content::Role;
use crate::error::{Error, Result};

/// A request for a message of the client's model. The client may change the request, and its user may decline it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sampling {
    pub(crate) max_tokens: u32,
    pub(crate) messages: Vec<SamplingMessage>,
    pub(crate) system_prompt: Option<String>,
    pub(crate) temperature: Option<f64>,
    pub(crate) stop_sequences: Option<Vec<String>>,
    pub(crate) models: Option<Vec<String>>,
    pub(crate) cost_priority: Option<f64>,
    pub(crate) speed_priority: Option<f64>,
    pub(crate) intelligence_priority: Option<f64>,
    pub(crate) metadata: Option<Map<String, Value>>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) tool_choice: Option<ToolChoice>,
}

/// A message of the conversation that the model continues.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// The sender.
    pub role: Role,
    /// The content blocks, at least one.
    pub content: Vec<SamplingContent>,
}

/// A content block of a sampling message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SamplingContent {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// The bytes.
        #[serde(serialize_with = "base64")]
        data: Vec<u8>,
        /// The media type, such as `image/png`.
        media_type: String,
    },
    /// Audio.
    Audio {
        /// The bytes.
        #[serde(serialize_with = "base64")]
        data: Vec<u8>,
        /// The media type, such as `audio/wav`.
        media_type: String,
    },
    /// The model calls a tool of the request.
    ToolUse {
        /// The id of the call, which its result repeats.
        id: String,
        /// The tool's name.
        name: String,
        /// The tool's input. The model chooses it: validate it.
        input: Map<String, Value>,
    },
    /// The result of a tool call. A user message with a tool result has no other content.
    ToolResult {
        /// The id of the call.
        id: String,
        /// The text that the model gets.
        text: String,
        /// Whether the call failed.
        failed: bool,
    },
}

impl SamplingContent {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        SamplingContent::Text(text.into())
    }
}

fn base64<S: Serializer>(data: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(data))
}

/// A tool that the model may call. The function runs the call, and sends its result with another request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Tool {
    /// The tool's name.
    pub name: String,
    /// The tool's description.
    pub about: String,
    /// The input schema, of type object.
    pub input: Value,
}

impl Tool {
    /// A tool with this name, description and input schema.
    pub fn new(name: impl Into<String>, about: impl Into<String>, input: Value) -> Self {
        Tool {
            name: name.into(),
            about: about.into(),
            input,
        }
    }
}

/// Whether the model calls tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// The model calls at least one tool.
    Required,
    /// The model calls no tool.
    Never,
}

impl Sampling {
    /// A request without messages, for an answer of at most `max_tokens` tokens.
    pub fn new(max_tokens: u32) -> Self {
        Sampling {
            max_tokens,
            messages: Vec::new(),
            system_prompt: None,
            temperature: None,
            stop_sequences: None,
            models: None,
            cost_priority: None,
            speed_priority: None,
            intelligence_priority: None,
            metadata: None,
            tools: Vec::new(),
            tool_choice: None,
        }
    }

    /// Adds a message.
    #[must_use]
    pub fn message(
        mut self,
        role: Role,
        content: impl IntoIterator<Item = SamplingContent>,
    ) -> Self {
        let content = content.into_iter().collect();
        self.messages.push(SamplingMessage { role, content });
        self
    }

    /// Sets the system prompt. The client may change or omit it.
    #[must_use]
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// Sets the temperature. A value that is not finite is ignored.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        if temperature.is_finite() {
            self.temperature = Some(temperature);
        }
        self
    }

    /// Sets the strings at which the model stops.
    #[must_use]
    pub fn stop<S: Into<String>>(mut self, sequences: impl IntoIterator<Item = S>) -> Self {
        self.stop_sequences = Some(sequences.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the preferred models, by name or by a part of the name, the most preferred first. The client may choose
    /// another model.
    #[must_use]
    pub fn models<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.models = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets how much cost, speed and intelligence matter for the choice of a model, each from 0 to 1. A value outside of
    /// that range counts as the nearer bound; a NaN is ignored.
    #[must_use]
    pub fn priorities(mut self, cost: f64, speed: f64, intelligence: f64) -> Self {
        for (priority, value) in [
            (&mut self.cost_priority, cost),
            (&mut self.speed_priority, speed),
            (&mut self.intelligence_priority, intelligence),
        ] {
            if !value.is_nan() {
                *priority = Some(value.clamp(0.0, 1.0));
            }
        }
        self
    }

    /// Sets the metadata that the client passes to its model provider.
    #[must_use]
    pub fn metadata(mut self, metadata: Map<String, Value>) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Adds a tool that the model may call. The client must have declared `sampling.tools` (else T0021).
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Sets whether the model calls tools. The client must have declared `sampling.tools` (else T0021).
    #[must_use]
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = Some(choice);
        self
    }
}

impl Sampling {
    /// Whether a value of the app in it nests too deep.
    fn is_too_deep(&self) -> bool {
        let contents = self.messages.iter().flat_map(|message| &message.content);
        let inputs = contents.filter_map(|content| match content {
            SamplingContent::ToolUse { input, .. } => Some(input),
            _ => None,
        });
        let mut objects = inputs.chain(&self.metadata).flat_map(Map::values);
        objects.any(bounded::is_too_deep)
            || self
                .tools
                .iter()
                .any(|tool| bounded::is_too_deep(&tool.input))
    }
}

/// The message of the client's model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplingResult {
    /// The content blocks.
    pub content: Vec<SamplingContent>,
    /// The name of the model.
    pub model: String,
    /// Why the model stopped, if the client reports it: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or another.
    pub stop_reason: Option<String>,
}

impl SamplingResult {
    /// The text blocks, concatenated.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|content| match content {
            SamplingContent::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

impl IntoInputRequest for Sampling {
    type Response = SamplingResult;

    fn into_input_request(self) -> Result<TypedInputRequest<SamplingResult>> {
        if self.is_too_deep() {
            bounded::drop_deep(self);
            let why = "the sampling request is not valid: it nests too deep";
            return Err(Error::unexpected(why));
        }
        check_tool_calls(&self.messages).map_err(|why| {
            Error::unexpected(format!("the sampling request is not valid: {why}"))
        })?;
        let kind = Kind::Sampling(Box::new(self));
        Ok(TypedInputRequest::new(kind, |response| match response {
            InputResponse::Sampling(result) => Ok(result),
            _ => Err(OTHER_KIND.to_owned()),
        }))
    }
}

/// Checks the rules for tool calls (client/sampling, Tool Result Messages, Tool Use and Result Balance): each tool call
/// of a message has exactly one result in the next message, and a message with results has no other content.
fn check_tool_calls(messages: &[SamplingMessage]) -> Result<(), String> {
    // The ids of the calls in the previous message that have no result yet.
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        if message.content.is_empty() {
            return Err("a message needs content".to_owned());
        }
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        for content in &message.content {
            match content {
                SamplingContent::ToolUse { id, .. } => calls.push(id.as_str()),
                SamplingContent::ToolResult { id, .. } => results.push(id.as_str()),
                _ => {}
            }
        }
        let is_user = message.role == Role::User;
        if !results.is_empty() && (!is_user || results.len() < message.content.len()) {
            return Err("tool results must be the only content of a user message".to_owned());
        }
        for id in results {
            let Some(at) = open.iter().position(|open| *open == id) else {
                return Err(format!(
                    "there is a result for the tool call {id:?}, which the previous message does not contain"
                ));
            };
            open.swap_remove(at);
        }
        if let Some(id) = open.first() {
            return Err(format!(
                "the message after the tool call {id:?} does not contain its result"
            ));
        }
        if is_user && !calls.is_empty() {
            return Err("a user message cannot call a tool".to_owned());
        }
        open = calls;
    }
    match open.first() {
        None => Ok(()),
        Some(id) => Err(format!("the tool call {id:?} has no result")),
    }
}
