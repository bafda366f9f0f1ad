#![allow(unused)]
// Rules that contradict the type of their field, where the compiler knows the type, also by an alias.

type Word = String;
type Count = Option<u8>;

#[tent::query(access = "anyone")]
fn of_texts(
    #[arg(min = 1, max = 5)] a: String,
    #[arg(min = 1.5)] b: Word,
    #[arg(max = 5)] c: Option<String>,
    #[arg(min = 1)] d: char,
) {
}

#[tent::query(access = "anyone")]
fn of_numbers(
    #[arg(min_len = 1, max_len = 5)] a: u32,
    #[arg(pattern = "^a", max_len = 5)] b: Count,
    #[arg(pattern = "^a", min_len = 1)] c: f64,
    #[arg(min = 1.5, max = 9.5)] d: i64,
    #[arg(max = -0.5)] e: Option<usize>,
) {
}

#[tent::query(access = "anyone")]
fn of_others(
    #[arg(min = 1, max_len = 1, pattern = "a")] a: bool,
    #[arg(min = 1, pattern = "a")] b: Vec<String>,
    #[arg(max = 1)] c: Option<Vec<u8>>,
    #[arg(max_len = 1, min = 0)] d: std::collections::BTreeMap<String, u8>,
) {
}

#[tent::query(access = "anyone")]
fn without_values(
    #[arg(min = 256)] a: u8,
    #[arg(max = -1)] b: u32,
    #[arg(min = 128)] c: Option<i8>,
    #[arg(max = -129)] d: i8,
    #[arg(min = 18446744073709551616)] e: u64,
) {
}

#[tent::query(access = "anyone")]
fn examples(
    #[arg(example = 256)] a: u8,
    #[arg(example = -1)] b: Option<u32>,
    #[arg(example = "a")] c: u32,
    #[arg(example = 1)] d: String,
    #[arg(example = [1])] e: u8,
    #[arg(example = 1.5)] f: i32,
    #[arg(example = "a")] g: bool,
    #[arg(example = "a")] h: Vec<String>,
) {
}

/// Resources and prompts have the same rules.
#[tent::resource(uri = "a://{x}", access = "anyone")]
fn page(#[arg(max = 5)] x: String) -> String {
    x
}

/// A letter.
#[tent::prompt(access = "anyone")]
fn letter(#[arg(min_len = 1)] words: u8) -> String {
    String::new()
}

/// Valid, or of a type that only its schema describes.
#[tent::query(access = "anyone")]
fn valid(
    #[arg(min = 255, max = 255)] a: u8,
    #[arg(min = -1.5, max = 5)] b: Option<f32>,
    #[arg(min_len = 1, max_len = 5, pattern = "^a")] c: Option<Word>,
    #[arg(min_len = 1)] d: Vec<u8>,
    #[arg(min = 1, max_len = 2, pattern = "a", example = 1)] e: std::time::SystemTime,
    #[arg(example = 1)] f: f64,
    #[arg(example = Some("a"))] g: Option<Word>,
    #[arg(example = vec![1, 2])] h: Vec<u8>,
) {
}

fn main() {}
