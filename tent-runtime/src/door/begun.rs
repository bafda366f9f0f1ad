//! [`Begun`]: a call that an envelope has handed over, as it goes through the steps of the door.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{At, Call, Door, Rounds};
use crate::cx::{Cx, CxParts, Era, Stop, Waits};
use crate::schema::InputEncoding;

/// A call whose [`Cx`] is made.
pub(super) struct Begun {
    pub(super) cx: Cx,
    pub(super) name: String,
    pub(super) input: Map<String, Value>,
    pub(super) wire: InputEncoding,
    /// When the request has to be answered.
    pub(super) request: Option<Instant>,
    pub(super) at: At,
    pub(super) rounds: Option<Arc<dyn Rounds>>,
}

impl Door {
    /// Makes what the function is told of the call; its time begins.
    pub(super) fn begin(&self, call: Call) -> Begun {
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
        let timeout = at
            .find(&self.registry, &name)
            .and_then(|f| f.declaration.timeout);
        let deadline = match timeout {
            Some(own) => Instant::now().checked_add(own),
            None => request,
        };
        let waits = (peer.is_some() && client.era == Era::Legacy).then(Waits::new);
        let cx = Cx::new(CxParts {
            caller,
            states: self.states.clone(),
            client,
            meta,
            trace,
            deadline,
            stop: Stop::default(),
            peer,
            waits,
        });
        Begun {
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
