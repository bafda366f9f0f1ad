//! The command line of apps that have something wrong with them: what is said, where, and the exit code.
//! That of an app with nothing wrong is tested beside `examples/orders`.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

/// What a run prints and how it ends.
fn run(line: &[&str]) -> String {
    let mut shown = String::new();
    let ran = Command::new(env!("CARGO_BIN_EXE_small-apps"))
        .args(line)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .env("TENT_STORE__URL", "memory:")
        .env("TENT_WEB__ADDR", "127.0.0.1:0")
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    let _ = writeln!(shown, "$ {}", line.join(" "));
    for (name, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        let text = String::from_utf8_lossy(text);
        if !text.is_empty() {
            let _ = write!(shown, "--- {name}\n{text}");
        }
    }
    let _ = write!(shown, "--- exit {}", ran.status.code().unwrap_or(-1));
    shown
}

#[test]
fn k2_04_two_functions_of_one_name_are_a_problem_with_both_places() {
    let checked = run(&["taken", "check"]);
    insta::assert_snapshot!(checked);
    // Whatever needs the functions says the same, and does nothing else.
    for command in ["serve", "list", "call"] {
        let line: &[&str] = match command {
            "call" => &["taken", "call", "search"],
            command => &["taken", command],
        };
        let told = run(line);
        assert_eq!(
            told.lines().skip(1).collect::<Vec<_>>(),
            checked.lines().skip(1).collect::<Vec<_>>(),
            "{command}"
        );
    }
}

#[test]
fn a_state_that_nobody_handed_over_is_named_with_every_function_that_takes_it() {
    insta::assert_snapshot!(run(&["stateless", "check"]));
}

#[test]
fn k1_14_k1_23_an_input_that_no_client_takes_is_a_problem_at_start() {
    insta::assert_snapshot!(run(&["misshapen", "check"]));
}

#[test]
fn an_app_without_functions_does_not_start() {
    insta::assert_snapshot!(run(&["empty"]));
}

#[test]
fn k7_09_a_crate_that_brings_nothing_is_told_beside_every_other_problem() {
    let told = run(&["linked", "check"]);
    let problems: Vec<_> = told
        .lines()
        .filter_map(|line| line.strip_prefix("error: "))
        .collect();
    assert_eq!(
        problems
            .iter()
            .map(|problem| &problem[..5])
            .collect::<Vec<_>>(),
        ["T1001", "T1001", "T7012", "T7016", "T7016", "T7018"],
        "{told}"
    );
    assert_eq!(
        problems.last(),
        Some(&"T7018 no-functions: The crate anyhow was linked for its functions and has none")
    );
    assert!(told.ends_with("--- exit 1"), "{told}");
}

#[test]
fn k1_18_k2_01_k2_06_k2_08_what_clients_take_badly_is_warned_of() {
    insta::assert_snapshot!(run(&["warned", "check"]));
    let strict = run(&["warned", "check", "--strict"]);
    assert!(strict.ends_with("--- exit 1"), "{strict}");
}

#[test]
fn keys_can_be_made_whatever_is_wrong_with_the_functions() {
    let told = run(&["taken", "keys", "create", "--scope", "read"]);
    let [_, stdout, key, exit] = told.lines().collect::<Vec<_>>()[..] else {
        panic!("{told}");
    };
    assert_eq!((stdout, exit), ("--- stdout", "--- exit 0"));
    assert!(key.starts_with("tk_"), "{told}");
}
