#![allow(unused)]
// R07: the fix of a parameter by value names the reference.

use std::sync::Arc;

use tent::prelude::*;

#[derive(State)]
struct Shop;

#[query(access = "anyone")]
async fn call_by_value(cx: Cx) {}

#[query(access = "anyone")]
fn state_in_an_arc(shop: Arc<Shop>, name: Arc<str>) {}

fn main() {}
