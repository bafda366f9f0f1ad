//! What the macros take and what they refuse, with the words of each refusal.
//!
//! Part of the words are rustc's own, and those change from one toolchain to the next. So what is refused is
//! compared on one toolchain alone; `TRYBUILD=overwrite` writes the words anew, to be read before they are
//! committed. What compiles has to compile on every one.

use std::process::Command;

/// The toolchain whose words the `.stderr` files hold.
const WORDS_OF: &str = "1.95.";

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if version.starts_with(&format!("rustc {WORDS_OF}")) {
        cases.compile_fail("ui/fail/*.rs");
    } else {
        println!("{version} is not {WORDS_OF}x: the words of refusals are not compared");
    }
}
