//! What a function asks in one round: the answers that it is given at once, the questions that stand, and the steps
//! that it keeps. Writes nothing, and ends no call.

use std::task::Waker;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::state::Answered;
use super::{RoundTrip, Taken};
use crate::cx::{Elicitor, InputRequest, InputResponse, Journal};
use crate::error::{Error, Result};
use crate::mcp::protocol::input_response;

/// The most bytes that the steps of a call may keep, as JSON: they travel with each round.
const MOST_KEPT: usize = 64 << 10;

impl Elicitor for RoundTrip {
    fn request<'a>(
        &'a self,
        name: &'a str,
        question: InputRequest,
    ) -> BoxFuture<'a, Result<InputResponse>> {
        Box::pin(async move {
            let over = self.over.notified();
            match self.answered(name, &question)? {
                Found::Output(answer) => Ok(answer),
                Found::Asked(_asking) => {
                    over.await;
                    // Met by a task that outlives its function alone.
                    Err(left_behind())
                }
            }
        })
    }

    fn is_waiting_for_retry(&self, waker: &Waker) -> bool {
        let mut inner = self.lock();
        if inner.settled.is_some() {
            return true;
        }
        if inner.asking.is_empty() {
            inner.waker = Some(waker.clone());
            return false;
        }
        let asking = inner.asking.iter();
        let asking = asking.map(|(_, name, question)| (name.clone(), question.clone()));
        let asking = asking.collect();
        // Kept now, since what asks is dropped before the questions are written.
        inner.settled = Some(asking);
        true
    }
}

impl Journal for RoundTrip {
    fn recorded<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Value>>> {
        Box::pin(async move { Ok(self.lock().kept.get(name).cloned()) })
    }

    fn record<'a>(&'a self, name: &'a str, value: Value) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let mut inner = self.lock();
            inner.kept.insert(name.to_owned(), value);
            let bytes = serde_json::to_vec(&inner.kept)?.len();
            if bytes > MOST_KEPT {
                inner.kept.remove(name);
                return Err(Error::unexpected(format!(
                    "the steps of one call keep {bytes} bytes with {name:?}, and {MOST_KEPT} are the most: keep an id"
                )));
            }
            Ok(())
        })
    }
}

impl RoundTrip {
    /// The answer to a question, where there is one already; else it is asked from now on.
    fn answered(&self, name: &str, question: &InputRequest) -> Result<Found<'_>> {
        let print = question.fingerprint();
        let mut inner = self.lock();
        let inner = &mut *inner;
        if inner.ended {
            return Err(left_behind());
        }
        let earlier = inner
            .answers
            .iter_mut()
            .find(|one| !one.given && one.answer.name == name && one.answer.question == print);
        if let Some(earlier) = earlier {
            earlier.given = true;
            let response = input_response::read(question.kind(), &earlier.answer.value);
            return response.map(Found::Output).map_err(Error::unexpected);
        }
        let was_asked = inner
            .asked
            .as_ref()
            .is_none_or(|asked| asked.get(name) == Some(&print));
        if was_asked
            && let Some(response) = inner.responses.remove(name)
            && let Ok(read) = input_response::read(question.kind(), &response)
            && question.validate(&read).is_ok()
        {
            inner.answers.push(Taken {
                answer: Answered {
                    name: name.to_owned(),
                    question: print,
                    value: response,
                },
                given: true,
            });
            return Ok(Found::Output(read));
        }
        if inner.asking.iter().any(|(_, asked, _)| asked == name) {
            return Err(Error::unexpected(format!(
                "two questions of one call are both named {name:?} at once"
            )));
        }
        inner.count += 1;
        let number = inner.count;
        inner
            .asking
            .push((number, name.to_owned(), question.clone()));
        if let Some(waker) = inner.waker.take() {
            waker.wake();
        }
        Ok(Found::Asked(Asking {
            round: self,
            number,
        }))
    }
}

/// What a question of a task is answered that outlives its call.
fn left_behind() -> Error {
    Error::unexpected("the call that asked has ended")
}

enum Found<'a> {
    Output(InputResponse),
    Asked(Asking<'a>),
}

/// A question that is asked for as long as this is there.
struct Asking<'a> {
    round: &'a RoundTrip,
    number: u64,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut inner = self.round.lock();
        inner.asking.retain(|(number, ..)| *number != self.number);
    }
}
