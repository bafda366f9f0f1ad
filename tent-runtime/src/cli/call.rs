//! `call`: one call from the command line, through the door like any other.

use std::process::ExitCode;
use std::sync::Arc;

use crate::caller::Caller;
use crate::cx::Client;
use crate::door::{At, Call};
use crate::error::Result;
use crate::function::{Answer, Content};
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
    let input = json::object(input.as_bytes())?;
    let registry = match prepared.registry() {
        Ok(registry) => registry,
        Err(problems) => return Ok(refuse(&problems)),
    };
    let door = prepared.open(registry).await?;
    let caller = match person {
        Some(id) => {
            let person = door.person(&id).await.map_err(|error| match error.code() {
                "T0004" => error.with_fix("Name somebody whom the app knows with --as."),
                _ => error,
            })?;
            Caller::User(Arc::new(person))
        }
        None => Caller::App,
    };
    let call = Call {
        name,
        input,
        wire: Wire::Json,
        caller,
        client: Client::default(),
        trace: "command-line".to_owned(),
        at: At::Inside,
    };
    print(door.call(call).await?);
    Ok(ExitCode::SUCCESS)
}

fn print(Answer { value, content }: Answer) {
    if let Some(value) = value {
        println!("{}", value.get());
    }
    for one in content {
        match one {
            Content::Text(text) => println!("{text}"),
            Content::Image { data, media_type }
            | Content::Audio { data, media_type }
            | Content::File {
                data, media_type, ..
            } => {
                println!("[{} bytes of {media_type}]", data.len());
            }
            Content::Link { uri, name, .. } => println!("[{name}]({uri})"),
        }
    }
}
