//! The input requests and steps of one run of the function: [`MrtrRequest`] as its [`Elicitor`] and [`Journal`].
//! Must not end the call: dispatch drops the function when it is pending with an open input request.

use std::task::Waker;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::state::Exchange;
use super::{MrtrRequest, Run};
use crate::cx::{Elicitor, InputRequest, InputResponse, Journal};
use crate::error::{Error, Result};
use crate::mcp::protocol::input_response;

/// The most bytes of the step results of a call, as JSON. They travel with each request.
const MAX_STEPS: usize = 64 << 10;

/// An input request that waits for a response.
pub(super) struct OpenRequest {
    number: u64,
    name: String,
    request: InputRequest,
}

impl Elicitor for MrtrRequest {
    fn request<'a>(
        &'a self,
        name: &'a str,
        request: InputRequest,
    ) -> BoxFuture<'a, Result<InputResponse>> {
        Box::pin(async move {
            // Created before `open` reads whether the call has ended, so that its end between the two is not missed.
            let ended = self.ended.notified();
            if let Some(response) = self.response(name, &request)? {
                return Ok(response);
            }
            let _open = self.open(name, request)?;
            ended.await;
            // The function itself was dropped before. Only a task or a thread that outlives it gets here.
            Err(has_ended())
        })
    }

    fn is_waiting_for_retry(&self, waker: &Waker) -> bool {
        let mut run = self.lock();
        if run.suspended.is_some() {
            return true;
        }
        if run.open.is_empty() {
            run.waker = Some(waker.clone());
            return false;
        }
        // Copied now: dispatch drops the function next, and each dropped `cx.input` removes its open request.
        let open = run.open.iter();
        let open = open.map(|one| (one.name.clone(), one.request.clone()));
        run.suspended = Some(open.collect());
        true
    }
}

impl Journal for MrtrRequest {
    fn recorded<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Value>>> {
        Box::pin(async move { Ok(self.lock().steps.get(name).cloned()) })
    }

    fn record<'a>(&'a self, name: &'a str, value: Value) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let mut run = self.lock();
            run.steps.insert(name.to_owned(), value);
            let bytes = serde_json::to_vec(&run.steps)?.len();
            if bytes > MAX_STEPS {
                run.steps.remove(name);
                return Err(Error::unexpected(format!(
                    "the step results of one call are limited to {MAX_STEPS} bytes, and with {name:?} they have {bytes}: return an id"
                )));
            }
            Ok(())
        })
    }
}

impl MrtrRequest {
    /// The response to an input request, if the client sent one.
    ///
    /// A response is matched by the fingerprint of its input request, not by the name alone: the function runs again
    /// from its start and may ask something else by the same name, to which the person did not respond.
    fn response(&self, name: &str, request: &InputRequest) -> Result<Option<InputResponse>> {
        let fingerprint = request.fingerprint();
        let earlier = self.lock().earlier_response(name, &fingerprint);
        if let Some(response) = earlier {
            let response = input_response::read(request.kind(), &response);
            return response.map(Some).map_err(Error::unexpected);
        }
        let Some(value) = self.lock().new_response(name, &fingerprint) else {
            return Ok(None);
        };
        // Validated without the lock, since it runs code of the app. An invalid response counts as missing, so that the
        // client gets the input request again.
        let response = input_response::read(request.kind(), &value).ok();
        let response = response.filter(|response| request.validate(response).is_ok());
        if response.is_some() {
            self.lock().exchanges.push(Exchange {
                name: name.to_owned(),
                fingerprint,
                response: value,
                is_used: true,
            });
        }
        Ok(response)
    }

    /// Registers an input request without a response, and wakes dispatch, which drops the function when it is pending.
    fn open(&self, name: &str, request: InputRequest) -> Result<OpenGuard<'_>> {
        let mut run = self.lock();
        if run.has_ended {
            return Err(has_ended());
        }
        if run.open.iter().any(|one| one.name == name) {
            return Err(Error::unexpected(format!(
                "two input requests of one call have the name {name:?} at the same time"
            )));
        }
        run.opened += 1;
        let number = run.opened;
        run.open.push(OpenRequest {
            number,
            name: name.to_owned(),
            request,
        });
        let waker = run.waker.take();
        drop(run);
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(OpenGuard {
            request: self,
            number,
        })
    }
}

impl Run {
    /// A response of an earlier request. A function that sends the same input request twice gets two responses, in
    /// their order.
    fn earlier_response(&mut self, name: &str, fingerprint: &str) -> Option<Value> {
        let is_match = |one: &&mut Exchange| {
            !one.is_used && one.name == name && one.fingerprint == fingerprint
        };
        let exchange = self.exchanges.iter_mut().find(is_match)?;
        exchange.is_used = true;
        Some(exchange.response.clone())
    }

    /// A response of this request.
    fn new_response(&mut self, name: &str, fingerprint: &str) -> Option<Value> {
        let requested = self.requested.as_ref();
        if requested.is_some_and(|requested| requested.get(name).is_none_or(|f| f != fingerprint)) {
            return None;
        }
        self.responses.remove(name)
    }
}

/// The error of an input request that a task sends after its call has ended.
fn has_ended() -> Error {
    Error::unexpected("the call of this input request has ended")
}

/// Removes an open input request when its `cx.input` is dropped, such as by a `select!`.
struct OpenGuard<'a> {
    request: &'a MrtrRequest,
    number: u64,
}

impl Drop for OpenGuard<'_> {
    fn drop(&mut self) {
        let mut run = self.request.lock();
        run.open.retain(|one| one.number != self.number);
    }
}
