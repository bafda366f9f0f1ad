//! The client capabilities that a server request demands, read from the request. Must not know how a client declares them.

use serde_json::{Map, Value};

/// The capability for requests that are tasks (2025-11-25, basic/utilities/tasks, Capabilities). tent does not record
/// whether a client declares it, so no client gets such a request.
const TASKS: &str = "tasks";

/// The capabilities that the client must have declared to get this request, by the names that the option `needs` uses.
pub(crate) fn of_request(method: &str, params: Option<&Value>) -> Vec<&'static str> {
    let params = params.and_then(Value::as_object);
    let param = |name: &str| params.and_then(|params| params.get(name));
    let mut needs = match method {
        "roots/list" => vec!["roots"],
        "sampling/createMessage" => of_sampling(params),
        "elicitation/create" => match param("mode").and_then(Value::as_str) {
            Some("url") => vec!["elicitation.url"],
            // Without a mode it is a form (2025-11-25, client/elicitation, Elicitation Requests).
            _ => vec!["elicitation.form"],
        },
        _ if method.starts_with("tasks/") => vec![TASKS],
        // A ping needs no capability, and an extension defines its own.
        _ => vec![],
    };
    if param("task").is_some() {
        needs.push(TASKS);
    }
    needs
}

/// Tools need `sampling.tools`, and a wish for context needs `sampling.context` (2025-11-25 and 2026-07-28,
/// client/sampling, Capabilities). So do messages with tool calls, which other clients do not know.
fn of_sampling(params: Option<&Map<String, Value>>) -> Vec<&'static str> {
    let param = |name: &str| params.and_then(|params| params.get(name));
    let mut needs = vec!["sampling"];
    let messages = param("messages").and_then(Value::as_array);
    let contents = messages.into_iter().flatten();
    let with_tools = contents
        .filter_map(|message| message.get("content"))
        .flat_map(|content| match content {
            Value::Array(blocks) => blocks.as_slice(),
            block => std::slice::from_ref(block),
        })
        .filter_map(|block| block.get("type")?.as_str())
        .any(|kind| matches!(kind, "tool_use" | "tool_result"));
    if with_tools || param("tools").is_some() || param("toolChoice").is_some() {
        needs.push("sampling.tools");
    }
    let context = param("includeContext").and_then(Value::as_str);
    if context.is_some_and(|context| context != "none") {
        needs.push("sampling.context");
    }
    needs
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_the_required_capabilities_from_the_parameters() {
        let sampling = |more: Value| {
            let mut params = json!({"messages": [], "maxTokens": 1});
            for (name, value) in more.as_object().expect("an object") {
                params[name] = value.clone();
            }
            of_request("sampling/createMessage", Some(&params))
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

        let elicitation = |params: Value| of_request("elicitation/create", Some(&params));
        assert_eq!(elicitation(json!({"message": "a"})), ["elicitation.form"]);
        assert_eq!(elicitation(json!({"mode": "form"})), ["elicitation.form"]);
        assert_eq!(elicitation(json!({"mode": "url"})), ["elicitation.url"]);
        assert_eq!(of_request("roots/list", None), ["roots"]);
        assert_eq!(of_request("tasks/get", None), ["tasks"]);
        assert_eq!(of_request("ping", None), [""; 0]);
    }
}
