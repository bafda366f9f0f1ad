//! `structured` on a function that no MCP client calls.

#[tent::query(about = "For tests.", access = "anyone", structured = false)]
fn words() -> String {
    String::new()
}

fn main() {}
