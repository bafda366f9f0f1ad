//! How the function of a call can ask its client: in rounds, if the client is a modern one, else while it runs.
//!
//! Chooses; the asking itself is in [`rounds`](crate::mcp::client::mrtr) and [`in_session`](crate::mcp::client::in_session).

use std::sync::Arc;

use crate::cx::Peer;
use crate::dispatch::Rounds;
use crate::error::Error;
use crate::mcp::client::in_session::InSession;
use crate::mcp::client::mrtr::{self, Round, Writer};
use crate::mcp::client::notifications::OfCall;
use crate::mcp::methods::common;
use crate::mcp::protocol::params::{Arguments, Params, Text};
use crate::mcp::protocol::response::{self, Refusal, Reply};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::{Agreed, Asked, Mcp};

/// The way in which a call asks.
pub(crate) struct Asking {
    peer: Option<Arc<dyn Peer>>,
    round: Option<Arc<Round>>,
}

/// What a request brought that can be one of several rounds.
pub(crate) struct Brought<'a> {
    /// Its method, which a state is bound to.
    pub(crate) method: &'static str,
    pub(crate) responses: Arguments,
    pub(crate) state: Text<'a>,
    /// Writes its result.
    pub(crate) writer: Writer,
}

impl<'a> Brought<'a> {
    /// By a request of this method for something that only reads, whose rounds are not kept.
    pub(crate) fn to_read(method: &'static str, params: &mut Params<'a>) -> Self {
        Brought {
            method,
            responses: std::mem::take(&mut params.responses),
            state: std::mem::take(&mut params.state),
            writer: Box::new(|outcome| match outcome {
                Ok(_) => Err(Error::unexpected("a round of what only reads was kept")),
                Err(error) => Err(error.clone()),
            }),
        }
    }
}

impl Asking {
    /// Of a call whose client can be told what `told` takes.
    pub(crate) fn new(
        mcp: &Mcp,
        asked: &Asked<'_>,
        agreed: &Agreed,
        told: Option<Arc<OfCall>>,
        brought: Brought<'_>,
    ) -> Result<Self, Refusal> {
        if !agreed.revision.is_modern() {
            // An answer is known by the session that it comes in.
            let peer: Option<Arc<dyn Peer>> = match (told, agreed.nonce) {
                (Some(told), Some(nonce)) => {
                    Some(Arc::new(InSession::new(mcp, asked, agreed, nonce, told)))
                }
                (told, _) => told.map(|told| told as Arc<dyn Peer>),
            };
            return Ok(Asking { peer, round: None });
        }
        let (responses, state) = (brought.responses, brought.state);
        let is_first = matches!(responses, Arguments::Absent) && state == Text::Absent;
        if is_first && agreed.client.capabilities.is_none() {
            // Nothing is asked of such a client, so there is no other round.
            return Ok(Asking::nothing(told));
        }
        let parts = mrtr::Parts {
            dispatcher: mcp.dispatcher.clone(),
            method: brought.method,
            server: mcp.server.clone(),
            told: told.map(|told| told as Arc<dyn Peer>),
            writer: brought.writer,
            claims: mcp.claims.clone(),
            counts_on: match state {
                Text::Is(_) => asked.counts_on(),
                _ => String::new(),
            },
        };
        let round = Round::new(parts, responses, state)?;
        Ok(Asking {
            peer: Some(round.clone()),
            round: Some(round),
        })
    }

    /// Of a call that cannot ask, since no revision lets a server answer it with what it asks.
    pub(crate) fn nothing(told: Option<Arc<OfCall>>) -> Self {
        Asking {
            peer: told.map(|told| told as Arc<dyn Peer>),
            round: None,
        }
    }

    /// What the call is handed to ask with.
    pub(crate) fn peer(&self) -> Option<Arc<dyn Peer>> {
        self.peer.clone()
    }

    /// What the door is told of the round that the call is.
    pub(crate) fn rounds(&self) -> Option<Arc<dyn Rounds>> {
        let round = self.round.clone()?;
        Some(round)
    }

    /// The answer to a request for which the door gave one that asks: what is asked, or what an earlier request with
    /// the same state was answered.
    pub(crate) fn answer(&self, mcp: &Mcp, id: &str) -> Result<Reply, Refusal> {
        let none = || Error::unexpected("a call asks, and nobody keeps what");
        let result = match &self.round {
            Some(round) => round.result(),
            None => Err(none()),
        };
        // Only modern clients are asked in rounds.
        let result = result.map_err(|error| common::refused(mcp, &error, Revision::V2026_07_28))?;
        let mut out = response::begin(id, result.len());
        out.extend_from_slice(&result);
        Ok(response::end(out))
    }
}
