//! `/api`: methods, bodies, answers in their media types, and failures as problem documents.

use serde_json::json;

use crate::support::{ask, key, runs, tent, tent_with};

#[tokio::test]
async fn a_function_is_posted_json_and_answers_json() {
    let tent = tent().await;
    let reply = ask(&tent, "POST", "/api/add")
        .json(json!({"a": 2, "b": 40}))
        .send()
        .await;
    assert_eq!(
        (reply.status.as_u16(), reply.json()),
        (200, json!({"sum": 42}))
    );
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn a_query_is_got_with_scalars_and_repeated_keys() {
    let tent = tent().await;
    let key = key(&tent, "ada", &["read"]).await;
    let get = |query: &str| ask(&tent, "GET", format!("/api/search?{query}")).key(&key);
    let reply = get("text=%C3%84rger+x&tags=a&tags=b&limit=5&exact=true")
        .send()
        .await;
    assert_eq!(
        reply.json(),
        json!(["Some(\"Ärger x\") [a,b] 5 Some(true)"])
    );
    let reply = get("tags=one").send().await;
    assert_eq!(reply.json(), json!(["None [one] 20 None"]));
    let reply = get("limit=many&exact=perhaps&nope=1&text=a&text=b")
        .send()
        .await;
    reply.refuses(422, "T0003");
    let fields = reply.json()["fields"].clone();
    let mut named: Vec<_> = fields
        .as_object()
        .expect("fields")
        .keys()
        .cloned()
        .collect();
    named.sort();
    assert_eq!(named, ["exact", "limit", "nope", "text"]);
}

#[tokio::test]
async fn nothing_is_204_and_head_is_get_without_its_body() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["read", "write"]).await;
    let reply = ask(&tent, "POST", "/api/touch")
        .key(&ada)
        .json(json!({}))
        .send()
        .await;
    assert_eq!((reply.status.as_u16(), reply.bytes.len()), (204, 0));
    let head = ask(&tent, "HEAD", "/api/add?a=1&b=2").send().await;
    assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0));
    assert_eq!(head.header("content-length"), Some("9"));
    let head = ask(&tent, "HEAD", "/api/add").send().await;
    assert_eq!((head.status.as_u16(), head.bytes.len()), (422, 0));
}

#[tokio::test]
async fn content_has_its_media_type_and_cannot_run_as_a_script() {
    let tent = tent().await;
    let reply = ask(&tent, "GET", "/api/picture").send().await;
    assert_eq!(
        (reply.header("content-type"), reply.bytes.as_slice()),
        (Some("image/png"), &[1, 2, 3][..])
    );
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(reply.header("content-disposition"), None);
    let reply = ask(&tent, "GET", "/api/page").send().await;
    assert_eq!(reply.header("content-type"), Some("text/html"));
    assert_eq!(reply.header("content-disposition"), Some("attachment"));
    assert_eq!(
        reply.header("content-security-policy"),
        Some("default-src 'none'; sandbox")
    );
    let reply = ask(&tent, "GET", "/api/note").send().await;
    assert_eq!(
        reply.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(String::from_utf8_lossy(&reply.bytes), "Ärger – 🦀");
}

#[tokio::test]
async fn returns_405_with_allow_to_a_caller_that_can_see_the_function() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["read", "write"]).await;
    let reply = ask(&tent, "GET", "/api/touch").key(&ada).send().await;
    assert_eq!(
        (
            reply.status.as_u16(),
            reply.code().as_str(),
            reply.header("allow")
        ),
        (405, "T0016", Some("POST"))
    );
    let reply = ask(&tent, "PUT", "/api/add").send().await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("allow")),
        (405, Some("GET, HEAD, POST"))
    );
    let reply = ask(&tent, "DELETE", "/api").send().await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("allow")),
        (405, Some("GET, HEAD"))
    );
    // A caller that cannot see the function gets the error of a name that does not exist.
    let hidden = ask(&tent, "GET", "/api/delete_all").key(&ada).send().await;
    let absent = ask(&tent, "GET", "/api/no_such").key(&ada).send().await;
    assert_eq!(
        (hidden.status.as_u16(), hidden.json()),
        (404, absent.json())
    );
}

#[tokio::test]
async fn refuses_an_invalid_body_before_the_function_runs() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["write"]).await;
    let post = || ask(&tent, "POST", "/api/touch").key(&ada);
    for (content_type, body, status, code) in [
        ("text/plain", "{}", 415, "T0017"),
        ("application/json", "{", 400, "T0018"),
        ("application/json", "[]", 400, "T0018"),
        ("application/json", r#"{"a":1,"a":1}"#, 400, "T0018"),
        ("application/json", r#"{"nope":1}"#, 422, "T0003"),
    ] {
        let reply = post()
            .header("content-type", content_type)
            .body(body)
            .send()
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (status, code),
            "{body}"
        );
    }
    assert_eq!(post().send().await.code(), "T0017");
    assert_eq!(runs(&tent), 0);
    for content_type in ["application/json; charset=utf-8", "APPLICATION/JSON"] {
        let reply = post().header("content-type", content_type).send().await;
        assert_eq!(
            reply.status.as_u16(),
            204,
            "{content_type}: an empty body is an empty input"
        );
    }
    assert_eq!(runs(&tent), 2);
}

// K3-24.
#[tokio::test]
async fn limits_a_body_to_the_configured_size() {
    let tent = tent_with(|app| app.set("limits.max_body", "8MiB")).await;
    let long = "a".repeat(3 << 20);
    let reply = ask(&tent, "POST", "/api/echo")
        .json(json!({"value": long}))
        .send()
        .await;
    assert_eq!(
        (reply.status.as_u16(), reply.bytes.len()),
        (200, (3 << 20) + 2)
    );
    let longer = "a".repeat(8 << 20);
    let reply = ask(&tent, "POST", "/api/echo")
        .json(json!({"value": longer}))
        .send()
        .await;
    reply.refuses(413, "T0007");
    assert_eq!(reply.json()["fields"], json!({"limit": 8 << 20}));
}

#[tokio::test]
async fn names_every_invalid_field_at_every_depth() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["write"]).await;
    let input = json!({"lines": [{"sku": "", "count": 1}, {"sku": "b", "count": 100, "colour": 1}], "note": "x", "nto": 1});
    let reply = ask(&tent, "POST", "/api/order")
        .key(&ada)
        .json(input)
        .send()
        .await;
    assert_eq!(reply.status.as_u16(), 422);
    let fields = reply.json()["fields"].clone();
    let named: Vec<_> = fields
        .as_object()
        .expect("fields")
        .keys()
        .cloned()
        .collect();
    assert_eq!(
        named,
        [
            "lines[0].sku",
            "lines[1].colour",
            "lines[1].count",
            "note",
            "nto"
        ]
    );
    assert_eq!(runs(&tent), 0);
}

/// Errors that only the type can find have the same form, with every field.
// K1-28.
#[tokio::test]
async fn names_the_field_of_a_value_that_only_serde_refuses() {
    let tent = tent().await;
    let input = json!({"host": "shop.example", "v4": "::1", "small": 7});
    let reply = ask(&tent, "POST", "/api/resolve").json(input).send().await;
    assert_eq!(
        (reply.status.as_u16(), reply.json()["fields"].clone()),
        (
            422,
            json!({
                "host": "invalid IP address syntax",
                "v4": "invalid IPv4 address syntax",
            })
        )
    );
    let input = json!({"host": "::1", "v4": "127.0.0.1", "small": 7});
    let reply = ask(&tent, "POST", "/api/resolve").json(input).send().await;
    assert_eq!(reply.json(), json!("::1 Some(127.0.0.1) Some(7)"));
}

#[tokio::test]
async fn an_error_is_a_problem_document_with_its_code() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["write"]).await;
    let reply = ask(&tent, "POST", "/api/pay")
        .key(&ada)
        .json(json!({"id": 7}))
        .send()
        .await;
    assert_eq!(
        reply.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(
        reply.json(),
        json!({
            "type": "urn:code:A0001", "title": "already-paid", "status": 409,
            "detail": "Order 7 is already paid", "code": "A0001", "fix": "Call open_orders",
            "fields": {"id": 7},
        })
    );
    let reply = ask(&tent, "POST", "/api/pay")
        .key(&ada)
        .json(json!({"id": 13}))
        .send()
        .await;
    reply.refuses(403, "T0005");
}

#[tokio::test]
async fn a_secret_is_not_accepted_in_a_url_and_never_shown() {
    let tent = tent().await;
    let reply = ask(&tent, "GET", "/api/unlock?password=hunter2")
        .send()
        .await;
    reply.refuses(422, "T0003");
    assert!(!String::from_utf8_lossy(&reply.bytes).contains("hunter2"));
    let reply = ask(&tent, "POST", "/api/unlock")
        .json(json!({"password": "hunter2"}))
        .send()
        .await;
    assert_eq!(reply.status.as_u16(), 422);
    assert!(!String::from_utf8_lossy(&reply.bytes).contains("hunter2"));
}

#[tokio::test]
async fn lists_only_the_functions_that_the_caller_can_call() {
    let tent = tent().await;
    let names = async |key: Option<&str>| {
        let request = ask(&tent, "GET", "/api");
        let request = match key {
            Some(key) => request.key(key),
            None => request,
        };
        let list = request.send().await.json();
        let list = list["functions"].as_array().expect("a list").clone();
        list.iter()
            .map(|one| one["name"].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(None).await,
        [
            "add", "echo", "huge", "note", "page", "picture", "resolve", "unlock"
        ]
    );
    let ada = key(&tent, "ada", &["read"]).await;
    assert_eq!(
        names(Some(&ada)).await,
        [
            "adas",
            "add",
            "echo",
            "huge",
            "leak",
            "misfit",
            "never",
            "note",
            "page",
            "picture",
            "resolve",
            "search",
            "setting",
            "unlock",
            "unwritable",
            "whoami"
        ]
    );
    let grace = key(&tent, "grace", &["*"]).await;
    let graces = names(Some(&grace)).await;
    for name in ["books", "delete_all", "scoped", "order"] {
        assert!(graces.iter().any(|one| one == name), "{name}");
    }
    for name in ["adas", "inside", "mcp_only", "behind_a_broken_rule"] {
        assert!(!graces.iter().any(|one| one == name), "{name}");
    }
}

#[tokio::test]
async fn a_foreign_host_or_origin_is_refused_on_every_path() {
    let tent = tent().await;
    for path in ["/api", "/api/add?a=1&b=2", "/api/no_such"] {
        let reply = ask(&tent, "GET", path)
            .header("host", "evil.example")
            .send()
            .await;
        assert_eq!(reply.refusal(), (403, "T0014".to_owned()), "{path}");
        let reply = ask(&tent, "GET", path)
            .header("origin", "http://evil.example")
            .send()
            .await;
        assert_eq!(reply.refusal(), (403, "T0014".to_owned()), "{path}");
    }
}

#[tokio::test]
async fn a_request_keeps_its_id_where_that_is_safe() {
    let tent = tent().await;
    let reply = ask(&tent, "GET", "/api")
        .header("x-request-id", "abc-1")
        .send()
        .await;
    assert_eq!(reply.header("x-request-id"), Some("abc-1"));
    let reply = ask(&tent, "GET", "/api")
        .header("x-request-id", "a b")
        .send()
        .await;
    assert_eq!(reply.header("x-request-id").map(str::len), Some(16));
}

#[tokio::test]
async fn health_and_codes_need_no_caller() {
    let tent = tent().await;
    assert_eq!(ask(&tent, "GET", "/healthz").send().await.bytes, b"ok");
    assert_eq!(ask(&tent, "GET", "/readyz").status().await, 200);
    let reply = ask(&tent, "GET", "/_t/codes/T7120").send().await;
    assert!(String::from_utf8_lossy(&reply.bytes).starts_with("T7120 approval-needed"));
    assert_eq!(ask(&tent, "GET", "/_t/codes/T9999").status().await, 404);
    tent.shutdown();
    assert_eq!(ask(&tent, "GET", "/readyz").status().await, 503);
    let reply = ask(&tent, "GET", "/api/add?a=1&b=2").send().await;
    reply.refuses(503, "T0013");
    assert_eq!(reply.header("retry-after"), Some("5"));
}

#[tokio::test]
async fn a_name_after_two_slashes_is_none() {
    let tent = tent().await;
    let key = key(&tent, "ada", &["read"]).await;
    for path in ["/api//add", "/api///add", "/api//"] {
        let reply = ask(&tent, "GET", format!("{path}?a=1&b=2"))
            .key(&key)
            .send()
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (404, "T0001"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_a_failure_of_its_own() {
    let tent = tent_with(|app| app.set("limits.max_response", "1kB")).await;
    let echo = |characters: usize| {
        let value = json!({"value": "x".repeat(characters)});
        ask(&tent, "POST", "/api/echo").json(value).send()
    };
    // The quotes around it count too.
    assert_eq!(echo(998).await.status.as_u16(), 200);
    let reply = echo(999).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code().as_str()),
        (500, "T0019")
    );
    assert_eq!(reply.json()["fields"], json!({"limit": 1000}));
}
