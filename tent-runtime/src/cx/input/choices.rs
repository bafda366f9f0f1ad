//! The choices of a form field: reads them from a schema, and writes them as MCP defines them (client/elicitation,
//! Requested Schema).

use serde_json::{Map, Value, json};

use super::form_schema::TYPES;

/// The values of a choice in order, each with its title if it has one.
pub(super) struct Choices {
    values: Vec<(String, Option<String>)>,
    /// The titles as MCP 2025-06-18 writes them, beside `enum`.
    enum_names: Option<Value>,
}

impl Choices {
    /// The keywords of the choice. `union` is the keyword for choices with titles.
    pub(super) fn into_keywords(self, union: &str) -> Result<Map<String, Value>, String> {
        let mut keywords = Map::new();
        if self.values.iter().any(|(_, title)| title.is_some()) {
            let titled = self.values.into_iter().map(|(value, title)| {
                let title = title.unwrap_or_else(|| value.clone());
                json!({"const": value, "title": title})
            });
            keywords.insert(union.to_owned(), titled.collect());
            return Ok(keywords);
        }
        if let Some(names) = self.enum_names {
            let is_valid = names.as_array().is_some_and(|names| {
                names.len() == self.values.len() && names.iter().all(Value::is_string)
            });
            if !is_valid {
                return Err("`enumNames` must have one string for each value".to_owned());
            }
            keywords.insert("enumNames".to_owned(), names);
        }
        let values = self.values.into_iter().map(|(value, _)| value);
        keywords.insert("enum".to_owned(), values.collect());
        Ok(keywords)
    }
}

/// Removes the choices from a schema, if it is a choice.
pub(super) fn take_choices(raw: &mut Map<String, Value>) -> Result<Option<Choices>, String> {
    let mut all = Vec::new();
    let mut add = |value: &Value, title: Option<&Value>| match value {
        Value::String(value) => {
            let title = title.and_then(Value::as_str).map(str::to_owned);
            all.push((value.clone(), title));
            Ok(())
        }
        _ => Err("the choices of a form must be strings".to_owned()),
    };
    if let Some(Value::Array(values)) = raw.remove("enum") {
        for value in &values {
            add(value, None)?;
        }
    } else if let Some(value) = raw.remove("const") {
        add(&value, None)?;
    } else if let Some(Value::Array(branches)) = raw.remove("oneOf").or_else(|| raw.remove("anyOf"))
    {
        for branch in &branches {
            let title = branch.get("title").or_else(|| branch.get("description"));
            match (branch.get("const"), branch.get("enum")) {
                (Some(value), _) => add(value, title)?,
                (None, Some(Value::Array(values))) => {
                    for value in values {
                        add(value, title.filter(|_| values.len() == 1))?;
                    }
                }
                _ => return Err(TYPES.to_owned()),
            }
        }
    } else {
        return Ok(None);
    }
    if all.is_empty() {
        return Err("a choice needs at least one value".to_owned());
    }
    raw.remove("type");
    Ok(Some(Choices {
        values: all,
        enum_names: raw.remove("enumNames"),
    }))
}
