#![allow(unused)]
// R07: a path in quotes, and a word without them.

#[tent::query(access = "rule")]
fn quoted_rule() {}

#[tent::query(access = ["role:a", "rules::open"], crate = "tent")]
fn quoted_rule_in_a_list() {}

#[tent::query(access = "Rule::open()")]
fn quoted_call() {}

#[tent::resource(uri = "a://{x}", about = "A.", access = "anyone", list = "all")]
fn quoted_list(#[arg(complete = "names")] x: String) -> String {
    x
}

#[tent::resource(uri = "a://{x}", about = "A.", access = "anyone", list = "my list", size = "3")]
fn quoted_text(#[arg(complete(x = "names"))] x: String) -> String {
    x
}

#[tent::resource(uri = "a://{x}", about = "A.", access = "anyone", list = all())]
fn called(#[arg(complete = names(1))] x: String) -> String {
    x
}

#[tent::query(access = signedIn)]
fn unquoted_word() {}

#[tent::query(access = [anyone, app, role])]
fn unquoted_words() {}

#[tent::query(access = role:staff)]
fn unquoted_role() {}

#[tent::query(access = "staff", offer = mcp)]
fn unquoted_offer() {}

#[tent::change(access = "signedIn", danger = ask, writes = adds, needs = sampling, name = pay, scope = read)]
fn unquoted_options() {}

#[tent::query(access = "anyone", timeout = 5s, limit = 10/min)]
fn unquoted_units() {}

fn main() {}
