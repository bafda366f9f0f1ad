//! The functions under test that ask their client.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use futures_util::FutureExt as _;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use crate::cx::Cx;
use crate::cx::input::{self, Field as FormField, Form, Reply};
use crate::error::{Error, Result};
use crate::function::{
    AccessDeclaration, Body, BoxFuture, Declaration, Input, Kind, Location, Output,
    OutputDeclaration, PromptMessage, PromptResult, Resource,
};
use crate::schema::Field;

/// How often something was done, by what and by the id that the test gave.
static DONE: LazyLock<Mutex<HashMap<String, u32>>> = LazyLock::new(Mutex::default);

fn done(what: &str, id: &str) -> u32 {
    let mut done = DONE.lock().expect("no test panics in it");
    let count = done.entry(format!("{what} {id}")).or_default();
    *count += 1;
    *count
}

pub(super) fn count(what: &str, id: &str) -> u32 {
    let done = DONE.lock().expect("no test panics in it");
    done.get(&format!("{what} {id}")).copied().unwrap_or(0)
}

fn value(value: &Value) -> Result<Output> {
    Ok(Output {
        value: Some(RawValue::from_string(value.to_string())?),
        ..Output::default()
    })
}

fn id(input: &Map<String, Value>) -> &str {
    input.get("id").and_then(Value::as_str).unwrap_or_default()
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

fn sure() -> Form {
    Form::new("Pay it?").field("sure", FormField::boolean())
}

async fn greet(cx: &Cx) -> Result<Output> {
    let name = cx
        .input("name", input::form::<Name>("Who are you?"))
        .await?;
    value(&match name {
        Reply::Accepted(Name { name }) => json!({"hello": name}),
        Reply::Declined => json!("declined"),
        Reply::Cancelled => json!("cancelled"),
    })
}

async fn letter(cx: &Cx) -> Result<Output> {
    let name = cx
        .input("name", input::form::<Name>("Who are you?"))
        .await?;
    let name = name.accepted().map(|name| name.name);
    Ok(Output {
        prompt: Some(
            PromptResult::new([PromptMessage::user(name.unwrap_or_default())]).about("A letter."),
        ),
        ..Output::default()
    })
}

/// Asks twice, so that the first answer travels on.
async fn letters(cx: &Cx) -> Result<Output> {
    cx.input("first", input::form::<Name>("Who?")).await?;
    letter(cx).await
}

/// Asks for a choice of several.
async fn several(cx: &Cx) -> Result<Output> {
    let form = Form::new("Which?").field("colours", FormField::choices(["red", "blue"]));
    let asked = cx.input("colours", form).await?;
    value(&json!(asked.accepted()))
}

async fn three(cx: &Cx) -> Result<Output> {
    let (name, colour, folders) = tokio::join!(
        cx.input("name", input::form::<Name>("Who are you?")),
        cx.input("colour", input::sampling("Name a colour.", 9)),
        cx.input("folders", input::roots()),
    );
    let name = name?.accepted().map(|name| name.name);
    let folders = folders?.into_iter().map(|root| root.uri);
    let folders: Vec<String> = folders.collect();
    value(&json!([name, colour?.text(), folders]))
}

/// Asks one question twice, and another that depends on the answers.
async fn chain(cx: &Cx) -> Result<Output> {
    let mut names = Vec::new();
    while names.len() < 2 {
        let asked = cx.input("name", input::form::<Name>("Who?")).await?;
        names.push(asked.accepted().map(|name| name.name).unwrap_or_default());
    }
    let message = format!("{} pays?", names.join(" or "));
    let asked = cx.input("page", input::url(message, "https://shop.example/pay"));
    let agreed = asked.await?.accepted().is_some();
    value(&json!([names, agreed]))
}

async fn pay(cx: &Cx, input: Map<String, Value>) -> Result<Output> {
    let id = id(&input);
    let order = async { Ok::<_, Error>(done("order", id)) };
    let order = cx.once("order", order).await?;
    let Reply::Accepted(filled) = cx.input("sure", sure()).await? else {
        return value(&json!("not paid"));
    };
    if filled["sure"] != true {
        return Err(Error::declared(crate::code!("A0001"), 409, "Not sure"));
    }
    value(&json!([order, done("paid", id)]))
}

/// Where `pay_slowly` of one id stands still.
#[derive(Default)]
pub(super) struct Gate {
    /// That it was answered.
    pub(super) paying: Notify,
    /// That it may go on.
    pub(super) pay_now: Notify,
}

pub(super) fn gate(id: &str) -> Arc<Gate> {
    static GATES: LazyLock<Mutex<HashMap<String, Arc<Gate>>>> = LazyLock::new(Mutex::default);
    let mut gates = GATES.lock().expect("no test panics in it");
    gates.entry(id.to_owned()).or_default().clone()
}

/// Waits at its gate between the answer and what it does. It counts when it was told that nobody waits for it.
async fn pay_slowly(cx: &Cx, input: Map<String, Value>) -> Result<Output> {
    cx.input("sure", sure()).await?;
    let id = id(&input);
    let gate = gate(id);
    done("began", id);
    gate.paying.notify_one();
    gate.pay_now.notified().await;
    if cx.cancelled().now_or_never().is_some() {
        done("cancelled", id);
    }
    value(&json!(done("paid", id)))
}

/// Asks from a task of its own.
async fn spawned(cx: &Cx) -> Result<Output> {
    let cx = cx.clone();
    let task = tokio::spawn(async move {
        tokio::task::yield_now().await;
        cx.input("sure", sure()).await
    });
    let sure = task.await.map_err(Error::unexpected)??;
    value(&json!(sure.accepted()))
}

/// That the task of `outlived` may ask, and that its question has failed.
pub(super) static ASK_LATE: Notify = Notify::const_new();
pub(super) static ASKED_LATE: Notify = Notify::const_new();

/// Leaves a task behind that asks.
async fn outlived(cx: &Cx) -> Result<Output> {
    let cx = cx.clone();
    tokio::spawn(async move {
        ASK_LATE.notified().await;
        if cx.input("sure", sure()).await.is_err() {
            ASKED_LATE.notify_one();
        }
    });
    value(&json!("ended"))
}

/// Leaves its question when something else is faster.
async fn leaves(cx: &Cx) -> Result<Output> {
    tokio::select! {
        biased;
        asked = cx.input("sure", sure()) => value(&json!(asked?.accepted())),
        () = std::future::ready(()) => value(&json!("left")),
    }
}

type Run = for<'a> fn(&'a Cx, Map<String, Value>) -> BoxFuture<'a, Result<Output>>;

const fn function(kind: Kind, name: &'static str, run: Run) -> Declaration {
    const HERE: Location = Location {
        module: module_path!(),
        file: file!(),
        line: line!(),
    };
    const ID: &[Field] = &[Field::new::<Option<String>>("id")];
    let made = Declaration::new(
        kind,
        name,
        HERE,
        AccessDeclaration::SignedIn,
        OutputDeclaration::Value(|g| g.subschema_for::<Value>()),
        Body::Async(run),
    );
    Declaration {
        input: Input::Fields(ID),
        mcp: true,
        about: "For tests.",
        ..made
    }
}

pub(super) static FUNCTIONS: &[&Declaration] = &[
    &function(Kind::Query, "greet", |cx, _| Box::pin(greet(cx))),
    &function(Kind::Query, "several", |cx, _| Box::pin(several(cx))),
    &function(Kind::Query, "three", |cx, _| Box::pin(three(cx))),
    &function(Kind::Query, "chain", |cx, _| Box::pin(chain(cx))),
    &function(Kind::Query, "spawned", |cx, _| Box::pin(spawned(cx))),
    &function(Kind::Query, "outlived", |cx, _| Box::pin(outlived(cx))),
    &function(Kind::Query, "leaves", |cx, _| Box::pin(leaves(cx))),
    &function(Kind::Change, "pay", |cx, input| Box::pin(pay(cx, input))),
    &Declaration {
        access: AccessDeclaration::Anyone,
        ..function(Kind::Change, "tip", |cx, input| Box::pin(pay(cx, input)))
    },
    &function(Kind::Action, "pay_slowly", |cx, input| {
        Box::pin(pay_slowly(cx, input))
    }),
    &function(Kind::Change, "hangs", |cx, _| {
        Box::pin(async {
            cx.input("sure", sure()).await?;
            std::future::pending().await
        })
    }),
    // Named as the tool is, to tell what is for which.
    &function(Kind::Query, "greet", |cx, _| Box::pin(letter(cx))).prompt(),
    &function(Kind::Query, "letters", |cx, _| Box::pin(letters(cx))).prompt(),
    &Declaration {
        needs: &["sampling.tools", "roots"],
        ..function(Kind::Query, "choosy", |cx, _| Box::pin(letter(cx))).prompt()
    },
    &function(Kind::Query, "page", |cx, _| Box::pin(greet(cx)))
        .resource(Resource::new("shop://page")),
    &Declaration {
        needs: &["roots"],
        mcp: false,
        ..function(Kind::Query, "needy", |_, _| {
            Box::pin(async { value(&json!({})) })
        })
        .on("acme/needs")
    },
    &Declaration {
        mcp: false,
        ..function(Kind::Query, "asks", |cx, _| Box::pin(greet(cx))).on("acme/asks")
    },
    &Declaration {
        needs: &["sampling.tools", "elicitation.form", "roots"],
        ..function(Kind::Query, "picky", |_, _| {
            Box::pin(async { value(&json!("ran")) })
        })
    },
];
