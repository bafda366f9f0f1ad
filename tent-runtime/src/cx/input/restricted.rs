//! The form that the standard has for the schemas of forms: a flat object of texts, numbers, yes or no, and
//! choices (2026-07-28 and 2025-11-25, client/elicitation, Requested Schema). What has another form is
//! refused rather than bent.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::format::Format;

/// A schema in that form.
#[derive(Clone, Debug)]
pub(super) struct Restricted {
    /// What the client is sent.
    pub(super) published: Value,
    /// The same in the keywords that answers are checked by.
    pub(super) check: Value,
}

/// The same for one field.
#[derive(Debug, PartialEq)]
pub(super) struct Shaped {
    pub(super) published: Map<String, Value>,
    check: Map<String, Value>,
    pub(super) nullable: bool,
}

impl Default for Restricted {
    fn default() -> Self {
        let empty = json!({"type": "object", "properties": {}});
        Restricted {
            published: empty.clone(),
            check: empty,
        }
    }
}

impl Restricted {
    pub(super) fn add(&mut self, name: String, field: Shaped, required: bool) {
        let parts = [
            (&mut self.published, field.published),
            (&mut self.check, field.check),
        ];
        for (schema, field) in parts {
            schema["properties"][&name] = field.into();
            if required {
                match schema["required"].as_array_mut() {
                    Some(names) => names.push(name.as_str().into()),
                    None => schema["required"] = json!([name]),
                }
            }
        }
    }
}

/// From a type.
pub(super) fn from_type<T: JsonSchema>() -> Result<Restricted, Vec<String>> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let root = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = Restricted::default();
    let mut problems = Vec::new();
    each(root.as_value(), &mut problems, |name, raw, required| {
        let field = field(&name, raw)?;
        let required = required && !field.nullable;
        schema.add(name, field, required);
        Ok(())
    });
    match problems.is_empty() {
        true => Ok(schema),
        false => Err(problems),
    }
}

/// Hands over each property of a flat object schema, with whether it is required.
pub(super) fn each(
    root: &Value,
    problems: &mut Vec<String>,
    mut take: impl FnMut(String, Map<String, Value>, bool) -> Result<(), String>,
) {
    let is_object = root.get("type").and_then(Value::as_str) == Some("object");
    let known = [
        "$schema",
        "type",
        "properties",
        "required",
        "title",
        "description",
        "additionalProperties",
    ];
    let keywords = root.as_object().into_iter().flat_map(Map::keys);
    let strange: Vec<_> = keywords
        .filter(|key| !known.contains(&key.as_str()))
        .collect();
    if !is_object || !strange.is_empty() {
        problems.push(match strange.first() {
            Some(keyword) if is_object => {
                format!("a form is a flat object, which has no `{keyword}`")
            }
            _ => "a form is a flat object: take a struct with named fields".to_owned(),
        });
        return;
    }
    let required = |name: &str| {
        let names = root.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|one| one == name))
    };
    let properties = root.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let taken = match property {
            Value::Object(property) => take(name.clone(), property.clone(), required(name)),
            _ => Err(format!("`{name}`: {FIELD}")),
        };
        problems.extend(taken.err());
    }
}

const FIELD: &str = "a field of a form is a text, a number, yes or no, or a choice";

/// One field of a type, in the form that the standard has. What the type says beyond a form is left to its reading.
pub(super) fn field(name: &str, raw: Map<String, Value>) -> Result<Shaped, String> {
    let shaped = shaped(raw).and_then(|shaped| match strange(&shaped.published) {
        Some(keyword) => Err(format!("`{keyword}` has a value that a form does not take")),
        None => Ok(shaped),
    });
    shaped.map_err(|what| format!("`{name}`: {what}"))
}

/// The keyword of a field whose value is of another kind than the standard's.
fn strange(field: &Map<String, Value>) -> Option<&str> {
    let choices = |of: Option<&Value>| -> Option<Vec<Value>> {
        let of = of?;
        let titled = of.get("oneOf").or_else(|| of.get("anyOf"));
        if let Some(Value::Array(values)) = of.get("enum") {
            return Some(values.clone());
        }
        let titled = titled?.as_array()?;
        Some(titled.iter().map(|one| one["const"].clone()).collect())
    };
    let whole = |value: &Value| value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let own = Value::from(field.clone());
    let default = |value: &Value| match field.get("type").and_then(Value::as_str) {
        Some("boolean") => value.is_boolean(),
        Some("integer") => whole(value),
        Some("number") => value.is_number(),
        Some("array") => {
            let choices = choices(field.get("items")).unwrap_or_default();
            let values = value.as_array();
            values.is_some_and(|values| values.iter().all(|one| choices.contains(one)))
        }
        _ => match choices(Some(&own)) {
            Some(choices) => choices.contains(value),
            None => value.is_string(),
        },
    };
    let names = |value: &Value| {
        let names = value.as_array();
        let choices = choices(Some(&own)).unwrap_or_default();
        names
            .is_some_and(|names| names.len() == choices.len() && names.iter().all(Value::is_string))
    };
    let fits = |keyword: &str, value: &Value| match keyword {
        "title" | "description" => value.is_string(),
        "minLength" | "maxLength" | "minItems" | "maxItems" => {
            whole(value) && value.as_f64() >= Some(0.0)
        }
        "minimum" | "maximum" => value.is_number(),
        "default" => default(value),
        "enumNames" => names(value),
        _ => true,
    };
    let mut strange = field
        .iter()
        .filter(|(keyword, value)| !fits(keyword, value));
    strange.next().map(|(keyword, _)| keyword.as_str())
}

fn shaped(raw: Map<String, Value>) -> Result<Shaped, String> {
    let (mut raw, nullable) = without_null(raw);
    if raw.keys().any(|key| key.starts_with("x-tent-secret")) {
        return Err("a secret is never asked for in a form; ask for it with a URL".to_owned());
    }
    let mut both = Map::new();
    for keyword in ["title", "description"] {
        both.extend(raw.remove_entry(keyword));
    }
    both.extend(
        raw.remove_entry("default")
            .filter(|(_, value)| !value.is_null()),
    );
    for keyword in [
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$comment",
    ] {
        raw.remove(keyword);
    }
    let mut check = both.clone();
    let kind = raw.get("type").and_then(Value::as_str).map(str::to_owned);
    let kept: &[&str] = if let Some(choices) = choices(&mut raw)? {
        both.insert("type".to_owned(), "string".into());
        check.insert("type".to_owned(), "string".into());
        check.insert("enum".to_owned(), choices.values());
        both.extend(choices.published("oneOf"));
        &[]
    } else {
        match kind.as_deref() {
            Some("string") => {
                let format = raw.remove("format");
                let known = |format: &Value| {
                    format
                        .as_str()
                        .is_some_and(|one| Format::find(one).is_some())
                };
                if let Some(format) = format.filter(known) {
                    both.insert("format".to_owned(), format);
                }
                &["type", "minLength", "maxLength"]
            }
            Some("integer" | "number") => {
                raw.remove("format");
                &["type", "minimum", "maximum"]
            }
            Some("boolean") => &["type"],
            Some("array") => {
                raw.remove("uniqueItems");
                let Some(Value::Object(mut items)) = raw.remove("items") else {
                    return Err(FIELD.to_owned());
                };
                if items.contains_key("enumNames") {
                    return Err("the choices of a list have their titles under `anyOf`".to_owned());
                }
                let Some(choices) = choices(&mut items)? else {
                    return Err("several of something are choices: a list of an enum".to_owned());
                };
                let is_told = |keyword: &String| !["title", "description"].contains(&&**keyword);
                if let Some(keyword) = items.keys().find(|keyword| is_told(keyword)) {
                    return Err(format!("a choice of a form has no `{keyword}`"));
                }
                let check_items = json!({"type": "string", "enum": choices.values()});
                check.insert("items".to_owned(), check_items);
                let mut items = choices.published("anyOf");
                if items.contains_key("enum") {
                    items.insert("type".to_owned(), "string".into());
                }
                both.insert("items".to_owned(), items.into());
                &["type", "minItems", "maxItems"]
            }
            _ => return Err(FIELD.to_owned()),
        }
    };
    for keyword in kept {
        if let Some((keyword, value)) = raw.remove_entry(*keyword) {
            check.insert(keyword.clone(), value.clone());
            both.insert(keyword, value);
        }
    }
    if let Some(keyword) = raw.keys().next() {
        return Err(format!("a form has no `{keyword}`"));
    }
    Ok(Shaped {
        published: both,
        check,
        nullable,
    })
}

/// The schema without `null` as one of its values, and whether that was one.
fn without_null(mut raw: Map<String, Value>) -> (Map<String, Value>, bool) {
    let mut nullable = false;
    if let Some(Value::Array(types)) = raw.get_mut("type") {
        let before = types.len();
        types.retain(|one| one != "null");
        nullable = types.len() < before;
        if let [only] = &types[..] {
            let only = only.clone();
            raw.insert("type".to_owned(), only);
        }
        if let Some(Value::Array(values)) = raw.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = raw.get_mut(keyword) else {
            continue;
        };
        let before = branches.len();
        branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
        nullable |= branches.len() < before;
        if let ([Value::Object(only)], true) = (&branches[..], nullable) {
            // What is said of the field itself wins over what is said of its type.
            let mut only = only.clone();
            raw.remove(keyword);
            only.extend(raw);
            return (only, true);
        }
    }
    (raw, nullable)
}

/// The values of a choice, in order, each with its title where it has one.
struct Choices(Vec<(String, Option<String>)>, Option<Value>);

impl Choices {
    fn values(&self) -> Value {
        self.0.iter().map(|(value, _)| value.as_str()).collect()
    }

    /// As the standard writes it; `union` is the keyword where there are titles.
    fn published(&self, union: &str) -> Map<String, Value> {
        let mut published = Map::new();
        if self.0.iter().all(|(_, title)| title.is_none()) {
            published.insert("enum".to_owned(), self.values());
            if let Some(names) = &self.1 {
                published.insert("enumNames".to_owned(), names.clone());
            }
        } else {
            let one = |(value, title): &(String, Option<String>)| json!({"const": value, "title": title.as_ref().unwrap_or(value)});
            published.insert(union.to_owned(), self.0.iter().map(one).collect());
        }
        published
    }
}

/// Takes the choices out of a schema, where it has some.
fn choices(raw: &mut Map<String, Value>) -> Result<Option<Choices>, String> {
    let no_text = || "the choices of a form are texts".to_owned();
    let mut all = Vec::new();
    let mut add = |value: &Value, title: Option<&Value>| match value {
        Value::String(value) => {
            let title = title.and_then(Value::as_str).map(str::to_owned);
            all.push((value.clone(), title));
            Ok(())
        }
        _ => Err(no_text()),
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
                _ => return Err(FIELD.to_owned()),
            }
        }
    } else {
        return Ok(None);
    }
    if all.is_empty() {
        return Err("a choice has something to choose from".to_owned());
    }
    raw.remove("type");
    let names = raw.remove("enumNames");
    Ok(Some(Choices(all, names)))
}
