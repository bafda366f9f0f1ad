//! Tests of URI templates.

use super::*;

fn values(template: &str, uri: &str) -> Option<Vec<String>> {
    let template = Template::parse(template).expect("a template");
    let found = template.match_uri(uri)?;
    Some(found.into_iter().map(|(_, value)| value).collect())
}

#[test]
fn rejects_invalid_templates() {
    for (text, wrong) in [
        ("", InvalidTemplate::NoScheme),
        ("{scheme}://x", InvalidTemplate::NoScheme),
        ("1a://x", InvalidTemplate::NoScheme),
        ("a://{", InvalidTemplate::UnbalancedBrace),
        ("a://}", InvalidTemplate::UnbalancedBrace),
        ("a://{id", InvalidTemplate::UnbalancedBrace),
        (
            "a://{}",
            InvalidTemplate::UnsupportedExpression(String::new()),
        ),
        (
            "a://{?q}",
            InvalidTemplate::UnsupportedExpression("?q".to_owned()),
        ),
        (
            "a://{x*}",
            InvalidTemplate::UnsupportedExpression("x*".to_owned()),
        ),
        (
            "a://{x}/{x}",
            InvalidTemplate::DuplicateVariable("x".to_owned()),
        ),
        (
            "a://{x}{y}",
            InvalidTemplate::AdjacentVariables("y".to_owned()),
        ),
        ("a://b c", InvalidTemplate::InvalidCharacter(' ')),
    ] {
        assert_eq!(Template::parse(text), Err(wrong), "{text}");
    }
}

#[test]
fn a_variable_ends_at_a_delimiter_and_is_never_empty() {
    assert_eq!(values("a://{x}", "a://"), None);
    assert_eq!(values("a://{x}", "a://b/c"), None);
    assert_eq!(values("a://{x}", "a://b?c"), None);
    assert_eq!(values("a://{x}", "a://b%2Fc"), Some(vec!["b/c".to_owned()]));
    assert_eq!(values("a://{x}", "a://%ff"), None);
    assert_eq!(values("a://{x}", "a://100%"), Some(vec!["100%".to_owned()]));
    assert_eq!(
        values("a://{+x}", "a://b/c?d"),
        Some(vec!["b/c?d".to_owned()])
    );
    assert_eq!(values("a://x", "a://x"), Some(vec![]));
    assert_eq!(values("a://x", "a://xy"), None);
    assert_eq!(values("a://{x}", "b://x"), None);
    assert_eq!(
        values("a://{+dir}/{name}", "a://b/c/d"),
        Some(vec!["b/c".to_owned(), "d".to_owned()])
    );
    assert_eq!(
        values("a://{x}-{y}.txt", "a://1-2-3.txt"),
        Some(vec!["1-2".to_owned(), "3".to_owned()])
    );
}

#[test]
fn a_value_never_leads_out_of_the_directory_of_a_file() {
    for (template, uri) in [
        ("file:///d/{x}", "file:///d/.."),
        ("file:///d/{x}", "file:///d/."),
        ("file:///d/{x}", "file:///d/%2e%2E"),
        ("file:///d/{x}", "file:///d/..%2Fetc"),
        ("file:///d/{x}", "file:///d/a%2Fb"),
        ("file:///d/{x}", "file:///d/%2Fetc"),
        ("file:///d/{x}", "file:///d/..%5Cetc"),
        ("file:///d/{x}", "file:///d/a\\b"),
        ("file:///d/{x}", "file:///d/a%00.txt"),
        ("file:///d/{+x}", "file:///d/../etc"),
        ("file:///d/{+x}", "file:///d/a/../../etc"),
        ("file:///d/{+x}", "file:///d/a%2F..%2F..%2Fetc"),
        ("file:///d/{+x}", "file:///d/a/.."),
        ("file:///d/{+x}", "file:///d/./a"),
        ("file:///d/{+x}", "file:///d//etc"),
        ("file:///d/{+x}", "file:///d/%2Fetc"),
        ("file:///d/{+x}", "file:///d/a%5C..%5Cb"),
        ("file:///d/{+x}", "file:///d/a%00"),
        ("file:///d/.{+x}", "file:///d/../etc"),
        ("file:///d/{x}./{y}", "file:///d/../y"),
        ("FILE:///d/{+x}", "FILE:///d/../etc"),
        ("file:{+x}", "file:/d/../etc"),
    ] {
        assert_eq!(values(template, uri), None, "{template} {uri}");
    }
    for (template, uri, value) in [
        ("file:///d/{x}", "file:///d/a.txt", "a.txt"),
        ("file:///d/{x}", "file:///d/..a", "..a"),
        ("file:///d/{x}", "file:///d/a..", "a.."),
        ("file:///d/{x}", "file:///d/...", "..."),
        ("file:///d/{x}", "file:///d/%252e%252e", "%2e%2e"),
        ("file:///d/{+x}", "file:///d/a/b%20c/.d", "a/b c/.d"),
        ("file://{+x}", "file:///d/a", "/d/a"),
        ("files:///d/{+x}", "files:///d/../a", "../a"),
        ("orders://{x}", "orders://..%2Fa", "../a"),
        ("orders://{x}", "orders://a%5Cb", "a\\b"),
    ] {
        let value = Some(vec![value.to_owned()]);
        assert_eq!(values(template, uri), value, "{template} {uri}");
    }
    assert_eq!(values("file:///d/../a", "file:///d/../a"), Some(vec![]));
}

#[test]
fn no_value_contains_a_nul() {
    for template in ["orders://{x}", "orders://{+x}"] {
        assert_eq!(values(template, "orders://a%00"), None, "{template}");
        assert_eq!(values(template, "orders://a\0"), None, "{template}");
    }
}

#[test]
fn encoded_delimiters_are_part_of_a_value() {
    let one = |template: &str, uri: &str| values(template, uri).map(|all| all.concat());
    let is = |value: &str| Some(value.to_owned());
    for template in ["a://{x}", "a://{+x}"] {
        assert_eq!(one(template, "a://b%2Fc%3Fd%23e"), is("b/c?d#e"));
        assert_eq!(one(template, "a://b%2fc"), is("b/c"), "in either case");
        assert_eq!(one(template, "a://%2E%2E%2F..%2Fkeys"), is("../../keys"));
        assert_eq!(one(template, "a://b%252Fc"), is("b%2Fc"), "decoded once");
    }
    assert_eq!(one("a://{+x}", "a://../keys"), is("../keys"));
    assert_eq!(one("a://{x}", "a://../keys"), None);
    assert_eq!(one("a://{x}/{y}", "a://b%2Fc"), None);
}

#[test]
fn a_long_uri_matches_in_linear_time() {
    let long = "a/".repeat(100_000);
    assert_eq!(
        values("a://{+a}a{+b}a{+c}a{+d}b", &format!("a://{long}")),
        None
    );
}

#[test]
fn the_more_specific_template_is_the_greater() {
    let ordered = ["a://{+x}", "a://{x}", "a://b/{x}", "a://b"];
    let exact: Vec<_> = ordered
        .iter()
        .map(|text| Template::parse(text).expect("a template").specificity())
        .collect();
    assert!(exact.is_sorted_by(|a, b| a < b));
}
