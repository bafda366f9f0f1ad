#![allow(unused)]
// R07: the fix of a rule with another signature shows the right one.

use tent::prelude::*;

fn without_parameters() -> bool {
    true
}
fn takes_more(_: &Cx, _: u32) -> bool {
    true
}
fn by_value(_: Cx) -> bool {
    true
}
fn of_the_caller(_: &tent::Caller) -> bool {
    true
}
fn mutable(_: &mut Cx) -> bool {
    true
}
fn number(_: &Cx) -> u32 {
    1
}
fn nothing(_: &Cx) {}
fn option(_: &Cx) -> Option<bool> {
    None
}
fn other_result(_: &Cx) -> Result<u32> {
    Ok(1)
}
async fn later_number(_: &Cx) -> u32 {
    1
}
async fn later_nothing(_: &Cx) {}
fn text_error(_: &Cx) -> std::result::Result<bool, String> {
    Ok(true)
}
fn generic<T>(_: &Cx) -> bool {
    true
}
const FLAG: bool = true;
struct Type;

#[query(access = without_parameters)]
fn a() {}

#[query(access = takes_more)]
fn b() {}

#[query(access = by_value)]
fn c() {}

#[query(access = of_the_caller)]
fn d() {}

#[query(access = mutable)]
fn e() {}

#[query(access = number)]
fn f() {}

#[query(access = nothing)]
fn g() {}

#[query(access = option)]
fn h() {}

#[query(access = other_result)]
fn i() {}

#[query(access = later_number)]
fn j() {}

#[query(access = later_nothing)]
fn k() {}

#[query(access = text_error)]
fn l() {}

#[query(access = generic)]
fn m() {}

#[query(access = FLAG)]
fn n() {}

#[query(access = Type)]
fn o() {}

#[query(access = is_not_there)]
fn p() {}

#[query(access = ["role:staff", takes_more, number])]
fn q() {}

fn main() {}
