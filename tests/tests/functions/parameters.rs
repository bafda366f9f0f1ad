//! Parameters: what the app gives, what the caller gives, and how it is read.

use std::any::TypeId;

use serde_json::json;
use tent::{change, query};
use tent_runtime::__private::{Bound, Input, States, registry_of};
use tent_runtime::{Cx, Shared, State};
use tent_tests::{fields, linked, run, run_with};

struct Shop {
    name: &'static str,
}
impl State for Shop {}

type Pool = Shared<Vec<u32>>;

#[query(access = "anyone")]
async fn parts(cx: &Cx, shop: &Shop, pool: &Pool, extra: Option<u32>) -> String {
    assert!(!cx.caller().is_known());
    format!("{} {:?} {extra:?}", shop.name, pool.0)
}

#[test]
fn a_reference_is_a_state_whatever_alias_names_it() {
    let function = linked("parts");
    let needs: Vec<_> = function.states.iter().filter_map(|state| state()).collect();
    let ids: Vec<TypeId> = needs.iter().map(|need| need.id).collect();
    assert_eq!(ids, [TypeId::of::<Shop>(), TypeId::of::<Pool>()]);
    assert!(needs[0].name.ends_with("::Shop"), "{}", needs[0].name);
    let mut states = States::default();
    states.put(Shop { name: "corner" });
    states.put(Shared(vec![1_u32, 2]));
    let answer = run_with(function, json!({"extra": 3}), states).expect("it runs");
    assert_eq!(
        answer.value.expect("a value").get(),
        "\"corner [1, 2] Some(3)\""
    );
}

#[test]
fn a_missing_state_is_an_error_and_not_a_panic() {
    let failure = run("parts", json!({})).expect_err("no state was given");
    assert_eq!(failure.code(), "T7011");
}

/// A line of an order.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Line {
    sku: String,
    quantity: u8,
}

#[change(access = "anyone")]
fn place(
    /// The order's number.
    ///
    /// From 1.
    #[arg(min = 1, max = 99, example = 7)]
    id: u32,
    #[arg(default = vec![], max_len = 3)] lines: Vec<Line>,
    #[arg(default = 20)] limit: u8,
    #[arg(
        rename = "the-note",
        min_len = 2,
        pattern = "^[a-z]+$",
        header = "X-Note"
    )]
    note: Option<String>,
    #[arg(secret)] pin: Option<u16>,
    r#type: Option<String>,
) -> String {
    let lines: Vec<String> = lines
        .iter()
        .map(|line| format!("{}x{}", line.quantity, line.sku))
        .collect();
    format!("{id} {lines:?} {limit} {note:?} {pin:?} {type:?}")
}

#[test]
fn absent_fields_are_their_default_or_null() {
    assert_eq!(
        run("place", json!({"id": 1})).expect("it fits"),
        "1 [] 20 None None None"
    );
    let all = json!({
        "id": 2, "lines": [{"sku": "a", "quantity": 3}], "limit": 4, "the-note": "ab", "pin": 5, "type": "t"
    });
    assert_eq!(
        run("place", all).expect("it fits"),
        "2 [\"3xa\"] 4 Some(\"ab\") Some(5) Some(\"t\")"
    );
}

#[test]
fn names_all_invalid_fields_with_their_paths_and_no_secret() {
    let input = json!({
        "id": "x", "lines": [{"sku": "a", "quantity": 3}, {"sku": "b"}], "limit": 300, "pin": "hunter2", "type": 1
    });
    let failure = run("place", input).expect_err("nothing fits");
    assert_eq!(failure.code(), "T0003");
    assert_eq!(
        fields(&failure),
        json!({
            "id": "invalid type: string \"x\", expected u32",
            "lines[1]": "missing field `quantity`",
            "limit": "invalid value: integer `300`, expected u8",
            "pin": "is not valid",
            "type": "invalid type: integer `1`, expected a string",
        })
    );
    let failure = run("place", json!({})).expect_err("the id is missing");
    assert_eq!(fields(&failure), json!({"id": "is required"}));
}

#[test]
fn the_options_of_a_field_are_in_its_declaration() {
    let Input::Fields(stated) = linked("place").input else {
        panic!("the input is made of fields");
    };
    let names: Vec<_> = stated.iter().map(|field| field.name).collect();
    assert_eq!(names, ["id", "lines", "limit", "the-note", "pin", "type"]);
    let [id, lines, limit, note, pin, _] = stated else {
        panic!("there are six");
    };
    assert_eq!(id.about, "The order's number.\n\nFrom 1.");
    assert_eq!(id.rules.min, Some(Bound::Integer(1)));
    assert_eq!(id.rules.max, Some(Bound::Integer(99)));
    assert_eq!(
        id.rules.example.and_then(|example| example()),
        Some(json!(7))
    );
    assert_eq!(limit.default.and_then(|default| default()), Some(json!(20)));
    // A line cannot be serialised, so that there is a default and no JSON of it.
    assert_eq!(lines.default.map(|default| default()), Some(None));
    assert_eq!(
        (note.rules.min_len, note.rules.pattern),
        (Some(2), Some("^[a-z]+$"))
    );
    assert_eq!(note.header, Some("X-Note"));
    assert!(pin.secret && !id.secret);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Search {
    text: String,
    #[serde(default)]
    page: u32,
}

#[query(access = "anyone")]
async fn search(_: &Cx, #[input] search: Search) -> String {
    format!("{} {}", search.text, search.page)
}

#[query(access = "anyone")]
async fn search_stated(
    #[input(schema = json!({"type": "object", "properties": {"text": {"type": "string"}}}))]
    search: Search,
) -> u32 {
    search.page
}

#[test]
fn one_parameter_can_be_the_whole_input() {
    assert!(matches!(linked("search").input, Input::Whole(_)));
    let found = run("search", json!({"text": "a"})).expect("it fits");
    assert_eq!(found, "a 0");
    let failure = run("search", json!({"text": "a", "page": -1})).expect_err("it does not fit");
    assert_eq!(
        fields(&failure),
        json!({"page": "invalid value: integer `-1`, expected u32"})
    );
    let Input::Custom(schema) = linked("search_stated").input else {
        panic!("the schema is stated");
    };
    assert_eq!(schema()["properties"]["text"]["type"], "string");
    assert_eq!(
        run("search_stated", json!({"text": "a", "page": 2})).ok(),
        Some(json!(2))
    );
}

#[query(access = "anyone")]
async fn static_cow(name: std::borrow::Cow<'static, str>, mut tags: Vec<String>) -> String {
    tags.push(name.into_owned());
    tags.join("+")
}

// K7-16.
#[test]
fn a_static_cow_is_owned() {
    let input = json!({"name": "a", "tags": ["b"]});
    assert_eq!(run("static_cow", input).ok(), Some(json!("b+a")));
}

#[query(access = "anyone")]
async fn r#match(r#type: String, r#gen: u32) -> String {
    format!("{type}{gen}")
}

// K7-04.
#[test]
fn raw_identifiers_are_not_on_the_wire() {
    let input = json!({"type": "a", "gen": 1});
    assert_eq!(run("match", input).ok(), Some(json!("a1")));
    let failure = run("match", json!({"type": 1, "gen": 1})).expect_err("a number is no text");
    assert_eq!(
        fields(&failure),
        json!({"type": "invalid type: integer `1`, expected a string"})
    );
}

#[query(access = "anyone")]
async fn conditional(#[cfg(any())] off: bool, #[cfg(not(any()))] on: bool, other: u8) -> String {
    format!("{on} {other}")
}

#[query(access = "anyone")]
#[cfg(any())]
async fn either(missing: Missing) -> u32 {
    1
}

#[cfg(not(any()))]
#[query(access = "anyone")]
async fn either() -> u32 {
    2
}

#[cfg_attr(all(), tent::query(access = "anyone"))]
#[cfg_attr(all(), cfg(not(any())), doc = "Sometimes.")]
async fn sometimes() -> u32 {
    3
}

// K7-24.
#[test]
fn a_parameter_that_cfg_removes_is_not_declared() {
    let input = json!({"on": true, "other": 1});
    assert_eq!(run("conditional", input).ok(), Some(json!("true 1")));
    let Input::Fields(stated) = linked("conditional").input else {
        panic!("the input is made of fields");
    };
    let names: Vec<_> = stated.iter().map(|field| field.name).collect();
    assert_eq!(names, ["on", "other"]);
    assert_eq!(run("either", json!({})).ok(), Some(json!(2)));
    assert_eq!(run("sometimes", json!({})).ok(), Some(json!(3)));
}

/// Its own words, which `about` takes the place of.
#[query(access = "anyone", offer = "mcp", about = "Look at one")]
fn documented_fields(
    /// Order number.
    ///
    /// - starts with A
    ///   and has 4 digits, e.g. `A1234` "quoted" {braces}
    #[doc = "last"]
    id: String,
    like: Alike,
) -> Alike {
    let _ = id;
    like
}

#[tent::data]
struct Alike {
    /// Order number.
    ///
    /// - starts with A
    ///   and has 4 digits, e.g. `A1234` "quoted" {braces}
    #[doc = "last"]
    id: String,
}

// K7-13.
#[test]
fn the_doc_comment_of_a_field_is_its_description_everywhere() {
    let function = tent::Function::try_from(linked("documented_fields")).expect("it is valid");
    assert_eq!(function.about(), "Look at one");
    let written = "Order number.\n\n- starts with A\n  and has 4 digits, e.g. `A1234` \"quoted\" {braces}\nlast";
    let input = &function.input_schema()["properties"];
    assert_eq!(input["id"]["description"], written);
    assert_eq!(input["like"]["properties"]["id"]["description"], written);
}

macro_rules! range {
    ($name:literal) => {
        concat!("The ", $name, " of the range.")
    };
}

macro_rules! described_range {
    ($name:ident, $about:literal, $more:expr) => {
        #[query(access = "anyone")]
        fn $name(#[doc = $about] a: u32, #[doc = $more] b: u32) -> u32 {
            a + b
        }
    };
}

described_range!(range_by_macro, "One.", concat!("T", "wo."));

/// Reads.
#[query(access = "anyone")]
#[expect(
    clippy::too_many_arguments,
    reason = "one for each form of a doc comment"
)]
fn doc_comments(
    #[doc = concat!("one ", "two")] joined: u32,
    #[doc = include_str!("../../src/short_about.txt")] included: u32,
    #[doc = range!("start")] by_macro: Option<u32>,
    /// A comment, then
    #[doc = stringify!(a + b)]
    ///
    /// and the rest.
    mixed: u32,
    #[doc = r#"a "raw" text"#] raw: u32,
    /**
     * A block.
     */
    block: u32,
    #[doc = concat!("{", "}")]
    #[arg(default = 1, min = 1)]
    with_rules: u32,
    #[doc = concat!(" ")] empty: u32,
    none: u32,
) -> u32 {
    let all = [joined, included, mixed, raw, block, with_rules, empty, none];
    all.iter().sum::<u32>() + by_macro.unwrap_or_default()
}

// P12
#[test]
fn every_form_of_a_doc_comment_on_a_parameter_is_its_description() {
    let descriptions = |name: &str| {
        let registry = registry_of(&[linked(name)]).expect("it is valid");
        let schema = registry.functions()[0].input_schema();
        let fields = schema["properties"].as_object().expect("fields").iter();
        let fields = fields.map(|(name, field)| (name.clone(), field["description"].clone()));
        fields.collect::<serde_json::Value>()
    };
    assert_eq!(
        descriptions("doc_comments"),
        json!({
            "joined": "one two",
            "included": "A short text\nin a file.",
            "by_macro": "The start of the range.",
            "mixed": "A comment, then\na + b\n\nand the rest.",
            "raw": "a \"raw\" text",
            "block": "A block.",
            "with_rules": "{}",
            "empty": null,
            "none": null,
        })
    );
    let by_macro = descriptions("range_by_macro");
    assert_eq!(by_macro, json!({"a": "One.", "b": "Two."}));
}

#[tent::data]
struct WithUnit {
    nothing: (),
    number: u32,
}

#[query(access = "anyone")]
fn with_unit(data: WithUnit) -> u32 {
    let WithUnit {
        nothing: (),
        number,
    } = data;
    number
}

// P38: serde demands the null of such a field, so the schema does too.
#[test]
fn a_unit_field_of_a_type_is_null_in_schema_and_value() {
    let registry = registry_of(&[linked("with_unit")]).expect("it is valid");
    let schema = &registry.functions()[0].input_schema()["properties"]["data"];
    assert_eq!(schema["properties"]["nothing"], json!({"type": "null"}));
    assert_eq!(schema["required"], json!(["nothing", "number"]));
    let input = json!({"data": {"nothing": null, "number": 1}});
    assert_eq!(run("with_unit", input).ok(), Some(json!(1)));
}

#[query(access = "anyone")]
fn priced(#[arg(max = 99.5)] price: f64) -> f64 {
    price
}

#[test]
fn a_bound_of_a_number_can_have_a_fraction() {
    let Input::Fields([price]) = linked("priced").input else {
        panic!("it has one field");
    };
    assert_eq!(price.rules.max, Some(Bound::Number(99.5)));
}
