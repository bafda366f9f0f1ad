//! What `#[data]`, `derive(State)` and `derive(Failure)` make, at work.

#![forbid(unsafe_code)]
#![deny(clippy::pedantic)]

use std::collections::HashMap;

use tent::prelude::*;
use tent::serde_json::{self, json};

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(
        code = "A0001",
        status = 409,
        message = "Order {id} is already paid",
        fix = "Call open_orders for those of {owner}"
    )]
    AlreadyPaid {
        id: u32,
        owner: &'static str,
        #[failure(hidden)]
        #[expect(dead_code, reason = "hidden, and in no text")]
        clerk: u32,
        cause: Opaque,
        rest: Vec<Opaque>,
        due: Option<String>,
    },
    #[failure(code = "A0002", message = "{0:>4}|{1:?}|{2:.3}", name = "odd")]
    Tuple(u32, &'static str, f64),
    #[failure(code = "A0003", status = 599, message = "Send {{\"id\": 1}}")]
    Unit,
    #[failure(code = "A0004", status = 503, message = "The bank does not answer")]
    Bank {
        #[source]
        cause: std::io::Error,
    },
    #[failure(code = "A0005", message = "The shop broke")]
    Shop(#[source] tent::Error),
    #[failure(code = "A0006", message = "Something broke")]
    Boxed(#[source] tent::BoxError),
    #[failure(code = "A0007", message = "Perhaps something broke")]
    Perhaps(#[source] Option<std::fmt::Error>),
    #[failure(code = "A0008", message = "Something shared broke")]
    Shared(#[source] std::sync::Arc<std::fmt::Error>),
    #[failure(transparent)]
    Parse(#[from] std::num::ParseIntError),
    #[failure(transparent)]
    Paper(#[from] OutOfPaper),
    #[failure(transparent)]
    Other(#[from] tent::Error),
}

/// Debug, and nothing that could be sent.
#[derive(Debug)]
struct Opaque;

#[derive(Debug, Failure)]
#[failure(
    code = "A0100",
    status = 503,
    message = "Tray {tray:0>width$} is empty"
)]
struct OutOfPaper {
    tray: u32,
    #[failure(hidden)]
    width: usize,
}

/// What `?` makes of it.
fn met(error: impl Into<OrderError>) -> Error {
    fn ask(error: OrderError) -> Result<()> {
        Err(error)?;
        Ok(())
    }
    ask(error.into()).expect_err("it failed")
}

#[test]
fn a_boxed_failure_keeps_its_code() {
    let boxed: tent::BoxError = Box::new(OrderError::Unit);
    assert_eq!(Error::from(boxed).code(), "A0003");
}

#[test]
fn a_declared_failure_has_its_declared_members() {
    let error = met(OrderError::AlreadyPaid {
        id: 7,
        owner: "ada",
        clerk: 3,
        cause: Opaque,
        rest: vec![Opaque],
        due: None,
    });
    assert_eq!(
        (error.code(), error.name(), error.status()),
        ("A0001", "already-paid", 409)
    );
    assert_eq!(error.message(), "Order 7 is already paid");
    assert_eq!(error.fix(), "Call open_orders for those of ada");
    // The clerk is hidden; what has no Serialize is left out, at every depth.
    assert_eq!(
        serde_json::Value::from(error.fields().clone()),
        json!({"id": 7, "owner": "ada", "due": null})
    );
    assert!(error.source().is_none());
}

#[test]
fn messages_take_the_specs_of_format() {
    let error = met(OrderError::Tuple(7, "a", 1.0));
    assert_eq!(error.message(), "   7|\"a\"|1.000");
    assert_eq!((error.name(), error.status()), ("odd", 422));
    assert!(error.fields().is_empty());
    assert_eq!(met(OrderError::Unit).message(), "Send {\"id\": 1}");
    assert_eq!(OrderError::Unit.to_string(), "Send {\"id\": 1}");
    assert_eq!(
        OutOfPaper { tray: 7, width: 3 }.to_string(),
        "Tray 007 is empty"
    );
}

#[test]
fn a_source_is_only_in_the_log() {
    let error = met(OrderError::Bank {
        cause: std::io::Error::other("no route"),
    });
    assert_eq!(error.code(), "A0004");
    assert!(error.fields().is_empty());
    assert_eq!(error.chain(), ["no route"]);

    let shop =
        Error::declared(tent::code!("A0009"), 404, "No shop").with_source("the file is gone");
    let error = met(OrderError::Shop(shop));
    assert_eq!(error.code(), "A0005");
    assert_eq!(error.chain(), ["No shop", "the file is gone"]);

    assert!(met(OrderError::Perhaps(None)).chain().is_empty());
    let inner = std::fmt::Error;
    assert_eq!(
        met(OrderError::Perhaps(Some(inner))).chain(),
        [inner.to_string()]
    );
    assert_eq!(
        met(OrderError::Shared(inner.into())).chain(),
        [inner.to_string()]
    );

    let error = met(OrderError::Boxed("a text".into()));
    assert_eq!(
        (error.code(), error.chain()),
        ("A0006", vec!["a text".to_owned()])
    );
}

#[test]
fn a_transparent_variant_has_the_code_of_its_field() {
    let inner = Error::declared(tent::code!("A0009"), 404, "No shop")
        .with_fix("Open one")
        .with_field("shop", 1)
        .with_source("the file is gone");
    let error = met(inner.clone());
    assert_eq!(
        (error.code(), error.status(), error.fix()),
        ("A0009", 404, "Open one")
    );
    assert_eq!(
        (error.fields(), error.chain()),
        (inner.fields(), inner.chain())
    );
    assert_eq!(OrderError::from(inner).to_string(), "No shop");

    let error = met(OutOfPaper { tray: 7, width: 3 });
    assert_eq!((error.code(), error.name()), ("A0100", "out-of-paper"));
    assert_eq!(
        serde_json::Value::from(error.fields().clone()),
        json!({"tray": 7})
    );
}

#[test]
fn a_transparent_variant_of_any_other_error_is_unexpected() {
    let error = met("x".parse::<u32>().expect_err("no number"));
    assert_eq!(
        (error.code(), error.message()),
        ("T0012", "Internal error.")
    );
    assert_eq!(error.chain(), ["invalid digit found in string"]);
}

#[test]
fn a_failure_keeps_its_code_through_two_transparent_variants() {
    #[derive(Debug, Failure)]
    enum Outer {
        #[failure(transparent)]
        Order(#[from] OrderError),
    }
    let error = Error::from(Outer::from(OrderError::from(OutOfPaper {
        tray: 7,
        width: 1,
    })));
    assert_eq!(
        (error.code(), error.message()),
        ("A0100", "Tray 7 is empty")
    );
}

#[test]
fn the_failure_trait_gives_the_same_error() {
    let failure = OrderError::Unit;
    let told = Failure::failure(&failure);
    assert_eq!((told.code(), told.status()), ("A0003", 599));
}

#[test]
fn generic_failures_have_the_bounds_that_they_need() {
    #[derive(Debug, Failure)]
    enum Lost<T, E> {
        #[failure(code = "A0001", message = "No {what:?}")]
        Thing { what: T },
        #[failure(transparent)]
        Other(E),
    }
    let error = Error::from(Lost::<_, OutOfPaper>::Thing { what: "pen" });
    // Nothing says that T serialises, so it is in the message alone.
    assert_eq!(error.message(), "No \"pen\"");
    assert!(error.fields().is_empty());
    let error = Error::from(Lost::<u32, _>::Other(OutOfPaper { tray: 1, width: 1 }));
    assert_eq!(error.code(), "A0100");
}

#[data]
#[derive(Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Payment<T> {
    /// The order's number.
    #[schemars(range(min = 1))]
    order_id: u32,
    #[tent(secret)]
    card: Option<String>,
    #[cfg_attr(all(), tent(secret))]
    pin: u16,
    #[cfg_attr(any(), tent(secret))]
    place: String,
    with: T,
    how: How,
}

#[data]
#[derive(Debug, PartialEq)]
enum How {
    Cash,
    Transfer {
        #[tent(secret)]
        iban: String,
    },
    Other(#[tent(secret)] String),
}

#[test]
fn data_round_trips_by_the_rules_of_serde() {
    let wire = json!({
        "orderId": 7, "card": null, "pin": 1, "place": "here", "with": ["x"],
        "how": {"Transfer": {"iban": "DE"}},
    });
    let payment: Payment<Vec<String>> = serde_json::from_value(wire.clone()).expect("it fits");
    assert_eq!(payment.how, How::Transfer { iban: "DE".into() });
    assert_eq!(serde_json::to_value(&payment).expect("it serialises"), wire);
}

#[test]
fn secrets_are_marked_in_the_schema_and_nothing_else_is_changed() {
    let schema = tent::schemars::schema_for!(Payment<bool>).to_value();
    let secret = |pointer: &str| schema.pointer(pointer).expect(pointer)["x-tent-secret"] == true;
    assert!(secret("/properties/card"));
    assert!(secret("/properties/pin"));
    assert!(!secret("/properties/place"));
    assert!(!secret("/properties/orderId"));
    assert_eq!(schema["properties"]["orderId"]["minimum"], 1);
    assert_eq!(
        schema["properties"]["orderId"]["description"],
        "The order's number."
    );
    let how = tent::schemars::schema_for!(How).to_value();
    assert_eq!(
        how.pointer("/oneOf/1/properties/Transfer/properties/iban"),
        Some(&json!({"type": "string", "x-tent-secret": true}))
    );
    assert_eq!(
        how.pointer("/oneOf/2/properties/Other"),
        Some(&json!({"type": "string", "x-tent-secret": true}))
    );
}

#[derive(State)]
struct Shop {
    _name: String,
}

#[derive(State)]
struct Pool<T> {
    _all: HashMap<String, T>,
}

#[test]
fn states_are_states() {
    fn state<T: State>() {}
    state::<Shop>();
    state::<Pool<u32>>();
    state::<Shared<Vec<u32>>>();
}

/// A type with many flags.
#[deprecated(note = "use another")]
#[data]
#[derive(Debug, Default, PartialEq)]
#[serde(default, rename_all = "camelCase")]
struct OldFlags {
    first_flag: bool,
    #[tent(secret)]
    #[deprecated]
    second_flag: bool,
    #[schemars(length(max = 3))]
    text: String,
}

// P19
#[test]
#[expect(deprecated, reason = "it is about a deprecated type")]
fn a_deprecated_type_has_the_schema_and_the_values_of_any_other() {
    let flags: OldFlags = serde_json::from_value(json!({"secondFlag": true})).expect("it is valid");
    assert!(flags.second_flag && !flags.first_flag);
    let schema = tent::schemars::schema_for!(OldFlags);
    assert_eq!(schema.get("title"), Some(&json!("OldFlags")));
    assert_eq!(schema.get("deprecated"), Some(&json!(true)));
    let field = |name: &str| schema.pointer(&format!("/properties/{name}")).cloned();
    assert_eq!(
        field("secondFlag"),
        Some(
            json!({"type": "boolean", "default": false, "deprecated": true, "x-tent-secret": true})
        )
    );
    assert_eq!(
        field("text"),
        Some(json!({"type": "string", "default": "", "maxLength": 3}))
    );
}
