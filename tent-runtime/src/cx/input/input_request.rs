//! [`InputRequest`]: what a function asks of the client that calls it, and what fits as its answer.
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
pub struct InputRequest {
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

impl InputRequest {
    pub(crate) fn new(kind: Kind, fits: Fits) -> Self {
        InputRequest { kind, fits }
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
            Kind::Sampling(params) => of_sampling(Some(params)),
        }
    }

    /// The same for the same question, and for no other.
    pub fn fingerprint(&self) -> String {
        let request = match &self.kind {
            Kind::Form { message, schema } => json!(["form", message, schema]),
            Kind::Url { message, url } => json!(["url", message, url]),
            Kind::Sampling(params) => json!(["sampling", params]),
            Kind::Roots => json!(["roots"]),
        };
        json::hex(&json::digest(&request))
    }

    /// Whether this is an answer to it.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence.
    pub fn fits(&self, answer: &Value) -> Result<(), String> {
        (self.fits)(answer)
    }
}

/// What a client must have said it can do to be sent this request, by the names that `needs` has.
pub(crate) fn needs(method: &str, params: Option<&Value>) -> Vec<&'static str> {
    let params = params.and_then(Value::as_object);
    let part = |name: &str| params.and_then(|params| params.get(name));
    let mut needs = match method {
        "roots/list" => vec!["roots"],
        "sampling/createMessage" => of_sampling(params),
        "elicitation/create" => match part("mode").and_then(Value::as_str) {
            Some("url") => vec!["elicitation.url"],
            // Without a mode it is a form (2025-11-25, client/elicitation, Elicitation Requests).
            _ => vec!["elicitation.form"],
        },
        _ if method.starts_with("tasks/") => vec![TASKS],
        // That a client can answer a ping, or what an extension has, it need not say.
        _ => vec![],
    };
    if part("task").is_some() {
        needs.push(TASKS);
    }
    needs
}

/// A request that is a task of the client's, or about one (2025-11-25, basic/utilities/tasks, Capabilities). No
/// client's word on it is kept, so none is sent one.
const TASKS: &str = "tasks";

/// A client without `sampling.tools` is never sent tools, and one without `sampling.context` no wish for
/// context (2025-11-25 and 2026-07-28, client/sampling, Capabilities). Neither is it sent what a model did with
/// tools, which it would not know.
fn of_sampling(params: Option<&Map<String, Value>>) -> Vec<&'static str> {
    let part = |name: &str| params.and_then(|params| params.get(name));
    let mut needs = vec!["sampling"];
    let messages = part("messages").and_then(Value::as_array);
    let contents = messages.into_iter().flatten();
    let with_tools = contents
        .filter_map(|message| message.get("content"))
        .flat_map(|content| match content {
            Value::Array(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        })
        .filter_map(|part| part.get("type")?.as_str())
        .any(|kind| matches!(kind, "tool_use" | "tool_result"));
    if with_tools || part("tools").is_some() || part("toolChoice").is_some() {
        needs.push("sampling.tools");
    }
    let context = part("includeContext").and_then(Value::as_str);
    if context.is_some_and(|context| context != "none") {
        needs.push("sampling.context");
    }
    needs
}

impl fmt::Debug for InputRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Question").field(&self.kind).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_request_needs_is_read_from_what_it_holds() {
        let sampling = |more: Value| {
            let mut params = json!({"messages": [], "maxTokens": 1});
            for (name, value) in more.as_object().expect("an object") {
                params[name] = value.clone();
            }
            needs("sampling/createMessage", Some(&params))
        };
        assert_eq!(sampling(json!({})), ["sampling"]);
        assert_eq!(sampling(json!({"includeContext": "none"})), ["sampling"]);
        for context in ["thisServer", "allServers"] {
            let needs = sampling(json!({"includeContext": context}));
            assert_eq!(needs, ["sampling", "sampling.context"]);
        }
        let used = json!({"type": "tool_use", "id": "1", "name": "a", "input": {}});
        let text = json!({"type": "text", "text": "a"});
        for tools in [
            json!({"tools": []}),
            json!({"toolChoice": {"mode": "auto"}}),
            json!({"messages": [{"role": "assistant", "content": used}]}),
            json!({"messages": [{"role": "assistant", "content": [text, used]}]}),
        ] {
            assert_eq!(sampling(tools), ["sampling", "sampling.tools"]);
        }
        let plain = json!({"messages": [{"role": "user", "content": text}, 7]});
        assert_eq!(sampling(plain), ["sampling"]);
        assert_eq!(sampling(json!({"task": {"ttl": 1}})), ["sampling", "tasks"]);

        let elicitation = |params: Value| needs("elicitation/create", Some(&params));
        assert_eq!(elicitation(json!({"message": "a"})), ["elicitation.form"]);
        assert_eq!(elicitation(json!({"mode": "form"})), ["elicitation.form"]);
        assert_eq!(elicitation(json!({"mode": "url"})), ["elicitation.url"]);
        assert_eq!(needs("roots/list", None), ["roots"]);
        assert_eq!(needs("tasks/get", None), ["tasks"]);
        assert_eq!(needs("ping", None), [""; 0]);
    }
}
