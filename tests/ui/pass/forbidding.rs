//! A crate with every lint that it can have.
#![forbid(
    unsafe_code, missing_docs, deprecated, unused, unreachable_pub, elided_lifetimes_in_paths,
    single_use_lifetimes, unused_lifetimes, unused_qualifications, unused_results, trivial_casts,
    trivial_numeric_casts, let_underscore_drop, rust_2018_idioms, future_incompatible
)]

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

/// Keeps.
#[tent::change(access = rule, about = "Keeps.", offer = "mcp")]
pub async fn keep(call: &tent::Cx, #[input] all: String) -> Option<u8> {
    drop(all);
    let _known = call.caller().is_known();
    None
}

/// The rule.
pub async fn rule(_: &tent::Cx) -> bool {
    true
}
