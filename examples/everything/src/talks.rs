//! Tools that say something while they run: how far they are, and lines of a log.

use std::time::Duration;

use tent::prelude::*;
use tent::{Level, serde_json::json};

/// A piece of work, long enough for somebody to watch it.
async fn work() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Work in two steps, and tell how far it is.
#[query(access = "anyone", offer = "mcp")]
async fn test_tool_with_progress(cx: &Cx) -> Content {
    cx.progress(0.0, 100.0, "Starting");
    work().await;
    cx.progress(50.0, 100.0, "Half way");
    work().await;
    cx.progress(100.0, 100.0, "Done");
    Content::text("All steps are done.")
}

/// Work in two steps, and log each.
#[query(access = "anyone", offer = "mcp")]
async fn test_tool_with_logging(cx: &Cx) -> Content {
    cx.log(Level::Info, "Tool execution started");
    work().await;
    cx.log(Level::Info, "Tool processing data");
    work().await;
    cx.log(Level::Info, "Tool execution completed");
    Content::text("Three lines were logged.")
}

/// Log one line, with data in it.
#[query(access = "anyone", offer = "mcp")]
fn test_logging_tool(cx: &Cx) -> Content {
    cx.log(Level::Info, json!({"what": "a line with data", "lines": 1}));
    Content::text("One line was logged, for who asked for it.")
}

/// Work until it is cancelled, or for ten seconds.
#[query(access = "anyone", offer = "mcp")]
async fn test_cancellation(cx: &Cx) -> Content {
    for step in 0..200 {
        cx.progress(f64::from(step), 200.0, None);
        work().await;
    }
    Content::text("Nobody cancelled it.")
}

/// Work for a moment, and answer however the client is connected.
#[query(access = "anyone", offer = "mcp")]
async fn test_reconnection() -> Content {
    work().await;
    Content::text("It answers in one piece: a stream that broke is not taken up again.")
}
