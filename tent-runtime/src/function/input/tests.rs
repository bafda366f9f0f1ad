use super::*;
use serde_json::json;

fn arguments(input: Value) -> Arguments {
    match input {
        Value::Object(input) => Arguments::new(input),
        other => panic!("an input is an object, not {other}"),
    }
}

fn take<T: Owned>(arguments: &mut Arguments, field: &Field) -> Option<T> {
    arguments.take(field, T::read)
}

#[derive(serde::Deserialize)]
struct Line {
    #[expect(dead_code, reason = "only read")]
    quantity: u8,
}

#[test]
fn every_invalid_field_is_reported_with_its_path() {
    let mut arguments =
        arguments(json!({"id": "x", "lines": [{"quantity": 1}, {"quantity": 900}]}));
    let id: Option<u32> = take(&mut arguments, &Field::new::<u32>("id"));
    let lines: Option<Vec<Line>> = take(&mut arguments, &Field::new::<u32>("lines"));
    let title: Option<String> = take(&mut arguments, &Field::new::<String>("title"));
    let note: Option<Option<String>> = take(&mut arguments, &Field::new::<Option<String>>("note"));
    assert!(id.is_none() && lines.is_none() && title.is_none());
    assert_eq!(note, Some(None));
    let error = arguments.into_error();
    assert_eq!(error.code(), "T0003");
    assert_eq!(
        Value::Object(error.fields().clone()),
        json!({
            "id": "invalid type: string \"x\", expected u32",
            "lines[1].quantity": "invalid value: integer `900`, expected u8",
            "title": "is required",
        })
    );
}

#[test]
fn the_error_of_a_secret_does_not_quote_its_value() {
    let mut arguments = arguments(json!({"pin": "hunter2"}));
    let field = Field {
        secret: true,
        ..Field::new::<u32>("pin")
    };
    assert_eq!(take::<u32>(&mut arguments, &field), None);
    assert_eq!(arguments.into_error().fields()["pin"], "is not valid");
}
