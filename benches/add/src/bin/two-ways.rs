//! `two-ways` compares a declared function with the same function made at run time: it calls both in turn, in one
//! process, and prints the time of a call of each and their ratio. Build it with `--release`.

use std::time::{Duration, Instant};

use tent::prelude::*;
use tent::{Access, Function, Tent};

const ROUNDS: usize = 20;
const CALLS: u32 = 5_000;

#[data]
struct Sum {
    sum: i64,
}

#[data]
struct Terms {
    a: i64,
    b: i64,
}

#[query(
    about = "Add two integers.",
    access = "anyone",
    offer = "mcp",
    blocking = false
)]
fn declared(#[input] terms: Terms) -> Sum {
    add(terms)
}

fn add(terms: Terms) -> Sum {
    Sum {
        sum: terms.a.wrapping_add(terms.b),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let built = Function::builder("built")
        .about("Add two integers.")
        .access(Access::Anyone)
        .offer_mcp()
        .blocking(false)
        .sync_handler(|_, terms: Terms| Ok::<_, Error>(add(terms)))
        .build()?;
    let tent = tent::app!()
        .functions(tent::functions![declared])
        .function(built)
        .set("store.url", "memory:")
        .build()
        .await?;
    let (mut declared, mut built) = (Duration::MAX, Duration::MAX);
    // The fastest round of each, in turn, so that a pause of the machine does not decide.
    for _ in 0..ROUNDS {
        declared = declared.min(round(&tent, "declared").await);
        built = built.min(round(&tent, "built").await);
    }
    let ratio = built.as_secs_f64() / declared.as_secs_f64();
    println!("declared {declared:?}, built {built:?} a call: {ratio:.3}");
    Ok(())
}

/// The time of one call.
async fn round(tent: &Tent, name: &str) -> Duration {
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{{"a":2,"b":40}}}}}}"#
    );
    let started = Instant::now();
    for _ in 0..CALLS {
        let response = tent.handle_mcp(Caller::App, message.as_bytes()).await;
        assert!(response.is_some_and(|response| !response.is_empty()));
    }
    started.elapsed() / CALLS
}
