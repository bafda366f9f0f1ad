//! Questions as requests to a client, in the form that its revision has for them.

use serde_json::{Map, Value, json};

use super::revision::Revision;
use crate::cx::{Asks, Question};

/// The method and the parameters of a question. `id` is by what an older client tells elicitations apart.
pub(super) fn request(question: &Question, revision: Revision, id: &str) -> Value {
    let (method, params) = match question.kind() {
        Asks::Form { message, schema } => {
            let mut params = json!({"message": message, "requestedSchema": schema});
            if revision.has_modes_of_elicitation() {
                params["mode"] = "form".into();
            } else {
                in_older_words(&mut params["requestedSchema"]);
            }
            ("elicitation/create", params)
        }
        Asks::Url { message, url } => {
            let mut params = json!({"mode": "url", "message": message, "url": url});
            if !revision.is_modern() {
                params["elicitationId"] = id.into();
            }
            ("elicitation/create", params)
        }
        Asks::Sampling(params) => ("sampling/createMessage", Value::Object(params.clone())),
        Asks::Roots => ("roots/list", Value::Object(Map::new())),
    };
    json!({"method": method, "params": params})
}

/// Titled choices as 2025-06-18 has them: their titles stand beside, under `enumNames`.
fn in_older_words(schema: &mut Value) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        let Some(Value::Array(choices)) = property.get("oneOf") else {
            continue;
        };
        let part = |name: &str| -> Value {
            let parts = choices.iter().map(|choice| choice.get(name).cloned());
            parts.map(Option::unwrap_or_default).collect()
        };
        let (values, titles) = (part("const"), part("title"));
        if let Value::Object(property) = property {
            property.remove("oneOf");
            property.insert("enum".to_owned(), values);
            property.insert("enumNames".to_owned(), titles);
        }
    }
}
