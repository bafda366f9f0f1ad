#![allow(unused)]

#[tent::query(about = "Measures.", access = "anyone", offer = "mcp")]
fn größe() {}

#[tent::query(access = "anyone", name = "orders.get item")]
fn k2_02_space() {}

#[tent::query(access = "anyone", name = "orders/get")]
fn k2_02_slash() {}

#[tent::query(access = "anyone", name = "orders:get")]
fn k2_02_colon() {}

#[tent::query(access = "anyone", name = "7days")]
fn digit() {}

#[tent::query(access = "anyone", name = "")]
fn empty() {}

// A dot is allowed where it is stated.
#[tent::query(access = "anyone", name = "orders.get")]
fn k2_02_dot() {}

fn main() {}
