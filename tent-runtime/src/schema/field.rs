//! [`Field`]: the declaration of one input field. Plain data for a `static`.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

/// One owned parameter of a function: a field of its input.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name in JSON.
    pub name: &'static str,
    /// The schema of its type.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// The title, if one is declared.
    pub title: Option<&'static str>,
    /// The description; empty if there is none.
    pub about: &'static str,
    /// The default as JSON, if one is declared. The function returns `None` for a default that JSON cannot represent.
    pub default: Option<fn() -> Option<Value>>,
    /// The rules of `#[arg(…)]`.
    pub rules: Rules,
    /// Whether the value is secret: it must not be shown or logged.
    pub secret: bool,
    /// The name of the header that carries the value too (`x-mcp-header`).
    pub header: Option<&'static str>,
}

/// The rules of `#[arg(…)]`.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The minimum of a number.
    pub min: Option<Bound>,
    /// The maximum of a number.
    pub max: Option<Bound>,
    /// The minimum number of characters of a string, or of items of a list.
    pub min_len: Option<u64>,
    /// The maximum number of characters of a string, or of items of a list.
    pub max_len: Option<u64>,
    /// A regular expression that must match somewhere in a string.
    pub pattern: Option<&'static str>,
    /// An example, as JSON.
    pub example: Option<fn() -> Option<Value>>,
}

/// A bound of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// An integer literal.
    Integer(i128),
    /// A floating-point literal.
    Number(f64),
}

impl Rules {
    /// No rules.
    pub const NONE: Self = Rules {
        min: None,
        max: None,
        min_len: None,
        max_len: None,
        pattern: None,
        example: None,
    };
}

impl Field {
    /// A field of type `T` without options.
    pub const fn new<T: JsonSchema>(name: &'static str) -> Self {
        Field {
            name,
            schema: schema_of::<T>,
            title: None,
            about: "",
            default: None,
            rules: Rules::NONE,
            secret: false,
            header: None,
        }
    }
}

/// The schema of `T`. An `Option` of a type that accepts any value has the same schema as the type, so it gets a keyword.
fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = generator.subschema_for::<T>();
    if schema.as_bool() == Some(true) && T::schema_id().starts_with("Option<") {
        schema.insert(super::keywords::NULL.to_owned(), true.into());
    }
    schema
}
