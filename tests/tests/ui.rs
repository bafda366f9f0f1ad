//! What compiles and what does not, and what is said about it.

/// The toolchain whose texts the `.stderr` files hold. Another words its own part in another way; tent's own
/// part is tested without a compiler, beside the macros.
const TOOLCHAIN: &str = "rustc 1.95.";

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
    let version = std::process::Command::new(std::env::var("RUSTC").unwrap_or("rustc".into()))
        .arg("--version")
        .output()
        .expect("there is a compiler where tests are compiled");
    if version.stdout.starts_with(TOOLCHAIN.as_bytes()) {
        cases.compile_fail("ui/fail/*.rs");
    } else {
        eprintln!("ui/fail is left out: its texts are those of {TOOLCHAIN}x");
    }
}
