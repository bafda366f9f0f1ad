//! A field of an input, as a declaration states it. Plain data that a `static` can hold.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

/// One owned parameter of a function: a field of its input.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name on the wire.
    pub name: &'static str,
    /// The schema of its type.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Its name for people, where one is stated.
    pub title: Option<&'static str>,
    /// What it is for; empty where nothing is said.
    pub about: &'static str,
    /// Its default as JSON, where one is stated; `None` of a default that JSON cannot show.
    pub default: Option<fn() -> Option<Value>>,
    /// What else is stated of it.
    pub rules: Rules,
    /// Whether its value may not be shown or logged.
    pub secret: bool,
    /// The header that mirrors it (`x-mcp-header`).
    pub header: Option<&'static str>,
}

/// The rules of `#[arg(…)]`.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The least value of a number.
    pub min: Option<Bound>,
    /// The greatest value of a number.
    pub max: Option<Bound>,
    /// The least number of characters of a text, or of items of a list.
    pub min_len: Option<u64>,
    /// The greatest number of characters of a text, or of items of a list.
    pub max_len: Option<u64>,
    /// A regular expression that a text matches somewhere.
    pub pattern: Option<&'static str>,
    /// An example, as JSON.
    pub example: Option<fn() -> Option<Value>>,
}

/// A bound of a number, as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Without a point.
    Integer(i128),
    /// With one.
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
    /// A field of type `T` with nothing else stated.
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

/// The schema of `T`. An `Option` of a type that takes anything looks like that type, so it is marked.
fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = generator.subschema_for::<T>();
    if schema.as_bool() == Some(true) && T::schema_id().starts_with("Option<") {
        schema.insert(super::keywords::NULL.to_owned(), true.into());
    }
    schema
}
