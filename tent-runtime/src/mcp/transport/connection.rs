//! [`Line`]: messages that come and go without HTTP, on stdin and stdout or on a transport of somebody's
//! own. One line is one client.
//!
//! Reads no bytes and sends none: it is handed one message at a time, and gives its answer.

use std::sync::{Arc, Mutex, PoisonError};

use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use crate::caller::Caller;
use crate::cx::Client;
use crate::error::{Error, Result};
use crate::mcp::methods::legacy;
use crate::mcp::protocol::message::{self, Kind, Posted};
use crate::mcp::protocol::request_id;
use crate::mcp::protocol::response::Refusal;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::in_flight::Key;
use crate::mcp::subscriptions::filter::Wants;
use crate::mcp::subscriptions::listeners::{Listens, Place, Stream, Streams};
use crate::mcp::{Agreed, Asked, Mcp, Way, one, unreadable};
use crate::mcp::{client::outbox::Sink, transport::sse::SIGN_OF_LIFE};
use crate::random;
use crate::web;

/// So many requests of one line are served at once.
const MOST_AT_ONCE: usize = 256;

/// One client, which is not met over HTTP.
pub(crate) struct Line {
    mcp: Arc<Mcp>,
    who: Who,
    /// Tells its calls apart from those of others, where one can be cancelled.
    nonce: Option<[u8; 16]>,
    /// What its handshake agreed on.
    agreed: Mutex<Option<Agreed>>,
    sink: Option<Sink>,
    room: Semaphore,
    /// How who is refused for want of a caller becomes one.
    sign_in: &'static str,
    /// Turns true when nothing more comes on it.
    ending: watch::Sender<bool>,
    /// Where it is told what concerns no call, once its client has begun its session.
    session: Mutex<Told>,
    /// The head of a request that never was: its credentials alone.
    parts: Parts,
}

/// The stream of a line's session.
enum Told {
    Nothing,
    /// Until its client has begun: before, it may not even have the answer to its handshake, and is told and asked
    /// nothing (2025-11-25, basic/lifecycle, Initialization).
    Aside(Stream),
    Opened {
        _place: Place,
    },
}

/// Who is at the other end.
#[derive(Clone, Debug)]
pub(crate) enum Who {
    /// This caller.
    Is(Caller),
    /// The person of this id.
    Person(String),
    /// Who holds this key.
    Key(String),
}

impl Line {
    /// A line whose calls can be cancelled, and say what they have to say into `sink`.
    pub(crate) fn new(mcp: Arc<Mcp>, who: Who, sink: Sink) -> Result<Self> {
        let mut line = Line::of_one(mcp, who)?;
        line.nonce = Some(random::bytes());
        line.sink = Some(sink);
        line.sign_in = "Serve the line with a caller who may.";
        Ok(line)
    }

    /// The same, where `sign_in` is how who is refused for want of a caller becomes one.
    pub(crate) fn with_sign_in(mut self, sign_in: &'static str) -> Self {
        self.sign_in = sign_in;
        self
    }

    /// A line for one message, which is answered by one.
    pub(crate) fn of_one(mcp: Arc<Mcp>, who: Who) -> Result<Self> {
        let (mut parts, ()) = Request::new(()).into_parts();
        if let Who::Key(key) = &who {
            let value = HeaderValue::try_from(format!("Bearer {key}"));
            let mut value = value.map_err(|_| Error::of("T0004"))?;
            value.set_sensitive(true);
            parts.headers.insert(header::AUTHORIZATION, value);
        }
        Ok(Line {
            mcp,
            who,
            nonce: None,
            agreed: Mutex::new(None),
            sink: None,
            room: Semaphore::new(MOST_AT_ONCE),
            sign_in: "Hand the message over with a caller who may.",
            ending: watch::Sender::new(false),
            session: Mutex::new(Told::Nothing),
            parts,
        })
    }

    /// The most bytes that a function may give.
    pub(crate) fn most_answer(&self) -> usize {
        self.mcp.dispatcher.settings().limits.answer
    }

    /// Who is at the other end, asked again for each message: a key can be revoked meanwhile.
    ///
    /// # Errors
    /// T0004 for a key that is not good or a person that there is not.
    pub(crate) async fn caller(&self, trace: &str) -> Result<Caller> {
        match &self.who {
            Who::Is(caller) => Ok(caller.clone()),
            Who::Person(id) => {
                let person = self.mcp.dispatcher.person(id).await?;
                Ok(Caller::User(Arc::new(person)))
            }
            Who::Key(_) => self.mcp.dispatcher.identify(&self.parts, trace).await,
        }
    }

    /// The answer to one message; `None` where it wants none.
    pub(crate) async fn answer(
        &self,
        caller: Result<Caller>,
        trace: &str,
        message: &[u8],
    ) -> Option<Vec<u8>> {
        // What ends a line is no part of its message.
        let message = message.strip_suffix(b"\n").unwrap_or(message);
        if message.len() > self.mcp.dispatcher.settings().limits.body {
            return Some(self.too_long(request_id::id(message).as_deref()));
        }
        let posted = match message::read(message) {
            Ok(posted) => posted,
            Err(why) => return Some(unreadable(why).write(request_id::id(message).as_deref())),
        };
        let caller = match caller {
            Ok(caller) => caller,
            Err(error) => {
                let refusal = self.here(Refusal::of(&error, self.mcp.realm()));
                return match posted {
                    Posted::One(message) => match message.kind() {
                        Kind::Request(request) => Some(refusal.write(Some(request.id))),
                        Kind::Invalid(id, _) => Some(refusal.write(id)),
                        Kind::Notification(_) | Kind::Response(..) => None,
                    },
                    Posted::Batch(_) => Some(refusal.write(None)),
                };
            }
        };
        let asked = Asked {
            parts: &self.parts,
            caller,
            trace,
            deadline: self.mcp.dispatcher.deadline(),
            way: Way::Line(self),
        };
        let reply = match posted {
            Posted::One(message) => one(&self.mcp, &asked, message).await,
            Posted::Batch(messages) => {
                legacy::batch(&self.mcp, &asked, messages, &self.agreed()).await
            }
        };
        let answer = reply.map_or_else(|refusal| refusal.write(None), |reply| reply.body);
        (!answer.is_empty()).then_some(answer)
    }

    /// The answer to a message that is longer than any may be, with its id where there is one.
    pub(crate) fn too_long(&self, id: Option<&str>) -> Vec<u8> {
        Refusal::of(&Error::of("T0007"), self.mcp.realm()).write(id)
    }

    pub(crate) fn sink(&self) -> Option<&Sink> {
        self.sink.as_ref()
    }

    pub(crate) fn nonce(&self) -> Option<[u8; 16]> {
        self.nonce
    }

    /// A refusal as it is told here: who has no headers cannot sign in by one.
    pub(crate) fn here(&self, refusal: Refusal) -> Refusal {
        match refusal.status {
            StatusCode::UNAUTHORIZED => refusal.with_data("fix", self.sign_in.into()),
            _ => refusal,
        }
    }

    /// Place for one more request, which is given back when it is dropped.
    pub(crate) fn place(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        self.room.try_acquire().map_err(|_| {
            let error = Error::of("T0006").with_message(format!(
                "{MOST_AT_ONCE} requests are under way, which is the most that are served at once."
            ));
            Refusal::of(&error, self.mcp.realm())
        })
    }

    /// What its handshake agreed on, or what counts without one.
    pub(crate) fn agreed(&self) -> Agreed {
        let agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
        let agreed = agreed.clone();
        Agreed {
            nonce: self.nonce,
            ..agreed.unwrap_or_else(|| legacy::unsaid(Revision::UNSAID))
        }
    }

    /// Says that nothing more comes on it, which ends its subscriptions and what its client was asked.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
        if let (Some(sink), Some(nonce)) = (&self.sink, &self.nonce) {
            // No question goes out from now on, so none is left behind.
            sink.asks_no_more();
            self.mcp.notes.questions().end_line(nonce);
        }
    }

    /// Cancels what its calls do, since nobody hears of it any more.
    pub(crate) fn stop(&self) {
        if let Some(nonce) = &self.nonce {
            self.mcp.running.cancel_line(nonce);
        }
    }

    /// Ends when [`end`](Self::end) was called.
    pub(crate) async fn ended(&self) {
        // The sender lives in `self`, so the wait can only end by the value.
        let _ = self.ending.subscribe().wait_for(|&ending| ending).await;
    }

    /// Ends when who is at the other end is not this caller any more, as far as it is time to ask again.
    pub(crate) async fn gone(&self, caller: &Caller) {
        let caller = caller.to_string();
        loop {
            tokio::time::sleep(SIGN_OF_LIFE).await;
            let now = self.caller("kept-stream").await;
            if !now.is_ok_and(|now| now.to_string() == caller) {
                return;
            }
        }
    }

    /// Notes that the client has begun its session, after the handshake: it said so, or sent its first request.
    pub(crate) fn begun(&self) {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        *session = match std::mem::replace(&mut *session, Told::Nothing) {
            // A line is one by itself, so there is no bound to keep.
            Told::Aside(stream) => Streams::open(&self.mcp.notes, stream, None, usize::MAX)
                .map_or(Told::Nothing, |_place| Told::Opened { _place }),
            told => told,
        };
    }

    /// Ends when no call of this app goes on without its client any more.
    pub(crate) async fn drained(&self) {
        self.mcp.dispatcher.drained().await;
    }

    /// Notes what a handshake agreed on.
    pub(crate) fn agree(&self, caller: &Caller, revision: Revision, client: Client) {
        if let (Some(sink), Some(nonce), true) = (
            &self.sink,
            self.nonce,
            self.mcp.dispatcher.settings().mcp.stream,
        ) {
            let lists = Wants::declared(&self.mcp.dispatcher, revision);
            let key = Key::new(nonce, caller, "");
            let stream = Stream {
                sink: sink.clone(),
                alone: false,
                on: "line".into(),
                listens: Listens::Session(key, client.capabilities, lists),
            };
            *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Told::Aside(stream);
        }
        let mut agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
        *agreed = Some(Agreed {
            revision,
            client,
            nonce: self.nonce,
            ends: None,
        });
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // Where whoever served it was dropped.
        self.end();
        self.stop();
        if let Some(nonce) = &self.nonce {
            self.mcp.notes.streams().end_line(nonce);
        }
    }
}

/// A new id for a message.
pub(crate) fn trace() -> String {
    web::trace(&HeaderMap::new())
}
