//! All that the app offers, by `rmcp` as the client: in each era, over HTTP and on a line.

#![expect(
    deprecated,
    reason = "the newest revision gives up sampling, roots and logs, and clients have them still"
)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::Mutex;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientConfig, CreateMessageRequestParams,
    CreateMessageResult, ElicitRequestParams, ElicitResult, ErrorCode, ErrorData,
    GetPromptRequestParams, ListRootsResult, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A client that answers whatever it is asked, and keeps what it is told.
#[derive(Debug, Default)]
struct Everybody {
    revision: ProtocolVersion,
    mute: bool,
    asked: Mutex<Vec<Value>>,
    progress: Mutex<Vec<f64>>,
    logged: Mutex<Vec<Value>>,
}

impl Everybody {
    fn kept<T>(list: &Mutex<Vec<T>>, one: T) {
        list.lock().expect("nobody panicked").push(one);
    }
}

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("it is of that type")
}

impl ClientHandler for Everybody {
    fn get_info(&self) -> ClientConfig {
        let capabilities = match self.mute {
            true => json!({}),
            false => json!({
                "elicitation": {"form": {}}, "sampling": {}, "roots": {},
                "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}},
            }),
        };
        let mut config = ClientConfig::new(
            read(capabilities),
            read(json!({"name": "everything-test", "version": "1.0.0"})),
        );
        config.protocol_version = self.revision.clone();
        config
    }

    async fn create_elicitation(
        &self,
        asked: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asked = json!(asked);
        let answers = json!({
            "name": "Alice", "username": "alice", "email": "alice@example.com", "ok": true, "color": "green",
            "context": "a test", "age": 30, "score": 1.5, "status": "active", "verified": true,
            "untitledSingle": "option1", "titledSingle": "value1", "legacyEnum": "opt1",
            "untitledMulti": ["option1"], "titledMulti": ["value1"]
        });
        let fields = asked["requestedSchema"]["properties"].as_object();
        let names = fields.into_iter().flatten().map(|(name, _)| name.clone());
        let filled: Value = names
            .map(|name| (name.clone(), answers[&name].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into();
        Self::kept(&self.asked, asked);
        Ok(read(json!({"action": "accept", "content": filled})))
    }

    async fn create_message(
        &self,
        asked: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Self::kept(&self.asked, json!(asked));
        Ok(read(json!({
            "role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "a-model"
        })))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(read(
            json!({"roots": [{"uri": "file:///books", "name": "books"}]}),
        ))
    }

    async fn on_progress(
        &self,
        told: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        Self::kept(&self.progress, told.progress);
    }

    async fn on_logging_message(
        &self,
        told: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        Self::kept(&self.logged, told.data);
    }
}

type Client = RunningService<RoleClient, Everybody>;

/// The program, which is ended with this.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn lifecycle(revision: &ProtocolVersion) -> ClientLifecycleMode {
    match revision.has_initialize() {
        true => ClientLifecycleMode::Initialize,
        false => ClientLifecycleMode::Discover {
            preferred_versions: vec![revision.clone()],
        },
    }
}

fn client(revision: &ProtocolVersion, mute: bool) -> Everybody {
    Everybody {
        revision: revision.clone(),
        mute,
        ..Everybody::default()
    }
}

/// A server, and the address of its `/mcp`.
fn served() -> (Program, String) {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_everything"))
        .args(["serve", "--addr", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the app starts");
    let output = child.stdout.take().expect("it is piped");
    let program = Program(child);
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let address = lines
        .find_map(|line| Some(line.split_once("http://")?.1.to_owned()))
        .expect("it says where it listens");
    // Reads on to the end, so that the app never waits for somebody to read.
    std::thread::spawn(move || lines.for_each(drop));
    (program, format!("http://{address}/mcp"))
}

async fn over_http(address: &str, revision: &ProtocolVersion, mute: bool) -> Client {
    client(revision, mute)
        .serve_with_lifecycle(
            StreamableHttpClientTransport::from_uri(address.to_owned()),
            lifecycle(revision),
        )
        .await
        .expect("it connects")
}

async fn on_a_line(revision: &ProtocolVersion) -> (tokio::process::Child, Client) {
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_everything"))
        .args(["mcp", "--as", "guest"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the app starts");
    let line = (
        child.stdout.take().expect("it is piped"),
        child.stdin.take().expect("it is piped"),
    );
    let client = client(revision, false)
        .serve_with_lifecycle(line, lifecycle(revision))
        .await
        .expect("it connects");
    (child, client)
}

async fn called(client: &Client, name: &'static str, input: Value) -> CallToolResult {
    let input = input.as_object().cloned().expect("an object");
    let params = CallToolRequestParams::new(name).with_arguments(input);
    let result = client.call_tool(params).await;
    result.unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn text(result: &CallToolResult) -> String {
    json!(result)["content"][0]["text"]
        .as_str()
        .expect("a text")
        .to_owned()
}

/// Everything that there is, by one client.
async fn everything(client: &Client, revision: &ProtocolVersion) {
    lists(client).await;
    content(client).await;
    metadata(client).await;
    prompts_and_resources(client, revision).await;
    progress(client).await;
    questions(client).await;
    extensions(client).await;
}

async fn lists(client: &Client) {
    let tools = client.list_all_tools().await.expect("the tools");
    assert!(tools.len() > 20);
    let listed = |name: &str| tools.iter().any(|tool| tool.name == name);
    assert!(listed("test_simple_text") && listed("json_schema_2020_12_tool"));
    let resources = client.list_all_resources().await.expect("the resources");
    let uris: Vec<_> = resources.iter().map(|one| one.uri.as_str()).collect();
    assert!(uris.contains(&"test://static-text") && uris.contains(&"test://template/1/data"));
    let templates = client.list_all_resource_templates().await;
    let templates = templates.expect("the templates");
    assert_eq!(templates[0].uri_template, "test://template/{id}/data");
    let prompts = client.list_all_prompts().await.expect("the prompts");
    assert!(prompts.iter().any(|one| one.name == "test_simple_prompt"));
}

async fn content(client: &Client) {
    for (name, kinds) in [
        ("test_simple_text", vec!["text"]),
        ("test_image_content", vec!["image"]),
        ("test_audio_content", vec!["audio"]),
        ("test_embedded_resource", vec!["resource"]),
        (
            "test_multiple_content_types",
            vec!["text", "image", "resource"],
        ),
        ("test_resource_links", vec!["resource_link"; 2]),
    ] {
        let result = json!(called(client, name, json!({})).await);
        let found = result["content"].as_array().expect("a list").iter();
        let found: Vec<_> = found
            .map(|one| one["type"].as_str().unwrap_or(""))
            .collect();
        assert_eq!(found, kinds, "{name}");
    }
    let weather = called(client, "test_structured_content", json!({})).await;
    assert_eq!(
        weather.structured_content,
        Some(json!({"place": "Oslo", "degrees": -3.5, "sky": "snow"}))
    );
    let failed = called(client, "test_error_handling", json!({})).await;
    assert_eq!(failed.is_error, Some(true));
    assert!(text(&failed).starts_with("Error A0001: "));
    let sent = json!({"region": "Zürich", "priority": 3, "dry_run": true});
    let mirrored = called(client, "test_custom_headers", sent).await;
    assert_eq!(text(&mirrored), "region=Zürich, priority=3, dry_run=true");
    let misfits = json!({"contactMethod": "phone", "email": "a@b"});
    let refused = called(client, "json_schema_2020_12_tool", misfits).await;
    assert_eq!(refused.is_error, Some(true));
}

/// `_meta` where it is listed, read, given and got, and content beside a failure.
async fn metadata(client: &Client) {
    let tools = json!(client.list_all_tools().await.expect("the tools"));
    let tools = tools.as_array().expect("a list");
    let dial = tools.iter().find(|tool| tool["name"] == "show_dial");
    let dial = dial.expect("it is listed");
    let page = dial["_meta"]["ui"]["resourceUri"].as_str();
    let page = page.expect("it has a page");
    assert_eq!(
        dial["inputSchema"]["properties"]["percent"]["title"],
        "Percent"
    );
    let resources = json!(client.list_all_resources().await.expect("the resources"));
    let resources = resources.as_array().expect("a list");
    let listed = resources.iter().find(|one| one["uri"] == page);
    let listed = listed.expect("it is listed");
    assert_eq!(listed["annotations"], json!({"audience": ["user"]}));
    assert_eq!(listed["_meta"]["ui"]["prefersBorder"], true);
    let read = client.read_resource(ReadResourceRequestParams::new(page));
    let read = json!(read.await.expect("it is there"));
    let read = &read["contents"][0];
    assert_eq!(read["mimeType"], "text/html;profile=mcp-app");
    assert_eq!(read["_meta"]["ui"]["csp"], json!({}));
    let html = read["text"].as_str().expect("a text");
    assert_eq!(listed["size"], html.len());

    let shown = called(client, "show_dial", json!({"percent": 30})).await;
    assert_eq!(shown.structured_content, Some(json!({"percent": 30})));
    assert_eq!(
        json!(shown.content),
        json!([{"type": "text", "text": "The dial shows 30 percent."}])
    );
    let given = json!(called(client, "give_metadata", json!({})).await);
    assert_eq!(given["_meta"]["com.example/drawn"], json!({"by": "hand"}));
    assert_eq!(
        given["content"][1]["_meta"],
        json!({"com.example/text": true})
    );
    let resource = &given["content"][2];
    assert_eq!(resource["_meta"], json!({"com.example/block": 1}));
    assert_eq!(
        resource["resource"]["_meta"],
        json!({"com.example/resource": 2})
    );
    assert_eq!(
        given["content"][3]["_meta"],
        json!({"com.example/link": true})
    );

    let failed = json!(called(client, "fail_with_picture", json!({})).await);
    assert_eq!(failed["isError"], true);
    assert_eq!(failed["content"][1]["type"], "image");

    let prompts = json!(client.list_all_prompts().await.expect("the prompts"));
    let prompts = prompts.as_array().expect("a list");
    let about = prompts.iter().find(|one| one["name"] == "about_dial");
    let about = about.expect("it is listed");
    assert_eq!(about["_meta"], json!({"com.example/group": "dials"}));
    assert_eq!(about["arguments"][0]["title"], "Topic");
    let arguments = json!({"topic": "its hand"});
    let params = GetPromptRequestParams::new("about_dial")
        .with_arguments(arguments.as_object().cloned().expect("an object"));
    let got = json!(client.get_prompt(params).await.expect("it is there"));
    assert_eq!(got["_meta"]["com.example/topic"], "its hand");
}

async fn prompts_and_resources(client: &Client, revision: &ProtocolVersion) {
    let resource = |uri: &str| client.read_resource(ReadResourceRequestParams::new(uri));
    let read = json!(
        resource("test://template/123/data")
            .await
            .expect("it is there")
    );
    let text = read["contents"][0]["text"].as_str();
    assert!(text.is_some_and(|text| text.contains("Data for ID: 123")));
    let read = json!(resource("test://static-binary").await.expect("it is there"));
    assert_eq!(read["contents"][0]["mimeType"], "image/png");
    let code = match revision.has_initialize() {
        true => -32002,
        false => -32602,
    };
    match resource("test://nowhere").await {
        Err(ServiceError::McpError(error)) => assert_eq!(error.code, ErrorCode(code)),
        other => panic!("{other:?}"),
    }
    let arguments = json!({"arg1": "a", "arg2": "b"});
    let params = GetPromptRequestParams::new("test_prompt_with_arguments")
        .with_arguments(arguments.as_object().cloned().expect("an object"));
    let got = json!(client.get_prompt(params).await.expect("it is there"));
    assert_eq!(
        got["messages"][0]["content"]["text"],
        "Prompt with arguments: arg1='a', arg2='b'"
    );
    let found = client
        .complete_prompt_simple("test_prompt_with_arguments", "arg1", "par")
        .await;
    assert_eq!(found.expect("it completes"), ["paris", "park", "party"]);
    let found = client
        .complete_resource_simple("test://template/{id}/data", "id", "12")
        .await;
    assert_eq!(found.expect("it completes"), ["12", "123"]);
}

async fn progress(client: &Client) {
    called(client, "test_tool_with_progress", json!({})).await;
    let told = client.service().progress.lock().expect("nobody panicked");
    assert_eq!(*told, [0.0, 50.0, 100.0]);
}

async fn questions(client: &Client) {
    for (name, input, says) in [
        ("test_input_required_result_elicitation", json!({}), "Alice"),
        ("test_input_required_result_sampling", json!({}), "Paris"),
        (
            "test_input_required_result_list_roots",
            json!({}),
            "file:///books",
        ),
        (
            "test_input_required_result_multiple_inputs",
            json!({}),
            "Paris Alice",
        ),
        (
            "test_input_required_result_multi_round",
            json!({}),
            "Alice likes green.",
        ),
        ("test_elicitation_sep1034_defaults", json!({}), "30"),
        ("test_elicitation_sep1330_enums", json!({}), "value1"),
        (
            "test_sampling",
            json!({"prompt": "What is the capital of France?"}),
            "Paris",
        ),
        ("test_once", json!({}), "number=0, confirmed=true"),
        ("test_once", json!({}), "number=1, confirmed=true"),
    ] {
        let result = called(client, name, input).await;
        let text = text(&result);
        assert!(text.contains(says), "{name}: {text}");
    }
    let params = GetPromptRequestParams::new("test_input_required_result_prompt");
    let got = json!(client.get_prompt(params).await.expect("it is answered"));
    assert_eq!(
        got["messages"][0]["content"]["text"],
        "Use this context: a test"
    );
    let asked = client.service().asked.lock().expect("nobody panicked");
    let forms = asked
        .iter()
        .filter(|one| one["requestedSchema"].is_object());
    assert!(
        forms
            .clone()
            .any(|one| one["requestedSchema"]["properties"]["age"]["default"] == 30)
    );
}

/// What the app says of itself, and what it makes of an extension that the client has.
async fn extensions(client: &Client) {
    let server = json!(client.peer_info().expect("it has said who it is"));
    let about = &server["serverInfo"];
    assert_eq!(about["description"], "Every feature of MCP, once.");
    assert_eq!(about["websiteUrl"], "https://modelcontextprotocol.io");
    let icons = json!([
        {"mimeType": "image/svg+xml", "sizes": ["any"], "theme": "light"},
        {"mimeType": "image/png", "sizes": ["1x1"]},
    ]);
    let shown = |of: &Value| {
        let mut icons = of["icons"].clone();
        for icon in icons.as_array_mut().into_iter().flatten() {
            let src = icon["src"].take();
            assert!(
                src.as_str()
                    .is_some_and(|src| src.starts_with("data:image/"))
            );
            icon.as_object_mut().expect("an object").remove("src");
        }
        icons
    };
    assert_eq!(shown(about), icons);
    let declared = &server["capabilities"]["extensions"];
    assert_eq!(*declared, json!({"io.modelcontextprotocol/ui": {}}));

    let tools = client.list_all_tools().await.expect("the tools");
    let tool = |name: &str| tools.iter().find(|tool| tool.name == name);
    let pictured = tool("client_shows_pages").expect("it is listed");
    assert_eq!(shown(&json!(pictured)), icons);
    assert!(tool("listed_where_pages_are_shown").is_some());
    for (name, says) in [
        ("client_shows_pages", r#"["text/html;profile=mcp-app"]"#),
        ("listed_where_pages_are_shown", "Here it is."),
        ("needs_pages", "It ran."),
    ] {
        let result = called(client, name, json!({})).await;
        let value = json!(result)["structuredContent"]["value"].clone();
        assert!(
            value.as_str().is_some_and(|value| value.contains(says)),
            "{value}"
        );
    }
}

#[tokio::test]
async fn a_client_without_an_extension_is_not_given_what_needs_it() {
    let (_program, address) = served();
    for revision in [ProtocolVersion::V_2026_07_28, ProtocolVersion::V_2025_11_25] {
        let client = over_http(&address, &revision, true).await;
        let tools = client.list_all_tools().await.expect("the tools");
        let hidden = |tool: &rmcp::model::Tool| tool.name == "listed_where_pages_are_shown";
        assert!(!tools.iter().any(hidden));
        let result = called(&client, "client_shows_pages", json!({})).await;
        assert_eq!(
            json!(result)["structuredContent"]["value"],
            "The client shows no pages."
        );
        let needing = CallToolRequestParams::new("needs_pages");
        match client.call_tool(needing).await {
            Err(ServiceError::McpError(error)) => {
                let data = error.data.expect("it says what is lacking");
                let lacking = json!({"extensions": {"io.modelcontextprotocol/ui": {}}});
                assert_eq!(data["requiredCapabilities"], lacking);
            }
            Ok(refused) => {
                assert!(revision.has_initialize());
                assert!(text(&refused).starts_with("Error T0021: "));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn in_the_newest_revision_over_http() {
    let revision = ProtocolVersion::V_2026_07_28;
    let (_program, address) = served();
    everything(&over_http(&address, &revision, false).await, &revision).await;
}

#[tokio::test]
async fn after_a_handshake_over_http() {
    let revision = ProtocolVersion::V_2025_11_25;
    let (_program, address) = served();
    everything(&over_http(&address, &revision, false).await, &revision).await;
}

#[tokio::test]
async fn in_the_newest_revision_on_a_line() {
    let revision = ProtocolVersion::V_2026_07_28;
    let (_child, client) = on_a_line(&revision).await;
    everything(&client, &revision).await;
}

#[tokio::test]
async fn after_a_handshake_on_a_line() {
    let revision = ProtocolVersion::V_2025_11_25;
    let (_child, client) = on_a_line(&revision).await;
    everything(&client, &revision).await;
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_not() {
    let (_program, address) = served();
    let params = || CallToolRequestParams::new("test_missing_capability");
    let modern = over_http(&address, &ProtocolVersion::V_2026_07_28, true).await;
    match modern.call_tool(params()).await {
        Err(ServiceError::McpError(error)) => {
            assert_eq!(error.code, ErrorCode(-32021));
            let data = error.data.expect("it says what is lacking");
            assert_eq!(data["requiredCapabilities"], json!({"sampling": {}}));
        }
        other => panic!("{other:?}"),
    }
    // Before 2026-07-28 there is no error of MCP's own for it.
    let legacy = over_http(&address, &ProtocolVersion::V_2025_11_25, true).await;
    let refused = legacy.call_tool(params()).await.expect("a result");
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).starts_with("Error T0021: "));
}

#[tokio::test]
async fn a_log_reaches_who_asked_for_it() {
    let (_program, address) = served();
    let client = over_http(&address, &ProtocolVersion::V_2025_11_25, false).await;
    let level = |level: &str| read(json!({"level": level}));
    client.set_level(level("error")).await.expect("it is taken");
    called(&client, "test_tool_with_logging", json!({})).await;
    client.set_level(level("info")).await.expect("it is taken");
    called(&client, "test_tool_with_logging", json!({})).await;
    let told = client.service().logged.lock().expect("nobody panicked");
    assert_eq!(
        *told,
        [
            "Tool execution started",
            "Tool processing data",
            "Tool execution completed"
        ]
    );
}
