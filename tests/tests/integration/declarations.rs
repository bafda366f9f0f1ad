//! Declarations that the registry refuses: those that clash with each other, and those that clients refuse.

use serde_json::json;
use tent::prelude::*;
use tent::{Declaration, Icon};
use tent_runtime::__private::{Primitive, Resource, registry_of};

/// For tests.
#[resource(uri = "a://{x}", access = "signedIn")]
fn a(x: String) -> String {
    x
}

/// For tests.
#[resource(uri = "a://{y}", access = "signedIn")]
fn b(y: String) -> String {
    y
}

/// For tests.
#[resource(uri = "c://{list}", access = "signedIn", name = "A")]
fn c(list: Vec<String>) -> Vec<String> {
    list
}

/// For tests.
#[resource(uri = "d://d", access = "signedIn")]
fn d() -> String {
    String::new()
}

/// For tests.
#[prompt(access = "signedIn", name = "a")]
fn prompt(x: String) -> String {
    x
}

/// For tests.
#[action(access = "signedIn", on = "resources/list")]
fn all() -> tent::Map {
    tent::Map::new()
}

/// For tests.
#[action(access = "signedIn", on = "acme/text")]
fn text() -> String {
    String::new()
}

fn declared(functions: &[&'static Declaration]) -> &'static Declaration {
    functions[0]
}

/// The code and the message of each problem of these declarations.
fn problems(declarations: &[&'static Declaration]) -> Vec<String> {
    let problems = registry_of(declarations).expect_err("they are refused");
    assert!(problems.iter().all(|one| !one.locations.is_empty()));
    problems
        .iter()
        .map(|one| format!("{} {}", one.code, one.message))
        .collect()
}

/// A declaration that is not written by a macro.
fn by_hand(declaration: Declaration) -> &'static Declaration {
    Box::leak(Box::new(declaration))
}

#[test]
fn refuses_declarations_that_clash_or_cannot_be_called() {
    let a = declared(tent::functions![a]);
    let no_scheme = by_hand(Declaration {
        primitive: Primitive::Resource(Resource::new("d")),
        ..*declared(tent::functions![d])
    });
    let all = declared(tent::functions![all]);
    let subscribes = by_hand(Declaration {
        name: "own",
        on: Some("resources/subscribe"),
        ..*all
    });
    for (declarations, expected) in [
        (
            &[a, declared(tent::functions![b])][..],
            &["T1001 2 resources have the URI a://{x}"][..],
        ),
        (
            &[a, declared(tent::functions![c])],
            &[
                "T1001 `A` and `a` differ in case and punctuation alone",
                "T7031 `A`: `list` is an array",
            ],
        ),
        (
            &[no_scheme],
            &["T7030 `d`: \"d\" is not a valid URI template: it does not start with a scheme"],
        ),
        (
            tent::functions![text],
            &["T7032 `text`: it handles acme/text and its output is not an object"],
        ),
        (
            &[all, a],
            &["T1001 `all` and `a` both answer resources/list"],
        ),
        (
            &[subscribes, a],
            &["T1001 `own` and `a` both answer resources/subscribe"],
        ),
    ] {
        assert_eq!(problems(declarations), expected);
    }
    // A resource and a prompt may have one name.
    assert!(registry_of(&[a, declared(tent::functions![prompt])]).is_ok());
}

/// For tests.
#[resource(
    uri = "a://a",
    access = "signedIn",
    icons = [Icon::new("file:///a.png"), Icon::data("GIF8", "text/plain")]
)]
fn bad_icons() -> &'static str {
    ""
}

/// For tests.
#[prompt(access = "signedIn", icons = Icon::new("ws://shop.example"))]
fn bad_scheme() -> String {
    String::new()
}

/// For tests.
#[resource(uri = "a://a", access = "signedIn", icons = Icon::new("http://shop.example/a.png"))]
fn http_icon() -> &'static str {
    ""
}

#[test]
fn refuses_icons_that_clients_refuse_and_warns_about_icons_over_http() {
    let scheme = "has a URL that is neither https: nor http:";
    assert_eq!(
        problems(tent::functions![bad_icons, bad_scheme]),
        [
            "T7034 `bad_icons`: the icon \"data:text/plain;base64,R0lGOA==\" has a data: URL of the type \"text/plain\", which is not an image type".to_owned(),
            format!("T7034 `bad_icons`: the icon \"file:///a.png\" {scheme}"),
            format!("T7034 `bad_scheme`: the icon \"ws://shop.example\" {scheme}"),
        ]
    );
    let warnings = registry_of(tent::functions![http_icon])
        .expect("valid")
        .warnings();
    assert_eq!(
        warnings
            .iter()
            .map(|one| (one.code.as_str(), &*one.message))
            .collect::<Vec<_>>(),
        [(
            "T7034",
            "`http_icon`: the icon \"http://shop.example/a.png\" does not use https: clients do not fetch it"
        )]
    );
}

/// For tests.
#[resource(uri = "ui://clock", access = "signedIn", meta = json!({"dev.mcp/a": 1, "-": 1}))]
fn clock() -> &'static str {
    ""
}

/// For tests.
#[resource(uri = "ui://page", access = "signedIn", meta = json!("ui://page"))]
fn page() -> &'static str {
    ""
}

#[test]
fn refuses_invalid_metadata_and_reports_all_of_it() {
    assert_eq!(
        problems(tent::functions![clock, page]),
        [
            "T7033 `clock`: its meta has the key \"-\", which has an invalid name: use letters, digits, `-`, `_` and `.`, and start and end with a letter or digit",
            "T7033 `clock`: its meta has the key \"dev.mcp/a\", which has a prefix that is reserved for MCP",
            "T7033 `page`: its meta is not a JSON object",
        ]
    );
}

#[data]
struct Nothing;

/// For tests.
#[query(access = "anyone")]
fn takes_nothing(a: u32, nothing: Nothing, _phantom: std::marker::PhantomData<u32>) -> u32 {
    let Nothing = nothing;
    a
}

// P38
#[test]
fn refuses_a_parameter_whose_only_value_is_null() {
    let problem = |field: &str| {
        format!(
            "T7005 `takes_nothing`: field `{field}`: its type has no value but null: remove the parameter"
        )
    };
    assert_eq!(
        problems(tent::functions![takes_nothing]),
        [problem("_phantom"), problem("nothing")]
    );
}
