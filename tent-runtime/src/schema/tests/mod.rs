//! Tests of the whole: each reported failure of schemas with the whole document that is published, the
//! check and its messages, and the agreement of what is published with what is enforced.

mod agreement;
mod cases;
mod check;
mod foreign;
#[cfg(feature = "schema")]
mod full;
mod limits;
mod header_parameters;
mod more_cases;
mod rules;
mod secrets;
mod declared;
mod transform;
mod trial;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::*;

/// The schema of `T`, as a declaration names it.
fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The schema of a whole-type input.
fn whole<T: JsonSchema>() -> InputSchema {
    InputSchema::from_type(of::<T>).expect("a type that can be an input")
}

/// The schema of an input with these fields.
fn fields(fields: &[Field]) -> InputSchema {
    InputSchema::from_fields(fields).expect("fields without a problem")
}

/// The published schema of one field of type `T`.
fn field<T: JsonSchema>() -> Value {
    fields(&[Field::new::<T>("f")]).published()["properties"]["f"].clone()
}

/// What is published of an answer of type `T`.
fn output<T: JsonSchema>() -> Value {
    let schema = OutputSchema::from_type(of::<T>).expect("a type of which something can be said");
    schema.published().clone()
}

/// The normal form of `input`, or what is wrong with each field.
fn accept(schema: &InputSchema, input: Value) -> Result<Value, Value> {
    accept_over(schema, input, InputEncoding::Json)
}

fn accept_over(schema: &InputSchema, input: Value, wire: InputEncoding) -> Result<Value, Value> {
    let mut input: Map<String, Value> = input.as_object().cloned().expect("an object");
    match schema.validate(&mut input, wire) {
        Ok(()) => Ok(input.into()),
        Err(error) => {
            assert_eq!(error.code(), "T0003");
            Err(error.fields().clone().into())
        }
    }
}

/// The codes and messages of the problems of a declaration.
fn problems<T>(made: Result<T, Vec<Problem>>) -> Vec<String> {
    made.err()
        .unwrap_or_default()
        .into_iter()
        .map(|problem| format!("{} {}", problem.code, problem.message))
        .collect()
}
