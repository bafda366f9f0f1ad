//! What the sealed texts of rounds hold: the state that a client carries from one round to the next, and the
//! outcome of a round in the store.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tent_core::codes;

use crate::clock::Time;
use crate::error::{Error, Result};
use crate::seal::{Sealer, Use};
use crate::store::idempotency::MOST_OUTCOME;

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

/// The outcome of a round as it is kept: a result that is written already, or a failure that is none.
#[derive(Serialize, Deserialize)]
pub(super) enum Outcome<'a> {
    #[serde(borrow)]
    Result(Cow<'a, RawValue>),
    Failure {
        code: String,
        message: String,
        fix: String,
        fields: Map<String, Value>,
    },
}

impl Outcome<'_> {
    /// Sealed, so that who reads the store does not read what functions gave. One that is too large is kept as T0011,
    /// which says so.
    pub(super) fn seal(sealer: &Sealer, nonce: &[u8], outcome: Result<Vec<u8>>) -> Vec<u8> {
        let outcome = match outcome {
            Ok(result) => String::from_utf8(result)
                .ok()
                .and_then(|result| RawValue::from_string(result).ok())
                .map_or_else(
                    || Outcome::failure(&Error::new(codes::OUTCOME_UNKNOWN)),
                    |result| Outcome::Result(Cow::Owned(result)),
                ),
            Err(error) => Outcome::failure(&error),
        };
        let sealed = outcome.sealed(sealer, nonce);
        if sealed.len() <= MOST_OUTCOME {
            return sealed;
        }
        let error = Error::new(codes::OUTCOME_UNKNOWN)
            .with_message(
                "This call ran before, and its answer was too large to be kept, so it cannot be given again.",
            )
            .with_fix("Look whether it took effect; to run it again, call without the state.");
        Outcome::failure(&error).sealed(sealer, nonce)
    }

    fn sealed(&self, sealer: &Sealer, nonce: &[u8]) -> Vec<u8> {
        let content =
            serde_json::to_vec(self).expect("texts and JSON values are written to memory");
        sealer.seal(Use::State, &content, &bound(nonce)).into()
    }

    fn failure(error: &Error) -> Self {
        Outcome::Failure {
            code: error.code().to_owned(),
            message: error.message().to_owned(),
            fix: error.fix().to_owned(),
            fields: error.fields().clone(),
        }
    }

    /// What was sealed for the round of this nonce.
    ///
    /// # Errors
    /// T0012 where it cannot be read: the store is not this server's any more.
    pub(super) fn open(sealer: &Sealer, nonce: &[u8], kept: &[u8]) -> Result<Result<Vec<u8>>> {
        let unreadable = |_| Error::unexpected("the outcome of a round cannot be read");
        let kept = std::str::from_utf8(kept)
            .map_err(|_| Error::unexpected("the outcome of a round is no text"))?;
        let content = sealer
            .open(Use::State, kept, &bound(nonce))
            .map_err(unreadable)?;
        let outcome: Outcome<'_> = serde_json::from_slice(&content)?;
        Ok(match outcome {
            Outcome::Result(result) => Ok(result.get().as_bytes().to_vec()),
            Outcome::Failure {
                code,
                message,
                fix,
                fields,
            } => {
                let code = codes::find(&code).unwrap_or(codes::OUTCOME_UNKNOWN);
                let error = Error::new(code).with_message(message).with_fix(fix);
                let fields = fields.into_iter();
                Err(fields.fold(error, |error, (name, value)| error.with_field(name, value)))
            }
        })
    }
}

/// Unlike what any state is bound to, which has 32 bytes.
fn bound(nonce: &[u8]) -> Vec<u8> {
    [b"the outcome of a round ", nonce].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Secret;

    #[test]
    fn an_outcome_is_what_it_was_for_its_round_alone() {
        let sealer = Sealer::new(&[Secret::random()]).expect("one secret");
        let kept = Outcome::seal(&sealer, b"a", Ok(br#"{"x": [1]}"#.to_vec()));
        let opened = Outcome::open(&sealer, b"a", &kept).expect("it opens");
        assert_eq!(opened.expect("a result"), br#"{"x": [1]}"#);
        assert_eq!(
            Outcome::open(&sealer, b"b", &kept)
                .expect_err("another")
                .code(),
            "T0012"
        );

        let error = Error::new(codes::NOT_ALLOWED)
            .with_message("No.")
            .with_field("scopes", vec!["read"]);
        let kept = Outcome::seal(&sealer, b"a", Err(error.clone()));
        let opened = Outcome::open(&sealer, b"a", &kept).expect("it opens");
        let opened = opened.expect_err("a failure");
        assert_eq!(
            (
                opened.code(),
                opened.message(),
                opened.fix(),
                opened.fields()
            ),
            (error.code(), "No.", error.fix(), error.fields())
        );
    }

    #[test]
    fn an_outcome_that_is_too_large_is_kept_as_a_short_failure() {
        let sealer = Sealer::new(&[Secret::random()]).expect("one secret");
        let large = format!("\"{}\"", "x".repeat(MOST_OUTCOME));
        let failure = Error::new(codes::NOT_ALLOWED).with_message(large.clone());
        for outcome in [Ok(large.into_bytes()), Err(failure)] {
            let kept = Outcome::seal(&sealer, b"a", outcome);
            assert!(kept.len() < 1024, "{}", kept.len());
            let opened = Outcome::open(&sealer, b"a", &kept).expect("it opens");
            let opened = opened.expect_err("a failure");
            assert_eq!(opened.code(), "T0011");
            assert!(opened.message().contains("too large to be kept"));
        }
    }
}
