#![allow(unused)]

// R06: an unknown option hides no other problem, and `functions!` adds no second error.
#[tent::query(titel = "x")]
fn misspelled() {}

// R07: the path of a rule in quotes.
#[tent::query(access = "rules::open")]
fn rule_in_quotes() {}

mod rules {
    pub fn open(_: &tent::Cx) -> bool {
        true
    }
}

fn main() {
    let _ = tent::functions![misspelled, rule_in_quotes];
}
