//! An input request of a task that outlives its call.

use std::sync::Arc;
use std::task::Waker;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::cx::{CancelOnDrop, Client, Cx, CxParts, Elicitor, InputRequest, InputResponse, input};
use crate::error::Result;

/// The client of a call that has no response yet.
#[derive(Debug)]
struct Silent;

impl Elicitor for Silent {
    fn request<'a>(&'a self, _: &'a str, _: InputRequest) -> BoxFuture<'a, Result<InputResponse>> {
        Box::pin(std::future::pending())
    }

    fn is_waiting_for_retry(&self, _: &Waker) -> bool {
        true
    }
}

#[test]
fn an_input_request_of_a_cancelled_call_fails() {
    let mut client = Client::default();
    client.capabilities.roots = true;
    let cx = Cx::new(CxParts {
        client,
        elicitor: Some(Arc::new(Silent)),
        ..CxParts::default()
    });
    let mut request = Box::pin(cx.input("roots", input::roots()));
    assert!((&mut request).now_or_never().is_none());
    drop(CancelOnDrop::new(cx.cancellation()));
    let ended = request.now_or_never().expect("it does not wait");
    assert_eq!(ended.expect_err("there is no response").code(), "T0012");
}
