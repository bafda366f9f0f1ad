//! Forms and fields that somebody wrote by hand. No rule that was stated is left out of what the client is sent: what a
//! form has no words for is refused.

use serde_json::{Map, Value};

use super::format::Format;
use super::restricted::{Restricted, Shaped, each, field};

/// From a schema by hand: what it states in the form of the standard, and a problem for all else.
pub(super) fn of_form(stated: &Value) -> Result<Restricted, Vec<String>> {
    let mut schema = Restricted::default();
    let mut problems = Vec::new();
    each(stated, &mut problems, |name, raw, required| {
        let field = of_field(&name, raw)?;
        if field.nullable {
            return Err(format!("`{name}`: no field of a form is null"));
        }
        schema.add(name, field, required);
        Ok(())
    });
    if stated.get("type").and_then(Value::as_str) == Some("object") {
        let properties = stated.get("properties").and_then(Value::as_object);
        if properties.is_none() {
            problems.push("a form has `properties`, an object".to_owned());
        }
        let is_property = |name: &Value| {
            let name = name.as_str();
            name.is_some_and(|name| properties.is_some_and(|all| all.contains_key(name)))
        };
        match stated.get("required") {
            None => {}
            Some(Value::Array(names)) if names.iter().all(is_property) => {
                // In the order that they are stated in.
                schema.published["required"] = names.clone().into();
            }
            Some(_) => problems.push("`required` is a list of the form's fields".to_owned()),
        }
    }
    match problems.is_empty() {
        true => Ok(schema),
        false => Err(problems),
    }
}

/// One field, in the form of the standard, and what is wrong for all else.
pub(super) fn of_field(name: &str, raw: Map<String, Value>) -> Result<Shaped, String> {
    let refused = |what: String| Err(format!("`{name}`: {what}"));
    let is_text = raw.get("type").is_none_or(|kind| kind == "string");
    match raw.get("format") {
        None => {}
        Some(format) if !is_text => {
            return refused(format!("a form has no `format` {format} but for a text"));
        }
        Some(format) if format.as_str().and_then(Format::find).is_some() => {}
        Some(format) => {
            return refused(format!(
                "a form has no format {format}: it has email, uri, date and date-time"
            ));
        }
    }
    if raw.contains_key("uniqueItems") {
        return refused("a form has no `uniqueItems`".to_owned());
    }
    field(name, raw)
}
