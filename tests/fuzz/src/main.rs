//! Runs the fuzz targets for a while: `cargo run -p tent-fuzz [TARGET]...`. See the README of this folder.

mod engine;
mod harness;
mod targets;

use std::process::{Child, Command, ExitCode};

use engine::Settings;
use targets::TARGETS;

/// The argument before the name of the one target that a process runs.
const ONE: &str = "--one";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let settings = Settings::from_env();
    if let [one, name] = &arguments[..]
        && one == ONE
    {
        let Some((_, make)) = TARGETS.iter().find(|(known, _)| known == name) else {
            return usage();
        };
        engine::run(name, &mut *make(), &settings);
        return ExitCode::SUCCESS;
    }
    let is_target = |name: &String| TARGETS.iter().any(|(known, _)| known == name);
    if !arguments.iter().all(is_target) {
        return usage();
    }
    let names = TARGETS.iter().map(|(name, _)| *name);
    let names =
        names.filter(|&name| arguments.is_empty() || arguments.iter().any(|one| one == name));
    run_all(names.collect(), settings.jobs)
}

fn usage() -> ExitCode {
    let names: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
    eprintln!("usage: fuzz [TARGET]...\ntargets: {}", names.join(", "));
    ExitCode::FAILURE
}

/// Runs each target in a process of its own, a few at a time: a crash of one, also an overflow of its stack, ends only
/// its own process.
fn run_all(mut names: Vec<&'static str>, jobs: usize) -> ExitCode {
    names.reverse();
    let mut code = ExitCode::SUCCESS;
    let mut running: Vec<(&str, Child)> = Vec::new();
    while !names.is_empty() || !running.is_empty() {
        while running.len() < jobs
            && let Some(name) = names.pop()
        {
            let program = std::env::current_exe().expect("a program has a path");
            let child = Command::new(program).args([ONE, name]).spawn();
            running.push((name, child.expect("this program starts")));
        }
        let (name, mut child) = running.remove(0);
        let status = child.wait().expect("a child ends");
        if !status.success() {
            eprintln!(
                "{name} failed ({status}); its input is in {}",
                engine::input_file(name).display()
            );
            code = ExitCode::FAILURE;
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each input of the corpus, and a few mutations of it.
    #[test]
    fn the_corpus_passes() {
        for (name, make) in TARGETS {
            engine::replay(name, &mut *make(), 200);
        }
    }
}
