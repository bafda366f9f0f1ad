#![allow(unused)]
// Rules of a field that contradict each other, its default or its example, and patterns that are not regular expressions.

#[tent::query(access = "anyone")]
fn empty_ranges(
    #[arg(min = 5, max = 1)] a: u32,
    #[arg(min = 0.5, max = 0)] b: f64,
    #[arg(min_len = 3, max_len = 2)] c: String,
    #[arg(min = -1, max = -2)] d: i8,
) {
}

#[tent::query(access = "anyone")]
fn defaults(
    #[arg(default = 0, min = 1)] a: u32,
    #[arg(default = 20, max = 10)] b: u32,
    #[arg(default = -1.5, min = -1)] c: f64,
    #[arg(default = "abc".to_owned(), max_len = 2)] d: String,
    #[arg(default = String::from("größe"), min_len = 6)] e: String,
    #[arg(default = vec![1, 2, 3], max_len = 2)] f: Vec<u8>,
    #[arg(default = Some(11), max = 10)] g: Option<u32>,
    #[arg(default = vec![], min_len = 1)] h: Vec<u8>,
) {
}

#[tent::query(access = "anyone")]
fn examples(
    #[arg(example = 0, min = 1)] a: u32,
    #[arg(example = "abc", max_len = 2)] b: String,
    #[arg(example = [1, 2, 3], max_len = 2)] c: Vec<u8>,
    #[arg(default = 0, example = 20, min = 1, max = 10)] d: u32,
) {
}

#[tent::query(access = "anyone")]
fn patterns(
    #[arg(pattern = "(a")] a: String,
    #[arg(pattern = "[a-")] b: String,
    #[arg(pattern = "a{2,1}")] c: String,
    #[arg(pattern = "*a")] d: String,
    #[arg(pattern = "a\\")] e: String,
    #[arg(pattern = "(?=a)")] f: String,
    #[arg(pattern = "[z-a]")] g: String,
    #[arg(pattern = "a)")] h: Option<String>,
    #[arg(pattern = r"(\1)")] i: String,
) {
}

#[tent::query(access = "anyone")]
fn valid(
    #[arg(min = 1, max = 1, default = 1, example = 1)] a: u32,
    #[arg(min_len = 5, max_len = 5, default = "größe".into(), pattern = r"^[[\]\w]+\/\d{2,}(?:a|b)*?$")] b: String,
    #[arg(default = vec![1; 9], max_len = 2)] c: Vec<u8>,
) {
}

fn main() {}
