//! Tools and a prompt that send input requests to the client: elicitation, sampling and roots.
//!
//! The same source serves both eras. A modern client gets the input request as the result and calls again with the
//! response. An older client gets a request while the call waits.

use tent::input::{self, Field, Form, Reply};
use tent::prelude::*;
use tent::serde::Serialize;
use tent::serde_json::{Map, Value, json};

/// The answer to a question for a name.
#[data]
struct Named {
    /// Your name.
    name: String,
}

/// The answer to a request for confirmation.
#[data]
struct Sure {
    ok: bool,
}

/// Describes what the person did.
fn describe<T: Serialize>(reply: Reply<T>) -> Result<Content> {
    let (action, content) = match reply {
        Reply::Accepted(content) => ("accept", tent::serde_json::to_string(&content)?),
        Reply::Declined => ("decline", "{}".to_owned()),
        _ => ("cancel", "{}".to_owned()),
    };
    let text = format!("Elicitation completed: action={action}, content={content}");
    Ok(Content::text(text))
}

/// Ask for a name, and greet.
#[query(access = "anyone", offer = "mcp")]
async fn test_input_required_result_elicitation(cx: &Cx) -> Result<Content> {
    let request = input::form::<Named>("What is your name?");
    Ok(match cx.input("user_name", request).await? {
        Reply::Accepted(named) => Content::text(format!("Hello, {}!", named.name)),
        _ => Content::text("Hello!"),
    })
}

/// Ask the model of the client.
#[query(access = "anyone", offer = "mcp")]
async fn test_input_required_result_sampling(cx: &Cx) -> Result<Content> {
    let request = input::sampling("What is the capital of France?", 100);
    let reply = cx.input("capital_question", request).await?;
    Ok(Content::text(reply.text()))
}

/// Ask the client for the folders that it works in.
#[query(access = "anyone", offer = "mcp")]
async fn test_input_required_result_list_roots(cx: &Cx) -> Result<Content> {
    let roots = cx.input("client_roots", input::roots()).await?;
    let uris: Vec<_> = roots.into_iter().map(|root| root.uri).collect();
    Ok(Content::text(format!("Roots: {}", uris.join(", "))))
}

/// Ask for confirmation. tent verifies the request state before the function runs again.
#[query(access = "anyone", offer = "mcp")]
async fn test_input_required_result_request_state(cx: &Cx) -> Result<Content> {
    let reply = cx
        .input("confirm", input::form::<Sure>("Please confirm"))
        .await?;
    let sure = reply.accepted().is_some_and(|sure| sure.ok);
    Ok(Content::text(format!("state-ok, confirmed: {sure}")))
}

/// Ask for confirmation. tent refuses a request state that was changed.
#[query(access = "anyone", offer = "mcp")]
async fn test_input_required_result_tampered_state(cx: &Cx) -> Result<Content> {
    let reply = cx
        .input("confirm", input::form::<Sure>("Please confirm"))
        .await?;
    let sure = reply.accepted().is_some_and(|sure| sure.ok);
    Ok(Content::text(format!("Confirmed: {sure}")))
}

/// Ask the person, the model and the client at once.
#[query(access = "anyone", offer = "mcp")]
async fn test_input_required_result_multiple_inputs(cx: &Cx) -> Result<Content> {
    let (named, greeting, roots) = tokio::try_join!(
        cx.input("user_name", input::form::<Named>("What is your name?")),
        cx.input("greeting", input::sampling("Generate a greeting", 50)),
        cx.input("client_roots", input::roots()),
    )?;
    let name = named
        .accepted()
        .map_or("stranger".to_owned(), |named| named.name);
    Ok(Content::text(format!(
        "{} {name}, with {} roots",
        greeting.text(),
        roots.len()
    )))
}

/// Ask two questions, the second after the first.
#[query(access = "anyone", offer = "mcp")]
async fn test_input_required_result_multi_round(cx: &Cx) -> Result<Content> {
    let first = input::form::<Named>("Step 1: What is your name?");
    let Reply::Accepted(named) = cx.input("step1", first).await? else {
        return Ok(Content::text("Stopped at step 1."));
    };
    let second = Form::new("Step 2: What is your favorite color?").field("color", Field::text());
    let Reply::Accepted(filled) = cx.input("step2", second).await? else {
        return Ok(Content::text("Stopped at step 2."));
    };
    let color = filled
        .get("color")
        .and_then(Value::as_str)
        .unwrap_or_default();
    Ok(Content::text(format!("{} likes {color}.", named.name)))
}

/// Send only the input requests that the client supports.
#[query(access = "anyone", offer = "mcp")]
async fn test_input_required_result_capabilities(cx: &Cx) -> Result<Content> {
    let can = cx.client().capabilities;
    let person = async {
        match can.form {
            true => cx
                .input("user_name", input::form::<Named>("What is your name?"))
                .await
                .map(Some),
            false => Ok(None),
        }
    };
    let model = async {
        match can.sampling {
            true => cx
                .input("greeting", input::sampling("Generate a greeting", 50))
                .await
                .map(Some),
            false => Ok(None),
        }
    };
    let (person, model) = tokio::try_join!(person, model)?;
    Ok(Content::text(format!(
        "Asked the person: {}, asked the model: {}",
        person.is_some(),
        model.is_some()
    )))
}

/// Need a client that supports sampling: other clients get an error before the function runs.
#[query(access = "anyone", offer = "mcp", needs = ["sampling"])]
async fn test_missing_capability(cx: &Cx) -> Result<Content> {
    let reply = cx
        .input("anything", input::sampling("Say something", 20))
        .await?;
    Ok(Content::text(reply.text()))
}

/// Report progress, then ask for a name.
#[query(access = "anyone", offer = "mcp")]
async fn test_streaming_elicitation(cx: &Cx) -> Result<Content> {
    cx.progress(50.0, 100.0, "Now a question");
    describe(
        cx.input("user_name", input::form::<Named>("What is your name?"))
            .await?,
    )
}

/// Send a prompt to the model of the client.
#[query(access = "anyone", offer = "mcp")]
async fn test_sampling(
    cx: &Cx,
    /// The prompt to send to the model.
    prompt: String,
) -> Result<Content> {
    let reply = cx.input("prompt", input::sampling(prompt, 100)).await?;
    Ok(Content::text(format!("LLM response: {}", reply.text())))
}

/// Show a message to the person.
#[query(access = "anyone", offer = "mcp")]
async fn test_elicitation(
    cx: &Cx,
    /// The message to show to the person.
    message: String,
) -> Result<Content> {
    let form = Form::new(message)
        .field("username", Field::text().about("User's response"))
        .field("email", Field::text().about("User's email address"));
    describe(cx.input("user", form).await?)
}

/// Ask with a form whose fields have defaults.
#[query(access = "anyone", offer = "mcp")]
async fn test_elicitation_sep1034_defaults(cx: &Cx) -> Result<Content> {
    let statuses = ["active", "inactive", "pending"];
    let form = Form::new("Please review and update the form fields with defaults")
        .field("name", Field::text().about("User name").default("John Doe"))
        .field("age", Field::integer().about("User age").default(30))
        .field("score", Field::number().about("User score").default(95.5))
        .field(
            "status",
            Field::choice(statuses)
                .about("User status")
                .default("active"),
        )
        .field(
            "verified",
            Field::boolean().about("Verification status").default(true),
        );
    describe(cx.input("profile", form).await?)
}

/// Ask with a form that has every kind of choice.
#[query(access = "anyone", offer = "mcp")]
async fn test_elicitation_sep1330_enums(cx: &Cx) -> Result<Content> {
    let options = ["option1", "option2", "option3"];
    let titled = |what: &str| {
        let values = [
            ("value1", "First"),
            ("value2", "Second"),
            ("value3", "Third"),
        ];
        values.map(|(value, nth)| json!({"const": value, "title": format!("{nth} {what}")}))
    };
    let names = ["One", "Two", "Three"].map(|one| format!("Option {one}"));
    let written = json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            // The form of 2025-06-18, which some clients still use.
            "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": names},
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}}
        }
    });
    describe(
        cx.input(
            "choices",
            Form::from_schema("Please select options", written),
        )
        .await?,
    )
}

/// Ask the person to open an address.
#[query(access = "anyone", offer = "mcp")]
async fn test_elicitation_url(cx: &Cx) -> Result<Content> {
    let request = input::url("Please look at the page", "https://example.com/look");
    describe(cx.input("page", request).await?)
}

/// Count each call once, also if an input request makes the client send the call again.
#[action(access = "anyone", offer = "mcp")]
async fn test_once(cx: &Cx, counter: &Counter) -> Result<Content> {
    let number: u32 = cx.once("number", async { Ok(counter.next()) }).await?;
    let reply = cx
        .input("confirm", input::form::<Sure>("Please confirm"))
        .await?;
    let sure = reply.accepted().is_some_and(|sure| sure.ok);
    Ok(Content::text(format!("number={number}, confirmed={sure}")))
}

/// Counts calls.
#[derive(Debug, Default, State)]
pub(crate) struct Counter(std::sync::atomic::AtomicU32);

impl Counter {
    fn next(&self) -> u32 {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    }
}

/// Start with a context that the person enters.
#[prompt(access = "anyone")]
async fn test_input_required_result_prompt(cx: &Cx) -> Result<String> {
    let form = Form::new("What context should the prompt use?").field("context", Field::text());
    let filled: Map<_, _> = match cx.input("user_context", form).await? {
        Reply::Accepted(filled) => filled,
        _ => Map::new(),
    };
    let context = filled
        .get("context")
        .and_then(Value::as_str)
        .unwrap_or("anything");
    Ok(format!("Use this context: {context}"))
}
