//! Compiles programs with the libraries that Cargo has already built for a test.
//!
//! A second Cargo would build every dependency again, because another package, profile or target directory needs
//! artifacts of its own. Cargo passes the path of each library to the compiler of the test, and
//! `tent_rustc_arguments::rustc_arguments!()` keeps these arguments.

use std::path::Path;
use std::process::Command;

/// A compiler with the libraries of one test.
pub struct Rustc {
    libraries: Vec<String>,
}

impl Rustc {
    /// The compiler with the libraries that `arguments` name. `arguments` is the expansion of `rustc_arguments!()`.
    pub fn new(arguments: &str) -> Self {
        let mut libraries = Vec::new();
        let mut arguments = arguments.lines();
        while let Some(argument) = arguments.next() {
            if matches!(argument, "--extern" | "-L" | "--target") {
                libraries.push(argument.to_owned());
                libraries.extend(arguments.next().map(str::to_owned));
            }
        }
        Rustc { libraries }
    }

    /// The compiler without this library, so that a program can use another build of it.
    #[must_use]
    pub fn without(mut self, library: &str) -> Self {
        let prefix = format!("{library}=");
        let at = self
            .libraries
            .iter()
            .position(|argument| argument.starts_with(&prefix));
        if let Some(at) = at {
            self.libraries.drain(at - 1..=at);
        }
        self
    }

    /// A command that compiles this source file with every library of the test.
    pub fn command(&self, source: impl AsRef<Path>) -> Command {
        let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        command.arg(source.as_ref()).args(&self.libraries);
        command
    }
}

/// Runs a command that must succeed, and returns what it prints.
///
/// # Panics
/// If the command does not start, fails, or prints text that is not UTF-8.
pub fn output_of(command: &mut Command) -> String {
    let output = command.output().expect("the command starts");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{log}");
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}
