//! [`Meta`]: the members that an app adds to a `_meta` object of MCP, and the rules for their keys.
//! Must not know which messages have a `_meta`: `mcp` does. `/api` does not send it.

use serde_json::{Map, Value};

use crate::bounded;

/// The size of an output that cannot be written. Sizes are added up with saturation, so a sum keeps it.
pub(crate) const UNWRITABLE: usize = usize::MAX;

/// The members that an app adds to a `_meta` object. Every key is valid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    members: Map<String, Value>,
    /// Whether a member was left out that nests too deep. The call whose output has it fails.
    is_too_deep: bool,
}

impl Meta {
    /// Sets a member. A key that is not valid ([`invalid_key`]) is left out, with a line in the log: a client that checks
    /// keys would reject the whole response. A value that nests too deep fails the call.
    pub(crate) fn put(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        let key = key.into();
        match invalid_key(&key) {
            None => match bounded::check(value.into()) {
                Ok(value) => drop(self.members.insert(key, value)),
                Err(_) => self.is_too_deep = true,
            },
            Some(why) => tracing::error!(key, "left out of _meta: the key {why}"),
        }
    }

    /// The members of a declared object.
    ///
    /// # Errors
    /// Every problem.
    pub(crate) fn from_declared(value: Value) -> Result<Self, Vec<String>> {
        let value = bounded::check(value).map_err(|why| vec![format!("its meta: {why}")])?;
        let Value::Object(members) = value else {
            return Err(vec!["its meta is not a JSON object".to_owned()]);
        };
        let wrong: Vec<_> = members
            .keys()
            .filter_map(|key| {
                let why = invalid_key(key)?;
                Some(format!("its meta has the key {key:?}, which {why}"))
            })
            .collect();
        match wrong.is_empty() {
            true => Ok(Meta {
                members,
                is_too_deep: false,
            }),
            false => Err(wrong),
        }
    }

    /// These members, and those of `other` with other keys.
    pub(crate) fn or(&self, other: &Meta) -> Meta {
        let mut all = other.clone();
        let own = self
            .members
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()));
        all.members.extend(own);
        all.is_too_deep |= self.is_too_deep;
        all
    }

    /// The members.
    pub fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The length as JSON in bytes. [`UNWRITABLE`] if a member nests too deep.
    pub(crate) fn bytes(&self) -> usize {
        /// Counts the bytes that are written to it.
        struct Count(usize);
        impl std::io::Write for Count {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0 = self.0.saturating_add(bytes.len());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        if self.is_too_deep {
            return UNWRITABLE;
        }
        if self.is_empty() {
            return 0;
        }
        let mut count = Count(0);
        match serde_json::to_writer(&mut count, &self.members) {
            Ok(()) => count.0,
            // The counter never fails. If it did, the size would count as too large.
            Err(_) => UNWRITABLE,
        }
    }
}

/// Keys without a prefix that MCP reserves (2026-07-28, basic, "Reserved keys").
const RESERVED: [&str; 4] = ["progressToken", "traceparent", "tracestate", "baggage"];

/// Why a key of `_meta` is not valid by the rules of MCP (basic, "General fields: `_meta`"): its syntax, or a prefix that
/// is reserved for MCP or tent. Revisions reserve different prefixes; a key must be valid in every revision.
pub(crate) fn invalid_key(key: &str) -> Option<&'static str> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if !prefix.is_none_or(|prefix| prefix.split('.').all(is_label)) {
        return Some(
            "has an invalid prefix: use labels separated by dots, each of letters, digits and hyphens, from a letter to a letter or digit",
        );
    }
    // A name may be empty after a prefix, but not without one.
    if !(is_name(name) || (name.is_empty() && prefix.is_some())) {
        return Some(
            "has an invalid name: use letters, digits, `-`, `_` and `.`, and start and end with a letter or digit",
        );
    }
    if prefix.is_some_and(is_reserved_prefix) {
        return Some("has a prefix that is reserved for MCP");
    }
    if RESERVED.contains(&key) {
        return Some("is reserved for MCP");
    }
    key.starts_with("tent.").then_some("is reserved for tent")
}

fn is_label(label: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.bytes().all(inner)
}

fn is_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(inner)
}

/// Whether MCP reserves the prefix: its second label is one of these words (from 2025-11-25), or one of these words is
/// followed by another label (2025-06-18).
fn is_reserved_prefix(prefix: &str) -> bool {
    let labels: Vec<_> = prefix.split('.').collect();
    labels.iter().enumerate().any(|(at, label)| {
        let named = ["mcp", "modelcontextprotocol"]
            .iter()
            .any(|word| label.eq_ignore_ascii_case(word));
        named && (at == 1 || at + 1 < labels.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn accepts_the_keys_that_the_specification_allows() {
        for key in [
            "ui",
            "a",
            "9",
            "A-b_c.d",
            "ui/resourceUri",
            "openai/outputTemplate",
            "com.example/name",
            "com.example/",
            "com.example.mcp/name",
            "x-1.y2/a.b",
            "mcp/www_authenticate",
            "tent/name",
            "mcp",
        ] {
            assert_eq!(invalid_key(key), None, "{key}");
        }
        for key in [
            "",
            "-a",
            "a-",
            ".",
            "a b",
            "ä",
            "$a",
            "/a",
            "a//b",
            "a/b/c",
            "1a/b",
            "a-/b",
            "a..b/c",
            ".a/b",
            "a_b/c",
            "ä/b",
            "com.example/-",
            "com.example/a.",
        ] {
            assert!(
                invalid_key(key).is_some_and(|why| why.starts_with("has an invalid")),
                "{key}"
            );
        }
    }

    #[test]
    fn rejects_the_reserved_keys() {
        for key in [
            "io.modelcontextprotocol/protocolVersion",
            "io.modelcontextprotocol/",
            "dev.mcp/a",
            "org.modelcontextprotocol.api/a",
            "com.mcp.tools/a",
            "Dev.MCP/a",
            // By the rule of 2025-06-18.
            "modelcontextprotocol.io/a",
            "mcp.dev/a",
            "api.modelcontextprotocol.org/a",
            "tools.a.mcp.com/a",
            "progressToken",
            "traceparent",
            "tracestate",
            "baggage",
            "tent.wrapped",
            "tent.anything",
        ] {
            let why = invalid_key(key);
            assert!(
                why.is_some_and(|why| !why.contains("letter")),
                "{key}: {why:?}"
            );
        }
    }

    #[test]
    fn leaves_invalid_keys_out_and_replaces_equal_ones() {
        let mut meta = Meta::default();
        meta.put("a", 1);
        meta.put("dev.mcp/a", 1);
        meta.put("not a key", 1);
        meta.put("a", 2);
        assert_eq!(Value::from(meta.members().clone()), json!({"a": 2}));
        assert_eq!(meta.bytes(), r#"{"a":2}"#.len());
        assert_eq!(Meta::default().bytes(), 0);
    }

    #[test]
    fn reports_every_invalid_key_of_a_declared_object() {
        let wrong =
            Meta::from_declared(json!({"a": 1, "tent.b": 1, "c d": 1})).expect_err("two are wrong");
        assert_eq!(
            wrong,
            [
                "its meta has the key \"c d\", which has an invalid name: use letters, digits, `-`, `_` and `.`, and start and end with a letter or digit",
                "its meta has the key \"tent.b\", which is reserved for tent",
            ]
        );
        let wrong = Meta::from_declared(json!([1])).expect_err("it is a list");
        assert_eq!(wrong, ["its meta is not a JSON object"]);
        assert_eq!(Meta::from_declared(json!({})), Ok(Meta::default()));
    }

    #[test]
    fn own_members_win_over_the_others() {
        let of = |value| Meta::from_declared(value).expect("it is right");
        let both = of(json!({"a": 1, "b": 1})).or(&of(json!({"b": 2, "c": 2})));
        assert_eq!(both, of(json!({"a": 1, "b": 1, "c": 2})));
    }
}
