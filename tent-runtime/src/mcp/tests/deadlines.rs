//! One request has one deadline: rules, listers and functions share what is left of it.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::app::{App, Send};
use super::functions::function;
use super::served::order_numbers;
use crate::caller::Caller;
use crate::cx::Cx;
use crate::dispatch::Identity;
use crate::error::Result;
use crate::function::{
    AccessDeclaration, Body, BoxFuture, Complete, Declaration, Kind, Lister, Output,
    OutputDeclaration, Resource, ResourceInfo, RuleDeclaration,
};
use crate::mcp::Connection;
use crate::schema::Field;

/// How often a rule was asked, by the id of the request.
static ASKED: LazyLock<Mutex<HashMap<String, usize>>> = LazyLock::new(Mutex::default);

const ID: &[Field] = &[Field::new::<String>("id")];

fn asked(trace: &str) -> usize {
    let asked = ASKED.lock().expect("no test panics in it");
    asked.get(trace).copied().unwrap_or_default()
}

fn rule_that_takes<'a>(cx: &'a Cx, time: Option<Duration>) -> BoxFuture<'a, Result<bool>> {
    let mut asked = ASKED.lock().expect("no test panics in it");
    *asked.entry(cx.trace().to_owned()).or_default() += 1;
    Box::pin(async move {
        match time {
            Some(time) => sleep(time).await,
            None => std::future::pending().await,
        }
        Ok(true)
    })
}

const SLOW: AccessDeclaration = AccessDeclaration::Rule(RuleDeclaration {
    path: "slow",
    run: |cx| rule_that_takes(cx, Some(Duration::from_secs(10))),
});

const ENDLESS: AccessDeclaration = AccessDeclaration::Rule(RuleDeclaration {
    path: "endless",
    run: |cx| rule_that_takes(cx, None),
});

const fn reads(name: &'static str, access: AccessDeclaration, body: Body) -> Declaration {
    Declaration {
        body,
        ..function(
            Kind::Query,
            name,
            access,
            ID,
            OutputDeclaration::Nothing,
            |_, _| Ok(Output::default()),
        )
    }
}

const ENDS: Body = Body::Async(|_, _| Box::pin(async { Ok(Output::default()) }));
const GOES_ON: Body = Body::Async(|_, _| Box::pin(std::future::pending()));

const LIST: Lister = Lister {
    path: "list",
    run: |_| {
        Box::pin(async {
            sleep(Duration::from_secs(10)).await;
            Ok(vec![ResourceInfo::new("orders://7", "order 7")])
        })
    },
};

/// As many as wanted of what `make` makes of a name.
fn many(count: usize, make: impl Fn(&'static str) -> Declaration) -> Vec<&'static Declaration> {
    let one = |n| &*Box::leak(Box::new(make(String::leak(format!("one_{n}")))));
    (0..count).map(one).collect()
}

fn template(name: &'static str, access: AccessDeclaration) -> Declaration {
    let uri = String::leak(format!("shop://{name}/{{id}}"));
    reads(name, access, ENDS).resource(Resource::new(uri).list(LIST).subscribe(true))
}

/// An app in which a call has 30 seconds.
fn app(functions: &[&'static Declaration]) -> App {
    App::of(functions, |settings| {
        settings.limits.call_timeout = Duration::from_secs(30);
        settings.mcp.stream = true;
    })
}

/// What a request is answered, and after how many seconds.
async fn timed(app: &App, send: Send) -> (Value, u64) {
    let start = Instant::now();
    let got = app.send(send).await.json();
    (got, start.elapsed().as_secs())
}

fn code(got: &Value) -> (&Value, &Value) {
    (&got["error"]["code"], &got["error"]["data"]["code"])
}

fn list(method: &str) -> Send {
    Send::modern(method, json!({}))
}

#[tokio::test(start_paused = true)]
async fn a_subscription_asks_each_rule_once_and_all_within_one_deadline() {
    let all: Vec<_> = many(3, |name| template(name, ENDLESS));
    let app = app(&all);
    let uris: Vec<_> = (0..900)
        .map(|n| format!("shop://one_{}/{n}", n % 3))
        .collect();
    let filter = json!({"notifications": {"resourceSubscriptions": uris}});
    let send = Send::modern("subscriptions/listen", filter);
    let trace = send.trace();
    let start = Instant::now();
    let opened = app.open(send).await;
    assert_eq!(
        (opened.status().as_u16(), start.elapsed().as_secs()),
        (200, 30)
    );
    // The first has all the time there is, and the others are not begun.
    assert_eq!(asked(&trace), 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_takes_too_long_is_refused_and_never_cut_short() {
    let two = app(&many(2, |name| template(name, AccessDeclaration::SignedIn)));
    let (got, took) = timed(&two, list("resources/list")).await;
    assert_eq!(
        (got["result"]["resources"].as_array().map(Vec::len), took),
        (Some(1), 20)
    );

    let hundred = app(&many(100, |name| {
        template(name, AccessDeclaration::SignedIn)
    }));
    let (got, took) = timed(&hundred, list("resources/list")).await;
    assert_eq!((code(&got), took), ((&json!(-32603), &json!("T0010")), 30));

    // A lister is held to its function's own time too, where that is the shorter one.
    let brief = app(&many(1, |name| Declaration {
        timeout: Some(Duration::from_secs(3)),
        ..template(name, AccessDeclaration::SignedIn)
    }));
    let (got, took) = timed(&brief, list("resources/list")).await;
    assert_eq!((code(&got), took), ((&json!(-32603), &json!("T0010")), 3));
    let long = app(&many(100, |name| Declaration {
        timeout: Some(Duration::from_secs(300)),
        ..template(name, AccessDeclaration::SignedIn)
    }));
    let (got, took) = timed(&long, list("resources/list")).await;
    assert_eq!((code(&got), took), ((&json!(-32603), &json!("T0010")), 30));
}

#[tokio::test(start_paused = true)]
async fn rules_of_a_list_are_asked_together_and_as_many_as_there_is_time_for() {
    let names = |got: &Value| -> Vec<String> {
        let tools = got["result"]["tools"].as_array().expect("a list").iter();
        tools.map(|tool| tool["name"].to_string()).collect()
    };
    let slow = app(&many(16, |name| reads(name, SLOW, ENDS)));
    let (got, took) = timed(&slow, list("tools/list")).await;
    assert_eq!((names(&got).len(), took), (16, 10));
    assert!(names(&got).is_sorted(), "as they are in the registry");

    // One that does not end leaves time for the others.
    let mut some = many(4, |name| reads(name, ENDLESS, ENDS));
    let open = reads(
        "open",
        AccessDeclaration::Any(&[ENDLESS, AccessDeclaration::SignedIn]),
        ENDS,
    );
    some.push(Box::leak(Box::new(open)));
    some.push(Box::leak(Box::new(reads("slow", SLOW, ENDS))));
    let (got, took) = timed(&app(&some), list("tools/list")).await;
    assert_eq!(
        (names(&got), took),
        (
            vec![json!("open").to_string(), json!("slow").to_string()],
            30
        )
    );

    let endless = app(&many(40, |name| reads(name, ENDLESS, ENDS)));
    let send = list("tools/list");
    let trace = send.trace();
    let (got, took) = timed(&endless, send).await;
    assert_eq!((code(&got), took), ((&json!(-32603), &json!("T0010")), 30));
    assert_eq!(asked(&trace), 16);
}

/// Each rule takes ten seconds, and runs once.
#[tokio::test(start_paused = true)]
async fn the_rules_of_a_request_and_its_function_share_its_deadline() {
    let method = |name, body, timeout| {
        let made = Declaration {
            mcp: false,
            timeout,
            ..reads(name, SLOW, body)
        };
        &*Box::leak(Box::new(made.on(String::leak(format!("acme/{name}")))))
    };
    let resource = |name: &'static str, body, timeout| {
        let made = Declaration {
            timeout,
            ..reads(name, SLOW, body)
        };
        let uri = String::leak(format!("shop://{name}/{{id}}"));
        &*Box::leak(Box::new(made.resource(Resource::new(uri))))
    };
    let (brief, long) = (Some(Duration::from_secs(15)), Some(Duration::from_secs(40)));
    let complete = Complete {
        run: |_, _, _| Box::pin(std::future::pending()),
        ..order_numbers("id")
    };
    let completed = Declaration {
        timeout: None,
        ..reads("completed", SLOW, ENDS)
    }
    .completes(Box::leak(Box::new([complete])))
    .resource(Resource::new("shop://completed/{id}"));
    let app = app(&[
        method("ends", ENDS, None),
        method("goes_on", GOES_ON, None),
        method("brief", GOES_ON, brief),
        resource("goes_on", GOES_ON, None),
        resource("long", GOES_ON, long),
        Box::leak(Box::new(completed)),
    ]);
    let own =
        |name: &str| Send::legacy(&format!("acme/{name}"), json!({"id": "a"})).without("accept");
    let read = |name: &str| {
        Send::modern("resources/read", json!({"uri": format!("shop://{name}/1")})).without("accept")
    };
    let late = (&json!(-32603), &json!("T0010"));
    let (got, took) = timed(&app, own("ends")).await;
    assert_eq!((&got["result"], took), (&json!({}), 10));
    let (got, took) = timed(&app, own("goes_on")).await;
    assert_eq!((code(&got), took), (late, 30));
    // A time of its own counts from the call's start, and bounds its rule and itself.
    let (got, took) = timed(&app, own("brief")).await;
    assert_eq!((code(&got), took), (late, 15));
    let (got, took) = timed(&app, read("goes_on")).await;
    assert_eq!((code(&got), took), (late, 30));
    let (got, took) = timed(&app, read("long")).await;
    assert_eq!((code(&got), took), (late, 40));
    let params = json!({
        "ref": {"type": "ref/resource", "uri": "shop://completed/{id}"},
        "argument": {"name": "id", "value": ""},
    });
    let (got, took) = timed(&app, Send::modern("completion/complete", params)).await;
    assert_eq!((code(&got), took), (late, 30));

    // On a line as well, and each message of an array is a request of its own.
    let message =
        json!({"jsonrpc": "2.0", "id": 1, "method": "acme/goes_on", "params": {"id": "a"}});
    let start = Instant::now();
    let line = Connection::of_one(app.shared(), Identity::Caller(Caller::App));
    let text = message.to_string();
    let got = line.answer(line.admit().await, text.as_bytes()).await;
    let got: Value = serde_json::from_slice(&got.expect("an answer")).expect("JSON");
    assert_eq!((code(&got), start.elapsed().as_secs()), (late, 30));
    let body = json!([message, message]).to_string();
    let send = Send::raw(body).header("mcp-protocol-version", "2025-03-26");
    let (got, took) = timed(&app, send).await;
    assert_eq!((code(&got[0]), code(&got[1]), took), (late, late, 60));
}

/// A rule that takes all of the time lets nobody, so that what it stands before is as what there is not.
#[tokio::test(start_paused = true)]
async fn a_rule_that_ends_too_late_lets_nobody() {
    let long = Some(Duration::from_secs(300));
    let endless = Declaration {
        timeout: long,
        ..reads("endless", ENDLESS, ENDS)
    };
    let app = app(&[Box::leak(Box::new(endless))]);
    let (absent, _) = timed(&app, Send::call("absent", json!({}))).await;
    let send = Send::call("endless", json!({"id": "a"})).without("accept");
    let (got, took) = timed(&app, send).await;
    let error = got["error"]["message"]
        .as_str()
        .expect("a text")
        .replace("endless", "absent");
    assert_eq!(absent["error"]["message"], error);
    // Not by the time that its function states of itself.
    assert_eq!(took, 30);
}
