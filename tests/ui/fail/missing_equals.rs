#![allow(unused)]
// R07: an option without `=`, or with another sign in its place.

#[tent::query(about "Finds.", access "signedIn")]
fn with_a_space() {}

#[tent::query(access signedIn, offer mcp)]
fn with_a_word() {}

#[tent::query(access: "signedIn", about: "Finds.")]
fn with_a_colon() {}

#[tent::query(access("signedIn"), about("Finds."), timeout("5s"))]
fn with_parentheses() {}

#[tent::query(access == "signedIn", about => "Finds.")]
fn with_another_sign() {}

#[tent::query("signedIn")]
fn only_a_value() {}

#[tent::query(access, about, offer)]
fn only_names() {}

#[tent::query(access = , about =)]
fn without_values() {}

#[tent::query(access = "anyone"; about = "Finds.")]
fn with_semicolons() {}

#[tent::query(access = "anyone",, about = "Finds.",)]
fn with_two_commas() {}

#[tent::query(access = "anyone" about = "Finds." offer = "mcp")]
fn without_commas() {}

#[tent::query]
fn without_options() {}

#[tent::query(access = "anyone")]
fn parameters(
    #[arg] a: u32,
    #[arg()] b: u32,
    #[arg = 1] c: u32,
    #[arg(min 1, max: 5)] d: u32,
    #[arg(min(1), max(5))] e: u32,
    #[arg(1)] f: u32,
    #[arg(min)] g: u32,
    #[arg(default)] h: u32,
    #[arg(secret = "yes", pattern)] i: String,
) {
}

fn main() {}
