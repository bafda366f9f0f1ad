//! [`Question`]: what a function asks of the client that calls it, and what fits as its answer.
//!
//! Knows no wire: an envelope turns it into its own form.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::json;

/// Whether an answer fits, or what is wrong with it.
pub(crate) type Fits = Arc<dyn Fn(&Value) -> Result<(), String> + Send + Sync>;

/// What a function asks of the client, and the check of its answer.
#[derive(Clone)]
pub struct Question {
    kind: Kind,
    fits: Fits,
}

/// What is asked: of the client's person, of its model, or of the client itself.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// A form for the person: a message, and the schema of what is to be filled in.
    Form {
        /// What the person reads.
        message: String,
        /// A flat object schema, as the standard allows it in forms.
        schema: Value,
    },
    /// An address for the person to open.
    Url {
        /// What the person reads.
        message: String,
        /// The address.
        url: String,
    },
    /// Something for the client's model: the parameters of `sampling/createMessage`.
    Sampling(Map<String, Value>),
    /// The folders that the client works in.
    Roots,
}

impl Question {
    pub(crate) fn new(kind: Kind, fits: Fits) -> Self {
        Question { kind, fits }
    }

    /// What is asked.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What the client must have said it can do, by the names that `needs` has.
    pub fn needs(&self) -> Vec<&'static str> {
        match &self.kind {
            Kind::Form { .. } => vec!["elicitation.form"],
            Kind::Url { .. } => vec!["elicitation.url"],
            Kind::Roots => vec!["roots"],
            Kind::Sampling(params) => {
                let mut needs = vec!["sampling"];
                if params.contains_key("tools")
                    || params.contains_key("toolChoice")
                    || has_calls(params)
                {
                    needs.push("sampling.tools");
                }
                let context = params.get("includeContext").and_then(Value::as_str);
                if context.is_some_and(|context| context != "none") {
                    needs.push("sampling.context");
                }
                needs
            }
        }
    }

    /// The same for the same question, and for no other.
    pub fn fingerprint(&self) -> String {
        let asked = match &self.kind {
            Kind::Form { message, schema } => json!(["form", message, schema]),
            Kind::Url { message, url } => json!(["url", message, url]),
            Kind::Sampling(params) => json!(["sampling", params]),
            Kind::Roots => json!(["roots"]),
        };
        json::hex(&json::digest(&asked))
    }

    /// Whether this is an answer to it.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence.
    pub fn fits(&self, answer: &Value) -> Result<(), String> {
        (self.fits)(answer)
    }
}

/// Whether a message calls a tool or tells what came of a call, which goes to no client without tools.
fn has_calls(params: &Map<String, Value>) -> bool {
    let messages = params.get("messages").and_then(Value::as_array);
    let contents = messages
        .into_iter()
        .flatten()
        .filter_map(|message| message.get("content"));
    let mut parts = contents.flat_map(|content| match content {
        Value::Array(parts) => parts.as_slice(),
        part => std::slice::from_ref(part),
    });
    parts.any(|part| {
        let kind = part.get("type").and_then(Value::as_str);
        matches!(kind, Some("tool_use" | "tool_result"))
    })
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Question").field(&self.kind).finish()
    }
}
