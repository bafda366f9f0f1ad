//! What the macros write, run: parameters, answers, failures, options, hygiene.

#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, unreachable_pub, clippy::pedantic)]
#![allow(
    clippy::unnecessary_wraps,
    clippy::unused_async,
    clippy::needless_pass_by_value,
    reason = "an async function and owned parameters are what is tested"
)]

mod functions {
    mod answers;
    mod editions;
    mod hygiene;
    mod icons;
    mod options;
    mod parameters;
    mod served;
}
