use super::super::{Skip, Strict, Taking};
use super::*;

fn fast(text: &str) -> Result<Value, String> {
    super::super::read(text, Strict).map_err(|error| error.to_string())
}

fn slow(text: &str) -> Result<Value, String> {
    read(text, Strict).map_err(|error| error.to_string())
}

// P06, P08
#[test]
fn both_readers_read_the_same_numbers() {
    for text in [
        "0",
        "-0",
        "30.0",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "9007199254740993.0",
        "1e3",
        "1e300",
        "0.9999999999999999",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "5e-324",
        "1e-999",
        "123456789012345678901234567890",
    ] {
        for text in [
            text.to_owned(),
            format!("[{text}]"),
            format!("{{\"a\":[1,{text}]}}"),
        ] {
            assert_eq!(fast(&text), slow(&text), "{text}");
            assert!(fast(&text).is_ok(), "{text}");
        }
    }
}

// P08
#[test]
fn a_number_beyond_the_doubles_is_marked_and_no_schema_can_take_it() {
    let long = "9".repeat(5_000);
    for text in ["1e999", "-1e999", "1.7976931348623159e308", &long] {
        for read in [fast, slow] {
            let value = read(&format!("[{text}]")).expect("it is JSON");
            assert!(is_out_of_range(&value[0]), "{text}");
        }
        super::super::read(&format!("[{text}]"), Taking(Skip)).expect("it is JSON");
    }
    // A client cannot write the mark.
    assert!(fast(&format!("{{\"{MARK}\":null}}")).is_err());
    assert!(slow(&format!("{{\"{MARK}\":null}}")).is_err());
}

#[test]
fn both_readers_accept_the_same_texts() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for text in [
        "",
        " ",
        "nul",
        "nullx",
        "tru",
        "[",
        "]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{",
        "{}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1,\"a\":2}",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e+",
        "-01",
        "0x1",
        "1_0",
        "\"",
        "\"a",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\u00e9\\n\"",
        "\"\u{1}\"",
        "\"é\"",
        "1 1",
        "[] x",
        "\t[ 1 , { \"a\" : [ null , true , false ] } ]\r\n",
        "Infinity",
        "NaN",
        "'a'",
        "\u{feff}1",
        "[1]]",
        "\\",
        "\"\\",
        &deep(127),
        &deep(128),
        "{\"$serde_json::private::Number\":\"1\"}",
        "{\"\\u0061\":1,\"a\":2}",
    ] {
        let (one, other) = (fast(text), slow(text));
        match (&one, &other) {
            (Ok(one), Ok(other)) => assert_eq!(one, other, "{text}"),
            (Err(_), Err(_)) => {}
            _ => panic!("{text:?}: {one:?} and {other:?}"),
        }
    }
}

#[test]
fn a_raw_value_is_its_text() {
    #[derive(serde::Deserialize)]
    struct Both<'a> {
        #[serde(borrow)]
        raw: &'a serde_json::value::RawValue,
        text: Option<String>,
    }
    let text = r#"{"raw": [1.50, {"a": 1e999}] , "text": "a\u0062"}"#;
    let both = read(text, std::marker::PhantomData::<Both<'_>>).expect("it is JSON");
    assert_eq!(both.raw.get(), r#"[1.50, {"a": 1e999}]"#);
    assert_eq!(both.text.as_deref(), Some("ab"));
}

#[test]
fn a_value_that_no_schema_checks_has_no_number_out_of_range() {
    for (text, is_in_range) in [("[{\"a\":1e999}]", false), ("[{\"a\":1e99}]", true)] {
        let value = fast(text).expect("it is JSON");
        assert_eq!(in_range::<Error>(value).is_ok(), is_in_range, "{text}");
    }
}
