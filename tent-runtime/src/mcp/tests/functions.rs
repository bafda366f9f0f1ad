//! The functions of the app under test.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tent_core::codes;
use tokio::sync::Notify;

use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::function::{
    AccessDeclaration, Body, Content, Declaration, Input, Kind, Location, Output, OutputDeclaration,
};
use crate::schema::Field;

/// The requests by whose ids a function of this app was run.
static RAN: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

const HERE: Location = Location {
    module: module_path!(),
    file: file!(),
    line: line!(),
};
const SIGNED_IN: AccessDeclaration = AccessDeclaration::SignedIn;
const STAFF: AccessDeclaration = AccessDeclaration::Role("staff");

pub(super) type Function = fn(&Cx, Map<String, Value>) -> Result<Output>;

pub(super) const fn function(
    kind: Kind,
    name: &'static str,
    access: AccessDeclaration,
    fields: &'static [Field],
    output: OutputDeclaration,
    run: Function,
) -> Declaration {
    let made = Declaration::new(kind, name, HERE, access, output, Body::Sync(run));
    Declaration {
        input: Input::Fields(fields),
        mcp: true,
        about: "For tests.",
        ..made
    }
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Order {
    id: String,
}

const ID: &[Field] = &[
    Field::new::<String>("id"),
    Field::new::<Option<u32>>("limit"),
];
const TEXT: &[Field] = &[Field::new::<String>("text")];
const PLACE: &[Field] = &[
    Field {
        header: Some("Region"),
        ..Field::new::<String>("region")
    },
    Field {
        header: Some("Row"),
        ..Field::new::<Option<u32>>("row")
    },
];
const ORDER: OutputDeclaration = OutputDeclaration::Value(|g| g.subschema_for::<Order>());

pub(super) fn value(cx: &Cx, value: Value) -> Result<Output> {
    RAN.lock()
        .expect("no test panics in it")
        .insert(cx.trace().to_owned());
    let value = RawValue::from_string(value.to_string())?;
    Ok(Output {
        value: Some(value),
        ..Output::default()
    })
}

fn order(cx: &Cx, input: Map<String, Value>) -> Result<Output> {
    let id = input.get("id").and_then(Value::as_str).unwrap_or_default();
    if id == "missing" {
        return Err(
            Error::declared(crate::code!("A0001"), 404, "There is no order missing")
                .with_fix("Call list_orders.")
                .with_field("id", "missing"),
        );
    }
    value(cx, json!({"id": id}))
}

fn all_contents() -> Vec<Content> {
    vec![
        Content::text("hello"),
        Content::image([1, 2, 3], "image/png"),
        Content::audio([4, 5], "audio/wav"),
        Content::resource_text("file:///a.csv", "text/csv", "a;b"),
        Content::resource_blob("file:///b.pdf", "application/pdf", b"\x00\xff"),
        Content::link("https://shop.example/1", "order 1"),
    ]
}

/// That the function `wait` began, and that it was dropped.
pub(super) static WAIT_BEGAN: Notify = Notify::const_new();
pub(super) static WAIT_DROPPED: Notify = Notify::const_new();

/// Goes on until it is dropped, which it tells.
async fn wait() -> Result<Output> {
    struct Told;
    impl Drop for Told {
        fn drop(&mut self) {
            WAIT_DROPPED.notify_one();
        }
    }
    let _told = Told;
    WAIT_BEGAN.notify_one();
    std::future::pending().await
}

/// The functions of the app; as they stand, the order is another one than they are listed in.
pub(super) static FUNCTIONS: &[&Declaration] = &[
    &function(Kind::Query, "find_order", SIGNED_IN, ID, ORDER, order),
    &Declaration {
        idempotent: Some(true),
        ..function(Kind::Change, "delete_order", STAFF, ID, ORDER, order)
    },
    &function(
        Kind::Query,
        "server_time",
        AccessDeclaration::Anyone,
        &[],
        OutputDeclaration::Value(|g| g.subschema_for::<String>()),
        |cx, _| value(cx, json!("noon")),
    ),
    &function(
        Kind::Query,
        "echo",
        SIGNED_IN,
        TEXT,
        OutputDeclaration::Value(|g| g.subschema_for::<Map<String, Value>>()),
        |cx, input| value(cx, input.into()),
    ),
    &function(
        Kind::Query,
        "list_orders",
        SIGNED_IN,
        &[],
        OutputDeclaration::Value(|g| g.subschema_for::<Vec<Order>>()),
        |cx, _| value(cx, json!([{"id": "A1"}])),
    ),
    &function(
        Kind::Query,
        "maybe",
        SIGNED_IN,
        &[],
        OutputDeclaration::Value(|g| g.subschema_for::<Option<Order>>()),
        |cx, _| value(cx, Value::Null),
    ),
    &function(
        Kind::Query,
        "raw",
        SIGNED_IN,
        &[],
        OutputDeclaration::Value(|g| g.subschema_for::<Value>()),
        |cx, _| value(cx, json!(["any", 1])),
    ),
    &function(
        Kind::Change,
        "touch",
        SIGNED_IN,
        &[],
        OutputDeclaration::Nothing,
        |_, _| Ok(Output::default()),
    ),
    &function(
        Kind::Query,
        "show",
        SIGNED_IN,
        &[],
        OutputDeclaration::Content,
        |_, _| {
            Ok(Output {
                content: all_contents(),
                ..Output::default()
            })
        },
    ),
    &function(
        Kind::Change,
        "save",
        SIGNED_IN,
        &[],
        OutputDeclaration::Nothing,
        |_, _| Err(Error::unexpected("connect postgres://user:pw@db/x failed")),
    ),
    &function(
        Kind::Query,
        "explode",
        SIGNED_IN,
        &[],
        OutputDeclaration::Nothing,
        |_, _| panic!("secret detail"),
    ),
    &function(
        Kind::Query,
        "busy",
        SIGNED_IN,
        &[],
        OutputDeclaration::Nothing,
        |_, _| Err(Error::new(codes::TOO_MANY_REQUESTS).with_retry_after(Duration::from_secs(7))),
    ),
    &function(
        Kind::Query,
        "not_yours",
        SIGNED_IN,
        &[],
        OutputDeclaration::Nothing,
        |cx, _| {
            cx.require(false)?;
            Ok(Output::default())
        },
    ),
    &function(
        Kind::Query,
        "report",
        STAFF,
        PLACE,
        OutputDeclaration::Value(|g| g.subschema_for::<Map<String, Value>>()),
        |cx, input| value(cx, input.into()),
    ),
    &Declaration {
        body: Body::Async(|_, _| Box::pin(wait())),
        ..function(
            Kind::Action,
            "wait",
            STAFF,
            &[],
            OutputDeclaration::Nothing,
            |_, _| Ok(Output::default()),
        )
    },
    &Declaration {
        needs_approval: true,
        ..function(
            Kind::Change,
            "wipe",
            STAFF,
            &[],
            OutputDeclaration::Nothing,
            |_, _| Ok(Output::default()),
        )
    },
    &Declaration {
        mcp: false,
        ..function(
            Kind::Query,
            "inside",
            SIGNED_IN,
            &[],
            OutputDeclaration::Nothing,
            |_, _| Ok(Output::default()),
        )
    },
];

/// Whether the request of this id came to run a function.
pub(super) fn ran(trace: &str) -> bool {
    RAN.lock().expect("no test panics in it").contains(trace)
}
