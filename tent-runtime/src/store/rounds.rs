//! What a store keeps of rounds: who claimed one, what came of it, and how much of it there may be.
//!
//! The bounds are kept here, so that every store has the same. What an outcome holds is not known here.

use crate::clock::Time;

/// The most bytes of one outcome.
pub const MOST_OUTCOME: usize = 256 << 10;

/// The most that a store keeps of rounds at once.
///
/// A round counts for as long as it is kept, and with [`MOST_OUTCOME`] bytes until its outcome is there, so that no
/// outcome finds the store full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// How many.
    pub rounds: usize,
    /// Their outcomes, in bytes.
    pub bytes: usize,
}

impl Most {
    /// Of one caller. A round is kept for about ten minutes longer than `limits.ask_time`, so by default one caller may
    /// answer three questions each second without an end, and have 128 calls run at once.
    pub const OF_CALLER: Most = Most {
        rounds: 4096,
        bytes: 32 << 20,
    };

    /// Of all callers: what a server has the room for.
    pub const OF_ALL: Most = Most {
        rounds: 1 << 16,
        bytes: 1 << 30,
    };

    /// Whether one more is too much beside so many of so many bytes.
    pub(super) fn is_full(self, rounds: usize, bytes: usize) -> bool {
        rounds >= self.rounds || bytes.saturating_add(MOST_OUTCOME) > self.bytes
    }
}

/// What a store holds claims to: [`Most`] of each caller and of all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) of_caller: Most,
    pub(super) of_all: Most,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            of_caller: Most::OF_CALLER,
            of_all: Most::OF_ALL,
        }
    }
}

/// A round that is to be claimed.
#[derive(Clone, Copy, Debug)]
pub struct RoundClaim<'a> {
    /// What it is known by.
    pub nonce: &'a [u8],
    /// The caller it counts on, by a digest.
    pub caller: &'a [u8; 32],
    /// When whoever claims it has ended, one way or the other.
    pub lease: Time,
    /// Until when it is kept.
    pub until: Time,
    /// The present moment: what was kept until before it may be forgotten.
    pub now: Time,
}

/// How a round stands that was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundState {
    /// Whoever claimed it has not told its outcome, and has ended by this time.
    Running(Time),
    /// It has ended, with this outcome.
    Ended(Vec<u8>),
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is the caller's: nobody claimed it before.
    Taken,
    /// Somebody claimed it before.
    Before(RoundState),
    /// It was not claimed, since there are too many already: of this caller, or of all.
    Full {
        /// Whether they are this caller's own.
        of_caller: bool,
        /// When the first of those is forgotten.
        until: Time,
    },
}
