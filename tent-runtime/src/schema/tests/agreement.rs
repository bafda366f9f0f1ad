//! What is published, what is enforced and what the Rust type takes agree: shown on random inputs, made
//! from what is published with faults in it, with a validator of other people's as the judge of what the
//! published document means.
#![allow(
    dead_code,
    reason = "the fields of these types are only read by their derives"
)]

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::*;

/// Numbers that look random and are the same in every run (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn of<'a, T>(&mut self, each: &'a [T]) -> &'a T {
        &each[self.below(each.len() as u64) as usize]
    }
}

/// A value that mostly fits `schema`, a part of `document`.
fn value(schema: &Value, document: &Value, dice: &mut Dice, depth: u32) -> Value {
    if dice.one_in(48) || depth > 12 {
        return junk(dice, 2);
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document
            .pointer(&reference[1..])
            .expect("no reference dangles");
        return value(target, document, dice, depth + 1);
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(branches) = schema[keyword].as_array() {
            return value(dice.of(branches), document, dice, depth + 1);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return dice.of(values).clone();
    }
    match schema["type"].as_str() {
        Some("object") => object(schema, document, dice, depth),
        Some("array") => array(schema, document, dice, depth),
        Some("string") if schema["pattern"].is_string() && !dice.one_in(8) => {
            json!(dice.of(&["A1", "B22"]))
        }
        Some("string") => {
            json!(dice.of(&["", "a", "ab", "abc", "äöü", "A1", "B22", "7", "long enough"]))
        }
        Some("integer") => number(schema, dice, 1.0),
        Some("number") => number(schema, dice, 0.25),
        Some("boolean") => json!(dice.one_in(2)),
        Some("null") => Value::Null,
        _ => junk(dice, 2),
    }
}

fn object(schema: &Value, document: &Value, dice: &mut Dice, depth: u32) -> Value {
    let mut object = Map::new();
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let required = |name: &str| {
        let names = schema["required"].as_array();
        names.is_some_and(|names| names.iter().any(|one| one == name))
    };
    for (name, property) in properties {
        if if required(name) {
            !dice.one_in(40)
        } else {
            dice.one_in(2)
        } {
            object.insert(name.clone(), value(property, document, dice, depth + 1));
        }
    }
    if schema["additionalProperties"].is_object() {
        for _ in 0..dice.below(3) {
            let key = *dice.of(&["x", "y", "z", "12"]);
            let each = &schema["additionalProperties"];
            object.insert(key.to_owned(), value(each, document, dice, depth + 1));
        }
    } else if dice.one_in(20) {
        object.insert("unheard_of".to_owned(), junk(dice, 1));
    }
    object.into()
}

fn array(schema: &Value, document: &Value, dice: &mut Dice, depth: u32) -> Value {
    let least = schema["minItems"].as_u64().unwrap_or(0);
    let most = schema["maxItems"].as_u64().unwrap_or(least + 3);
    let mut size = least + dice.below(most - least + 1);
    if dice.one_in(32) {
        size += 1;
    }
    if dice.one_in(32) {
        size = size.saturating_sub(1);
    }
    let items = (0..size).map(|at| {
        let member = schema["prefixItems"].get(at as usize);
        value(
            member.unwrap_or(&schema["items"]),
            document,
            dice,
            depth + 1,
        )
    });
    Value::Array(items.collect())
}

fn number(schema: &Value, dice: &mut Dice, step: f64) -> Value {
    let least = schema["minimum"].as_f64().unwrap_or(-5.0);
    let most = schema["maximum"].as_f64().unwrap_or(50.0);
    let step = schema["multipleOf"].as_f64().unwrap_or(step);
    let number = match dice.below(9) {
        0 => least,
        1 => most,
        2 if dice.one_in(3) => least - step,
        3 if dice.one_in(3) => most + step,
        4 if dice.one_in(3) => least + 0.5,
        _ => least + (dice.below(40) as f64) * step,
    };
    if schema["type"] == "integer" && number > most {
        json!(least as i64)
    } else if number.fract() == 0.0 && !dice.one_in(4) {
        json!(number as i64)
    } else {
        json!(number)
    }
}

fn junk(dice: &mut Dice, depth: u32) -> Value {
    match dice.below(if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(dice.below(300)),
        3 => json!(-1.5),
        4 => json!("text"),
        5 => json!(3.0),
        6 => json!([junk(dice, depth - 1)]),
        _ => json!({"name": junk(dice, depth - 1)}),
    }
}

fn agrees<T: JsonSchema + Serialize + DeserializeOwned>(seed: u64) {
    let schema = fields(&[Field::new::<T>("f"), Field::new::<Option<T>>("o")]);
    let document = schema.published();
    assert_is_safe(document);
    let validator = validator_of(document);
    let output = OutputSchema::from_type(of::<T>).expect("something to say of the answer");
    let answers = validator_of(output.published());
    let mut dice = Dice(seed);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..1_500 {
        let given = object(document, document, &mut dice, 0);
        let valid = validator.is_valid(&given);
        match accept(&schema, given.clone()) {
            Ok(normal) => {
                taken += 1;
                assert!(
                    validator.is_valid(&normal),
                    "taken, but not as published: {given}\n{document:#}"
                );
                // But for `null`, which is taken though it is not said, nothing is taken that is not.
                assert!(
                    valid || given.to_string().contains("null"),
                    "taken, but not published: {given}\n{document:#}"
                );
                for (name, value) in normal.as_object().expect("an object") {
                    let typed = match T::deserialize(value) {
                        Ok(typed) => typed,
                        Err(why) => {
                            panic!(
                                "taken, but not by the type: {name} {value}: {why}\n{document:#}"
                            )
                        }
                    };
                    let answer = serde_json::to_value(&typed).expect("a value");
                    assert_eq!(
                        output.fits(&answer),
                        Ok(()),
                        "{answer}\n{:#}",
                        output.published()
                    );
                    assert!(
                        answers.is_valid(&answer),
                        "given, but not as published: {answer}\n{:#}",
                        output.published()
                    );
                }
                let again = accept(&schema, normal.clone());
                assert_eq!(
                    again.as_ref(),
                    Ok(&normal),
                    "the normal form is its own normal form"
                );
            }
            Err(why) => {
                refused += 1;
                assert!(
                    !valid,
                    "published, but not taken: {given}\n{why:#}\n{document:#}"
                );
            }
        }
    }
    assert!(
        taken > 50 && refused > 80,
        "{taken} taken, {refused} refused"
    );
}

fn validator_of(document: &Value) -> jsonschema::Validator {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .build(document)
        .expect("the published document is a schema")
}

/// What no schema of an input may have, anywhere.
fn assert_is_safe(schema: &Value) {
    let Value::Object(map) = schema else {
        panic!("a schema is an object, not {schema}");
    };
    for keyword in map.keys() {
        assert!(
            ![
                "$schema",
                "$id",
                "const",
                "not",
                "allOf",
                "patternProperties",
                "propertyNames",
                "unevaluatedProperties",
                "if",
                "contains",
            ]
            .contains(&keyword.as_str())
                && !keyword.starts_with("x-tent"),
            "{keyword} in {schema}"
        );
    }
    assert!(!map.get("type").is_some_and(Value::is_array), "{schema}");
    if map.get("type") != Some(&json!("string")) {
        assert!(
            !map.contains_key("format") && !map.contains_key("enum"),
            "{schema}"
        );
    }
    if map.get("type") == Some(&json!("array")) {
        assert!(map.contains_key("items"), "{schema}");
    }
    for keyword in ["properties", "$defs"] {
        let named = map.get(keyword).and_then(Value::as_object);
        named
            .into_iter()
            .flatten()
            .for_each(|(_, schema)| assert_is_safe(schema));
    }
    for keyword in ["oneOf", "anyOf", "prefixItems"] {
        let each = map.get(keyword).and_then(Value::as_array);
        each.into_iter().flatten().for_each(assert_is_safe);
    }
    map.get("items").into_iter().for_each(assert_is_safe);
    match map.get("additionalProperties") {
        None | Some(Value::Bool(false)) => {}
        Some(each) => assert_is_safe(each),
    }
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Scalars {
    a: u8,
    b: Option<i32>,
    c: f64,
    d: String,
    e: bool,
    f: (),
    g: char,
    #[serde(default)]
    h: u16,
}

#[derive(JsonSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
enum Unit {
    /// The first.
    FirstOne,
    SecondOne,
    #[serde(rename = "3rd")]
    Third,
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Limits {
    #[schemars(range(min = 3, max = 9))]
    number: u32,
    #[schemars(range(min = -0.5, max = 0.5))]
    ratio: f64,
    #[schemars(length(min = 1, max = 3))]
    text: String,
    #[schemars(regex(pattern = r"^[AB]\d+$"))]
    code: Option<String>,
    #[schemars(length(equal = 2), inner(range(max = 7)))]
    pair: Vec<u8>,
    #[schemars(extend("multipleOf" = 3))]
    threes: u8,
    #[schemars(extend("minProperties" = 1, "maxProperties" = 2))]
    few: BTreeMap<String, Unit>,
}

#[derive(JsonSchema, Serialize, Deserialize)]
enum External {
    Unit,
    Other,
    New(u8),
    Pair(u8, String),
    Struct { a: Option<u8>, b: Unit },
}

#[derive(JsonSchema, Serialize, Deserialize)]
#[serde(tag = "t")]
enum Internal {
    Unit,
    New(Limited),
    Struct { a: u8, b: Option<Box<Internal>> },
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Limited {
    #[schemars(range(max = 3))]
    x: u8,
}

#[derive(JsonSchema, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    New(Vec<u8>),
    Struct { a: u8 },
}

#[derive(JsonSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i16),
    Pair(u8, u8),
    Struct { a: u8 },
    Other { b: String, c: Option<u8> },
    Text(Unit),
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Lists {
    list: Vec<Limited>,
    set: BTreeSet<u8>,
    array: [u8; 3],
    same: (i8, i8),
    mixed: (u8, String, bool),
    nested: Vec<Vec<Unit>>,
    any: Vec<Value>,
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Flat {
    id: u8,
    #[serde(flatten)]
    internal: Internal,
    #[serde(flatten)]
    more: Option<Limited>,
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct FlatMap {
    id: u8,
    #[serde(flatten)]
    more: BTreeMap<String, u8>,
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Tree {
    name: Unit,
    parent: Option<Box<Tree>>,
    children: Vec<Tree>,
}

#[derive(JsonSchema, Serialize, Deserialize)]
#[serde(transparent)]
struct Newtype(Limited);

#[test]
fn scalars() {
    agrees::<Scalars>(1);
}

#[test]
fn unit_enums() {
    agrees::<Unit>(2);
}

#[test]
fn rules_of_the_type_itself() {
    agrees::<Limits>(3);
}

#[test]
fn enums_of_each_representation() {
    agrees::<External>(4);
    agrees::<Internal>(5);
    agrees::<Adjacent>(6);
    agrees::<Untagged>(7);
}

#[test]
fn lists_tuples_and_sets() {
    agrees::<Lists>(8);
}

#[test]
fn flattened_types() {
    agrees::<Flat>(9);
    agrees::<FlatMap>(10);
}

#[test]
fn types_that_contain_themselves() {
    agrees::<Tree>(11);
}

#[test]
fn newtypes_and_maps_of_them() {
    agrees::<Newtype>(12);
    agrees::<BTreeMap<String, Newtype>>(13);
    agrees::<Result<Unit, Limited>>(14);
}
