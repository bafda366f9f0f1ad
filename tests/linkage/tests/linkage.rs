//! Which functions are linked: all functions of a crate that the program names, and none of a crate that it does not
//! name, in every kind of build.

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

// A test below shows that this line alone links the functions into this test.
use linkage_tools as _;
use tent_tests::rustc::{Rustc, output_of};

const FUNCTIONS: [&str; 4] = [
    "function at_the_root",
    "function further_down",
    "function in_a_module",
    "function in_a_private_module",
];
const LINKED: [&str; 5] = [
    FUNCTIONS[0],
    FUNCTIONS[1],
    FUNCTIONS[2],
    FUNCTIONS[3],
    "link linkage_tools",
];

/// What each program has to print, by its name.
const PROGRAMS: [(&str, &[&str]); 3] =
    [("unnamed", &[]), ("used", &FUNCTIONS), ("linked", &LINKED)];

fn check(name: &str, expected: &[&str], program: &Path, build: &str) {
    let printed = output_of(&mut Command::new(program));
    let printed: Vec<&str> = printed.lines().collect();
    assert_eq!(printed, expected, "{name}, {build}");
}

/// Builds the crate of functions and the programs with this optimisation and number of codegen units, on the libraries
/// that Cargo has built for this test.
fn check_development(optimisation: u8, units: u16) {
    let build = format!("opt-level={optimisation}, codegen-units={units}");
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("linkage-{optimisation}-{units}"));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let rustc = Rustc::new(tent_rustc_arguments::rustc_arguments!()).without("linkage_tools");
    let compile = |source: &str, arguments: &[String]| {
        let mut command = rustc.command(Path::new(env!("CARGO_MANIFEST_DIR")).join(source));
        command
            .arg(format!("-Copt-level={optimisation}"))
            .arg(format!("-Ccodegen-units={units}"))
            .arg("--out-dir")
            .arg(&folder)
            .args(arguments);
        output_of(&mut command);
    };
    let text = |argument: &str| argument.to_owned();
    compile(
        "tools/src/lib.rs",
        &[
            "--crate-type=rlib",
            "--crate-name=linkage_tools",
            "--edition=2021",
        ]
        .map(text),
    );
    let tools = folder.join("liblinkage_tools.rlib");
    for (name, expected) in PROGRAMS {
        let tools = format!("--extern=linkage_tools={}", tools.display());
        compile(
            &format!("src/bin/{name}.rs"),
            &[text("--crate-type=bin"), text("--edition=2024"), tools],
        );
        check(name, expected, &folder.join(name), &build);
    }
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

/// The two packages optimised and with link-time optimisation, on dependencies that are not optimised: the test holds
/// what the linker drops of the two. Link-time optimisation needs dependencies with bitcode, so Cargo builds these.
fn check_release(units: u16) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut settings = vec![
        "profile.linkage.inherits='release'".to_owned(),
        "profile.linkage.opt-level=0".to_owned(),
        "profile.linkage.codegen-units=16".to_owned(),
    ];
    for package in ["linkage-tools", "tent-linkage"] {
        settings.push(format!("profile.linkage.package.{package}.opt-level=3"));
        settings.push(format!(
            "profile.linkage.package.{package}.codegen-units={units}"
        ));
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("the folder for tests lies in the target folder");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([
            "build",
            "--offline",
            "--quiet",
            "--bins",
            "--profile=linkage",
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
        );
    output_of(&mut cargo);
    for (name, expected) in PROGRAMS {
        let program = target.join("linkage").join(name);
        check(
            name,
            expected,
            &program,
            &format!("released, codegen-units={units}"),
        );
    }
}

// K7-09 in the development profile.
#[test]
fn links_named_crates_in_the_development_profile() {
    for ((name, expected), program) in PROGRAMS.into_iter().zip([
        env!("CARGO_BIN_EXE_unnamed"),
        env!("CARGO_BIN_EXE_used"),
        env!("CARGO_BIN_EXE_linked"),
    ]) {
        check(name, expected, Path::new(program), "development");
    }
}

// K7-09 in each build that orders or drops object files differently.
#[test]
fn links_named_crates_unoptimised_in_one_unit() {
    check_development(0, 1);
}

#[test]
fn links_named_crates_unoptimised_in_sixteen_units() {
    check_development(0, 16);
}

#[test]
fn links_named_crates_optimised_in_one_unit() {
    check_development(3, 1);
}

#[test]
fn links_named_crates_optimised_in_sixteen_units() {
    check_development(3, 16);
}

#[test]
fn links_named_crates_released_in_one_unit() {
    check_release(1);
}

#[test]
fn links_named_crates_released_in_sixteen_units() {
    check_release(16);
}

// K7-09 in a test.
#[test]
fn links_named_crates_into_a_test() {
    let linked: Vec<String> = tent_linkage::linked().lines().map(str::to_owned).collect();
    assert_eq!(linked, FUNCTIONS);
}
