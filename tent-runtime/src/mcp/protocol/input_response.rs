//! Reads the results of `elicitation/create`, `sampling/createMessage` and `roots/list` as [`InputResponse`]s.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::cx::InputKind;
use crate::cx::input::{InputResponse, Reply, Root};
use crate::mcp::protocol::sampling;

/// Reads the response to an input request of this kind.
///
/// # Errors
/// What is wrong with the response, as the end of a sentence.
pub(crate) fn read(kind: &InputKind, response: &Value) -> Result<InputResponse, String> {
    match kind {
        InputKind::Form { .. } | InputKind::Url { .. } => {
            elicitation(response).map(InputResponse::Elicitation)
        }
        InputKind::Sampling(_) => sampling::result(response).map(InputResponse::Sampling),
        InputKind::Roots => {
            #[derive(Deserialize)]
            struct Roots {
                roots: Vec<Root>,
            }
            match Roots::deserialize(response) {
                Ok(Roots { roots }) => Ok(InputResponse::Roots(roots)),
                Err(why) => Err(format!("is not a valid list of roots: {why}")),
            }
        }
    }
}

/// Reads an `ElicitResult`.
fn elicitation(result: &Value) -> Result<Reply<Map<String, Value>>, String> {
    if !result.is_object() {
        return Err("is not an object".to_owned());
    }
    match result.get("action").and_then(Value::as_str) {
        Some("decline") => Ok(Reply::Declined),
        Some("cancel") => Ok(Reply::Cancelled),
        Some("accept") => match result.get("content") {
            Some(Value::Object(content)) => Ok(Reply::Accepted(content.clone())),
            None | Some(Value::Null) => Ok(Reply::Accepted(Map::new())),
            Some(_) => Err("has a `content` that is not an object".to_owned()),
        },
        _ => Err("has an `action` other than accept, decline and cancel".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_the_action_of_an_elicitation() {
        let content = Map::from_iter([("a".to_owned(), 1.into())]);
        for (result, expected) in [
            (
                json!({"action": "accept", "content": {"a": 1}}),
                Ok(Reply::Accepted(content)),
            ),
            (json!({"action": "accept"}), Ok(Reply::Accepted(Map::new()))),
            (json!({"action": "decline"}), Ok(Reply::Declined)),
            (json!({"action": "cancel"}), Ok(Reply::Cancelled)),
            (json!([]), Err("is not an object")),
            (
                json!({}),
                Err("has an `action` other than accept, decline and cancel"),
            ),
            (
                json!({"action": "Accept"}),
                Err("has an `action` other than accept, decline and cancel"),
            ),
            (
                json!({"action": "accept", "content": []}),
                Err("has a `content` that is not an object"),
            ),
        ] {
            assert_eq!(elicitation(&result), expected.map_err(str::to_owned));
        }
    }
}
