//! Requests of the server's to legacy clients, and their answers, which come by a POST of their own: a
//! question and its answer are found together by session, caller and id.
//!
//! Writes and matches; whether a client may be asked something is for who asks to know. What is under way
//! lives in this process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;

use super::reply::write;
use super::running::Key;
use super::stream::Sink;
use crate::error::{Error, Result};
use crate::web;

/// The most questions under way at once, of all clients.
const MOST: usize = 10_000;

/// The most of one caller, who may leave them all without an answer.
const MOST_OF_ONE: usize = 1000;

/// What a client answers: a result, or an error of JSON-RPC.
pub(super) type Answered = std::result::Result<Value, Value>;

/// The questions under way.
#[derive(Debug, Default)]
pub(super) struct Questions(Mutex<HashMap<Key, oneshot::Sender<Answered>>>);

/// Takes a question out when nobody waits for its answer any more.
pub(super) struct Waiting<'a> {
    questions: &'a Questions,
    key: Key,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.questions.lock().remove(&self.key);
    }
}

impl Questions {
    /// Sends a request down a stream of this session, and waits for its answer however long that takes.
    ///
    /// # Errors
    /// T7120 where the stream has ended, or the client answers with an error; T0006 where too many are under
    /// way.
    pub(super) async fn ask(
        &self,
        session: &Key,
        sink: &Sink,
        method: &str,
        params: Option<&Value>,
    ) -> Result<Value> {
        let id = format!("\"tent-{}\"", web::trace(&http::HeaderMap::new()));
        let mut out = br#"{"jsonrpc":"2.0","id":"#.to_vec();
        out.extend_from_slice(id.as_bytes());
        out.extend_from_slice(br#","method":"#);
        write(&mut out, method);
        if let Some(params) = params {
            out.extend_from_slice(br#","params":"#);
            write(&mut out, params);
        }
        out.push(b'}');

        let (_waiting, answer) = self.begin(session.with_id(&id))?;
        if !sink.send_surely(out) {
            return Err(gone());
        }
        match answer.await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(refused(&error)),
            Err(_) => Err(gone()),
        }
    }

    /// Notes a question, whose answer comes for as long as it is waited for.
    ///
    /// # Errors
    /// T0006 where too many are under way.
    pub(super) fn begin(&self, key: Key) -> Result<(Waiting<'_>, oneshot::Receiver<Answered>)> {
        let (send, answer) = oneshot::channel();
        {
            let mut under_way = self.lock();
            let of_one = under_way
                .keys()
                .filter(|other| other.is_of_same(&key))
                .count();
            if under_way.len() >= MOST || of_one >= MOST_OF_ONE {
                return Err(Error::of("T0006").with_message("Too many clients are being asked."));
            }
            under_way.insert(key.clone(), send);
        }
        let waiting = Waiting {
            questions: self,
            key,
        };
        Ok((waiting, answer))
    }

    /// Hands an answer to who waits for it, if somebody does.
    pub(super) fn answer(&self, key: &Key, answer: Answered) {
        if let Some(send) = self.lock().remove(key) {
            // Who asked may have gone meanwhile.
            let _ = send.send(answer);
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, oneshot::Sender<Answered>>> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// There is no client to ask any more.
pub(super) fn gone() -> Error {
    Error::of("T7120").with_message("The client that was to be asked is not there.")
}

fn refused(error: &Value) -> Error {
    let code = error.get("code").and_then(Value::as_i64);
    let said = error.get("message").and_then(Value::as_str);
    let said = said.unwrap_or("without a message");
    let message = match code {
        Some(code) => format!("The client refused what it was asked ({code}): {said}"),
        None => format!("The client refused what it was asked: {said}"),
    };
    Error::of("T7120").with_message(message)
}
