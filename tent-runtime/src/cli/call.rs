//! `call`: one call from the command line, through the door like any other.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::Map;

use crate::caller::Caller;
use crate::cx::Client;
use crate::door::{At, Call};
use crate::error::{Error, Result};
use crate::function::{Answer, Held, Piece};
use crate::json;
use crate::schema::Wire;
use crate::server::Prepared;

use super::list::refuse;

pub(super) async fn call(
    prepared: Prepared,
    name: String,
    input: String,
    person: Option<String>,
) -> Result<ExitCode> {
    let input = json::object(input.as_bytes()).map_err(here)?;
    let registry = match prepared.registry() {
        Ok(registry) => registry,
        Err(problems) => return Ok(refuse(&problems)),
    };
    let door = prepared.open(registry).await?;
    let caller = match person {
        Some(id) => Caller::User(Arc::new(door.person(&id).await.map_err(here)?)),
        None => Caller::App,
    };
    let call = Call {
        name,
        input,
        wire: Wire::Json,
        caller,
        client: Client::default(),
        meta: Map::new(),
        trace: "command-line".to_owned(),
        at: At::Inside,
        peer: None,
        rounds: None,
    };
    print(door.call(call).await.map_err(here)?);
    Ok(ExitCode::SUCCESS)
}

/// The fix of a failure for the command line, where the catalogue speaks to who sends a request.
fn here(error: Error) -> Error {
    let fix = match error.code() {
        "T0001" => {
            "Look at the names that `list` shows, or call as somebody who may, with --as USER."
        }
        "T0004" | "T0005" => "Call as a person that the app knows and who may, with --as USER.",
        "T0018" => "Give the input as one JSON object, in quotes: '{\"id\": 1}'.",
        _ => return error,
    };
    error.with_fix(fix)
}

fn print(Answer { value, content, .. }: Answer) {
    if let Some(value) = value {
        println!("{}", value.get());
    }
    for one in content {
        match one.piece {
            Piece::Text(text) => println!("{text}"),
            Piece::Image { data, media_type } | Piece::Audio { data, media_type } => {
                println!("[{} bytes of {media_type}]", data.len());
            }
            Piece::Resource(resource) => match resource.held {
                Held::Text(text) => println!("{text}"),
                Held::Bytes(data) => {
                    println!("[{} bytes of {}]", data.len(), resource.media_type);
                }
            },
            Piece::Link(link) => println!("[{}]({})", link.name, link.uri),
        }
    }
}
