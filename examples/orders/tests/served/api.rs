//! The same calls over HTTP.

use reqwest::{Client, Response};
use serde_json::{Map, Value, json};

use crate::cases::{Expected, cases};
use crate::server::{Keys, Place, Server};

async fn post(
    server: &Server,
    key: Option<&str>,
    name: &str,
    input: &Map<String, Value>,
) -> Response {
    let mut request = Client::new()
        .post(server.url(&format!("/api/{name}")))
        .header("Content-Type", "application/json")
        .body(Value::Object(input.clone()).to_string());
    if let Some(key) = key {
        request = request.bearer_auth(key);
    }
    request.send().await.expect("the server answers")
}

async fn json_of(answer: Response) -> Value {
    let text = answer.text().await.expect("the body comes whole");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

async fn check_problem(answer: Response, status: u16, code: &str, name: &str) -> Value {
    assert_eq!(answer.status(), status, "{name}");
    assert_eq!(
        answer.headers()["Content-Type"],
        "application/problem+json",
        "{name}"
    );
    let problem = json_of(answer).await;
    assert_eq!(problem["code"], code, "{name}: {problem}");
    assert_eq!(problem["status"], status, "{name}: {problem}");
    problem
}

#[tokio::test]
async fn every_case_over_http() {
    let place = Place::new();
    let keys = Keys::new(&place);
    let server = place.serve();
    for case in cases().calls {
        let name = case.name();
        let answer = post(
            &server,
            Some(keys.of(&case.caller)),
            &case.tool,
            &case.input,
        )
        .await;
        match &case.expected {
            Expected::Failure {
                error,
                status,
                message,
                fields,
            } => {
                let problem = check_problem(answer, *status, error, &name).await;
                if let Some(message) = message {
                    assert_eq!(problem["detail"], *message, "{name}");
                }
                if let Some(fields) = fields {
                    let found = problem["fields"].as_object().cloned().unwrap_or_default();
                    let mut found: Vec<_> = found.keys().collect();
                    found.sort();
                    assert_eq!(found, fields.iter().collect::<Vec<_>>(), "{name}");
                }
            }
            Expected::Scope { lacks_scope } => {
                let problem = check_problem(answer, 403, "T0005", &name).await;
                assert!(
                    problem.to_string().contains(lacks_scope),
                    "{name}: {problem}"
                );
            }
            // It is not a tool, but it is at /api.
            Expected::Unknown { .. } if case.tool == "send_receipt" => {
                assert_eq!(answer.status(), 200, "{name}");
                assert_eq!(json_of(answer).await, "receipt-1.eml", "{name}");
                let mail = std::fs::read_to_string(place.path("outbox/receipt-1.eml"));
                assert!(
                    mail.expect("it is in the outbox")
                        .contains("To: ada@example.com")
                );
            }
            Expected::Unknown { .. } => {
                check_problem(answer, 404, "T0001", &name).await;
            }
            expected => {
                assert_eq!(answer.status(), 200, "{name}");
                expected.check_value(&json_of(answer).await, &name);
            }
        }
    }
}

#[tokio::test]
async fn an_anonymous_caller_can_only_call_what_is_open_to_anyone() {
    let place = Place::new();
    let server = place.serve();
    let hours = post(&server, None, "shop_hours", &Map::new()).await;
    assert_eq!(hours.status(), 200);
    assert_eq!(json_of(hours).await["opens"], "09:00");
    for name in ["order", "mark_paid", "no_such_function"] {
        let answer = post(&server, None, name, &Map::new()).await;
        check_problem(answer, 401, "T0004", name).await;
    }
    let bad = post(&server, Some("tk_not_a_key"), "shop_hours", &Map::new()).await;
    check_problem(bad, 401, "T0004", "a bad key is never an anonymous caller").await;
}

#[tokio::test]
async fn a_query_is_read_by_get_and_a_change_is_not() {
    let place = Place::new();
    let key = place.key("ada", &["*"]);
    let server = place.serve();
    let get = async |path: &str| {
        let asked = Client::new().get(server.url(path)).bearer_auth(&key).send();
        asked.await.expect("the server answers")
    };
    let found = json_of(get("/api/find_orders?paid=true&limit=1").await).await;
    assert_eq!(found[0]["id"], 9);
    let order = json_of(get("/api/order?id=1").await).await;
    assert_eq!(order["title"], "Pot of green tea");
    check_problem(get("/api/order?id=one").await, 422, "T0003", "a bad number").await;
    let refused = get("/api/add_order?title=Ink&cents=1").await;
    assert_eq!(refused.headers()["Allow"], "POST");
    check_problem(refused, 405, "T0016", "a change by GET").await;
    let all = json_of(get("/api/open_orders").await).await;
    assert_eq!(all.as_array().map(Vec::len), Some(5), "{all}");
    assert_eq!(json!(all[4]["id"]), 1);
}
