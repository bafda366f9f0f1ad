//! [`Meta`]: what an author adds to one `_meta`, and the rules of its keys. What holds one is for MCP alone; no
//! other door shows it, and nothing here knows when a wire has a place for it.

use serde_json::{Map, Value};

/// The members that an author adds to one `_meta`, by valid keys alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta(Map<String, Value>);

impl Meta {
    /// Adds a member, in place of one of the same key. A key that [is wrong](wrong) is left out, and the log says so:
    /// a client that checks would drop the whole answer for it.
    pub(crate) fn put(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        let key = key.into();
        match wrong(&key) {
            None => {
                self.0.insert(key, value.into());
            }
            Some(why) => tracing::error!(key, "left out of _meta: the key {why}"),
        }
    }

    /// What an author stated as a whole.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub(crate) fn stated(value: Value) -> Result<Self, Vec<String>> {
        let Value::Object(members) = value else {
            return Err(vec!["its meta is no JSON object".to_owned()]);
        };
        let wrong: Vec<_> = members
            .keys()
            .filter_map(|key| {
                let why = wrong(key)?;
                Some(format!("its meta has the key {key:?}, which {why}"))
            })
            .collect();
        match wrong.is_empty() {
            true => Ok(Meta(members)),
            false => Err(wrong),
        }
    }

    /// These, with those of `other` whose keys they do not have.
    pub(crate) fn or(&self, other: &Meta) -> Meta {
        let mut all = other.clone();
        let own = self
            .0
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()));
        all.0.extend(own);
        all
    }

    /// The members.
    pub fn members(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bytes they are as JSON.
    pub(crate) fn bytes(&self) -> usize {
        /// Counts what it is given.
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
        if self.is_empty() {
            return 0;
        }
        let mut count = Count(0);
        match serde_json::to_writer(&mut count, &self.0) {
            Ok(()) => count.0,
            // JSON values are written to a counter that refuses nothing; what could not be counted is too large.
            Err(_) => usize::MAX,
        }
    }
}

/// Keys without a prefix that the protocol gives a meaning (2026-07-28, basic, "Reserved keys").
const RESERVED: [&str; 4] = ["progressToken", "traceparent", "tracestate", "baggage"];

/// What is wrong with a key of `_meta`, by the rules of MCP (basic, "General fields: `_meta`"): its form, or that it is
/// the protocol's or tent's own. Which prefixes are the protocol's differs between revisions; those of any are.
pub(crate) fn wrong(key: &str) -> Option<&'static str> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if !prefix.is_none_or(|prefix| prefix.split('.').all(is_label)) {
        return Some(
            "has a prefix that is no labels with dots between, each from a letter to a letter or digit",
        );
    }
    // A name may be empty behind a prefix. Alone it would be no key at all.
    if !(is_name(name) || (name.is_empty() && prefix.is_some())) {
        return Some(
            "has a name that is not letters, digits, `-`, `_` and `.`, from a letter or digit to one",
        );
    }
    if prefix.is_some_and(is_protocols) {
        return Some("has a prefix that is reserved for MCP");
    }
    if RESERVED.contains(&key) {
        return Some("is reserved by MCP");
    }
    key.starts_with("tent.").then_some("is one of tent's own")
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

/// Whether a prefix is the protocol's: its second label is one of these words (from 2025-11-25), or another label follows
/// on one (2025-06-18).
fn is_protocols(prefix: &str) -> bool {
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
    fn keys_are_those_that_the_specification_allows() {
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
            assert_eq!(wrong(key), None, "{key}");
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
                wrong(key).is_some_and(|why| why.starts_with("has a")),
                "{key}"
            );
        }
    }

    #[test]
    fn keys_of_the_protocol_and_of_tent_are_not_the_apps() {
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
            let why = wrong(key);
            assert!(
                why.is_some_and(|why| !why.contains("letter")),
                "{key}: {why:?}"
            );
        }
    }

    #[test]
    fn a_wrong_key_is_left_out_and_a_right_one_replaces() {
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
    fn what_is_stated_as_a_whole_is_told_all_that_is_wrong() {
        let wrong =
            Meta::stated(json!({"a": 1, "tent.b": 1, "c d": 1})).expect_err("two are wrong");
        assert_eq!(
            wrong,
            [
                "its meta has the key \"c d\", which has a name that is not letters, digits, `-`, `_` and `.`, from a letter or digit to one",
                "its meta has the key \"tent.b\", which is one of tent's own",
            ]
        );
        let wrong = Meta::stated(json!([1])).expect_err("it is a list");
        assert_eq!(wrong, ["its meta is no JSON object"]);
        assert_eq!(Meta::stated(json!({})), Ok(Meta::default()));
    }

    #[test]
    fn of_two_the_nearer_wins() {
        let of = |value| Meta::stated(value).expect("it is right");
        let both = of(json!({"a": 1, "b": 1})).or(&of(json!({"b": 2, "c": 2})));
        assert_eq!(both, of(json!({"a": 1, "b": 1, "c": 2})));
    }
}
