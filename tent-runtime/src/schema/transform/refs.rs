//! References: finds recursive definitions, names them, and inlines the others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The definitions of a document.
pub(super) struct Definitions {
    raw: Map<String, Value>,
    /// The recursive definitions, with the names that they are published under.
    recursive: BTreeMap<String, String>,
}

impl Definitions {
    pub(super) fn new(raw: Map<String, Value>) -> Self {
        let edges: BTreeMap<&str, BTreeSet<String>> = raw
            .iter()
            .map(|(name, schema)| {
                let mut found = BTreeSet::new();
                references(schema, &mut found);
                (name.as_str(), found)
            })
            .collect();
        let mut recursive = BTreeMap::new();
        for name in raw.keys().filter(|name| contains_itself(name, &edges)) {
            let taken: BTreeSet<&String> = recursive.values().collect();
            let plain = plain(name);
            let free = (1..)
                .map(|n| match n {
                    1 => plain.clone(),
                    n => format!("{plain}{n}"),
                })
                .find(|name| !taken.contains(name))
                .unwrap_or(plain);
            recursive.insert(name.clone(), free);
        }
        Definitions { raw, recursive }
    }

    /// The definition that `reference` points to.
    pub(super) fn find(&self, reference: &str) -> Option<(String, &Value)> {
        let name = target(reference)?;
        self.raw.get(&name).map(|schema| (name, schema))
    }

    /// The published name of a recursive definition; `None` for the others.
    pub(super) fn kept_as(&self, name: &str) -> Option<&str> {
        self.recursive.get(name).map(String::as_str)
    }
}

/// The name of the definition that a reference points to, unescaped.
fn target(reference: &str) -> Option<String> {
    let name = reference.strip_prefix("#/$defs/")?;
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |at: usize| tail.get(at).and_then(|&b| char::from(b).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).ok()?);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    let name = String::from_utf8(bytes).ok()?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

fn references(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(name) = map.get("$ref").and_then(Value::as_str).and_then(target) {
                found.insert(name);
            }
            map.values().for_each(|value| references(value, found));
        }
        Value::Array(each) => each.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

fn contains_itself(name: &str, edges: &BTreeMap<&str, BTreeSet<String>>) -> bool {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&str> = vec![name];
    while let Some(one) = next.pop() {
        for to in edges.get(one).into_iter().flatten() {
            if to == name {
                return true;
            }
            if seen.insert(to.as_str()) {
                next.push(to);
            }
        }
    }
    false
}

/// `name` without the characters that a reference would escape.
fn plain(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    name.chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect()
}
