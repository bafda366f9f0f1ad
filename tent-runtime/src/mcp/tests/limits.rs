//! Errors of limits, which only tent itself makes.

use serde_json::json;

use super::app::{App, Send};

#[tokio::test]
async fn returns_429_with_retry_after_for_too_many_calls() {
    let got = App::new().send(Send::call("busy", json!({}))).await;
    assert_eq!(
        (got.status.as_u16(), got.header("retry-after")),
        (429, Some("7"))
    );
    let error = &got.json()["error"];
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(6), &json!("T0006"))
    );
}
