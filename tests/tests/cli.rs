//! The command line of apps that have something wrong with them: what is said, where, and the exit code.
//! That of an app with nothing wrong is tested beside `examples/orders`.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// What a run prints and how it ends.
fn run(line: &[&str]) -> String {
    let mut shown = String::new();
    let ran = Command::new(env!("CARGO_BIN_EXE_small-apps"))
        .args(line)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .env("TENT_STORE__URL", "memory:")
        .env("TENT_WEB__ADDR", "127.0.0.1:0")
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    let _ = writeln!(shown, "$ {}", line.join(" "));
    for (name, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        let text = String::from_utf8_lossy(text);
        if !text.is_empty() {
            let _ = write!(shown, "--- {name}\n{text}");
        }
    }
    let _ = write!(shown, "--- exit {}", ran.status.code().unwrap_or(-1));
    shown
}

#[test]
fn k2_04_two_functions_of_one_name_are_a_problem_with_both_places() {
    let checked = run(&["taken", "check"]);
    insta::assert_snapshot!(checked);
    // Whatever needs the functions says the same, and does nothing else.
    for command in ["serve", "list", "call"] {
        let line: &[&str] = match command {
            "call" => &["taken", "call", "search"],
            command => &["taken", command],
        };
        let told = run(line);
        assert_eq!(
            told.lines().skip(1).collect::<Vec<_>>(),
            checked.lines().skip(1).collect::<Vec<_>>(),
            "{command}"
        );
    }
}

#[test]
fn a_state_that_nobody_handed_over_is_named_with_every_function_that_takes_it() {
    insta::assert_snapshot!(run(&["stateless", "check"]));
}

#[test]
fn k1_14_k1_23_an_input_that_no_client_takes_is_a_problem_at_start() {
    insta::assert_snapshot!(run(&["misshapen", "check"]));
}

#[test]
fn an_app_without_functions_does_not_start() {
    insta::assert_snapshot!(run(&["empty"]));
}

#[test]
fn k7_09_a_crate_that_brings_nothing_is_told_beside_every_other_problem() {
    let told = run(&["linked", "check"]);
    let problems: Vec<_> = told
        .lines()
        .filter_map(|line| line.strip_prefix("error: "))
        .collect();
    assert_eq!(
        problems
            .iter()
            .map(|problem| &problem[..5])
            .collect::<Vec<_>>(),
        ["T1001", "T1001", "T7012", "T7016", "T7016", "T7018"],
        "{told}"
    );
    assert_eq!(
        problems.last(),
        Some(&"T7018 no-functions: The crate anyhow was linked for its functions and has none")
    );
    assert!(told.ends_with("--- exit 1"), "{told}");
}

#[test]
fn k1_18_k2_01_k2_06_k2_08_what_clients_take_badly_is_warned_of() {
    insta::assert_snapshot!(run(&["warned", "check"]));
    let strict = run(&["warned", "check", "--strict"]);
    assert!(strict.ends_with("--- exit 1"), "{strict}");
}

#[test]
fn keys_can_be_made_whatever_is_wrong_with_the_functions() {
    let told = run(&["taken", "keys", "create", "--scope", "read"]);
    let [_, stdout, key, exit] = told.lines().collect::<Vec<_>>()[..] else {
        panic!("{told}");
    };
    assert_eq!((stdout, exit), ("--- stdout", "--- exit 0"));
    assert!(key.starts_with("tk_"), "{told}");
}

#[test]
#[cfg(unix)]
fn nothing_but_messages_is_written_to_stdout_by_mcp() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_small-apps"))
        .args(["noisy", "mcp"])
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .env("TENT_STORE__URL", "memory:")
        .env_remove("TENT_KEY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let calls = ["prints", "breaks", "prints"].iter().enumerate().map(|(id, name)| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}"}}}}"#)
    });
    let lines = calls.collect::<Vec<_>>().join("\n");
    let mut input = server.stdin.take().expect("it has one");
    input.write_all(lines.as_bytes()).expect("it reads");
    drop(input);
    let ran = server.wait_with_output().expect("it ends with its input");
    assert!(ran.status.success());
    let stdout = String::from_utf8(ran.stdout).expect("a text");
    let stderr = String::from_utf8(ran.stderr).expect("a text");
    let mut answers: Vec<(u64, bool)> = stdout
        .lines()
        .map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).expect("a message");
            let failed = message["result"]["isError"].as_bool().unwrap_or_default();
            (message["id"].as_u64().expect("an id"), failed)
        })
        .collect();
    answers.sort_unstable();
    assert_eq!(answers, [(0, false), (1, true), (2, false)]);
    for printed in ["a function prints", "a program prints", "half a line"] {
        assert!(stderr.contains(printed), "{stderr}");
    }
}

#[test]
fn mcp_as_somebody_unknown_does_not_start() {
    for (key, line) in [
        ("tk_wrong", &["noisy", "mcp"][..]),
        ("", &["noisy", "mcp", "--as"]),
    ] {
        let ran = Command::new(env!("CARGO_BIN_EXE_small-apps"))
            .args(line)
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .env("TENT_STORE__URL", "memory:")
            .env("TENT_KEY", key)
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        assert!(!ran.status.success());
        assert_eq!(ran.stdout, b"");
        assert_ne!(ran.stderr, b"");
    }
}

/// A client of an app on stdio.
struct OnStdio {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl OnStdio {
    fn new(app: &str) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_small-apps"))
            .args([app, "mcp"])
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .env("TENT_STORE__URL", "memory:")
            .env_remove("TENT_KEY")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("it starts");
        OnStdio {
            to: server.stdin.take().expect("it has one"),
            from: BufReader::new(server.stdout.take().expect("it has one")),
            server,
        }
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        writeln!(self.to, "{message}").expect("it reads");
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("a message")
    }

    fn end(self) {
        let OnStdio {
            mut server,
            to,
            from,
        } = self;
        drop(to);
        assert_eq!(from.lines().count(), 0, "nothing more is said");
        assert!(server.wait().expect("it ends").success());
    }
}

/// The form that `greets` asks for.
fn who_are_you() -> Value {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    });
    json!({"mode": "form", "message": "Who are you?", "requestedSchema": schema})
}

fn ada() -> Value {
    json!({"action": "accept", "content": {"name": "Ada"}})
}

#[test]
fn on_stdio_an_older_client_is_asked_by_a_request() {
    let mut client = OnStdio::new("asking");
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "probe", "version": "1"},
    });
    client.send(json!({"id": 0, "method": "initialize", "params": hello}));
    assert_eq!(client.next()["result"]["protocolVersion"], "2025-11-25");
    // Two at once are told apart.
    for id in [1, 2] {
        client.send(json!({"id": id, "method": "tools/call", "params": {"name": "greets"}}));
    }
    let asked = [client.next(), client.next()];
    for asked in &asked {
        assert_eq!(asked["method"], "elicitation/create");
        assert_eq!(asked["params"], who_are_you());
    }
    assert_ne!(asked[0]["id"], asked[1]["id"]);
    client.send(json!({"id": asked[0]["id"], "result": ada()}));
    let first = client.next();
    client.send(json!({"id": asked[1]["id"], "result": {"action": "decline"}}));
    let second = client.next();
    let said = |answer: &Value| answer["result"]["structuredContent"]["value"].clone();
    assert_eq!(said(&first), "Hello, Ada!");
    assert_eq!(said(&second), "Hello, whoever you are!");
    let mut ids = [&first["id"], &second["id"]].map(|id| id.as_u64().expect("an id"));
    ids.sort_unstable();
    assert_eq!(ids, [1, 2]);
    client.end();
}

#[test]
fn on_stdio_a_modern_client_is_asked_by_an_answer() {
    let mut client = OnStdio::new("asking");
    let mut params = json!({"name": "greets", "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }});
    client.send(json!({"id": 1, "method": "tools/call", "params": params}));
    let asked = client.next();
    assert_eq!(asked["id"], 1);
    assert_eq!(asked["result"]["resultType"], "input_required");
    let wanted = json!({"name": {"method": "elicitation/create", "params": who_are_you()}});
    assert_eq!(asked["result"]["inputRequests"], wanted);
    params["inputResponses"] = json!({"name": ada()});
    params["requestState"] = asked["result"]["requestState"].clone();
    client.send(json!({"id": 2, "method": "tools/call", "params": params}));
    let answer = client.next();
    assert_eq!(answer["id"], 2);
    let said = &answer["result"]["structuredContent"]["value"];
    assert_eq!(said, "Hello, Ada!");
    client.end();
}
