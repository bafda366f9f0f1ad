//! [`PreparedCall`]: a call that an envelope has handed over, as it goes through the steps of the door.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{Call, Dispatcher, Endpoint, Rounds};
use crate::cx::{Cancellation, Cx, CxParts, Era, PausedTime};
use crate::schema::InputEncoding;

/// A call whose [`Cx`] is made.
pub(super) struct PreparedCall {
    pub(super) cx: Cx,
    pub(super) name: String,
    pub(super) input: Map<String, Value>,
    pub(super) wire: InputEncoding,
    /// When the request has to be answered.
    pub(super) request: Option<Instant>,
    pub(super) at: Endpoint,
    pub(super) rounds: Option<Arc<dyn Rounds>>,
}

impl Dispatcher {
    /// Makes what the function is told of the call; its time begins.
    pub(super) fn begin(&self, call: Call) -> PreparedCall {
        let Call {
            name,
            input,
            wire,
            caller,
            client,
            meta,
            trace,
            deadline: request,
            at,
            peer,
            rounds,
        } = call;
        let timeout = at.find(&self.registry, &name).and_then(|f| f.timeout);
        let deadline = match timeout {
            Some(own) => Instant::now().checked_add(own),
            None => request,
        };
        let waits = (peer.is_some() && client.era == Era::Legacy).then(PausedTime::new);
        let cx = Cx::new(CxParts {
            caller,
            states: self.states.clone(),
            client,
            meta,
            trace,
            deadline,
            stop: Cancellation::default(),
            peer,
            waits,
        });
        PreparedCall {
            cx,
            name,
            input,
            wire,
            request,
            at,
            rounds,
        }
    }
}
