//! Calls that run once: claims, and the repeats that wait for them.
//!
//! MRTR retries use it: a retry with a `requestState` that arrived before gets the stored outcome. Nothing here runs a
//! function or knows a wire format.
//!
//! ```text
//!  call ──► Claims::take ──► no record ──► claim in the store ──► Claim: run it ──► Claim::complete
//!               │                            │ refused
//!               │ ◄──────────────────────────┘
//!               ├──► completed ──► the stored outcome
//!               ├──► running ────► wait: in this process for its Turn, else by polling; T0009 at the deadline
//!               └──► lease over ─► T0011: the outcome is unknown
//! ```

mod call_claim;
mod claims;
mod outcome;

pub(crate) use call_claim::{CallClaim, ClaimedCall, Entered};
pub(crate) use claims::{Claim, Claims, Taken, ToClaim};
pub(crate) use outcome::Recorded;
