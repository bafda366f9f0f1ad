//! URI templates: no template and no URI panics, and a URI that is made of values matches with those values.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tent_core::uri::Template;

use crate::engine::Target;

pub(crate) struct Uri;

impl Target for Uri {
    fn run(&mut self, input: &[u8]) -> u64 {
        let text = String::from_utf8_lossy(input);
        let (template, uri) = text.split_once('\n').unwrap_or((&text, ""));
        let mut hasher = DefaultHasher::new();
        match Template::parse(template) {
            Ok(parsed) => {
                (
                    parsed.shape().len() % 16,
                    parsed.variables().count(),
                    parsed.is_literal(),
                )
                    .hash(&mut hasher);
                let matched = parsed.match_uri(uri);
                matched
                    .map(|values| {
                        values
                            .iter()
                            .map(|(_, value)| value.len())
                            .collect::<Vec<_>>()
                    })
                    .hash(&mut hasher);
                check_values(&parsed, template, uri);
            }
            Err(problem) => std::mem::discriminant(&problem).hash(&mut hasher),
        }
        hasher.finish()
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "{",
            "}",
            "{a}",
            "{+a}",
            "{b}",
            "{+b}",
            "://",
            "a://",
            "/",
            "?",
            "#",
            "%",
            "%2F",
            "%C3%A4",
            "%FF",
            "%00",
            "\n",
            "ä",
            "..",
            ":",
            "@",
            "&",
            "=",
            "a",
            "{a}/{b}",
            "orders://",
            "%7B",
            "~",
        ]
    }
}

/// The URI whose variables have these values, taken from `text`, matches with the same values. Only for templates
/// whose literals cannot be a part of an encoded value.
fn check_values(template: &Template, text: &str, values: &str) {
    let is_clear = |literal: char| !literal.is_alphanumeric() && literal != '%';
    let mut uri = String::new();
    let mut expected = Vec::new();
    let mut rest = text;
    let mut values = values.split('/').cycle();
    while let Some((literal, more)) = rest.split_once('{') {
        let Some((name, after)) = more.split_once('}') else {
            return;
        };
        if !expected.is_empty() && !literal.starts_with(is_clear) {
            return;
        }
        let value = values
            .next()
            .filter(|value| !value.is_empty())
            .unwrap_or("x");
        uri += literal;
        uri.extend(utf8_percent_encode(value, NON_ALPHANUMERIC));
        expected.push((name.trim_start_matches('+'), value.to_owned()));
        rest = after;
    }
    if !expected.is_empty() && !rest.is_empty() && !rest.starts_with(is_clear) {
        return;
    }
    uri += rest;
    // A reserved variable matches the literals too. `file` URIs and NUL have more rules.
    let is_ambiguous = text.contains("{+") && expected.len() > 1;
    let is_refused = uri.contains("%00") || text.to_ascii_lowercase().starts_with("file:");
    if is_ambiguous || is_refused {
        return;
    }
    let matched = template.match_uri(&uri);
    assert_eq!(matched, Some(expected), "{text} with {uri}");
}
