//! The log: what lies under an unexpected failure stands there under the reference that the caller got, and no
//! secret ever does.

use std::io::{Result, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::support::{Reply, ask, key, modern, tent};

/// Everything that was logged, at every level.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Log {
    /// What this thread logs, for as long as the second of these lives.
    pub(crate) fn kept() -> (Self, impl Sized) {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(LevelFilter::TRACE)
            .with_ansi(false)
            .with_writer(move || writer.clone());
        (log, subscriber.set_default())
    }

    fn text(&self) -> String {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&log).into_owned()
    }

    /// Each line.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.text().lines().map(str::to_owned).collect()
    }

    /// The line that holds this.
    pub(crate) fn line(&self, with: &str) -> String {
        let text = self.text();
        let line = text.lines().find(|line| line.contains(with));
        line.unwrap_or_else(|| panic!("no {with} in: {text}"))
            .to_owned()
    }
}

/// The reference that a reply of either door has.
fn reference(reply: &Reply) -> String {
    let body = reply.json();
    let fields = match body.get("result") {
        Some(result) => &result["_meta"]["tent.error"]["fields"],
        None => &body["fields"],
    };
    fields["reference"].as_str().expect("one").to_owned()
}

// K6-12.
#[tokio::test]
async fn logs_the_chain_of_an_error_under_the_reference_of_the_caller() {
    let (log, _kept) = Log::kept();
    let tent = tent().await;
    let ada = key(&tent, "ada", &["*"]).await;
    let mut cases = vec![
        (
            "leak",
            json!({}),
            r#"["save", "connect postgres://user:pw@db/x failed"]"#,
        ),
        (
            "explode",
            json!({"id": "A1"}),
            "it panicked: index out of bounds: the len is 0 but the index is 2",
        ),
        (
            "explode_locked",
            json!({}),
            "it panicked: a value that is not a text",
        ),
    ];
    if cfg!(debug_assertions) {
        cases.push((
            "misfit",
            json!({}),
            "count expected an integer, got a string; lines[1].sku expected a string, got a number; lines[1].count is required: expected an integer",
        ));
    }
    for (name, input, under) in cases {
        let params = json!({"name": name, "arguments": &input});
        for request in [
            ask(&tent, "POST", format!("/api/{name}")).json(input.clone()),
            modern(&tent, "tools/call", params),
        ] {
            let reply = request.key(&ada).send().await;
            let line = log.line(&reference(&reply));
            assert!(line.contains("ERROR") && line.contains(under), "{line}");
            assert!(line.contains(&format!("function={name}")), "{line}");
        }
    }
}

#[tokio::test]
async fn no_key_and_no_secret_field_is_logged() {
    let (log, _kept) = Log::kept();
    let tent = tent().await;
    let ada = key(&tent, "ada", &["*"]).await;
    for password in ["hunter2", "hunter2-and-more"] {
        let input = json!({"password": password});
        let request = ask(&tent, "POST", "/api/unlock").key(&ada).json(input);
        request.send().await;
    }
    let bad = ask(&tent, "GET", "/api/whoami").key("tk_notagoodone");
    bad.send().await;
    ask(&tent, "GET", "/api/leak").key(&ada).send().await;
    let text = log.text();
    assert!(text.contains("function=leak caller=key:"), "{text}");
    for secret in [&*ada, "hunter2", "tk_notagoodone"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[tokio::test]
async fn a_refused_key_is_in_the_log_without_a_part_of_it() {
    let (log, _kept) = Log::kept();
    let tent = tent().await;
    let made = key(&tent, "ada", &["*"]).await;
    let id = made.split('_').nth(1).expect("a key has an id").to_owned();
    assert!(tent.keys().revoke(&id).await.expect("the store works"));
    for (trace, bad) in [("t-1", made.as_str()), ("t-2", "tk_short"), ("t-3", "é")] {
        let reply = ask(&tent, "GET", "/api")
            .key(bad)
            .header("x-request-id", trace);
        assert_eq!(reply.status().await, 401);
    }
    let first = log.line("t-1");
    assert!(
        first.contains("INFO") && first.contains("rejected credentials"),
        "{first}"
    );
    assert!(first.contains("path=\"/api\""), "{first}");
    for other in ["t-2", "t-3"] {
        assert!(
            log.line(other).contains("DEBUG"),
            "one a second is for everyone"
        );
    }
    for part in [&made[3..], "tk_short", "é"] {
        assert!(!log.text().contains(part), "{part}");
    }
}
