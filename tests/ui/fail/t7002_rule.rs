#![allow(unused)]
// R07: the fix of a rule with the wrong signature shows the right one.

fn says_a_number(_: &tent::Cx) -> u32 {
    1
}

fn takes_more(_: &tent::Cx, _: u32) -> bool {
    true
}

#[tent::query(access = says_a_number)]
fn a() {}

#[tent::query(access = takes_more)]
fn b() {}

#[tent::query(access = is_not_there)]
fn c() {}

fn main() {}
