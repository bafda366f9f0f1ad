//! Numbers: the function reads what the client wrote, or the call fails and names the field. Never a neighbor.
//!
//! The gate runs these tests with every feature of serde_json that changes how it reads numbers (P02).

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{App, Tent};

use crate::support::{ask, key, modern, tent_of};

/// Declares a function that returns its argument as text, for a type.
macro_rules! echoes {
    ($($name:ident: $type:ty,)*) => {
        $(
            /// For tests.
            #[query(access = "anyone", offer = "mcp")]
            fn $name(v: $type) -> String {
                v.to_string()
            }
        )*

        fn all() -> &'static [&'static tent::Declaration] {
            tent::functions![$($name,)* chance, bits, bits_of_f32, nested, either]
        }
    };
}

echoes! {
    echo_u8: u8,
    echo_u16: u16,
    echo_u32: u32,
    echo_u64: u64,
    echo_u128: u128,
    echo_usize: usize,
    echo_i8: i8,
    echo_i16: i16,
    echo_i32: i32,
    echo_i64: i64,
    echo_i128: i128,
    echo_isize: isize,
}

/// For tests.
#[query(access = "anyone", offer = "mcp")]
fn chance(#[arg(min = 0.0, max = 1.0)] v: f64) -> bool {
    v < 1.0
}

/// For tests.
#[query(access = "anyone", offer = "mcp")]
fn bits(v: f64) -> String {
    format!("{:016x}", v.to_bits())
}

/// For tests.
#[query(access = "anyone", offer = "mcp")]
fn bits_of_f32(v: f32) -> String {
    format!("{:08x}", v.to_bits())
}

#[data]
#[serde(untagged)]
enum Amount {
    Whole(i64),
    Part(f64),
}

#[data]
struct Line {
    amount: Amount,
}

/// For tests.
#[query(access = "anyone", offer = "mcp")]
fn either(v: Amount) -> String {
    match v {
        Amount::Whole(whole) => format!("whole {whole}"),
        Amount::Part(part) => format!("part {part:?}"),
    }
}

#[data]
struct Order {
    lines: Vec<Line>,
    #[serde(flatten)]
    total: Total,
}

#[data]
struct Total {
    cents: i64,
    rate: f64,
}

/// For tests.
#[query(access = "anyone", offer = "mcp")]
fn nested(v: Order) -> String {
    let Line { amount } = &v.lines[0];
    let amount = match amount {
        Amount::Whole(whole) => whole.to_string(),
        Amount::Part(part) => format!("{part:?}"),
    };
    format!("{amount} {} {:?}", v.total.cents, v.total.rate)
}

async fn app() -> Tent {
    tent_of(|app: App| app.functions(all())).await
}

/// The value that a function returns, or the fields of its T0003, at both endpoints.
async fn call(tent: &Tent, name: &str, v: &str) -> Result<Value, Value> {
    let input = format!("{{\"v\":{v}}}");
    let api = ask(tent, "POST", format!("/api/{name}")).body(input.clone());
    let api = api.header("content-type", "application/json").send().await;
    let request = modern(tent, "tools/call", json!({"name": name}));
    let request = request.edited(|body| {
        body.replacen(
            "\"params\":{",
            &format!("\"params\":{{\"arguments\":{input},"),
            1,
        )
    });
    let key = key(tent, "ada", &["*"]).await;
    let mcp = request.key(&key).send().await.json()["result"].take();
    let (from_api, from_mcp) = match api.status.as_u16() {
        200 => (
            Ok(api.json()),
            Ok(mcp["structuredContent"]["value"].clone()),
        ),
        _ => {
            assert_eq!(api.refusal(), (422, "T0003".to_owned()), "{name}({v})");
            let fields = &mcp["_meta"]["tent.error"]["fields"];
            (Err(api.json()["fields"].clone()), Err(fields.clone()))
        }
    };
    assert_eq!(from_api, from_mcp, "{name}({v})");
    from_api
}

async fn refuses(tent: &Tent, name: &str, v: &str) {
    let fields = call(tent, name, v)
        .await
        .expect_err(&format!("{name}({v})"));
    assert_eq!(
        fields.as_object().map(|one| one.keys().collect::<Vec<_>>()),
        Some(vec![&"v".to_owned()]),
        "{name}({v})"
    );
}

// P08.
#[tokio::test]
async fn an_integer_is_itself_or_a_field_error_at_every_width() {
    let tent = app().await;
    let widths: [(&str, i128, i128); 10] = [
        ("echo_u8", 0, u8::MAX.into()),
        ("echo_u16", 0, u16::MAX.into()),
        ("echo_u32", 0, u32::MAX.into()),
        ("echo_u64", 0, u64::MAX.into()),
        ("echo_usize", 0, u64::MAX.into()),
        ("echo_i8", i8::MIN.into(), i8::MAX.into()),
        ("echo_i16", i16::MIN.into(), i16::MAX.into()),
        ("echo_i32", i32::MIN.into(), i32::MAX.into()),
        ("echo_i64", i64::MIN.into(), i64::MAX.into()),
        ("echo_isize", i64::MIN.into(), i64::MAX.into()),
    ];
    for (name, min, max) in widths {
        for v in [min, max, 0, 1, max / 2] {
            assert_eq!(
                call(&tent, name, &v.to_string()).await,
                Ok(json!(v.to_string()))
            );
            // Up to 2^53 a fraction of zeros is the same number; above it a double is not exact.
            let fraction = call(&tent, name, &format!("{v}.000")).await;
            match v.unsigned_abs() < 1 << 53 {
                true => assert_eq!(fraction, Ok(json!(v.to_string()))),
                false => assert!(fraction.is_err(), "{name}({v}.000)"),
            }
        }
        for v in [
            min - 1,
            max + 1,
            min - 1000,
            max + 1025,
            i128::MIN,
            i128::MAX,
        ] {
            refuses(&tent, name, &v.to_string()).await;
            refuses(&tent, name, &format!("{v}.0")).await;
            refuses(&tent, name, &format!("{v}.00000")).await;
        }
        for v in [
            "0.5",
            "1e300",
            "-1e300",
            "1e-1",
            "9007199254740993.5",
            "18446744073709551615.5",
            "null",
            "true",
        ] {
            refuses(&tent, name, v).await;
        }
    }
    for (name, v) in [
        ("echo_u128", u64::MAX.to_string()),
        ("echo_i128", i64::MIN.to_string()),
    ] {
        assert_eq!(call(&tent, name, &v).await, Ok(json!(v)));
        refuses(&tent, name, &format!("{v}0")).await;
        refuses(&tent, name, "0.5").await;
    }
}

// P08: numbers that no double holds. They are no JSON that this server reads, also where no field is a number.
#[tokio::test]
async fn a_number_beyond_every_double_is_refused() {
    let tent = app().await;
    let long = "9".repeat(5000);
    for v in ["1e999", "-1e999", &long, &format!("-{long}")] {
        for name in ["echo_i64", "bits"] {
            let api = ask(&tent, "POST", format!("/api/{name}")).body(format!("{{\"v\":{v}}}"));
            let refusal = api.header("content-type", "application/json").send().await;
            assert_eq!(refusal.refusal(), (400, "T0018".to_owned()), "{name}({v})");
        }
    }
}

// P06.
#[tokio::test]
async fn a_double_arrives_as_the_nearest_one() {
    let tent = app().await;
    assert_eq!(
        call(&tent, "chance", "0.9999999999999999").await,
        Ok(json!(true))
    );
    refuses(&tent, "chance", "1.0000000000000002").await;
    let texts = [
        "0.9999999999999999",
        "0.1",
        "-0.0",
        "2.2250738585072014e-308",
        "2.225073858507201e-308",
        "5e-324",
        "1.7976931348623157e308",
        "123456789.12345678",
        "9007199254740993",
        "9007199254740993.0",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775809",
        "0.30000000000000004",
        "1.00000000000000011102230246251565404236316680908203125",
        "8.98846567431158e307",
        "7.2057594037927933e16",
    ];
    for text in texts {
        let nearest: f64 = text.parse().expect("a double");
        let expected = format!("{:016x}", nearest.to_bits());
        assert_eq!(
            call(&tent, "bits", text).await,
            Ok(json!(expected)),
            "{text}"
        );
    }
    for text in ["0.1", "3.4028235e38", "1e-45", "16777217"] {
        let nearest: f32 = text.parse().expect("a float");
        let expected = format!("{:08x}", nearest.to_bits());
        assert_eq!(
            call(&tent, "bits_of_f32", text).await,
            Ok(json!(expected)),
            "{text}"
        );
    }
    refuses(&tent, "bits_of_f32", "3.5e38").await;
}

// P02.
#[tokio::test]
async fn numbers_within_unions_and_flattened_structs_keep_their_kind() {
    let tent = app().await;
    for (v, expected) in [
        ("1", "whole 1"),
        ("1.5", "part 1.5"),
        ("1.50", "part 1.5"),
        ("1.5e2", "whole 150"),
        ("9223372036854775807", "whole 9223372036854775807"),
        ("9223372036854775808", "part 9.223372036854776e18"),
    ] {
        assert_eq!(call(&tent, "either", v).await, Ok(json!(expected)), "{v}");
    }
    let order = r#"{"lines":[{"amount":1.50}],"cents":5.0,"rate":0.250}"#;
    assert_eq!(call(&tent, "nested", order).await, Ok(json!("1.5 5 0.25")));
}

// P02: numbers in the other members of a message.
#[tokio::test]
async fn numbers_elsewhere_in_a_message_are_read() {
    let tent = app().await;
    let key = key(&tent, "ada", &["*"]).await;
    for id in ["1", "1.5", "-0", "1e2"] {
        let request = modern(
            &tent,
            "tools/call",
            json!({"name": "bits", "arguments": {"v": 1.5}}),
        );
        let request = request.edited(|body| {
            body.replacen(
                "\"_meta\":{",
                "\"_meta\":{\"com.example/weight\":1.50,\"com.example/deep\":[{\"n\":2e3}],",
                1,
            )
            .replacen("\"id\":1", &format!("\"id\":{id}"), 1)
        });
        let reply = request.key(&key).send().await;
        match id {
            "1" => assert_eq!(
                reply.json()["result"]["structuredContent"]["value"],
                "3ff8000000000000"
            ),
            _ => assert!(
                reply.json()["error"]["code"].is_i64() || reply.json()["result"].is_object(),
                "{id}: {}",
                reply.shown()
            ),
        }
    }
}

// The private keys of serde_json are no numbers, with every set of features.
#[tokio::test]
async fn an_object_in_the_form_of_a_private_number_is_refused() {
    let tent = app().await;
    for v in [
        r#"{"$serde_json::private::Number":"1"}"#,
        r#"{"$serde_json::private::Number":"\u0031"}"#,
        r#"{"\u0024serde_json::private::Number":"1"}"#,
        r#"{"$serde_json::private::Number":1}"#,
        r#"[{"$serde_json::private::Number":"1"}]"#,
    ] {
        for name in ["echo_i64", "bits", "either"] {
            let api = ask(&tent, "POST", format!("/api/{name}")).body(format!("{{\"v\":{v}}}"));
            let refusal = api.header("content-type", "application/json").send().await;
            assert_eq!(refusal.refusal(), (400, "T0018".to_owned()), "{name}({v})");
        }
    }
}
