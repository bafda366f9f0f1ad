//! Which functions are linked: all of a crate that is named, none of one that is not, however the
//! program is built.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// What this test itself is linked with is shown by a case below.
use linkage_tools as _;

const FUNCTIONS: &str = "function at_the_root
function further_down
function in_a_module
function in_a_private_module
";

/// All builds put their programs in one place, so one is built and run at a time.
static BUILD: Mutex<()> = Mutex::new(());

/// Builds the programs with these settings and holds what each shows against what it has to.
fn check(settings: &[String], arguments: &[&str]) {
    let _one = BUILD.lock().unwrap_or_else(PoisonError::into_inner);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("the folder for tests lies in the target folder");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([
            "build",
            "--offline",
            "--bins",
            "--message-format=json",
            "--target-dir",
        ])
        .arg(target)
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ])
        .args(
            settings
                .iter()
                .flat_map(|setting| ["--config", setting.as_str()]),
        )
        .args(arguments);
    let output = cargo.output().expect("cargo starts");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{cargo:?}\n{log}");
    let built = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    assert_eq!(shown(&built, "unnamed"), "", "{settings:?} {arguments:?}");
    assert_eq!(
        shown(&built, "used"),
        FUNCTIONS,
        "{settings:?} {arguments:?}"
    );
    assert_eq!(
        shown(&built, "linked"),
        format!("{FUNCTIONS}link linkage_tools\n"),
        "{settings:?} {arguments:?}"
    );
}

/// What the program of this name shows. `built` is what cargo says of each thing that it built.
fn shown(built: &str, name: &str) -> String {
    let program = built
        .lines()
        .map(|line| {
            tent::serde_json::from_str::<tent::serde_json::Value>(line).expect("JSON lines")
        })
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .unwrap_or_else(|| panic!("cargo built no {name}"));
    let output = Command::new(program).output().expect("it starts");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("it shows UTF-8")
}

/// Settings of the two packages alone: what they depend on stays as it is, and is built once.
fn of_the_packages(profile: &str, optimised: u8, units: u16) -> Vec<String> {
    ["linkage-tools", "tent-linkage"]
        .iter()
        .flat_map(|package| {
            [
                format!("profile.{profile}.package.{package}.opt-level={optimised}"),
                format!("profile.{profile}.package.{package}.codegen-units={units}"),
            ]
        })
        .collect()
}

fn check_packages(optimised: u8, units: u16) {
    check(&of_the_packages("dev", optimised, units), &[]);
}

/// Release with its link-time optimisation, in a profile of its own whose other packages are not
/// optimised: what counts is what the linker drops of the two.
fn check_release(units: u16) {
    let mut settings = vec![
        "profile.linkage.inherits='release'".to_owned(),
        "profile.linkage.opt-level=0".to_owned(),
        "profile.linkage.codegen-units=16".to_owned(),
    ];
    settings.extend(of_the_packages("linkage", 3, units));
    check(&settings, &["--profile", "linkage"]);
}

#[test]
fn k7_09_as_the_development_profile_has_it() {
    check(&[], &[]);
}

#[test]
fn k7_09_unoptimised_in_one_unit() {
    check_packages(0, 1);
}

#[test]
fn k7_09_unoptimised_in_sixteen_units() {
    check_packages(0, 16);
}

#[test]
fn k7_09_optimised_in_one_unit() {
    check_packages(3, 1);
}

#[test]
fn k7_09_optimised_in_sixteen_units() {
    check_packages(3, 16);
}

#[test]
fn k7_09_released_in_one_unit() {
    check_release(1);
}

#[test]
fn k7_09_released_in_sixteen_units() {
    check_release(16);
}

#[test]
fn k7_09_in_a_test() {
    assert_eq!(tent_linkage::linked(), FUNCTIONS);
}
