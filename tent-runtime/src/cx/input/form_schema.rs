//! [`FormSchema`]: converts a schema into the form that MCP defines for elicitation, a flat object of strings, numbers,
//! booleans and choices (2026-07-28 and 2025-11-25, client/elicitation, Requested Schema).
//! Must not weaken a rule silently: what the form cannot express is an error. Does not check responses:
//! [`InputSchema`](crate::schema::InputSchema) does.
//!
//! | a schema has | the form gets |
//! |---|---|
//! | a property that is an `Option` | the type without `null`, not required |
//! | `enum`, `const`, `oneOf` or `anyOf` of constants | `enum`, or `oneOf` with titles if any constant has one |
//! | an array of such choices | `items` with `enum`, or with `anyOf` if any constant has a title |
//! | annotations such as `examples` | nothing |
//! | anything else | an error that names the property |

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::choices::take_choices;
use crate::schema::is_known_format;

/// The error for a type that a form cannot have.
pub(super) const TYPES: &str =
    "a form field must be a string, a number, a boolean, an enum or a list of an enum";

/// The keywords that the root of a form may have. Only `properties` and `required` are published.
#[rustfmt::skip]
const ROOT_KEYWORDS: [&str; 7] = [
    "$schema", "type", "properties", "required", "title", "description", "additionalProperties",
];

/// Keywords that only describe. A form does not publish them.
const ANNOTATIONS: [&str; 5] = [
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
];

/// A schema that MCP allows for a form.
#[derive(Clone, Debug)]
pub(super) struct FormSchema(Value);

/// The schema of one field.
#[derive(Debug, PartialEq)]
pub(super) struct FieldSchema {
    keywords: Map<String, Value>,
    nullable: bool,
}

impl Default for FormSchema {
    fn default() -> Self {
        FormSchema(json!({"type": "object", "properties": {}}))
    }
}

impl FormSchema {
    pub(super) fn add(&mut self, name: String, field: FieldSchema, required: bool) {
        if required {
            match self.0["required"].as_array_mut() {
                Some(names) => names.push(name.as_str().into()),
                None => self.0["required"] = json!([name]),
            }
        }
        self.0["properties"][name] = field.keywords.into();
    }

    fn unless(self, problems: Vec<String>) -> Result<Self, Vec<String>> {
        if problems.is_empty() {
            Ok(self)
        } else {
            Err(problems)
        }
    }

    /// The schema that the client gets.
    pub(super) fn into_published(self) -> Value {
        self.0
    }

    /// The same schema in the keywords that responses are checked by: each choice is an `enum`.
    pub(super) fn validated(&self) -> Value {
        let mut schema = self.0.clone();
        let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
        for field in fields.into_iter().flat_map(Map::values_mut) {
            untitle(field);
            if let Some(items) = field.get_mut("items") {
                untitle(items);
            }
        }
        schema
    }
}

/// Replaces a choice with titles by an `enum`.
fn untitle(schema: &mut Value) {
    let Value::Object(keywords) = schema else {
        return;
    };
    keywords.remove("enumNames");
    let titled = keywords
        .remove("oneOf")
        .or_else(|| keywords.remove("anyOf"));
    if let Some(Value::Array(titled)) = titled {
        let values = titled.iter().map(|one| one["const"].clone());
        keywords.insert("enum".to_owned(), values.collect());
        keywords.insert("type".to_owned(), "string".into());
    }
}

/// The form of `T`. Rules of the type that a form cannot express are left to `T`'s deserialization.
pub(super) fn from_type<T: JsonSchema>() -> Result<FormSchema, Vec<String>> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let root = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = FormSchema::default();
    let mut problems = Vec::new();
    for_each_property(root.as_value(), &mut problems, |name, raw, required| {
        let field = field(&name, raw)?;
        let required = required && !field.nullable;
        schema.add(name, field, required);
        Ok(())
    });
    schema.unless(problems)
}

/// The form of a handwritten schema. Every rule that a form cannot express is an error.
pub(super) fn from_declared(declared: &Value) -> Result<FormSchema, Vec<String>> {
    let mut schema = FormSchema::default();
    let mut problems = Vec::new();
    for_each_property(declared, &mut problems, |name, raw, required| {
        let field = declared_field(&name, raw)?;
        if field.nullable {
            return Err(format!("`{name}`: a form field cannot be null"));
        }
        schema.add(name, field, required);
        Ok(())
    });
    if declared.get("type").and_then(Value::as_str) == Some("object") {
        let properties = declared.get("properties").and_then(Value::as_object);
        if properties.is_none() {
            problems.push("a form needs `properties`, an object".to_owned());
        }
        let is_property = |name: &Value| {
            let name = name.as_str();
            name.is_some_and(|name| properties.is_some_and(|all| all.contains_key(name)))
        };
        match declared.get("required") {
            None => {}
            Some(Value::Array(names)) if names.iter().all(is_property) => {
                // Keeps the author's order.
                schema.0["required"] = names.clone().into();
            }
            Some(_) => problems.push("`required` must list fields of the form".to_owned()),
        }
    }
    schema.unless(problems)
}

/// Calls `take` with each property of a flat object schema, and with whether the property is required.
fn for_each_property(
    root: &Value,
    problems: &mut Vec<String>,
    mut take: impl FnMut(String, Map<String, Value>, bool) -> Result<(), String>,
) {
    if root.get("type").and_then(Value::as_str) != Some("object") {
        problems.push("a form must be a flat object: use a struct with named fields".to_owned());
        return;
    }
    let mut keywords = root.as_object().into_iter().flat_map(Map::keys);
    if let Some(keyword) = keywords.find(|keyword| !ROOT_KEYWORDS.contains(&keyword.as_str())) {
        problems.push(format!(
            "`{keyword}` is not allowed: a form must be a flat object"
        ));
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
            _ => Err(format!("`{name}`: {TYPES}")),
        };
        problems.extend(taken.err());
    }
}

/// A handwritten field. It may not have a format or a `uniqueItems` that the form would drop.
pub(super) fn declared_field(name: &str, raw: Map<String, Value>) -> Result<FieldSchema, String> {
    let is_string = raw.get("type").is_none_or(|kind| kind == "string");
    let problem = match raw.get("format") {
        Some(_) if !is_string => Some("`format` is only for strings".to_owned()),
        Some(format) if !is_form_format(format) => Some(format!(
            "{format} is not a form format: use email, uri, date or date-time"
        )),
        _ if raw.contains_key("uniqueItems") => Some(not_allowed("uniqueItems")),
        _ => None,
    };
    match problem {
        Some(problem) => Err(format!("`{name}`: {problem}")),
        None => field(name, raw),
    }
}

fn is_form_format(format: &Value) -> bool {
    format.as_str().is_some_and(is_known_format)
}

fn field(name: &str, raw: Map<String, Value>) -> Result<FieldSchema, String> {
    convert(raw).map_err(|problem| format!("`{name}`: {problem}"))
}

fn not_allowed(keyword: &str) -> String {
    format!("`{keyword}` is not allowed in a form field")
}

fn convert(raw: Map<String, Value>) -> Result<FieldSchema, String> {
    let (mut raw, nullable) = without_null(raw);
    if raw.keys().any(|key| key.starts_with("x-tent-secret")) {
        return Err("a form cannot ask for a secret: use a URL".to_owned());
    }
    let mut keywords = Map::new();
    for keyword in ["title", "description"] {
        if let Some((keyword, text)) = raw.remove_entry(keyword) {
            if !text.is_string() {
                return Err(format!("`{keyword}` must be a string"));
            }
            keywords.insert(keyword, text);
        }
    }
    let default = raw.remove_entry("default");
    keywords.extend(default.filter(|(_, value)| !value.is_null()));
    raw.retain(|keyword, _| !ANNOTATIONS.contains(&keyword.as_str()));
    let kind = raw.get("type").and_then(Value::as_str).map(str::to_owned);
    let copied: &[&str] = if let Some(choices) = take_choices(&mut raw)? {
        keywords.insert("type".to_owned(), "string".into());
        keywords.extend(choices.into_keywords("oneOf")?);
        &[]
    } else {
        match kind.as_deref() {
            Some("string") => {
                let format = raw.remove_entry("format");
                keywords.extend(format.filter(|(_, format)| is_form_format(format)));
                &["type", "minLength", "maxLength"]
            }
            Some("integer" | "number") => {
                raw.remove("format");
                &["type", "minimum", "maximum"]
            }
            Some("boolean") => &["type"],
            Some("array") => {
                // A client never offers the same choice twice.
                raw.remove("uniqueItems");
                keywords.insert("items".to_owned(), items(raw.remove("items"))?);
                &["type", "minItems", "maxItems"]
            }
            _ => return Err(TYPES.to_owned()),
        }
    };
    for keyword in copied {
        keywords.extend(raw.remove_entry(*keyword));
    }
    match raw.keys().next() {
        Some(keyword) => Err(not_allowed(keyword)),
        None => Ok(FieldSchema { keywords, nullable }),
    }
}

/// The items of a list, which must be choices.
fn items(items: Option<Value>) -> Result<Value, String> {
    let Some(Value::Object(mut items)) = items else {
        return Err(TYPES.to_owned());
    };
    if items.contains_key("enumNames") {
        return Err("`enumNames` is not allowed in a list: use `anyOf` with titles".to_owned());
    }
    let Some(choices) = take_choices(&mut items)? else {
        return Err("a list in a form must be a list of an enum".to_owned());
    };
    let is_rule = |keyword: &&String| !["title", "description"].contains(&keyword.as_str());
    if let Some(keyword) = items.keys().find(is_rule) {
        return Err(format!(
            "`{keyword}` is not allowed for the items of a list"
        ));
    }
    let mut items = choices.into_keywords("anyOf")?;
    if items.contains_key("enum") {
        items.insert("type".to_owned(), "string".into());
    }
    Ok(items.into())
}

/// Removes `null` from the schema's values. Returns whether it was one of them.
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
            // The annotations of the field win over those of its type.
            let mut only = only.clone();
            raw.remove(keyword);
            only.extend(raw);
            return (only, true);
        }
    }
    (raw, nullable)
}
