use std::collections::{BTreeMap, HashMap};

use serde_json::json;

use super::*;

#[derive(Serialize)]
struct Link {
    next: Option<Box<Link>>,
}

fn chain(links: usize) -> Link {
    let link = |next, _| Link {
        next: Some(Box::new(next)),
    };
    (1..links).fold(Link { next: None }, link)
}

/// Nested newtype structs, which write nothing.
#[derive(Serialize)]
struct Wrapper(Option<Box<Wrapper>>);

#[derive(Serialize)]
enum Tree {
    Leaf,
    Newtype(Box<Tree>),
    Tuple(Box<Tree>, u8),
    Struct { inner: Box<Tree> },
}

fn text(value: impl Serialize) -> String {
    into_raw_value(value)
        .expect("it is within bounds")
        .get()
        .to_owned()
}

fn problem(value: impl Serialize) -> String {
    into_raw_value(value)
        .expect_err("it is out of bounds")
        .to_string()
}

/// As deep as serde_json reads, by how much the name suggests.
fn lists(depth: usize) -> Value {
    (1..depth).fold(json!([]), |value, _| Value::Array(vec![value]))
}

// S11
#[test]
fn a_value_may_nest_as_deep_as_serde_json_reads() {
    for deepest in [text(chain(127)), text(lists(127))] {
        serde_json::from_str::<Value>(&deepest).expect("serde_json reads it");
    }
    for too_deep in [problem(chain(128)), problem(lists(128))] {
        assert!(
            too_deep.ends_with("nests deeper than 127 levels"),
            "{too_deep}"
        );
    }
}

// S11
#[test]
fn a_value_of_any_depth_neither_overflows_the_stack_as_it_is_written_nor_as_it_is_dropped() {
    assert!(problem(chain(100_000)).starts_with("`next.next."));
    assert!(problem(lists(100_000)).starts_with("`[0][0]"));
    let wrappers = (0..100_000).fold(Wrapper(None), |inner, _| Wrapper(Some(Box::new(inner))));
    problem(wrappers);
    for variant in [
        |tree| Tree::Newtype(Box::new(tree)),
        |tree| Tree::Tuple(Box::new(tree), 1),
        |tree| Tree::Struct {
            inner: Box::new(tree),
        },
    ] {
        problem((0..100_000).fold(Tree::Leaf, |tree, _| variant(tree)));
    }
}

#[test]
fn each_bracket_of_a_variant_counts() {
    for variant in [
        |tree| Tree::Newtype(Box::new(tree)),
        |tree| Tree::Tuple(Box::new(tree), 1),
        |tree| Tree::Struct {
            inner: Box::new(tree),
        },
    ] {
        let tree = |count| (0..count).fold(Tree::Leaf, |tree, _| variant(tree));
        let deepest = (1..=128)
            .take_while(|&count| into_raw_value(tree(count)).is_ok())
            .count();
        let text = text(tree(deepest));
        assert!(
            !nests_deeper(&text, MAX_DEPTH) && nests_deeper(&text, MAX_DEPTH - 2),
            "{deepest}"
        );
    }
}

// S11
#[test]
fn a_json_text_of_the_app_counts_too() {
    let raw = |depth: usize| {
        let text = format!("{}\"]\\\"[\"{}", "[".repeat(depth), "]".repeat(depth));
        RawValue::from_string(text).expect("JSON")
    };
    assert_eq!(text(raw(127)), raw(127).get());
    assert_eq!(problem(raw(128)), "the value nests deeper than 127 levels");
    assert_eq!(
        problem(BTreeMap::from([("raw", raw(127))])),
        "the value nests deeper than 127 levels"
    );
    assert_eq!(
        text(BTreeMap::from([("raw", raw(126))])).len(),
        r#"{"raw":}"#.len() + raw(126).get().len()
    );
}

// P31
#[test]
fn a_float_that_json_does_not_have_is_a_problem_with_its_path() {
    let of = |path: &str| {
        format!(
            "`{path}` is NaN or infinite, which JSON does not have · return an `Option` that is `None`"
        )
    };
    assert_eq!(problem(f64::NAN), of("").replace("``", "the value"));
    assert_eq!(problem(vec![1.0, f64::INFINITY]), of("[1]"));
    assert_eq!(
        problem(BTreeMap::from([("a b", (1, f32::NEG_INFINITY))])),
        of("a b[1]")
    );
    assert_eq!(problem(HashMap::from([(7, Some(f64::NAN))])), of("7"));
    #[derive(Serialize)]
    struct Row {
        name: &'static str,
        mean: Option<f32>,
        #[serde(flatten)]
        rest: BTreeMap<String, f64>,
    }
    let row = |mean, rest: f64| Row {
        name: "a",
        mean,
        rest: BTreeMap::from([("rest".to_owned(), rest)]),
    };
    assert_eq!(
        problem([row(Some(1.0), 1.0), row(Some(f32::NAN), 1.0)]),
        of("[1].mean")
    );
    assert_eq!(problem([row(None, f64::NAN)]), of("[0].rest"));
    assert_eq!(
        text(row(None, -0.5)),
        r#"{"name":"a","mean":null,"rest":-0.5}"#
    );
    assert_eq!(
        text(f64::MAX),
        serde_json::to_string(&f64::MAX).expect("JSON")
    );
}

// P31
#[test]
fn a_type_that_ignores_the_problem_of_a_part_fails_too() {
    struct Forgiving;
    impl Serialize for Forgiving {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut list = serde::Serializer::serialize_seq(serializer, None)?;
            let _ = serde::ser::SerializeSeq::serialize_element(&mut list, &f64::NAN);
            serde::ser::SerializeSeq::end(list)
        }
    }
    problem(Forgiving);
}

#[test]
fn writes_what_serde_json_writes() {
    #[derive(Serialize)]
    struct Unit;
    #[derive(Serialize)]
    struct Pair(u8, char);
    #[derive(Serialize)]
    struct Whole {
        unit: Unit,
        pair: Pair,
        huge: (i128, u128),
        none: Option<u8>,
        some: Option<Option<u8>>,
        bytes: Vec<u8>,
        address: std::net::Ipv4Addr,
        map: BTreeMap<u8, bool>,
        trees: [Tree; 4],
        value: Value,
        raw: Box<RawValue>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        empty: Vec<u8>,
    }
    let whole = || Whole {
        unit: Unit,
        pair: Pair(1, '"'),
        huge: (i128::MIN, u128::MAX),
        none: None,
        some: Some(Some(1)),
        bytes: vec![1, 2],
        address: std::net::Ipv4Addr::LOCALHOST,
        map: BTreeMap::from([(3, true)]),
        trees: [
            Tree::Leaf,
            Tree::Newtype(Box::new(Tree::Leaf)),
            Tree::Tuple(Box::new(Tree::Leaf), 1),
            Tree::Struct {
                inner: Box::new(Tree::Leaf),
            },
        ],
        value: json!({"a": [1, 2.5, null, "ü"]}),
        raw: RawValue::from_string(r#"{ "a": 1 }"#.to_owned()).expect("JSON"),
        empty: vec![],
    };
    assert_eq!(
        text(whole()),
        serde_json::to_string(&whole()).expect("JSON")
    );
    let mut small = whole();
    small.huge = (1, 2);
    let value = to_value(&small, MAX_DEPTH).expect("it is within bounds");
    assert_eq!(value, serde_json::to_value(&small).expect("JSON"));
}

#[test]
fn the_error_of_a_serialize_has_its_path() {
    struct Fails;
    impl Serialize for Fails {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("the lock is poisoned"))
        }
    }
    assert_eq!(
        problem(BTreeMap::from([("state", [Fails])])),
        "`state[0]` cannot be written as JSON: the lock is poisoned"
    );
}

// S11
#[test]
fn a_value_inside_a_document_of_tent_nests_less_deep() {
    check(lists(100)).expect("it is within bounds");
    let too_deep = check(lists(100_000)).expect_err("it is out of bounds");
    assert_eq!(
        too_deep.to_string(),
        "the value nests deeper than 100 levels"
    );
    to_value(&lists(101), MAX_INNER_DEPTH).expect_err("it is out of bounds");
    check((1..100_000).fold(json!({}), |value, _| {
        json!({})
            .as_object_mut()
            .map(|object| {
                object.insert("a".to_owned(), value);
                Value::Object(std::mem::take(object))
            })
            .unwrap_or_default()
    }))
    .expect_err("it is out of bounds");
}
