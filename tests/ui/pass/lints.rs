//! Generated code passes the lints that strict crates turn on.
// P19

#![forbid(unsafe_code)]
#![deny(
    warnings, dead_code, deprecated, future_incompatible, let_underscore_drop, macro_use_extern_crate,
    meta_variable_misuse, missing_docs, non_ascii_idents, nonstandard_style,
    private_bounds, private_interfaces, redundant_lifetimes, rust_2018_idioms, single_use_lifetimes,
    trivial_bounds, trivial_casts, trivial_numeric_casts, unit_bindings, unnameable_types, unreachable_pub,
    unstable_features, unused, unused_import_braces, unused_lifetimes, unused_qualifications, unused_results,
    variant_size_differences, refining_impl_trait, redundant_imports
)]

use tent::prelude::*;

/// A line.
#[data]
#[derive(Debug, Default)]
#[serde(default)]
pub struct Line {
    /// The number.
    pub number: u32,
    /// The text.
    #[tent(secret)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// An old line.
#[data]
#[deprecated]
#[derive(Debug)]
pub struct OldLine<T> {
    /// The number.
    #[serde(default)]
    pub number: u32,
    /// The value.
    pub value: T,
}

/// A choice.
#[data]
#[derive(Debug)]
#[serde(tag = "kind")]
pub enum Choice {
    /// One.
    One {
        /// Its number.
        number: u32,
    },
    /// Two.
    Two,
}

/// The shop.
#[derive(Debug, State)]
pub struct Shop {
    /// The name.
    pub name: String,
}

/// The errors.
#[derive(Debug, Failure)]
pub enum ShopError {
    /// Closed.
    #[failure(code = "A0001", message = "The shop {name} is closed", fix = "Wait for {name}")]
    Closed {
        /// The name.
        name: String,
    },
    /// Another.
    #[failure(transparent)]
    Other(#[from] Error),
}

/// Reads lines.
///
/// # Errors
/// If the shop is closed.
#[query(access = rule, offer = "mcp", timeout = "5s")]
pub async fn lines(
    cx: &Cx,
    shop: &Shop,
    /// The choice.
    choice: Choice,
    #[arg(default = vec![], max_len = 3)] lines: Vec<Line>,
    #[arg(min = 1, max = 5, default = 2, example = 3, header = "Number")] number: u8,
    /// The pattern.
    #[arg(pattern = "^a")]
    pattern: Option<String>,
) -> Result<Vec<Line>, ShopError> {
    let _known = cx.caller().is_known();
    if shop.name.is_empty() || pattern.is_some() || matches!(choice, Choice::Two) || number > 3 {
        return Err(ShopError::Closed { name: shop.name.clone() });
    }
    Ok(lines)
}

/// A page.
#[resource(uri = "shop://{id}", access = "anyone", list = all, subscribe = true)]
pub fn page(#[arg(complete = ids)] id: u32) -> String {
    id.to_string()
}

/// A letter.
#[prompt(access = ["signedIn", rule])]
pub fn letter(
    /// The name.
    to: String,
) -> Vec<PromptMessage> {
    vec![PromptMessage::user(to)]
}

/// Sends.
#[action(access = "app", changes = false, sends = true)]
pub fn send(#[input] line: Line) {
    drop(line);
}

/// The rule.
pub async fn rule(_: &Cx) -> bool {
    true
}

fn all(_: &Cx) -> Vec<ResourceInfo> {
    vec![]
}

fn ids(_: &Cx, typed: String, _: tent::Map) -> Vec<String> {
    vec![typed]
}

fn main() {
    assert_eq!(tent::functions![lines, page, letter, send].len(), 4);
}
