//! `#[data]` without the prelude, among hostile names.
// P19

#![no_implicit_prelude]
#![deny(warnings)]
#![allow(dead_code, non_camel_case_types, unused_macros)]

extern crate tent;

mod std {}
mod core {}
mod alloc {}
mod serde {}
mod schemars {}
mod serde_json {}
struct String;
struct Option;
struct Vec;
struct Box;
struct Ok;
struct Err;
struct Default;
struct Clone;
type Result<T> = ::core::result::Result<T, ()>;
trait Into {}
trait From {}
trait Iterator {}
trait Serialize {}
trait Deserialize {}
trait JsonSchema {}
macro_rules! json {
    () => {};
}
macro_rules! vec {
    () => {};
}
macro_rules! format {
    () => {};
}
macro_rules! concat {
    () => {};
}
macro_rules! module_path {
    () => {};
}
macro_rules! matches {
    () => {};
}

/// A struct.
#[::tent::data]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Data {
    /// A text.
    #[tent(secret)]
    text: ::std::string::String,
    #[schemars(length(min = 1, max = 3), title = "List")]
    list: ::std::vec::Vec<::core::primitive::u8>,
    maybe: ::core::option::Option<::core::primitive::u8>,
    #[serde(default)]
    #[schemars(range(min = 1), example = 3)]
    number: ::core::primitive::u16,
    #[serde(skip_serializing_if = "::core::option::Option::is_none", alias = "more")]
    other: ::core::option::Option<Choice>,
    #[schemars(regex(pattern = "^a"))]
    pattern: ::std::string::String,
    r#type: ::core::primitive::bool,
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    skipped: ::std::vec::Vec<::core::primitive::u8>,
}

/// The default of the whole.
#[::tent::data]
#[derive(::core::default::Default)]
#[serde(default)]
struct Settings {
    number: ::core::primitive::u8,
    #[serde(default = "three")]
    #[schemars(extend("x-a" = 1, "x-b" = [true, null]))]
    three: ::core::primitive::u8,
}

fn three() -> ::core::primitive::u8 {
    3
}

#[::tent::data]
struct Flat {
    #[serde(flatten)]
    page: Page<::core::primitive::u8>,
    by_name: ::std::collections::HashMap<::std::string::String, ::core::primitive::f64>,
}

#[::tent::data]
struct Page<T> {
    items: ::std::vec::Vec<T>,
}

#[::tent::data]
struct Unit;

#[::tent::data]
struct Id(::core::primitive::u64);

#[::tent::data]
#[serde(transparent)]
struct Transparent {
    id: Id,
}

#[::tent::data]
struct Pair(::core::primitive::u64, ::core::primitive::char);

/// A word.
#[::tent::data]
enum Word {
    /// One.
    Some,
    None,
    #[serde(other)]
    r#Self_,
}

#[::tent::data]
enum Choice {
    Some(::core::primitive::u8),
    None { number: ::core::primitive::u8 },
    Ok,
    Err(::core::primitive::u8, ::core::primitive::u8),
}

#[::tent::data]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Internal {
    Some(Flat),
    None { number: ::core::primitive::u8 },
    Ok,
}

#[::tent::data]
#[serde(tag = "kind", content = "content")]
enum Adjacent {
    Some(::core::primitive::u8),
    None { number: ::core::primitive::u8 },
    Ok,
}

#[::tent::data]
#[serde(untagged)]
enum Untagged {
    Some(::core::primitive::u8),
    None { number: ::core::primitive::u8 },
    Ok,
}

fn in_a_body() {
    #[::tent::data]
    struct Data {
        number: ::core::primitive::u8,
    }
}

fn main() {
    in_a_body();
}
