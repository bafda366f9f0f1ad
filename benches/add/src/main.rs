//! `bench-add PORT` serves one tool, `add`, at 127.0.0.1:PORT/mcp, to measure the cost of a call.
//!
//! Every feature is on: an access rule, a validated input, an output schema, a deadline, a span. Only a key is not
//! required, because load generators do not send one.

use std::net::{Ipv4Addr, SocketAddr};

use tent::prelude::*;

#[data]
struct Sum {
    sum: i64,
}

#[query(
    about = "Add two integers.",
    access = "anyone",
    offer = "mcp",
    blocking = false
)]
fn add(a: i64, b: i64) -> Sum {
    Sum {
        sum: a.wrapping_add(b),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let port = std::env::args()
        .nth(1)
        .ok_or("usage: bench-add PORT")?
        .parse()?;
    tent::app!()
        .set("store.url", "memory:")
        .set("mcp.anyone", "true")
        .build()
        .await?
        .serve(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .await?;
    Ok(())
}
