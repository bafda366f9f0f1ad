//! The same calls by `rmcp` as the client, in both eras.

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ErrorCode,
    Implementation, ProtocolVersion,
};
use rmcp::service::{ClientInitializeError, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Value, json};

use crate::cases::{Case, Cases, Expected, Listed, cases};
use crate::server::{Keys, Place, Server};

type Client = RunningService<RoleClient, ClientConfig>;

async fn connect(
    server: &Server,
    key: Option<&str>,
    revision: &ProtocolVersion,
) -> Result<Client, ClientInitializeError> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(server.url("/mcp"));
    if let Some(key) = key {
        config = config.auth_header(key);
    }
    let mut client = ClientConfig::new(
        ClientCapabilities::default(),
        Implementation::new("orders-test", "1.0.0"),
    );
    let lifecycle = if revision.has_initialize() {
        client.protocol_version = revision.clone();
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![revision.clone()],
        }
    };
    client
        .serve_with_lifecycle(
            StreamableHttpClientTransport::from_config(config),
            lifecycle,
        )
        .await
}

#[tokio::test]
async fn every_case_in_the_newest_revision() {
    every_case(&ProtocolVersion::V_2026_07_28).await;
}

#[tokio::test]
async fn every_case_after_a_handshake() {
    every_case(&ProtocolVersion::V_2025_11_25).await;
}

#[tokio::test]
async fn every_case_in_the_first_revision_with_typed_answers() {
    every_case(&ProtocolVersion::V_2025_06_18).await;
}

async fn every_case(revision: &ProtocolVersion) {
    let place = Place::new();
    let keys = Keys::new(&place);
    let server = place.serve();
    let client = async |caller: &str| {
        let connected = connect(&server, Some(keys.of(caller)), revision).await;
        connected.unwrap_or_else(|error| panic!("{caller}: {error}"))
    };
    let (ada, grace, reader) = (
        client("ada").await,
        client("grace").await,
        client("reader").await,
    );
    let of = |caller: &str| match caller {
        "ada" => &ada,
        "grace" => &grace,
        _ => &reader,
    };
    let info = ada.peer_info().expect("the server says what it is");
    assert_eq!(&info.protocol_version, revision);
    assert_eq!(
        info.server_info.as_ref().map(|server| server.name.as_str()),
        Some("orders")
    );
    assert!(info.capabilities.tools.is_some());

    let Cases {
        tools,
        listed,
        calls,
    } = cases();
    for (caller, names) in tools {
        let found_tools = of(&caller)
            .list_all_tools()
            .await
            .expect("the tools are listed");
        let mut found: Vec<_> = found_tools
            .iter()
            .map(|tool| tool.name.to_string())
            .collect();
        found.sort();
        assert_eq!(found, names, "{caller}");
        for tool in found_tools {
            check_listed(&json!(tool), &listed[tool.name.as_ref()]);
        }
    }
    for case in calls {
        let params =
            CallToolRequestParams::new(case.tool.clone()).with_arguments(case.input.clone());
        check(&case, of(&case.caller).call_tool(params).await);
    }
}

fn check_listed(tool: &Value, listed: &Listed) {
    let name = &tool["name"];
    assert!(
        tool["description"]
            .as_str()
            .is_some_and(|about| !about.is_empty()),
        "{name}"
    );
    assert_eq!(tool["title"], listed.title, "{name}");
    assert_eq!(tool["annotations"], listed.annotations, "{name}");
    let schema = &tool["inputSchema"];
    assert_eq!(schema["type"], "object", "{name}");
    assert_eq!(fields(schema), Some(listed.properties.clone()), "{name}");
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    required.sort_by_key(ToString::to_string);
    assert_eq!(json!(required), json!(listed.required), "{name}");
    assert_eq!(fields(&tool["outputSchema"]), listed.output, "{name}");
}

/// The names of the properties of a schema, sorted.
fn fields(schema: &Value) -> Option<Vec<String>> {
    let mut names: Vec<String> = schema["properties"].as_object()?.keys().cloned().collect();
    names.sort();
    Some(names)
}

fn check(case: &Case, called: Result<CallToolResult, ServiceError>) {
    let name = case.name();
    match &case.expected {
        Expected::Unknown { .. } => match called {
            Err(ServiceError::McpError(error)) => {
                assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{name}")
            }
            other => panic!("{name}: {other:?}"),
        },
        Expected::Scope { lacks_scope } => {
            let refused = called.expect_err(&name);
            let challenge = refused
                .auth_challenge()
                .unwrap_or_else(|| panic!("{name}: {refused}"));
            assert!(
                challenge.contains("error=\"insufficient_scope\""),
                "{name}: {challenge}"
            );
            assert!(
                challenge.contains(&format!("scope=\"{lacks_scope}\"")),
                "{name}: {challenge}"
            );
        }
        expected => {
            let result = called.unwrap_or_else(|error| panic!("{name}: {error}"));
            let [content] = &result.content[..] else {
                panic!("{name}: not one text: {result:?}");
            };
            let text = &content
                .as_text()
                .unwrap_or_else(|| panic!("{name}: {result:?}"))
                .text;
            let meta = json!(result.meta);
            if matches!(expected, Expected::Failure { .. }) {
                check_failure(expected, &result, text, &meta["tent.error"], &name);
                return;
            }
            assert_ne!(result.is_error, Some(true), "{name}: {text}");
            let value = result
                .structured_content
                .unwrap_or_else(|| panic!("{name}: {text}"));
            assert_eq!(
                serde_json::from_str::<Value>(text).ok().as_ref(),
                Some(&value),
                "{name}"
            );
            if matches!(expected, Expected::Orders { .. }) {
                assert_eq!(meta["tent.wrapped"], true, "{name}");
                assert_eq!(
                    value.as_object().map(serde_json::Map::len),
                    Some(1),
                    "{name}"
                );
                expected.check_value(&value["value"], &name);
            } else {
                assert_eq!(meta["tent.wrapped"], Value::Null, "{name}");
                expected.check_value(&value, &name);
            }
        }
    }
}

fn check_failure(
    expected: &Expected,
    result: &CallToolResult,
    text: &str,
    data: &Value,
    name: &str,
) {
    let Expected::Failure {
        error,
        status,
        message,
        fields,
    } = expected
    else {
        unreachable!("only failures are checked here");
    };
    assert_eq!(result.is_error, Some(true), "{name}: {text}");
    assert_eq!(result.structured_content, None, "{name}");
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let written = first.strip_prefix(&format!("Error {error}: "));
    let written = written.unwrap_or_else(|| panic!("{name}: {first}"));
    if let Some(message) = message {
        assert_eq!(written, message, "{name}");
    }
    assert!(
        lines
            .next()
            .is_some_and(|line| line.len() > "Fix: ".len() && line.starts_with("Fix: ")),
        "{name}: {text}"
    );
    assert_eq!(
        (&data["code"], &data["status"]),
        (&json!(error), &json!(status)),
        "{name}"
    );
    if let Some(fields) = fields {
        let mut told: Vec<_> = lines
            .filter_map(|line| Some(line.split_once(':')?.0))
            .collect();
        told.sort_unstable();
        assert_eq!(told, *fields, "{name}: {text}");
        let mut found: Vec<_> = data["fields"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(field, _)| field)
            .collect();
        found.sort();
        assert_eq!(found, fields.iter().collect::<Vec<_>>(), "{name}: {error}");
    }
}

#[tokio::test]
async fn refuses_every_request_without_a_valid_key() {
    let place = Place::new();
    let server = place.serve();
    for revision in [ProtocolVersion::V_2026_07_28, ProtocolVersion::V_2025_11_25] {
        for key in [None, Some("tk_not_a_key")] {
            let refused = connect(&server, key, &revision).await;
            let error = refused
                .err()
                .unwrap_or_else(|| panic!("{revision} {key:?} was let in"));
            let challenge = error.auth_challenge().unwrap_or_else(|| panic!("{error}"));
            assert!(challenge.starts_with("Bearer "), "{challenge}");
        }
    }
}
