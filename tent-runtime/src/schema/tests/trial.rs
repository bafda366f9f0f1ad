//! Types that serde reads by trial and that contain themselves.
#![allow(
    dead_code,
    reason = "the fields of these types are only read by their derives"
)]

use std::cell::Cell;
use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::*;
use crate::function::Owned;

thread_local! {
    static READS: Cell<u64> = const { Cell::new(0) };
}

/// A leaf that counts how often it is read.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct Leaf(u8);

impl<'de> Deserialize<'de> for Leaf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        READS.set(READS.get() + 1);
        u8::deserialize(deserializer).map(Leaf)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Expr {
    A { a: Box<Expr>, x: u8 },
    B { a: Box<Expr>, y: u8 },
    L(Leaf),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Twice {
    A(Box<Pair>),
    B(Box<Pair>),
    L(Leaf),
}

#[derive(Deserialize, JsonSchema)]
struct Pair {
    a: Twice,
    z: u8,
}

#[derive(Deserialize, JsonSchema)]
struct Flat {
    #[serde(flatten)]
    either: Either,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    A { a: Box<Flat>, x: u8 },
    B { a: Option<Box<Flat>>, y: u8 },
    C { leaf: Leaf },
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Lists {
    A(Box<Lists>, Leaf),
    B(Vec<Lists>),
    L(Leaf),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Json {
    Leaf(Leaf),
    Text(String),
    List(Vec<Json>),
    Map(HashMap<String, Json>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    A { a: Box<Tagged>, x: u8 },
    B { a: Box<Tagged>, y: u8 },
    L { leaf: Leaf },
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Keys {
    Add { add: Box<Keys> },
    Neg { neg: Box<Keys> },
    L(Leaf),
}

/// The depths that the check accepts; each accepted value is read with few reads of its leaf.
fn accepted<T: JsonSchema + Owned>(value: impl Fn(usize) -> Value) -> usize {
    let input = fields(&[Field::new::<T>("v")]);
    let mut accepted = 0;
    for depth in 1..=120 {
        match accept(&input, json!({ "v": value(depth) })) {
            Ok(valid) => {
                assert_eq!(accepted, depth - 1, "what is deeper is refused too");
                accepted = depth;
                READS.set(0);
                let _ = T::read(valid["v"].clone());
                assert!(READS.get() <= 200_000, "{depth}: {}", READS.get());
            }
            Err(fields) => {
                let (field, problem) = fields
                    .as_object()
                    .and_then(|all| all.iter().next())
                    .expect("a field");
                assert!(field.starts_with('v'), "{field}");
                let problem = problem.as_str().unwrap_or_default();
                assert!(problem.contains("read by trial"), "{problem}");
            }
        }
    }
    accepted
}

fn nested(depth: usize, leaf: Value, level: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(leaf, |inner, _| level(inner))
}

// S01
#[test]
fn an_untagged_enum_that_contains_itself_nests_a_bounded_number_of_levels() {
    let second = |depth| nested(depth, json!(1), |inner| json!({"a": inner, "y": 1}));
    assert!((10..=18).contains(&accepted::<Expr>(second)));
    // Both variants are one in the schema, and are tried both where the leaf cannot be read.
    let same = |depth| nested(depth, json!(1), |inner| json!({"a": inner, "z": 1}));
    assert!((10..=18).contains(&accepted::<Twice>(same)));
    let flat = |depth| {
        nested(
            depth,
            json!({"leaf": 1}),
            |inner| json!({"a": inner, "y": 1}),
        )
    };
    assert!((8..=18).contains(&accepted::<Flat>(flat)));
    let lists = |depth| nested(depth, json!(1), |inner| json!([inner]));
    assert!((10..=18).contains(&accepted::<Lists>(lists)));
}

// S01
#[test]
fn a_type_without_shared_fields_nests_as_deep_as_json() {
    let lists = |depth| nested(depth, json!(1), |inner| json!([inner]));
    assert_eq!(accepted::<Json>(lists), 120);
    let maps = |depth| nested(depth, json!(1), |inner| json!({"a": inner}));
    assert_eq!(accepted::<Json>(maps), 120);
    let tagged = |depth| {
        nested(
            depth,
            json!({"kind": "L", "leaf": 1}),
            |inner| json!({"kind": "B", "a": inner, "y": 1}),
        )
    };
    assert_eq!(accepted::<Tagged>(tagged), 120);
    let keys = |depth| nested(depth, json!(1), |inner| json!({"neg": inner}));
    assert_eq!(accepted::<Keys>(keys), 120);
}

// S01
#[test]
fn a_long_list_of_small_untagged_values_is_not_bounded() {
    let input = fields(&[Field::new::<Vec<Expr>>("v")]);
    let long = vec![json!({"a": {"a": 1, "x": 2}, "y": 3}); 20_000];
    assert!(accept(&input, json!({ "v": long })).is_ok());
}
