//! Tools that report progress and send log messages while they run.

use std::time::Duration;

use tent::prelude::*;
use tent::{Level, serde_json::json};

/// A piece of work that is long enough to watch.
async fn work() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Work in two steps, and report progress.
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
    Content::text("Three messages were logged.")
}

/// Log one message with data.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn test_logging_tool(cx: &Cx) -> Content {
    cx.log(Level::Info, json!({"what": "a line with data", "lines": 1}));
    Content::text("One message was logged, for clients that request log messages.")
}

/// Work until it is cancelled, or for ten seconds.
#[query(access = "anyone", offer = "mcp")]
async fn test_cancellation(cx: &Cx) -> Content {
    for step in 0..200 {
        cx.progress(f64::from(step), 200.0, None);
        work().await;
    }
    Content::text("The call was not cancelled.")
}

/// Work for a moment, then return, also if the client reconnects.
#[query(access = "anyone", offer = "mcp")]
async fn test_reconnection() -> Content {
    work().await;
    Content::text("The result comes in one piece: a broken stream does not resume.")
}
