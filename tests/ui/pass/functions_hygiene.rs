//! Functions, resources and prompts without the prelude, among hostile names.
// P19

#![no_implicit_prelude]
#![deny(warnings)]
#![allow(dead_code, non_camel_case_types, non_upper_case_globals, unused_macros)]

extern crate tent as camp;

mod std {}
mod core {}
mod alloc {}
mod tent {}
mod serde {}
mod schemars {}
mod serde_json {}
mod inventory {}
struct String;
struct Option;
struct Vec;
struct Box;
struct Some;
struct None;
struct Ok;
struct Err;
struct Default;
struct Send;
struct Cx;
struct Value;
struct Declaration;
struct Duration;
struct bool;
struct str;
struct u32;
struct u64;
struct i128;
type Result<T> = ::core::result::Result<T, camp::Error>;
trait Into {}
trait From {}
trait Future {}
trait Iterator {}
trait Fn {}
trait FnOnce {}
trait Sized {}
trait Drop {}
const input: ::core::primitive::u8 = 1;
const value: ::core::primitive::u8 = 1;
static cx: ::core::primitive::u8 = 1;
fn drop() {}
fn decision() {}
fn complete() {}
fn list() {}
macro_rules! concat {
    () => {};
}
macro_rules! module_path {
    () => {};
}
macro_rules! file {
    () => {};
}
macro_rules! line {
    () => {};
}
macro_rules! vec {
    () => {};
}
macro_rules! format {
    () => {};
}
macro_rules! assert {
    () => {};
}
macro_rules! panic {
    () => {};
}

/// Reads.
#[camp::query(
    access = ["role:staff", rule], crate = camp, offer = "mcp", timeout = "5s", limit = "1/s", needs = ["roots"],
    icons = ::std::vec::Vec::<camp::Icon>::new(), idempotent = true, scope = "a:b", title = "Type"
)]
async fn r#type(
    call: &camp::Cx,
    #[doc = "A number."]
    #[doc = ::core::concat!("And", " more.")]
    #[arg(min = 1, max = 9, default = 2, example = 3, header = "Number")]
    r#match: ::core::primitive::u32,
    #[arg(min_len = 1, max_len = 3, pattern = "a", rename = "the-word", secret)] word: ::core::option::Option<
        ::std::string::String,
    >,
    #[arg(default = ::std::vec::Vec::new())] r#fn: ::std::vec::Vec<::core::primitive::u8>,
) -> Result<::core::primitive::u32> {
    let _ = (call, word, r#fn);
    ::core::result::Result::Ok(r#match)
}

/// A page.
#[camp::resource(
    crate = camp, uri = "shop://{id}", access = rule, list = all, media_type = "text/plain", subscribe = true,
    annotations = camp::Annotations::new()
)]
fn page(#[arg(complete = ids)] id: ::core::primitive::u32) -> ::std::string::String {
    let _ = id;
    ::std::string::String::new()
}

/// A letter.
#[camp::prompt(access = "signedIn", crate = camp)]
async fn letter(
    /// The name.
    #[arg(title = "Name")]
    to: ::std::string::String,
) -> ::std::vec::Vec<camp::PromptMessage> {
    let _ = to;
    ::std::vec::Vec::new()
}

#[camp::action(access = "app", changes = false, blocking = false, crate = camp)]
fn nothing(#[input] whole: data::Whole) {
    let _ = whole.number;
}

/// The derives of serde and schemars take primitive types from their scope.
mod data {
    #[super::camp::data(crate = super::camp)]
    pub(crate) struct Whole {
        pub(crate) number: u8,
    }
}

#[derive(camp::State)]
#[state(crate = camp)]
struct Shop;

async fn rule(_: &camp::Cx) -> Result<::core::primitive::bool> {
    ::core::result::Result::Ok(true)
}

fn all(_: &camp::Cx) -> ::std::vec::Vec<camp::ResourceInfo> {
    ::std::vec::Vec::new()
}

async fn ids(
    _: &camp::Cx,
    _: ::std::string::String,
    _: camp::Map,
) -> Result<::std::vec::Vec<::std::string::String>> {
    ::core::result::Result::Ok(::std::vec::Vec::new())
}

fn main() {
    let declarations = camp::functions![r#type, page, letter, nothing];
    ::core::assert_eq!(declarations.len(), 4);
    ::core::assert_eq!(declarations[0].name, "type");
}
