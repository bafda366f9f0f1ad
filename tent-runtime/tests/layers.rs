//! The layout of the crate: a module imports only modules above it, a folder of `mcp` imports only folders above it, and
//! only `dispatch` runs a function of the app.
//!
//! The tests read the source as text. The order is the one in which `lib.rs` and `mcp/mod.rs` declare their modules.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules whose parts have an order: the crate itself, and `mcp`.
const LAYERED: [&[&str]; 2] = [&[], &["mcp"]];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file below this folder, with its text.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder of the source can be read");
            open.extend(entries.map(|entry| entry.expect("an entry can be read").path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file is text");
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// The module of a source file, as a path from the crate.
fn module_of(file: &Path) -> Vec<String> {
    let file = file.strip_prefix(source()).expect("it is in src");
    let parts = file.with_extension("");
    let parts = parts.iter().map(|part| part.to_string_lossy().into_owned());
    parts
        .filter(|part| !matches!(&**part, "mod" | "lib"))
        .collect()
}

/// The modules that a module declares, in their order.
fn declared(module: &[&str]) -> Vec<String> {
    let folder = module
        .iter()
        .fold(source(), |folder, part| folder.join(part));
    let file = match module {
        [] => folder.join("lib.rs"),
        _ => folder.join("mod.rs"),
    };
    let text = fs::read_to_string(file).expect("the file of a module is text");
    let names = text.lines().filter_map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
        let name = line.strip_prefix("mod ")?.strip_suffix(';')?;
        Some(name.to_owned())
    });
    names.collect()
}

/// Every path of the crate that a file names, from the crate: what follows `crate::` and `super::`, each item of a braced
/// list separately, comments left out.
fn named(text: &str, module: &[String]) -> Vec<Vec<String>> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut named = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, found) in code.match_indices(start) {
            // Neither `other_crate::` nor the second `super::` of a path.
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let mut rest = &code[at + found.len()..];
            let mut base = match start {
                "crate::" => Vec::new(),
                _ => module[..module.len().saturating_sub(1)].to_vec(),
            };
            while let Some(above) = rest.strip_prefix("super::") {
                base.pop();
                rest = above;
            }
            expand(rest, &base, &mut named);
        }
    }
    named
}

/// Appends each path of the tree that `text` begins with.
fn expand(text: &str, base: &[String], paths: &mut Vec<Vec<String>>) {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        for item in items(list) {
            expand(item, base, paths);
        }
        return;
    }
    let name: String = text
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    let rest = &text[name.len()..];
    let mut path = base.to_vec();
    path.push(name);
    match rest.strip_prefix("::") {
        Some(rest) => expand(rest, &path, paths),
        None => paths.push(path),
    }
}

/// The items of a braced list, whose opening brace is left out.
fn items(list: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut depth, mut start) = (1, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            items.push(list[start..at].trim());
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

#[test]
fn each_module_imports_only_modules_above_it() {
    let mut wrong = Vec::new();
    for layered in LAYERED {
        let order = declared(layered);
        assert!(order.len() >= 6, "{layered:?} declares a module a line");
        let place = |path: &[String]| {
            let child = path.get(layered.len())?;
            let inside = path.iter().zip(layered).all(|(part, layer)| part == layer);
            order.iter().position(|one| inside && one == child)
        };
        for (file, text) in files(&source()) {
            let module = module_of(&file);
            // A test may start the whole app.
            if module.iter().any(|part| part == "tests") {
                continue;
            }
            let Some(at) = place(&module) else { continue };
            for path in named(&text, &module) {
                if place(&path).is_some_and(|other| other > at) {
                    wrong.push(format!("{} names {}", file.display(), path.join("::")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_dispatch_calls_a_handler() {
    let callers: Vec<PathBuf> = files(&source())
        .into_iter()
        .filter(|(_, text)| text.contains("handler.call("))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(callers, [source().join("dispatch").join("run.rs")]);
}

#[test]
fn reads_the_paths_of_a_file() {
    let text = "use crate::{a, b::{c, d}};\n// crate::no\nfn f() { crate::e::g(); other_crate::h(); }\n\
                use super::i;\nuse super::super::{j, k::l};";
    let module = ["x", "y", "z"].map(str::to_owned);
    let paths: Vec<String> = named(text, &module)
        .iter()
        .map(|path| path.join("::"))
        .collect();
    assert_eq!(
        paths,
        ["a", "b::c", "b::d", "e::g", "x::y::i", "x::j", "x::k::l"]
    );
}
