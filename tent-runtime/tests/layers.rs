//! The order of the modules, held: each imports only those that stand above it in `src/lib.rs`, and only
//! the door calls what a user wrote.

use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file of a module, with its text.
fn files(module: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![source().join(format!("{module}.rs")), source().join(module)];
    open.retain(|path| path.exists());
    assert!(!open.is_empty(), "the module {module} has a file");
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a module's folder can be read");
            open.extend(entries.map(|entry| entry.expect("an entry can be read").path()));
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file is text");
            found.push((path, text));
        }
    }
    found
}

/// The modules, in the order in which `lib.rs` declares them.
fn modules() -> Vec<String> {
    let lib = fs::read_to_string(source().join("lib.rs")).expect("lib.rs is text");
    let declared = lib.lines().filter_map(|line| {
        let line = line.trim();
        let name = line
            .strip_prefix("pub mod ")
            .or_else(|| line.strip_prefix("mod "))?;
        name.strip_suffix(';').map(str::to_owned)
    });
    declared.collect()
}

/// The first words after each `crate::` in a text, those of a braced list among them; comments left out.
fn named(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut named = Vec::new();
    for (at, found) in code.match_indices("crate::") {
        // `::tent_runtime::crate::` does not exist, but `other_crate::` does.
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + found.len()..];
        match rest.strip_prefix('{') {
            Some(list) => named.extend(heads(list)),
            None => named.push(word(rest)),
        }
    }
    named
}

/// The first word of each item of a braced list, at its own depth.
fn heads(list: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let (mut depth, mut start) = (1, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            let item = list[start..at].trim();
            heads.extend((!item.is_empty()).then(|| word(item)));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    heads
}

fn word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

#[test]
fn each_module_imports_only_those_above_it() {
    let modules = modules();
    assert!(
        modules.len() > 10,
        "lib.rs declares its modules one a line: {modules:?}"
    );
    let place = |module: &str| modules.iter().position(|one| one == module);
    let mut wrong = Vec::new();
    for (at, module) in modules.iter().enumerate() {
        for (path, text) in files(module) {
            for other in named(&text) {
                if place(&other).is_some_and(|other| other > at) {
                    wrong.push(format!(
                        "{} names crate::{other}, which stands below {module}",
                        path.display()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_dispatch_calls_a_handler() {
    let mut callers = Vec::new();
    for module in modules() {
        for (path, text) in files(&module) {
            if text.contains("handler.call(") {
                callers.push(
                    path.strip_prefix(source())
                        .expect("it is in src")
                        .to_owned(),
                );
            }
        }
    }
    assert_eq!(callers, [Path::new("dispatch").join("run.rs")]);
}

#[test]
fn what_is_named_is_read_right() {
    let text =
        "use crate::{a, b::{c, d}};\n// crate::no\nfn f() { crate::e::g(); other_crate::h(); }";
    assert_eq!(named(text), ["a", "b", "e"]);
}
