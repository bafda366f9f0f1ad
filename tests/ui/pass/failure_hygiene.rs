//! Generated code names nothing that a crate could have given another meaning.

#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types, non_upper_case_globals, unused_macros)]

extern crate tent;

mod std {}
mod serde {}
mod schemars {}
struct String;
struct Option;
struct Some;
struct None;
struct Ok;
type Result<T> = ::core::result::Result<T, ()>;
struct Error;
trait Failure {}
trait Display {}
struct field_0;
const binding: u8 = 0;
macro_rules! write {
    () => {};
}
macro_rules! format_args {
    () => {};
}

#[derive(::core::fmt::Debug, ::tent::Failure)]
enum Hostile {
    #[failure(code = "A0001", message = "{f} {failure} {value}", fix = "{f}")]
    Error {
        f: u32,
        failure: u32,
        value: u32,
    },
    #[failure(code = "A0002", message = "{0} {1}")]
    Some(u32, u32),
    #[failure(transparent)]
    Ok(#[from] ::tent::Error),
    #[failure(code = "A0003", message = "source")]
    Display {
        #[source]
        source: ::std::io::Error,
    },
}

#[derive(::tent::State)]
struct Shop<T>(T);

fn main() {}
