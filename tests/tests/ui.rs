//! What compiles and what does not, and what the compiler reports.
//!
//! Each file in `ui/pass` is a program that compiles and runs. Each file in `ui/fail` does not compile, and the `.stderr`
//! file beside it has the report. To write these files anew, set `TENT_WRITE_UI=1` and run this test.

mod ui {
    pub(crate) mod report;
}

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tent_tests::rustc::{Rustc, output_of};

use ui::report::normalized;

/// The toolchain whose texts the `.stderr` files hold. Another toolchain words its own part differently. The tests in
/// `tent-macros` hold tent's part without a compiler.
const TOOLCHAIN: &str = "rustc 1.95.";

/// Set this variable to write the `.stderr` files.
const WRITE: &str = "TENT_WRITE_UI";

const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

fn rustc(source: &str) -> Command {
    let mut command =
        Rustc::new(tent_rustc_arguments::rustc_arguments!()).command(format!("tests/{source}"));
    // The libraries of the workspace hold paths from its folder, where Cargo built them.
    command
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .args(["--edition=2024", "--crate-type=bin", "-Adead_code"])
        .args(["--color=never", "--diagnostic-width=140", "--verbose"]);
    command
}

/// The source files of this folder, as paths from the package.
fn cases(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(Path::new(PACKAGE).join(folder)).expect("the folder is there");
    let mut cases: Vec<String> = entries
        .map(|entry| entry.expect("the folder can be read").file_name())
        .map(|name| format!("{folder}/{}", name.to_str().expect("names are UTF-8")))
        .filter(|path| path.ends_with(".rs"))
        .collect();
    cases.sort();
    assert!(!cases.is_empty(), "{folder} has cases");
    cases
}

/// Runs `check` for each case on as many threads as there are cores, and fails with the reports of all that fail.
fn check_all(folder: &str, check: fn(&str) -> Result<(), String>) {
    let cases = cases(folder);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failures = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            failures.extend(check(case).err().map(|report| format!("{case}\n{report}")));
        }
        failures
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a case does not panic"))
            .collect()
    });
    let count = failures.len();
    assert!(
        failures.is_empty(),
        "{count} cases fail:\n\n{}",
        failures.join("\n\n")
    );
}

fn check_passing(case: &str) -> Result<(), String> {
    let program: PathBuf =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(case.replace(['/', '.'], "-"));
    let compiled = rustc(case)
        .arg("-o")
        .arg(&program)
        .output()
        .expect("rustc starts");
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let ran = Command::new(&program).output().expect("the program starts");
    let _ = std::fs::remove_file(program);
    match ran.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&ran.stderr).into_owned()),
    }
}

fn check_failing(case: &str) -> Result<(), String> {
    // The program is not written, but checked up to the point where it could be: some errors come late.
    let mut command = rustc(case);
    let compiled = command
        .args(["--emit=metadata", "-o", "/dev/null"])
        .output()
        .expect("rustc starts");
    if compiled.status.success() {
        return Err("it compiles".to_owned());
    }
    let report = normalized(&String::from_utf8_lossy(&compiled.stderr), case);
    let path = Path::new(PACKAGE).join(case).with_extension("stderr");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &report).expect("the report can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    match report == expected {
        true => Ok(()),
        false => Err(format!(
            "EXPECTED\n{expected}\nACTUAL ({WRITE}=1 writes it)\n{report}"
        )),
    }
}

#[test]
fn accepted_programs_compile_and_run() {
    check_all("ui/pass", check_passing);
}

#[test]
fn rejected_programs_get_their_report() {
    let version = output_of(Command::new("rustc").arg("--version"));
    if version.starts_with(TOOLCHAIN) {
        check_all("ui/fail", check_failing);
    } else {
        eprintln!("ui/fail is skipped: its reports are those of {TOOLCHAIN}x");
    }
}
