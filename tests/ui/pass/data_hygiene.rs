//! `#[data]` among hostile names. The derive of schemars itself calls `into` without naming it, so the
//! standard prelude has to be there.

#![allow(dead_code, unused_macros)]

mod std {}
mod core {}
mod serde {}
mod schemars {}
mod serde_json {}
struct String;
struct Option;
struct Vec;
struct Some;
type Result<T> = ::core::result::Result<T, ()>;
macro_rules! json {
    () => {};
}

#[::tent::data]
struct Data {
    #[tent(secret)]
    text: ::std::string::String,
    list: ::std::vec::Vec<u8>,
    maybe: ::core::option::Option<u8>,
}

#[::tent::data]
enum Choice {
    Some(u8),
    None { number: u8 },
}

fn main() {}
