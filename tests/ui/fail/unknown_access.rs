#![allow(unused)]

#[tent::query(access = "signdIn")]
fn a() {}

#[tent::query(access = "")]
fn b() {}

#[tent::query(access = ["role:staff", "everyone", 3])]
fn c() {}

#[tent::query(access = [])]
fn d() {}

#[tent::query(access = "role:")]
fn e() {}

#[tent::query(access = "role: staff")]
fn f() {}

#[tent::query(access = true)]
fn g() {}

fn main() {}
