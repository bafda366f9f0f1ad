//! Generates the schemas of types with schemars. Generates them twice, and removes each default that differs: it is not
//! constant, so it must not be published.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::Side;

/// The generated schemas, and the definitions that they refer to.
pub(in crate::schema) struct Source {
    pub(in crate::schema) roots: Vec<Value>,
    pub(in crate::schema) definitions: Map<String, Value>,
}

impl Source {
    /// Generates the schemas of `types`, for one side of a function.
    pub(in crate::schema) fn of(side: Side, types: &[fn(&mut SchemaGenerator) -> Schema]) -> Self {
        let mut first = ask(side, types);
        let second = ask(side, types);
        let both = first.roots.iter_mut().zip(&second.roots);
        both.for_each(|(first, second)| keep_constant(first, second));
        for (name, schema) in &mut first.definitions {
            if let Some(second) = second.definitions.get(name) {
                keep_constant(schema, second);
            }
        }
        first
    }
}

fn ask(side: Side, types: &[fn(&mut SchemaGenerator) -> Schema]) -> Source {
    let settings = SchemaSettings::draft2020_12();
    let settings = match side {
        Side::Input => settings.for_deserialize(),
        Side::Output => settings.for_serialize(),
    };
    let mut generator = settings.into_generator();
    let roots = types
        .iter()
        .map(|schema| schema(&mut generator).to_value())
        .collect();
    Source {
        roots,
        definitions: generator.take_definitions(true),
    }
}

/// Removes every default and example of `first` that differs in the second generation.
fn keep_constant(first: &mut Value, second: &Value) {
    match (first, second) {
        (Value::Object(first), Value::Object(second)) => {
            first.retain(|key, value| {
                !matches!(key.as_str(), "default" | "examples") || second.get(key) == Some(value)
            });
            for (key, value) in first {
                let Some(second) = second.get(key) else {
                    continue;
                };
                match key.as_str() {
                    "default" | "examples" | "enum" | "const" => {}
                    // The keys in here are field names, and a field may be called `default`.
                    "properties" | "patternProperties" | "$defs" => {
                        if let (Value::Object(first), Value::Object(second)) = (value, second) {
                            for (name, schema) in first {
                                if let Some(second) = second.get(name) {
                                    keep_constant(schema, second);
                                }
                            }
                        }
                    }
                    _ => keep_constant(value, second),
                }
            }
        }
        (Value::Array(first), Value::Array(second)) => {
            first
                .iter_mut()
                .zip(second)
                .for_each(|(first, second)| keep_constant(first, second));
        }
        _ => {}
    }
}
