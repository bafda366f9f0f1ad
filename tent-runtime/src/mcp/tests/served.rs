//! Capabilities, completions, and the methods that functions answer by `on`.

use serde_json::{Map, Value, json};

use super::app::{App, META, Send, server};
use super::functions::{FUNCTIONS, Function, function};
use super::prompts::PROMPTS;
use super::resources::RESOURCES;
use crate::error::Error;
use crate::function::{
    AccessDeclaration, Complete, Declaration, Kind, Output, OutputDeclaration, Resource,
};
use crate::registry::Registry;
use crate::schema::Field;

/// A resource that everybody who is known may read.
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

/// Completes with what was typed before the numbers from 0 to 149, and what else is known.
pub(super) const fn order_numbers(argument: &'static str) -> Complete {
    Complete {
        argument,
        path: "order_numbers",
        ask: |_, typed, so_far| {
            Box::pin(async move {
                match typed.as_str() {
                    "panic" => panic!("secret detail"),
                    "context" => Ok(vec![Value::Object(so_far).to_string()]),
                    "many" => Ok((0..150).map(|n: u32| n.to_string()).collect()),
                    typed => Ok(vec![format!("{typed}0")]),
                }
            })
        },
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

static ANSWERS: &[&Declaration] = &[
    &answers(
        "all",
        "resources/list",
        AccessDeclaration::SignedIn,
        |_, input| given(&json!({"resources": [], "_meta": {"own": input}})),
    ),
    &answers(
        "acme",
        "acme/do",
        AccessDeclaration::Role("staff"),
        |_, _| given(&json!({"done": true})),
    ),
    &answers(
        "echoed",
        "prompts/list",
        AccessDeclaration::SignedIn,
        |_, input| given(&input["give"]),
    ),
    &answers("odd", "acme/odd", AccessDeclaration::SignedIn, |_, _| {
        given(&json!([1]))
    }),
];

fn both(more: &[&'static Declaration]) -> App {
    let all: Vec<_> = FUNCTIONS.iter().chain(more).copied().collect();
    App::of(&all, |_| {})
}

fn complete(wanted: Value, argument: &str, value: &str) -> Value {
    json!({"ref": wanted, "argument": {"name": argument, "value": value}})
}

#[tokio::test]
async fn capabilities_are_those_that_the_app_has_something_for() {
    let of = async |app: App| {
        let got = app
            .ask(200, Send::modern("server/discover", json!({})))
            .await;
        got["result"]["capabilities"].clone()
    };
    let resources: Vec<_> = RESOURCES.to_vec();
    assert_eq!(
        of(both(&resources[..1])).await,
        json!({"logging": {}, "tools": {}, "resources": {}})
    );
    assert_eq!(
        of(both(&PROMPTS[1..])).await,
        json!({"logging": {}, "tools": {}, "prompts": {}})
    );
    assert_eq!(
        of(both(PROMPTS)).await,
        json!({"logging": {}, "tools": {}, "prompts": {}, "completions": {}})
    );
    assert_eq!(
        of(both(ANSWERS)).await,
        json!({"logging": {}, "tools": {}, "prompts": {}, "resources": {}})
    );
    let app = both(PROMPTS);
    for (revision, wanted) in [
        (
            "2024-11-05",
            json!({"logging": {}, "tools": {}, "prompts": {}}),
        ),
        (
            "2025-11-25",
            json!({"logging": {}, "tools": {}, "prompts": {}, "completions": {}}),
        ),
    ] {
        let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "p", "version": "1"}});
        let got = app.ask(200, Send::legacy("initialize", params)).await;
        assert_eq!(got["result"]["capabilities"], wanted);
    }
    let app = App::of(PROMPTS, |settings| settings.mcp.stream = true);
    let list = json!({"listChanged": true});
    let wanted = json!({"logging": {}, "tools": list, "prompts": list, "completions": {}});
    assert_eq!(of(app).await, wanted);
}

#[tokio::test]
async fn methods_of_what_the_app_does_not_have_are_unknown() {
    let app = App::new();
    for method in [
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "prompts/list",
        "prompts/get",
        "completion/complete",
    ] {
        let modern = app.ask(404, Send::modern(method, json!({}))).await;
        let legacy = app.ask(200, Send::legacy(method, json!({}))).await;
        assert_eq!(
            (&modern["error"]["code"], &legacy["error"]["code"]),
            (&json!(-32601), &json!(-32601))
        );
    }
}

#[tokio::test]
async fn arguments_of_prompts_and_variables_of_resources_are_completed() {
    let all: Vec<_> = RESOURCES.iter().chain(PROMPTS).copied().collect();
    let app = App::of(&all, |_| {});
    let prompt = json!({"type": "ref/prompt", "name": "write_letter"});
    let params = complete(prompt.clone(), "about", "1");
    let got = app
        .ask(200, Send::modern("completion/complete", params))
        .await;
    assert_eq!(
        got["result"],
        json!({
            "completion": {"values": ["10"], "total": 1, "hasMore": false},
            "resultType": "complete", "_meta": {format!("{META}serverInfo"): server()},
        })
    );
    for uri in ["orders://{id}", "orders://7"] {
        let params = complete(json!({"type": "ref/resource", "uri": uri}), "id", "7");
        let got = app
            .ask(200, Send::legacy("completion/complete", params))
            .await;
        assert_eq!(
            got["result"],
            json!({"completion": {"values": ["70"], "total": 1, "hasMore": false}})
        );
    }
    let mut params = complete(prompt.clone(), "about", "context");
    params["context"] = json!({"arguments": {"to": "ada"}});
    let got = app
        .ask(200, Send::modern("completion/complete", params))
        .await;
    assert_eq!(
        got["result"]["completion"]["values"],
        json!([r#"{"to":"ada"}"#])
    );
    let got = app
        .ask(
            200,
            Send::modern(
                "completion/complete",
                complete(prompt.clone(), "about", "many"),
            ),
        )
        .await;
    let completion = &got["result"]["completion"];
    assert_eq!(
        (&completion["total"], &completion["hasMore"]),
        (&json!(150), &json!(true))
    );
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(100));
    // An argument that nothing completes.
    let got = app
        .ask(
            200,
            Send::modern("completion/complete", complete(prompt, "to", "a")),
        )
        .await;
    assert_eq!(
        got["result"]["completion"],
        json!({"values": [], "total": 0, "hasMore": false})
    );
}

#[tokio::test]
async fn completions_are_held_to_the_rule_of_what_they_complete() {
    let all: Vec<_> = RESOURCES.iter().chain(PROMPTS).copied().collect();
    let app = App::of(&all, |_| {});
    let ask = async |wanted: Value, argument: &str, value: &str, who: &'static str| {
        let params = complete(wanted, argument, value);
        app.ask(200, Send::modern("completion/complete", params).by(who))
            .await["error"]
            .clone()
    };
    let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
    let resource = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    let hidden = ask(prompt("staff_letter"), "x", "", "ada").await;
    assert_eq!(
        (&hidden["code"], &hidden["message"]),
        (&json!(-32602), &json!("Unknown prompt: staff_letter"))
    );
    assert_eq!(hidden["data"]["code"], "T0001");
    // One that is hidden by its rule is none: the next that has its URI is meant, as for any other URI.
    let mut hidden = ask(resource("orders://1"), "x", "", "ada").await;
    let mut absent = ask(resource("orders://2"), "x", "", "ada").await;
    assert_eq!(hidden["data"]["code"], "T0003");
    for one in [&mut hidden, &mut absent] {
        one["data"]["trace"] = Value::Null;
    }
    assert_eq!(hidden, absent);
    for uri in ["nothing://1", "nothing://{x}"] {
        let got = ask(resource(uri), "x", "", "ada").await;
        assert_eq!(
            (&got["code"], &got["data"]["code"]),
            (&json!(-32602), &json!("T0001")),
            "{uri}"
        );
    }
    let got = ask(prompt("write_letter"), "colour", "", "ada").await;
    assert_eq!(
        (&got["code"], &got["data"]["code"]),
        (&json!(-32602), &json!("T0003"))
    );
    let internal_error = ask(prompt("write_letter"), "about", "panic", "ada").await;
    assert_eq!(
        (&internal_error["code"], &internal_error["data"]["code"]),
        (&json!(-32603), &json!("T0012"))
    );
    assert!(
        !internal_error.to_string().contains("secret"),
        "{internal_error}"
    );
    for params in [
        json!({}),
        json!({"ref": prompt("write_letter")}),
        complete(json!({"type": "ref/tool", "name": "x"}), "a", "b"),
        json!({"ref": prompt("write_letter"), "argument": {"name": "about", "value": 7}}),
        json!({"ref": prompt("write_letter"), "argument": {"name": "about", "value": ""}, "context": 7}),
    ] {
        let got = app
            .ask(200, Send::modern("completion/complete", params))
            .await;
        assert_eq!(got["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn a_function_answers_a_method_in_both_eras() {
    let app = both(ANSWERS);
    let params = json!({"cursor": "2", "filter": {"a": 1}});
    let got = app
        .ask(200, Send::modern("resources/list", params.clone()))
        .await;
    assert_eq!(
        got,
        json!({"jsonrpc": "2.0", "id": 1, "result": {
            "resources": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "_meta": {"own": params, format!("{META}serverInfo"): server()},
        }})
    );
    let got = app
        .ask(200, Send::legacy("resources/list", params.clone()))
        .await;
    assert_eq!(
        got["result"],
        json!({"resources": [], "_meta": {"own": params}})
    );
    let got = app.ask(200, Send::legacy("acme/do", json!({}))).await;
    assert_eq!(got["result"], json!({"done": true}));
    // It is no tool, and one that is not for the caller is none that there is.
    let list = app.ask(200, Send::modern("tools/list", json!({}))).await;
    assert!(!list.to_string().contains("acme"), "{list}");
    let call = app.ask(200, Send::call("acme", json!({}))).await;
    assert_eq!(call["error"]["message"], "Unknown tool: acme");
    let hidden = app
        .ask(404, Send::modern("acme/do", json!({})).by("ada"))
        .await;
    assert_eq!(
        hidden["error"],
        json!({"code": -32601, "message": "Method not found: acme/do"})
    );
    // It says itself for how long what it gives can be kept; of a result that is not whole nothing is said.
    for (given, kept) in [
        (
            json!({"prompts": [], "ttlMs": 9, "cacheScope": "public"}),
            (json!(9), json!("public")),
        ),
        (
            json!({"prompts": [], "ttlMs": 9}),
            (json!(9), json!("private")),
        ),
        (
            json!({"resultType": "input_required"}),
            (Value::Null, Value::Null),
        ),
    ] {
        let got = app
            .ask(200, Send::modern("prompts/list", json!({"give": given})))
            .await;
        let result = &got["result"];
        assert_eq!(
            (result["ttlMs"].clone(), result["cacheScope"].clone()),
            kept
        );
    }
    let got = app.ask(200, Send::modern("acme/do", json!({}))).await;
    assert_eq!(got["result"].get("ttlMs"), None, "{got}");
    // Nor by what only a method that there is finds wrong.
    let mut misfit = json!({});
    misfit["_meta"] = super::app::meta();
    misfit["_meta"]["progressToken"] = json!({});
    for (method, message) in [
        ("acme/do", "Method not found: acme/do"),
        ("acme/no", "Method not found: acme/no"),
    ] {
        let got = app
            .ask(404, Send::modern(method, misfit.clone()).by("ada"))
            .await;
        assert_eq!(got["error"], json!({"code": -32601, "message": message}));
        let got = app
            .ask(200, Send::legacy(method, json!([])).by("ada"))
            .await;
        assert_eq!(got["error"]["code"], -32601);
    }
}

#[tokio::test]
async fn nobody_cannot_tell_a_hidden_method_from_one_that_there_is_not() {
    let all: Vec<_> = FUNCTIONS.iter().chain(ANSWERS).copied().collect();
    let app = App::of(&all, |settings| settings.mcp.anyone = true);
    for method in ["acme/do", "acme/odd", "acme/no"] {
        let got = app
            .ask(404, Send::modern(method, json!({})).by_nobody())
            .await;
        let message = format!("Method not found: {method}");
        assert_eq!(got["error"], json!({"code": -32601, "message": message}));
    }
}

#[tokio::test]
async fn what_does_not_fit_a_method_or_its_result_is_an_error() {
    let app = both(ANSWERS);
    let got = app
        .ask(
            200,
            Send::modern("resources/list", json!({"cursor": 7, "colour": 1})),
        )
        .await;
    assert_eq!(
        (&got["error"]["code"], &got["error"]["data"]["code"]),
        (&json!(-32602), &json!("T0003"))
    );
    let got = app.ask(200, Send::legacy("acme/odd", json!({}))).await;
    assert_eq!(
        (&got["error"]["code"], &got["error"]["data"]["code"]),
        (&json!(-32603), &json!("T0012"))
    );
    let got = app.ask(200, Send::legacy("acme/odd", json!([]))).await;
    assert_eq!(got["error"]["code"], -32602);
}

/// The codes and messages of what keeps these from starting.
fn problems(declarations: &[&'static Declaration]) -> Vec<(String, String)> {
    let problems = Registry::of(declarations).expect_err("they do not start");
    problems
        .0
        .into_iter()
        .map(|one| (one.code.to_string(), one.message))
        .collect()
}

#[test]
fn what_cannot_be_told_apart_or_called_does_not_start() {
    const X: &[Field] = &[Field::new::<String>("x")];
    const LIST: &[Field] = &[Field::new::<Vec<String>>("list")];
    static A: Declaration = reads("a", "a://{x}", X, |_, _| Ok(Output::default()));
    static B: Declaration = reads("b", "a://{y}", X, |_, _| Ok(Output::default()));
    static C: Declaration = reads("A", "c://{list}", LIST, |_, _| Ok(Output::default()));
    static D: Declaration = reads("d", "d", &[], |_, _| Ok(Output::default()));
    static PROMPT: Declaration = reads("a", "", X, |_, _| Ok(Output::default())).prompt();
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
            "`d`: \"d\" is no URI template: it begins with no scheme"
        )]
    );
    assert_eq!(
        problems(&[&TEXT]),
        [found(
            "T7032",
            "`text`: it answers acme/text with what is no object"
        )]
    );
    assert_eq!(
        problems(&[ANSWERS[0], &A]),
        [found("T1001", "`all` and `a` both answer resources/list")]
    );
    // Of what no macro read.
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

/// The answers to one method of each capability that has lists.
static PARTS: &[&Declaration] = &[
    &answers(
        "read",
        "resources/read",
        AccessDeclaration::SignedIn,
        |_, _| given(&json!({"contents": []})),
    ),
    &answers("get", "prompts/get", AccessDeclaration::SignedIn, |_, _| {
        given(&json!({"messages": []}))
    }),
];

#[tokio::test]
async fn the_lists_of_a_capability_that_is_declared_are_answered_where_nothing_gives_them() {
    let app = both(PARTS);
    for (method, member) in [
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ] {
        let got = app.ask(200, Send::modern(method, json!({}))).await;
        let result = &got["result"];
        assert_eq!(result[member], json!([]), "{got}");
        assert_eq!(result["resultType"], "complete");
        assert_eq!(result["cacheScope"], "private");
        let got = app.ask(200, Send::legacy(method, json!({}))).await;
        assert_eq!(got["result"], json!({(member): []}));
        let got = app
            .ask(200, Send::modern(method, json!({"cursor": "x"})))
            .await;
        assert_eq!(got["error"]["code"], -32602);
    }
    let got = app
        .ask(200, Send::modern("resources/read", json!({"uri": "a://"})))
        .await;
    let result = &got["result"];
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(0), &json!("private"))
    );
    let got = app
        .ask(200, Send::modern("prompts/get", json!({"name": "x"})))
        .await;
    assert_eq!(got["result"].get("ttlMs"), None, "it is not kept");
    // Of what is not declared there is no list either.
    let app = both(&PARTS[..1]);
    app.ask(404, Send::modern("prompts/list", json!({}))).await;
}

#[tokio::test]
async fn what_a_modern_request_says_of_notes_fits_whatever_its_method() {
    let app = both(PARTS);
    let with = |method: &str, member: &str, value: Value| {
        let mut meta = super::app::meta();
        meta[member] = value;
        let named = match method {
            "resources/read" => "uri",
            _ => "name",
        };
        Send::modern(method, json!({(named): "a://", "_meta": meta}))
    };
    let level = format!("{META}logLevel");
    for method in [
        "server/discover",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
    ] {
        for (member, value) in [
            (&*level, json!("loud")),
            (&*level, json!(7)),
            ("progressToken", json!(1.5)),
            ("progressToken", json!({})),
            ("progressToken", json!(true)),
        ] {
            let got = app.ask(200, with(method, member, value.clone())).await;
            assert_eq!(got["error"]["code"], -32602, "{method} {member} {value}");
        }
    }
    for (member, value) in [(&*level, json!("error")), ("progressToken", json!("x"))] {
        let got = app.ask(200, with("tools/list", member, value)).await;
        assert!(got["result"]["tools"].is_array(), "{got}");
    }
    let unknown = with("nothing/like", &level, json!("loud"));
    assert_eq!(app.ask(404, unknown).await["error"]["code"], -32601);
}
