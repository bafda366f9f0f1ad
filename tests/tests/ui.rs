//! What compiles and what does not, and what is said about it. The texts of rustc's own part are those of
//! the toolchain that the project is pinned to.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
    cases.compile_fail("ui/fail/*.rs");
}
