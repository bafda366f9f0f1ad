#![allow(unused)]
// Rules of schemars on the fields of a type, where the macro or the compiler knows that they are wrong.

#[tent::data]
struct Contradictions {
    #[schemars(range(min = 5, max = 1))]
    a: u32,
    #[schemars(length(min = 3, max = 2), title = "B")]
    b: String,
    #[schemars(regex(pattern = "(a"))]
    c: String,
}

#[tent::data]
enum Patterns {
    One {
        #[schemars(regex(pattern = r"[z-a]"))]
        a: String,
    },
    Two(#[schemars(range(min = 1.5, max = 0.5))] f64),
}

type Word = String;

#[tent::data]
struct WrongTypes {
    #[schemars(range(min = 1))]
    a: Word,
    #[schemars(length(max = 1))]
    b: Option<u32>,
    #[schemars(regex(pattern = "a"))]
    c: bool,
}

#[tent::data]
struct Valid<T> {
    #[schemars(range(min = 1, max = 1))]
    a: u32,
    #[schemars(length(max = 1))]
    b: Vec<T>,
    #[schemars(regex(pattern = PATTERN), length(equal = 3))]
    c: String,
    #[schemars(range(min = 1))]
    d: std::time::SystemTime,
}

#[tent::data]
struct Replaced {
    #[schemars(with = "String", length(max = 3))]
    a: u32,
}

const PATTERN: &str = "^a";

fn main() {}
