//! Declarations that the registry refuses, and declarations that other tests use.

use serde_json::{Map, Value, json};

use super::functions::{Function, function};
use crate::cx::Cx;
use crate::error::Error;
use crate::function::{
    AccessDeclaration, Complete, Declaration, Icon, Kind, Output, OutputDeclaration, Resource,
};
use crate::registry::Registry;
use crate::schema::Field;

/// A resource that every signed-in caller can read.
pub(super) const fn reads(
    name: &'static str,
    uri: &'static str,
    fields: &'static [Field],
    run: Function,
) -> Declaration {
    let output = OutputDeclaration::Value(|g| g.subschema_for::<Value>());
    function(
        Kind::Query,
        name,
        AccessDeclaration::SignedIn,
        fields,
        output,
        run,
    )
    .resource(Resource::new(uri))
}

/// Completes the typed text with a zero.
pub(super) const fn order_numbers(argument: &'static str) -> Complete {
    Complete {
        argument,
        path: "order_numbers",
        run: |_, typed, _| Box::pin(async move { Ok(vec![format!("{typed}0")]) }),
    }
}

const PARAMS: &[Field] = &[
    Field::new::<Option<String>>("cursor"),
    Field::new::<Option<Map<String, Value>>>("filter"),
    Field::new::<Option<Map<String, Value>>>("give"),
    Field::new::<Option<String>>("name"),
    Field::new::<Option<String>>("uri"),
];

const fn answers(
    name: &'static str,
    on: &'static str,
    access: AccessDeclaration,
    run: Function,
) -> Declaration {
    let output = OutputDeclaration::Value(|g| g.subschema_for::<Value>());
    Declaration {
        mcp: false,
        ..function(Kind::Action, name, access, PARAMS, output, run).on(on)
    }
}

fn given(value: &Value) -> Result<Output, Error> {
    Ok(Output {
        value: Some(serde_json::value::to_raw_value(value)?),
        ..Output::default()
    })
}

fn empty(_: &Cx, _: Map<String, Value>) -> Result<Output, Error> {
    Ok(Output::default())
}

/// The codes and messages of the problems that these declarations have.
fn problems(declarations: &[&'static Declaration]) -> Vec<(String, String)> {
    let problems = Registry::of(declarations).expect_err("they do not start");
    problems
        .0
        .into_iter()
        .map(|one| (one.code.to_string(), one.message))
        .collect()
}

#[test]
fn refuses_declarations_that_clash_or_cannot_be_called() {
    const X: &[Field] = &[Field::new::<String>("x")];
    const LIST: &[Field] = &[Field::new::<Vec<String>>("list")];
    static A: Declaration = reads("a", "a://{x}", X, |_, _| Ok(Output::default()));
    static B: Declaration = reads("b", "a://{y}", X, |_, _| Ok(Output::default()));
    static C: Declaration = reads("A", "c://{list}", LIST, |_, _| Ok(Output::default()));
    static D: Declaration = reads("d", "d", &[], |_, _| Ok(Output::default()));
    static PROMPT: Declaration = reads("a", "", X, |_, _| Ok(Output::default())).prompt();
    static ALL: Declaration = answers(
        "all",
        "resources/list",
        AccessDeclaration::SignedIn,
        |_, _| given(&json!({})),
    );
    static TEXT: Declaration = Declaration {
        output: OutputDeclaration::Value(|g| g.subschema_for::<String>()),
        ..answers("text", "acme/text", AccessDeclaration::SignedIn, |_, _| {
            given(&json!(""))
        })
    };
    let found = |code: &str, message: &str| (code.to_owned(), message.to_owned());
    assert_eq!(
        problems(&[&A, &B]),
        [found("T1001", "2 resources have the URI a://{x}")]
    );
    assert_eq!(
        problems(&[&A, &C]),
        [
            found("T1001", "`A` and `a` differ in case and punctuation alone"),
            found("T7031", "`A`: `list` is an array"),
        ]
    );
    assert_eq!(
        problems(&[&D]),
        [found(
            "T7030",
            "`d`: \"d\" is not a valid URI template: it does not start with a scheme"
        )]
    );
    assert_eq!(
        problems(&[&TEXT]),
        [found(
            "T7032",
            "`text`: it handles acme/text and its output is not an object"
        )]
    );
    assert_eq!(
        problems(&[&ALL, &A]),
        [found("T1001", "`all` and `a` both answer resources/list")]
    );
    // A declaration that was written without the macros.
    static SUBSCRIBES: Declaration = answers(
        "own",
        "resources/subscribe",
        AccessDeclaration::SignedIn,
        |_, _| given(&json!({})),
    );
    assert_eq!(
        problems(&[&SUBSCRIBES, &A]),
        [found(
            "T1001",
            "`own` and `a` both answer resources/subscribe"
        )]
    );
    // A resource and a prompt may have one name.
    assert!(Registry::of(&[&A, &PROMPT]).is_ok());
}

#[test]
fn refuses_icons_that_clients_refuse_and_warns_about_icons_over_http() {
    static BAD: &[&Declaration] = &[
        &reads("a", "a://a", &[], empty)
            .icons(|| vec![Icon::new("file:///a.png"), Icon::data("GIF8", "text/plain")]),
        &reads("b", "b://b", &[], empty)
            .icons(|| vec![Icon::new("ws://shop.example")])
            .prompt(),
    ];
    let problems = Registry::of(BAD).expect_err("it has bad icons").0;
    let found: Vec<_> = problems
        .iter()
        .map(|one| (one.code.as_str(), &*one.message))
        .collect();
    let scheme = "has a URL that is neither https: nor http:";
    let text = "the icon \"data:text/plain;base64,R0lGOA==\" has a data: URL of the type \"text/plain\", which is not an image type";
    assert_eq!(
        found,
        [
            ("T7034", &*format!("`a`: {text}")),
            (
                "T7034",
                &*format!("`a`: the icon \"file:///a.png\" {scheme}")
            ),
            (
                "T7034",
                &*format!("`b`: the icon \"ws://shop.example\" {scheme}")
            ),
        ]
    );
    assert!(problems.iter().all(|one| one.locations.len() == 1));

    static CLEAR: &[&Declaration] =
        &[&reads("a", "a://a", &[], empty).icons(|| vec![Icon::new("http://shop.example/a.png")])];
    let warnings = Registry::of(CLEAR).expect("it starts").warnings();
    let found: Vec<_> = warnings
        .iter()
        .map(|one| (one.code.as_str(), &*one.message))
        .collect();
    let wanted =
        "`a`: the icon \"http://shop.example/a.png\" does not use https: clients do not fetch it";
    assert_eq!(found, [("T7034", wanted)]);
}

#[test]
fn refuses_invalid_metadata_and_reports_all_of_it() {
    static WRONG: &[&Declaration] = &[
        &reads("clock", "ui://clock", &[], empty).meta(|| json!({"dev.mcp/a": 1, "-": 1})),
        &reads("page", "ui://page", &[], empty).meta(|| json!("ui://page")),
    ];
    let problems = Registry::of(WRONG).expect_err("both are wrong");
    let found: Vec<_> = problems
        .0
        .iter()
        .map(|one| (one.code.as_str(), &*one.message))
        .collect();
    assert_eq!(
        found,
        [
            (
                "T7033",
                "`clock`: its meta has the key \"-\", which has an invalid name: use letters, digits, `-`, `_` and `.`, and start and end with a letter or digit"
            ),
            (
                "T7033",
                "`clock`: its meta has the key \"dev.mcp/a\", which has a prefix that is reserved for MCP"
            ),
            ("T7033", "`page`: its meta is not a JSON object"),
        ]
    );
}
