//! [`Recorded`]: the outcome of a claimed call as the store holds it, before any wire format.
//!
//! What `/mcp` recorded, another endpoint can replay. Must not know a wire format.
//!
//! The stored bytes are a format byte and a sealed text: who reads the store does not read what functions returned.

mod form;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tent_core::codes;

use self::form::{ErrorForm, OutputForm};
use crate::error::{Error, Result};
use crate::function::Output;
use crate::seal::{Sealer, Use};
use crate::store::idempotency::MOST_OUTCOME;

/// The first stored byte: the format of the rest.
const FORMAT: u8 = 1;

/// The outcome of a claimed call.
#[derive(Debug)]
pub(crate) enum Recorded {
    /// The function ended.
    Ended(Result<Output>),
    /// The function waits for input: what the endpoint needs to send the same input requests again. It is opaque here.
    InputRequired(Box<RawValue>),
}

impl Recorded {
    /// Seals an outcome for the call of this key. An outcome that is too large to be stored becomes T0011, which says so.
    pub(crate) fn seal(&self, sealer: &Sealer, key: &[u8]) -> Vec<u8> {
        let form = match self {
            Recorded::Ended(Ok(output)) => Form::Output(output.into()),
            Recorded::Ended(Err(error)) => Form::Error(error.into()),
            Recorded::InputRequired(requests) => Form::InputRequired(requests.clone()),
        };
        let sealed = form.seal(sealer, key);
        if sealed.len() <= MOST_OUTCOME {
            return sealed;
        }
        let error = Error::new(codes::OUTCOME_UNKNOWN)
            .with_message("This call ran before, and its result was too large to be stored.")
            .with_fix(
                "Check whether the call took effect. To run it again, send it as a new call.",
            );
        Form::Error((&error).into()).seal(sealer, key)
    }

    /// Opens the outcome of the call of this key.
    ///
    /// # Errors
    /// T0011 for an outcome that this server cannot read: one in the format of another version, one that was sealed with
    /// a secret that this server does not have, or one of another call. The call ran, so no other error would be true.
    pub(crate) fn open(sealer: &Sealer, key: &[u8], stored: &[u8]) -> Result<Self> {
        Self::read(sealer, key, stored).ok_or_else(|| {
            tracing::error!("the outcome of a claimed call cannot be read: its format or its secret is not this server's");
            Error::new(codes::OUTCOME_UNKNOWN)
        })
    }

    fn read(sealer: &Sealer, key: &[u8], stored: &[u8]) -> Option<Self> {
        let (&FORMAT, text) = stored.split_first()? else {
            return None;
        };
        let text = std::str::from_utf8(text).ok()?;
        let content = sealer.open(Use::State, text, &associated(key)).ok()?;
        Some(match serde_json::from_slice(&content).ok()? {
            Form::Output(output) => Recorded::Ended(Ok(output.restore()?)),
            Form::Error(error) => Recorded::Ended(Err(error.restore()?)),
            Form::InputRequired(requests) => Recorded::InputRequired(requests),
        })
    }
}

/// The associated data of the seal. A `requestState` has 32 bytes of it, so neither can stand for the other.
fn associated(key: &[u8]) -> Vec<u8> {
    [b"the outcome of the claimed call ", key].concat()
}

#[derive(Serialize, Deserialize)]
enum Form {
    Output(OutputForm),
    Error(ErrorForm),
    InputRequired(Box<RawValue>),
}

impl Form {
    fn seal(&self, sealer: &Sealer, key: &[u8]) -> Vec<u8> {
        let content =
            serde_json::to_vec(self).expect("texts and JSON values are written to memory");
        let sealed = sealer.seal(Use::State, &content, &associated(key));
        [&[FORMAT], sealed.as_bytes()].concat()
    }
}

#[cfg(test)]
mod tests;
