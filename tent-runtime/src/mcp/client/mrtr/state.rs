//! The content of a sealed `requestState`, which a client carries from one request of a call to the next.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tent_core::codes;

use crate::clock::Time;
use crate::error::{Error, Result};
use crate::seal::{Sealer, Use};

/// What a state holds.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Carried {
    /// Until when it may come back, in milliseconds since 1970.
    pub(super) until: i64,
    /// By which it is claimed, where that is due.
    pub(super) nonce: String,
    /// The fingerprint of each question that is asked with it, by its name.
    pub(super) asked: BTreeMap<String, String>,
    /// What was answered in the rounds before, in the order in which it was asked.
    pub(super) answers: Vec<Answered>,
    /// What steps gave, by their names.
    pub(super) kept: BTreeMap<String, Value>,
}

/// A question that was answered.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answered {
    pub(super) name: String,
    /// Its fingerprint.
    pub(super) question: String,
    pub(super) value: Value,
}

impl Carried {
    pub(super) fn until(&self) -> Time {
        Time::from_millis(self.until)
    }

    pub(super) fn seal(&self, sealer: &Sealer, bound: &[u8; 32]) -> String {
        let content =
            serde_json::to_vec(self).expect("texts and JSON values are written to memory");
        sealer.seal(Use::State, &content, bound)
    }

    /// What a state holds that was sealed with the same `bound`.
    ///
    /// # Errors
    /// T0015 for every other text, in the same words.
    pub(super) fn open(sealer: &Sealer, state: &str, bound: &[u8; 32]) -> Result<Self> {
        let content = sealer.open(Use::State, state, bound)?;
        // One of another version of this program, whose form it does not know.
        serde_json::from_slice(&content).map_err(|_| Error::new(codes::INVALID_STATE))
    }
}
