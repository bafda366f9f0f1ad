//! Dispatch: which callers may call, what a caller cannot see, and the response to a function that fails.

use std::sync::Arc;

use serde_json::json;
use tent::User;
use tent::http::request::Parts;

use crate::support::{Ask, Reply, ask, key, modern, runs, tent, tent_with};

/// The answer to who calls what there is not, which is the same for each of these names.
async fn absent<'a>(call: impl Fn(&str) -> Ask<'a>, names: &[&str]) -> Reply {
    let absent = call("no_such").send().await;
    for name in names {
        let reply = call(name).send().await;
        assert_eq!(
            (reply.status, reply.json()),
            (absent.status, absent.json()),
            "{name}"
        );
    }
    absent
}

#[tokio::test]
async fn returns_the_same_error_to_an_anonymous_caller_for_every_name_that_needs_sign_in() {
    let tent = tent().await;
    let call = |name: &str| ask(&tent, "POST", format!("/api/{name}")).json(json!({}));
    let names = [
        "whoami",
        "delete_all",
        "inside",
        "mcp_only",
        "adas",
        "behind_a_broken_rule",
        "a/b",
    ];
    let absent = absent(call, &names).await;
    absent.refuses(401, "T0004");
    assert_eq!(
        absent.header("www-authenticate"),
        Some("Bearer realm=\"shop\"")
    );
}

#[tokio::test]
async fn a_hidden_function_looks_like_an_absent_one() {
    let tent = tent().await;
    let call = |name: &str| ask(&tent, "POST", format!("/api/{name}")).json(json!({}));
    let grace = key(&tent, "grace", &["*"]).await;
    let names = [
        "inside",
        "mcp_only",
        "adas",
        "behind_a_broken_rule",
        "a/b",
        "%ff",
    ];
    let absent = absent(|name| call(name).key(&grace), &names).await;
    absent.refuses(404, "T0001");
    let ada = key(&tent, "ada", &["*"]).await;
    assert_eq!(call("adas").key(&ada).send().await.json(), json!(1));
}

#[tokio::test]
async fn a_missing_scope_is_named_for_a_function_that_the_rule_allows() {
    let tent = tent().await;
    let reader = key(&tent, "ada", &["read"]).await;
    let reply = ask(&tent, "POST", "/api/touch")
        .key(&reader)
        .json(json!({}))
        .send()
        .await;
    reply.refuses(403, "T0005");
    assert_eq!(reply.json()["fields"], json!({"scopes": ["write"]}));
    assert_eq!(
        reply.header("www-authenticate"),
        Some("Bearer realm=\"shop\", error=\"insufficient_scope\", scope=\"write\"")
    );
    let orders = key(&tent, "ada", &["orders"]).await;
    let reply = ask(&tent, "GET", "/api/scoped").key(&orders).send().await;
    assert_eq!(reply.json(), json!(1));
    let reply = ask(&tent, "GET", "/api/scoped").key(&reader).send().await;
    assert_eq!(reply.json()["fields"], json!({"scopes": ["orders:read"]}));
}

#[tokio::test]
async fn an_invalid_key_never_falls_back_to_an_anonymous_caller() {
    let tent = tent().await;
    let good = key(&tent, "ada", &["read"]).await;
    let other = key(&tent, "grace", &["read"]).await;
    let stranger = key(&tent, "nobody-knows", &["read"]).await;
    let bad = [
        ("authorization", "Bearer".to_owned()),
        ("authorization", "Bearer ".to_owned()),
        ("authorization", format!("Basic {good}")),
        ("authorization", format!("Bearer {good}x")),
        ("authorization", format!("Bearer {stranger}")),
        ("x-api-key", "tk_nothing".to_owned()),
        ("x-api-key", String::new()),
    ];
    for (name, value) in &bad {
        let reply = ask(&tent, "GET", "/api/add?a=1&b=2")
            .header(name, value)
            .send()
            .await;
        assert_eq!(
            reply.refusal(),
            (401, "T0004".to_owned()),
            "{name}: {value}"
        );
    }
    let two = ask(&tent, "GET", "/api/whoami")
        .key(&good)
        .header("x-api-key", &other);
    assert_eq!(two.status().await, 401);
    let same = ask(&tent, "GET", "/api/whoami")
        .key(&good)
        .header("x-api-key", &good);
    assert_eq!(same.send().await.json(), json!("Ada"));
    let alone = ask(&tent, "GET", "/api/whoami").header("x-api-key", &good);
    assert_eq!(alone.send().await.json(), json!("Ada"));
}

#[tokio::test]
async fn a_revoked_key_is_refused_at_once() {
    let tent = tent().await;
    let text = key(&tent, "ada", &["read"]).await;
    assert_eq!(
        ask(&tent, "GET", "/api/whoami").key(&text).status().await,
        200
    );
    let keys = tent.keys();
    let id = keys.list().await.expect("keys are listed")[0].id.clone();
    assert!(keys.revoke(&id).await.expect("a key is revoked"));
    assert_eq!(
        ask(&tent, "GET", "/api/whoami").key(&text).status().await,
        401
    );
}

async fn by_cookie(parts: Arc<Parts>) -> tent::Result<Option<User>> {
    let cookie = parts
        .headers
        .get("cookie")
        .and_then(|cookie| cookie.to_str().ok());
    Ok(match cookie {
        Some("session=ada") => Some(User::new("ada").name("Ada")),
        Some("session=broken") => Err(anyhow::anyhow!("the sessions are gone"))?,
        _ => None,
    })
}

#[tokio::test]
async fn the_identity_hook_finds_users_and_does_not_run_beside_a_key() {
    let tent = tent_with(|app| app.identify(by_cookie)).await;
    let with = |cookie: &str| ask(&tent, "GET", "/api/whoami").header("cookie", cookie);
    assert_eq!(with("session=ada").send().await.json(), json!("Ada"));
    assert_eq!(with("session=none").status().await, 401);
    assert_eq!(with("session=broken").send().await.code(), "T0012");
    let both = with("session=ada").header("authorization", "Bearer tk_bad");
    assert_eq!(both.status().await, 401);
    let grace = key(&tent, "grace", &["read"]).await;
    assert_eq!(
        with("session=ada").key(&grace).send().await.json(),
        json!("Grace")
    );
}

#[tokio::test]
async fn a_change_with_a_cookie_must_come_from_the_same_origin() {
    let tent = tent_with(|app| app.identify(by_cookie)).await;
    let touch = || {
        ask(&tent, "POST", "/api/touch")
            .header("cookie", "session=ada")
            .json(json!({}))
    };
    let reply = touch().send().await;
    reply.refuses(403, "T0014");
    assert_eq!(
        touch()
            .header("sec-fetch-site", "cross-site")
            .status()
            .await,
        403
    );
    assert_eq!(
        touch()
            .header("sec-fetch-site", "same-origin")
            .status()
            .await,
        204
    );
    assert_eq!(
        touch()
            .header("origin", "http://localhost:3000")
            .status()
            .await,
        204
    );
    assert_eq!(runs(&tent), 2);
}

// K6-04.
#[tokio::test(start_paused = true)]
async fn responds_to_a_panic_with_a_reference_and_serves_the_next_call() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["*"]).await;
    for (name, input) in [
        ("explode", json!({"id": "A1"})),
        ("explode_apart", json!({})),
        ("explode_late", json!({})),
        ("explode_when_ended", json!({})),
        ("explode_locked", json!({})),
        ("unwritable", json!({})),
    ] {
        let reply = ask(&tent, "POST", format!("/api/{name}"))
            .key(&ada)
            .json(input)
            .send()
            .await;
        let problem = reply.json();
        let reference = problem["fields"]["reference"]
            .as_str()
            .expect("a reference")
            .to_owned();
        assert_eq!(reference.len(), 16);
        assert_eq!(
            problem,
            json!({
                "type": "/_t/codes/T0012", "title": "internal", "status": 500, "code": "T0012",
                "detail": format!("Internal error (reference {reference})."),
                "fix": "Give the reference to the operator of the server.",
                "fields": {"reference": reference},
            })
        );
        let next = ask(&tent, "GET", "/api/whoami").key(&ada).send().await;
        assert_eq!(next.json(), json!("Ada"));
    }
}

// K6-04.
#[tokio::test]
async fn responds_to_a_panic_in_an_identity_hook() {
    async fn telling(parts: Arc<Parts>) -> tent::Result<Option<User>> {
        assert!(!parts.headers.contains_key("cookie"), "the sessions");
        Ok(None)
    }
    let tent = tent_with(|app| app.users(lost).identify(telling)).await;
    async fn lost(id: String) -> tent::Result<Option<User>> {
        panic!("no people, not even {id}")
    }
    let ada = key(&tent, "ada", &["*"]).await;
    for request in [
        ask(&tent, "GET", "/api/whoami").key(&ada),
        ask(&tent, "GET", "/api/add?a=1&b=2").header("cookie", "session=ada"),
    ] {
        let problem = request.send().await.json();
        let reference = problem["fields"]["reference"]
            .as_str()
            .expect("a reference");
        assert_eq!(
            (&problem["code"], &problem["detail"]),
            (
                &json!("T0012"),
                &json!(format!("Internal error (reference {reference})."))
            )
        );
    }
    // An MCP client gets a protocol error: the caller of the tool is unknown.
    let reply = modern(&tent, "tools/list", json!({}))
        .key(&ada)
        .send()
        .await;
    let error = &reply.json()["error"];
    let reference = error["data"]["fields"]["reference"].as_str();
    assert_eq!(
        (
            reply.status.as_u16(),
            &error["data"]["code"],
            reference.map(str::len)
        ),
        (500, &json!("T0012"), Some(16))
    );
    let nobody = ask(&tent, "GET", "/api/add?a=1&b=2").send().await;
    assert_eq!(nobody.json(), json!({"sum": 3}));
}

/// Only debug builds, which tests are, look at answers: a release build sends what the function gave.
// K1-16.
#[tokio::test]
async fn reports_an_output_that_its_schema_does_not_allow_in_tests() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["read"]).await;
    let reply = ask(&tent, "GET", "/api/misfit").key(&ada).send().await;
    let wanted = match cfg!(debug_assertions) {
        true => (500, "T0012".to_owned()),
        false => (200, String::new()),
    };
    assert_eq!((reply.status.as_u16(), reply.code()), wanted);
}

#[tokio::test]
async fn an_integer_of_128_bits_fits_its_schema() {
    let tent = tent().await;
    for (below, digits) in [(false, i128::MAX), (true, i128::MIN)] {
        let path = format!("/api/huge?below={below}");
        let reply = ask(&tent, "GET", path).send().await;
        assert_eq!(String::from_utf8_lossy(&reply.bytes), digits.to_string());
    }
}

// K6-12.
#[tokio::test]
async fn writes_the_source_of_an_unexpected_error_to_the_log_alone() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["read"]).await;
    let reply = ask(&tent, "GET", "/api/leak").key(&ada).send().await;
    reply.refuses(500, "T0012");
    let text = String::from_utf8_lossy(&reply.bytes);
    assert!(
        !text.contains("postgres") && !text.contains("save"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn cancels_a_function_at_its_deadline() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["read"]).await;
    let reply = ask(&tent, "GET", "/api/never").key(&ada).send().await;
    reply.refuses(504, "T0010");
}

#[tokio::test]
async fn a_function_that_needs_approval_fails_without_it_after_validation() {
    let tent = tent().await;
    let grace = key(&tent, "grace", &["*"]).await;
    let call = |input| {
        ask(&tent, "POST", "/api/delete_all")
            .key(&grace)
            .json(input)
    };
    let reply = call(json!({"nope": 1})).send().await;
    assert_eq!(reply.code(), "T0003");
    let reply = call(json!({})).send().await;
    reply.refuses(403, "T7120");
    assert_eq!(runs(&tent), 0);
}

#[tokio::test(start_paused = true)]
async fn an_access_rule_that_does_not_end_rejects_the_caller() {
    let tent = tent().await;
    let eve = key(&tent, "eve", &["*"]).await;
    let call = |name: &str| ask(&tent, "GET", format!("/api/{name}")).key(&eve);
    absent(call, &["behind_an_endless_rule"]).await;
    let list = ask(&tent, "GET", "/api").key(&eve).send().await;
    assert!(!String::from_utf8_lossy(&list.bytes).contains("endless"));
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_panics_or_does_not_end_is_an_internal_error() {
    async fn hook(parts: Arc<Parts>) -> tent::Result<Option<User>> {
        match parts.headers.contains_key("x-panic") {
            true => panic!("the sessions are gone"),
            false => std::future::pending().await,
        }
    }
    let tent = tent_with(|app| app.identify(hook)).await;
    for header in ["x-panic", "x-wait"] {
        let reply = ask(&tent, "GET", "/api/whoami")
            .header(header, "1")
            .send()
            .await;
        assert_eq!(reply.refusal(), (500, "T0012".to_owned()), "{header}");
        assert!(reply.json()["fields"]["reference"].is_string());
        assert!(!String::from_utf8_lossy(&reply.bytes).contains("sessions"));
    }
}

#[tokio::test]
async fn a_start_error_in_a_function_is_only_in_the_log() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["read"]).await;
    let reply = ask(&tent, "GET", "/api/setting").key(&ada).send().await;
    reply.refuses(500, "T0012");
    assert!(!String::from_utf8_lossy(&reply.bytes).contains("hunter2"));
}

#[tokio::test]
async fn an_mcp_request_with_a_cookie_must_come_from_the_same_origin() {
    let tent = tent_with(|app| app.identify(by_cookie)).await;
    let ping = || {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        ask(&tent, "POST", "/mcp")
            .header("cookie", "session=ada")
            .json(message)
    };
    assert_eq!(
        ping().header("sec-fetch-site", "cross-site").status().await,
        403
    );
    assert_eq!(
        ping()
            .header("sec-fetch-site", "same-origin")
            .status()
            .await,
        200
    );
    assert_eq!(
        ping()
            .header("origin", "http://localhost:3000")
            .status()
            .await,
        200
    );
}
