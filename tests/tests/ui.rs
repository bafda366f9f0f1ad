//! What the macros take and what they refuse, with the words of each refusal.
//!
//! The words are those of the pinned toolchain; `TRYBUILD=overwrite` writes them anew, to be read before
//! they are committed.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
    cases.compile_fail("ui/fail/*.rs");
}
