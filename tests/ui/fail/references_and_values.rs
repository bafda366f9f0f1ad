#![allow(unused)]
// R07: each parameter that the app supplies, taken in another way than by `&T`.

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use tent::prelude::*;
use tent::Shared;

#[derive(State)]
struct Shop;

#[query(access = "anyone")]
async fn call_by_value(cx: Cx) {}

#[query(access = "anyone")]
fn call_by_mutable_reference(cx: &mut Cx) {}

#[query(access = "anyone")]
fn call_in_an_arc(cx: Arc<Cx>) {}

#[query(access = "anyone")]
fn state_by_value(shop: Shop) {}

#[query(access = "anyone")]
fn state_by_mutable_reference(shop: &mut Shop) {}

#[query(access = "anyone")]
fn state_in_an_arc(shop: Arc<Shop>, name: Arc<str>) {}

#[query(access = "anyone")]
fn state_in_a_reference_to_an_arc(shop: &Arc<Shop>) {}

#[query(access = "anyone")]
fn state_in_a_box(shop: Box<Shop>) {}

#[query(access = "anyone")]
fn state_in_an_option(shop: Option<&Shop>) {}

#[query(access = "anyone")]
fn shared_by_value(shop: Shared<u32>) {}

#[query(access = "anyone")]
fn state_in_a_mutex(shop: Arc<Mutex<Shop>>) {}

#[query(access = "anyone")]
fn call_for_a_static_lifetime(cx: &'static Cx) {}

fn main() {}
