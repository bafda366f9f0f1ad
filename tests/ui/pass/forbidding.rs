//! A crate with every lint that it can have.
#![forbid(unsafe_code, missing_docs, deprecated, unused, unreachable_pub)]

/// Adds.
#[tent::query(access = "anyone", offer = "mcp")]
pub fn add(
    /// The first.
    #[arg(default = 1)]
    a: u32,
    b: Option<u32>,
) -> Result<u32, std::io::Error> {
    Ok(a + b.unwrap_or_default())
}

fn main() {
    assert_eq!(add(1, None).ok(), Some(1));
}
