//! The content of a `requestState`, which carries a multi round-trip call from one request to the next.
//! Must not be readable for the client: it is sealed, and bound to its call.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tent_core::codes;

use crate::clock::Time;
use crate::error::{Error, Result};
use crate::seal::{Sealer, Use};

/// The content of a `requestState`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RequestState {
    /// When it expires, in milliseconds since 1970.
    pub(super) expires: i64,
    /// The key by which a retry with it is claimed.
    pub(super) nonce: String,
    /// The fingerprints of the input requests that were sent with it, by name.
    pub(super) requested: BTreeMap<String, String>,
    /// The input requests that have a response, in the order of the function.
    pub(super) exchanges: Vec<Exchange>,
    /// The results of steps, by name.
    pub(super) steps: BTreeMap<String, Value>,
}

/// An input request with its response.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Exchange {
    pub(super) name: String,
    /// The fingerprint of the input request.
    pub(super) fingerprint: String,
    pub(super) response: Value,
    /// Whether this run of the function got the response.
    #[serde(skip)]
    pub(super) is_used: bool,
}

impl RequestState {
    pub(super) fn expires(&self) -> Time {
        Time::from_millis(self.expires)
    }

    /// Seals it. `binding` is the digest of the call that it belongs to.
    pub(super) fn seal(&self, sealer: &Sealer, binding: &[u8; 32]) -> String {
        let content =
            serde_json::to_vec(self).expect("texts and JSON values are written to memory");
        sealer.seal(Use::State, &content, binding)
    }

    /// Opens a state that was sealed for the same call.
    ///
    /// # Errors
    /// T0015 for every other text, always with the same message.
    pub(super) fn open(sealer: &Sealer, state: &str, binding: &[u8; 32]) -> Result<Self> {
        let content = sealer.open(Use::State, state, binding)?;
        // Another version of this program may have sealed other content.
        serde_json::from_slice(&content).map_err(|_| Error::new(codes::INVALID_STATE))
    }
}
