//! Functions of a crate of edition 2021, where `gen` is a name like any other and `impl Trait` captures
//! nothing by itself. `tests/functions.rs` links and runs them.

use tent::Cx;
use tent::{action, change, query};

/// What a caller sends.
#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Row {
    /// Its generation.
    pub gen: u32,
}

/// Lists generations.
#[query(about = "Lists.", offer = "mcp", access = "signedIn")]
pub async fn list_2021(gen: u32, cx: &Cx) -> Vec<u32> {
    let _ = cx;
    vec![gen]
}

/// Keeps a row.
#[change(access = rule, writes = "adds")]
pub async fn keep_2021(#[input] row: Row) -> Result<Row, std::io::Error> {
    Ok(row)
}

/// Does nothing.
#[action(access = "app")]
pub fn nothing_2021(#[arg(default = 1)] r#dyn: u8) {
    let _ = r#dyn;
}

async fn rule(cx: &Cx) -> bool {
    cx.caller().is_known()
}
