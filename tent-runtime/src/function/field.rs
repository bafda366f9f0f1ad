//! How generated code describes a field: its name, its schema, and its default and example as JSON.

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use crate::schema::Field;

/// A field without options.
pub const fn field(name: &'static str, schema: fn(&mut SchemaGenerator) -> Schema) -> Field {
    Field {
        schema,
        ..Field::new::<()>(name)
    }
}

/// Converts a default to JSON if its type implements `Serialize`.
///
/// The inherent method exists for serialisable types and wins over the method of [`NotSerializable`], which exists for
/// all types. So generated code calls one name and needs no bound.
#[derive(Debug)]
pub struct DefaultValue<'a, T>(pub &'a T);

impl<T: Serialize> DefaultValue<'_, T> {
    /// The value as JSON.
    pub fn tent_json(&self) -> Option<Value> {
        serde_json::to_value(self.0).ok()
    }
}

/// The fallback of [`DefaultValue`] for types without `Serialize`.
pub trait NotSerializable {
    /// No JSON.
    fn tent_json(&self) -> Option<Value> {
        None
    }
}

impl<T> NotSerializable for DefaultValue<'_, T> {}

/// An example as JSON.
pub fn example(value: &impl Serialize) -> Option<Value> {
    serde_json::to_value(value).ok()
}
