//! The attributes and the derives together, as an app has them: states, data, failures and the call.

use std::sync::Mutex;

use tent::prelude::*;
use tent::serde_json::{self, Value, json};
use tent_runtime::__private::States;
use tent_tests::run_with;

#[data]
#[derive(Clone)]
struct Order {
    id: u32,
    title: String,
    paid: bool,
}

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(
        code = "A0001",
        status = 409,
        message = "Order {id} is already paid",
        fix = "Call open_orders to see what is open"
    )]
    AlreadyPaid { id: u32 },
    #[failure(code = "A0002", status = 404, message = "There is no order {id}")]
    NoOrder { id: u32 },
    #[failure(transparent)]
    Broken(#[from] std::fmt::Error),
    #[failure(transparent)]
    Other(#[from] Error),
}

#[derive(State)]
struct Shop {
    orders: Mutex<Vec<Order>>,
}

/// Marks an order as paid.
#[change(access = "anyone", offer = "mcp")]
async fn mark_paid(shop: &Shop, id: u32, note: Option<String>) -> Result<Order, OrderError> {
    if note.as_deref() == Some("\0") {
        Err(std::fmt::Error)?;
    }
    let mut orders = shop.orders.lock().expect("no holder of the lock panics");
    let order = orders.iter_mut().find(|order| order.id == id);
    let order = order.ok_or(OrderError::NoOrder { id })?;
    if order.paid {
        return Err(OrderError::AlreadyPaid { id });
    }
    order.paid = true;
    Ok(order.clone())
}

/// What belongs to the person who calls.
#[query(access = "anyone")]
async fn own_orders(cx: &Cx) -> Result<Vec<Order>, OrderError> {
    cx.user()?;
    Ok(Vec::new())
}

fn call(function: &[&tent::__private::Declaration], input: Value, paid: bool) -> Result<Value> {
    let mut states = States::default();
    let title = "Pens".to_owned();
    let orders = vec![Order { id: 7, title, paid }];
    states.put(Shop {
        orders: Mutex::new(orders),
    });
    let answer = run_with(function[0], input, states)?;
    let value = answer.value.expect("it gives a value");
    Ok(serde_json::from_str(value.get()).expect("an answer is JSON"))
}

#[test]
fn returns_the_data_of_the_function() {
    let answer = call(tent::functions![mark_paid], json!({"id": 7}), false).expect("it is open");
    assert_eq!(answer, json!({"id": 7, "title": "Pens", "paid": true}));
}

#[test]
fn a_declared_failure_keeps_its_code_status_and_message() {
    let mark = |input, paid| call(tent::functions![mark_paid], input, paid).expect_err("it fails");
    let error = mark(json!({"id": 7}), true);
    assert_eq!((error.code(), error.status()), ("A0001", 409));
    assert_eq!(error.fields()["id"], 7);
    assert_eq!(error.fix(), "Call open_orders to see what is open");
    let error = mark(json!({"id": 8}), false);
    assert_eq!(
        (error.code(), error.message()),
        ("A0002", "There is no order 8")
    );
    let error = mark(json!({"id": 7, "note": "\0"}), false);
    assert_eq!(
        (error.code(), error.message()),
        ("T0012", "Internal error.")
    );
    assert_eq!(error.chain(), [std::fmt::Error.to_string()]);
}

#[test]
fn a_transparent_variant_passes_on_an_error_of_the_call() {
    let error =
        call(tent::functions![own_orders], json!({}), false).expect_err("the caller is anonymous");
    assert_eq!((error.code(), error.status()), ("T0004", 401));
}
