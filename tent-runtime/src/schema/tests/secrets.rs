//! Secrets: known, masked, and in no message and no document.
#![allow(
    dead_code,
    reason = "the fields of these types are only read by their derives"
)]

use std::collections::HashMap;

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::*;

#[derive(JsonSchema)]
struct Card {
    #[schemars(extend("x-tent-secret" = true), length(min = 16))]
    number: String,
    name: String,
}

#[derive(JsonSchema)]
struct Wallet {
    cards: Vec<Card>,
    #[schemars(extend("x-tent-secret" = true))]
    codes: HashMap<String, u8>,
    #[schemars(extend("x-tent-secret" = true))]
    level: Option<Low>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Low {
    Lowest,
    Highest,
}

#[test]
fn secrets_are_known_and_never_shown() {
    let input = whole::<Wallet>();
    assert!(!input.published().to_string().contains("secret"));
    assert_eq!(input.secrets(), ["cards[].number", "codes", "level"]);
    for (path, secret) in [
        ("cards[0].number", true),
        ("cards[0].name", false),
        ("codes", true),
        ("codes.a", true),
        ("cards", false),
        ("nowhere", true),
        ("", false),
    ] {
        assert_eq!(input.is_secret(path), secret, "{path}");
    }
    let given = json!({
        "cards": [{"number": "hunter2", "name": "ada"}, {"number": 4111, "name": 7}],
        "codes": {"swordfish": 300},
        "level": "lowst"
    });
    assert_eq!(
        accept(&input, given.clone()),
        Err(json!({
            "cards[0].number": "must have at least 16 characters, has 7",
            "cards[1].number": "expected a string, got a number",
            "cards[1].name": "expected a string, got a number",
            "codes[secret]": "must be from 0 to 255",
            "level": "must be one of `lowest`, `highest`"
        }))
    );
    let mut masked = given.as_object().cloned().expect("an object");
    input.mask(&mut masked);
    assert_eq!(
        Value::from(masked),
        json!({
            "cards": [{"number": "[secret]", "name": "ada"}, {"number": "[secret]", "name": 7}],
            "codes": "[secret]",
            "level": "[secret]"
        })
    );
}

#[derive(JsonSchema, serde::Serialize)]
struct Login {
    #[serde(default = "root")]
    #[schemars(extend("x-tent-secret" = true), example = &"swordfish")]
    password: String,
    #[serde(default = "login")]
    next: Option<Box<Login>>,
}

fn root() -> String {
    "hunter2".to_owned()
}

fn login() -> Option<Box<Login>> {
    Some(Box::new(Login {
        password: root(),
        next: None,
    }))
}

#[test]
fn the_default_of_a_secret_is_filled_in_and_not_published() {
    let input = fields(&[
        Field::new::<Login>("login"),
        Field {
            secret: true,
            default: Some(|| Some(json!("1234"))),
            ..Field::new::<String>("pin")
        },
    ]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "login": {"$ref": "#/$defs/Login"},
                "pin": {"type": "string"}
            },
            "required": ["login"],
            "additionalProperties": false,
            "$defs": {
                "Login": {
                    "type": "object",
                    "properties": {
                        "password": {"type": "string"},
                        "next": {"$ref": "#/$defs/Login"}
                    },
                    "additionalProperties": false
                }
            }
        })
    );
    assert_eq!(
        accept(&input, json!({"login": {"next": null}})),
        Ok(json!({"login": {"next": null, "password": "hunter2"}, "pin": "1234"}))
    );
}

#[test]
fn shows_no_secret_in_the_findings_of_another_validator() {
    let input = whole::<Wallet>();
    for (path, told) in [
        ("cards[0].number", "cards[0].number"),
        // A key of a secret is secret, and so is what may be one.
        ("codes.swordfish", "codes"),
        ("cards[0].nowhere", "cards[0]"),
        // The reader may have lost its way to a secret that lies deeper.
        ("cards[0]", "cards[0]"),
        ("", ""),
        ("(input)", ""),
    ] {
        assert_eq!(
            input.redact(path, "invalid value: hunter2"),
            (told.to_owned(), "is not valid".to_owned()),
            "{path}"
        );
    }
    let open = ("cards[0].name".to_owned(), "invalid value: 7".to_owned());
    assert_eq!(input.redact(&open.0, &open.1), open);
    for (name, hides) in [("cards", true), ("codes", true), ("nowhere", false)] {
        assert_eq!(input.has_secret_in(name), hides, "{name}");
    }
}
