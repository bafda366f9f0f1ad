//! The app tested as a client meets it, without a port and without a process: by `rmcp` on a pipe in memory.

use std::sync::Mutex;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientConfig, ElicitRequestParams, ElicitResult,
    ErrorData, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use serde::de::DeserializeOwned;
use tent::serde_json::{Value, from_value, json};
use tent::{Caller, User};
use tokio::task::JoinHandle;

use super::app;

/// A client that answers forms, and keeps how far it is told that a call is.
#[derive(Debug, Default)]
struct Person {
    revision: ProtocolVersion,
    told: Mutex<Vec<f64>>,
}

fn read<T: DeserializeOwned>(value: Value) -> T {
    from_value(value).expect("it is of that type")
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::new(
            read(json!({"elicitation": {"form": {}}})),
            read(json!({"name": "pipe", "version": "1.0.0"})),
        );
        config.protocol_version = self.revision.clone();
        config
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(read(
            json!({"action": "accept", "content": {"name": "Alice"}}),
        ))
    }

    async fn on_progress(
        &self,
        told: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.told
            .lock()
            .expect("nobody panicked")
            .push(told.progress);
    }
}

type Client = RunningService<RoleClient, Person>;

/// A client of the app, and who serves it.
async fn connected(revision: &ProtocolVersion) -> (Client, JoinHandle<tent::Result<()>>) {
    let tent = app().build().await.expect("the app is whole");
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let guest = Caller::User(User::new("guest").into());
    let served = tokio::spawn(async move { tent.serve_mcp(guest, read, write).await });
    let lifecycle = match revision.has_initialize() {
        true => ClientLifecycleMode::Initialize,
        false => ClientLifecycleMode::Discover {
            preferred_versions: vec![revision.clone()],
        },
    };
    let person = Person {
        revision: revision.clone(),
        ..Person::default()
    };
    let client = person.serve_with_lifecycle(ours, lifecycle).await;
    (client.expect("it connects"), served)
}

async fn called(client: &Client, name: &'static str) -> CallToolResult {
    let result = client.call_tool(CallToolRequestParams::new(name)).await;
    result.unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn text(result: &CallToolResult) -> Value {
    json!(result)["content"][0]["text"].take()
}

async fn talks(revision: ProtocolVersion) {
    let (client, served) = connected(&revision).await;
    // Both are under way at once.
    let (progress, simple) = tokio::join!(
        called(&client, "test_tool_with_progress"),
        called(&client, "test_simple_text"),
    );
    assert_eq!(text(&progress), "All steps are done.");
    assert!(text(&simple).is_string());
    let told = client
        .service()
        .told
        .lock()
        .expect("nobody panicked")
        .clone();
    assert_eq!(told, [0.0, 50.0, 100.0]);
    let asked = called(&client, "test_input_required_result_elicitation").await;
    assert!(
        text(&asked)
            .as_str()
            .is_some_and(|text| text.contains("Alice"))
    );
    client.cancel().await.expect("it ends");
    let ended = served.await.expect("it does not panic");
    ended.expect("it is a good end");
}

#[tokio::test]
async fn the_newest_revision_is_spoken_on_a_pipe_in_memory() {
    talks(ProtocolVersion::V_2026_07_28).await;
}

#[tokio::test]
async fn what_a_handshake_agrees_on_is_spoken_on_a_pipe_in_memory() {
    talks(ProtocolVersion::V_2025_11_25).await;
}
