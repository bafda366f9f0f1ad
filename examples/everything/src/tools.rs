//! Tools that give content, and one that fails.
//!
//! Says nothing while it runs: see `talks`. Asks nothing: see `asks`.

use tent::prelude::*;

/// Give a text.
#[query(access = "anyone", offer = "mcp")]
fn test_simple_text() -> Content {
    Content::Text("This is a simple text response for testing.".to_owned())
}

/// Fail, always.
#[query(access = "anyone", offer = "mcp")]
fn test_error_handling() -> Result<(), Stated> {
    Err(Stated)
}

/// The failure of `test_error_handling`.
#[derive(Debug, Failure)]
#[failure(
    code = "A0001",
    status = 409,
    message = "This tool intentionally returns an error for testing",
    fix = "Call another tool"
)]
struct Stated;
