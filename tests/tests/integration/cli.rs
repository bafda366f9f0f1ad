//! The command line of apps that have something wrong with them: what is said, where, and the exit code.
//! That of an app with nothing wrong is tested beside `examples/orders`.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Directory;

fn small_apps(line: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_small-apps"));
    command
        .args(line)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .env("TENT_STORE__URL", "memory:")
        .env("TENT_WEB__ADDR", "127.0.0.1:0")
        .env_remove("TENT_KEY")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    command
}

/// What a run prints and how it ends.
fn run(line: &[&str]) -> String {
    let mut shown = String::new();
    let ran = small_apps(line).output().expect("it starts");
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

// K2-04.
#[test]
fn reports_two_functions_of_one_name_with_both_locations() {
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
fn names_a_missing_state_with_every_function_that_takes_it() {
    insta::assert_snapshot!(run(&["stateless", "check"]));
}

// K1-14, K1-23.
#[test]
fn reports_an_input_that_clients_refuse_at_start() {
    insta::assert_snapshot!(run(&["misshapen", "check"]));
}

#[test]
fn reports_a_missing_state_beside_other_problems() {
    let checked = run(&["both", "check"]);
    let problems: Vec<_> = checked
        .lines()
        .filter_map(|line| line.strip_prefix("error: "))
        .map(|problem| &problem[..5])
        .collect();
    assert_eq!(problems, ["T1001", "T7011"], "{checked}");
    let served = run(&["both"]);
    assert!(checked.ends_with(served.split_once('\n').expect("lines").1));
}

#[test]
fn marks_functions_that_are_listed_but_cannot_be_called() {
    for (name, told) in [
        ("told", "`told` is a resource: "),
        ("greet", "`greet` is a prompt: "),
    ] {
        let shown = run(&["served", "call", name, r#"{"id": 1}"#]);
        assert!(shown.contains(&format!("error: {told}")), "{shown}");
        assert!(shown.ends_with("--- exit 1"), "{shown}");
    }
}

#[test]
fn every_app_has_a_notifier() {
    assert!(run(&["served", "check"]).ends_with("--- exit 0"));
    assert!(run(&["served", "call", "tell"]).ends_with("--- exit 0"));
}

/// R12.
#[test]
fn suggests_the_nearest_function_or_code_and_counts_in_the_singular() {
    for (line, part) in [
        (&["asking", "call", "gretes"][..], "Did you mean `greets`?"),
        (&["asking", "explain", "T712"], "did you mean T7012?"),
        (
            &["asking", "explain", "A0001"],
            "`A` codes belong to the app",
        ),
        (&["asking", "check"], "1 function (1 tool); 0 warnings"),
        (&["slow", "check"], "2 functions (2 tools)"),
    ] {
        let output = run(line);
        assert!(output.contains(part), "{line:?}: {output}");
    }
}

#[test]
fn mcp_reports_that_its_caller_is_anonymous() {
    let told = run(&["served", "mcp"]);
    assert!(
        told.contains("identify the caller with TENT_KEY or --as USER"),
        "{told}"
    );
    assert!(told.ends_with("--- exit 0"), "{told}");
}

/// How a run ends whose output goes to these.
#[cfg(unix)]
fn status(line: &[&str], stdout: Stdio, stderr: Stdio) -> Option<i32> {
    let ran = small_apps(line).stdout(stdout).stderr(stderr).status();
    ran.expect("it starts").code()
}

/// A pipe whose reader is closed.
#[cfg(unix)]
fn unread() -> Stdio {
    let (_, writer) = std::io::pipe().expect("a pipe");
    writer.into()
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_not_an_error() {
    for (line, code) in [
        (&["served", "list"][..], 0),
        (&["served", "list", "--json"], 0),
        (&["served", "check"], 0),
        (&["served", "explain"], 0),
        (&["noisy", "mcp"], 0),
        (&["taken", "check"], 1),
        (&["served", "call", "nothing"], 1),
        (&["served", "keys", "revoke", "nothing"], 1),
        (&["served", "--adr"], 2),
    ] {
        assert_eq!(status(line, unread(), unread()), Some(code), "{line:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn data_that_cannot_be_written_is_a_failure() {
    for line in [&["served", "list"][..], &["served", "explain"]] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let ran = small_apps(line).stdout(full.expect("it is there")).output();
        let ran = ran.expect("it starts");
        assert_eq!(ran.status.code(), Some(1), "{line:?}");
        let stderr = String::from_utf8_lossy(&ran.stderr);
        let told = "error: T0012 internal: Cannot write to stdout.";
        assert!(stderr.starts_with(told), "{stderr}");
    }
}

#[test]
fn an_app_without_functions_does_not_start() {
    insta::assert_snapshot!(run(&["empty"]));
}

// K7-09.
#[test]
fn reports_a_linked_crate_without_functions_beside_other_problems() {
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
        [
            "T1001", "T1001", "T7011", "T7011", "T7011", "T7012", "T7016", "T7016", "T7018"
        ],
        "{told}"
    );
    assert_eq!(
        problems.last(),
        Some(&"T7018 no-functions: The crate anyhow was linked for its functions and has none")
    );
    assert!(told.ends_with("--- exit 1"), "{told}");
}

// K1-18, K2-01, K2-06, K2-08.
#[test]
fn warns_about_what_some_clients_refuse() {
    insta::assert_snapshot!(run(&["warned", "check"]));
    let strict = run(&["warned", "check", "--strict"]);
    assert!(strict.ends_with("--- exit 1"), "{strict}");
}

/// A run of the app on a store in this directory.
fn run_on(directory: &Directory, line: &[&str]) -> (Option<i32>, String, String) {
    let mut command = small_apps(line);
    command.current_dir(&directory.0);
    let ran = command.env("TENT_STORE__URL", "sqlite:tent.db").output();
    let ran = ran.expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("a text");
    (ran.status.code(), text(ran.stdout), text(ran.stderr))
}

/// P11.
#[test]
#[cfg_attr(not(feature = "sqlite"), ignore = "needs a store in a file")]
fn keys_can_be_made_whatever_is_wrong_with_the_functions_and_name_their_store() {
    let directory = Directory::new("keys");
    let line = ["taken", "keys", "create", "--scope", "read"];
    let (code, stdout, stderr) = run_on(&directory, &line);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stdout.starts_with("tk_") && stdout.lines().count() == 1,
        "{stdout}"
    );
    let store = directory.0.join("tent.db").display().to_string();
    let part = format!(": owner none, scope read, store {store}\n");
    assert!(
        stderr.starts_with("created the key ") && stderr.ends_with(&part),
        "{stderr}"
    );
    let id = stderr["created the key ".len()..]
        .split(':')
        .next()
        .expect("an id");
    let (code, stdout, stderr) = run_on(&directory, &["taken", "keys", "list"]);
    assert_eq!((code, stdout.lines().count()), (Some(0), 1), "{stdout}");
    assert_eq!(stderr, format!("1 key in the store {store}\n"));
    let (code, _, stderr) = run_on(&directory, &["taken", "keys", "revoke", id]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stderr, format!("revoked {id} in the store {store}\n"));
    let (code, _, stderr) = run_on(&directory, &["taken", "keys", "revoke", "other"]);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains(&format!("the store {store} has no key other")),
        "{stderr}"
    );
}

/// P11.
#[test]
#[cfg_attr(not(feature = "sqlite"), ignore = "needs a store in a file")]
fn an_owner_that_the_app_does_not_know_gets_no_key() {
    let directory = Directory::new("owners");
    let create = |owner| {
        let line = [
            "owned", "keys", "create", "--scope", "read", "--owner", owner,
        ];
        run_on(&directory, &line)
    };
    let (code, stdout, stderr) = create("adda");
    assert_eq!((code, &*stdout), (Some(1), ""));
    assert!(
        stderr.contains("The app does not know the user `adda`."),
        "{stderr}"
    );
    assert!(
        stderr.contains("help: Use the id of a user of the app"),
        "{stderr}"
    );
    assert!(!directory.0.join("tent.db").exists(), "nothing was made");
    let (code, _, stderr) = create("ada");
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("owner ada, scope read"), "{stderr}");
}

/// P11, S16.
#[test]
#[cfg_attr(not(feature = "sqlite"), ignore = "needs a store in a file")]
fn commands_of_keys_make_no_store_where_there_is_none() {
    let directory = Directory::new("no-store");
    for line in [
        &["taken", "keys", "list"][..],
        &["taken", "keys", "revoke", "aaaaaaaaaa"],
    ] {
        let (code, stdout, stderr) = run_on(&directory, line);
        assert_eq!((code, &*stdout), (Some(1), ""));
        let store = directory.0.join("tent.db");
        let part = format!("The store {} does not exist.", store.display());
        assert!(stderr.contains(&part), "{stderr}");
        assert!(!store.exists());
    }
}

/// P11.
#[test]
fn a_store_in_memory_has_no_keys_for_the_command_line() {
    for line in [
        &["taken", "keys", "create", "--scope", "read"][..],
        &["taken", "keys", "list"],
        &["taken", "keys", "revoke", "aaaaaaaaaa"],
    ] {
        let shown = run(line);
        assert!(!shown.contains("--- stdout"), "{shown}");
        assert!(shown.contains("The store is memory:"), "{shown}");
        assert!(
            shown.contains("help: Set store.url to the file of the server"),
            "{shown}"
        );
        assert!(shown.ends_with("--- exit 1"), "{shown}");
    }
}

/// P10.
#[test]
fn the_log_has_colours_only_where_they_are_forced_or_stderr_is_a_terminal() {
    for (name, value, colours) in [
        ("TERM", "xterm-256color", false),
        ("CLICOLOR_FORCE", "1", true),
    ] {
        let mut command = small_apps(&["served", "mcp"]);
        let command = command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        let ran = command.env(name, value).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&ran.stderr);
        assert!(stderr.contains("the caller is anonymous"), "{stderr}");
        assert_eq!(stderr.contains('\u{1b}'), colours, "{name}: {stderr}");
    }
}

#[cfg(unix)]
fn noisy() -> Child {
    small_apps(&["noisy", "mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

#[cfg(unix)]
fn call(id: usize, name: &str) -> String {
    let params = format!(r#"{{"name":"{name}"}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
}

/// The messages on stdout, by their ids.
#[cfg(unix)]
fn messages(stdout: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(stdout).expect("a text");
    let message = |line: &str| serde_json::from_str(line).expect("a message");
    let mut all: Vec<Value> = text.lines().map(message).collect();
    all.sort_by_key(|message| message["id"].as_u64());
    all
}

#[test]
#[cfg(unix)]
fn nothing_but_messages_is_written_to_stdout_by_mcp() {
    let mut server = noisy();
    let calls = ["prints", "breaks", "prints"].iter().enumerate();
    let lines: Vec<_> = calls.map(|(id, name)| call(id, name)).collect();
    let mut input = server.stdin.take().expect("it has one");
    input
        .write_all(lines.join("\n").as_bytes())
        .expect("it reads");
    drop(input);
    let ran = server.wait_with_output().expect("it ends with its input");
    assert!(ran.status.success());
    let failed = |message: &Value| message["result"]["isError"] == true;
    let failed: Vec<_> = messages(&ran.stdout).iter().map(failed).collect();
    assert_eq!(failed, [false, true, false]);
    let stderr = String::from_utf8(ran.stderr).expect("a text");
    for printed in ["a function prints", "a program prints", "half a line"] {
        assert!(stderr.contains(printed), "{stderr}");
    }
}

#[test]
#[cfg(unix)]
fn mcp_writes_only_messages_to_stdout() {
    let mut server = noisy();
    let mut input = server.stdin.take().expect("it has one");
    let log = BufReader::new(server.stderr.take().expect("it has one"));
    let mut log = log.lines().map(|line| line.expect("a text"));
    // Together, so that neither can take the other's.
    let both = [call(0, "reads"), call(1, "lets_read"), String::new()];
    input
        .write_all(both.join("\n").as_bytes())
        .expect("it reads");
    let mut begun = [false; 2];
    while begun != [true; 2] {
        let line = log.next().expect("both are called");
        begun[0] |= line == "reads";
        begun[1] |= line == "lets_read";
    }
    // They read while these come, which are more than is read, or fits into a pipe, at once.
    let most = 5000;
    let writing = std::thread::spawn(move || {
        for id in 2..most {
            let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            writeln!(input, "{ping}").expect("it reads");
        }
    });
    let ran = server.wait_with_output().expect("it ends with its input");
    writing.join().expect("all was written");
    let answers = messages(&ran.stdout);
    assert_eq!(answers.len(), most, "each request gets a response");
    for found in &answers[..2] {
        assert_eq!(found["result"]["content"][0]["text"], r#"{"value":""}"#);
    }
}

#[test]
fn mcp_does_not_start_as_an_unknown_user() {
    for (key, line) in [
        ("tk_wrong", &["noisy", "mcp"][..]),
        ("", &["noisy", "mcp", "--as"]),
    ] {
        let ran = small_apps(line).env("TENT_KEY", key).output();
        let ran = ran.expect("it starts");
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
fn a_legacy_client_on_stdio_gets_an_input_request() {
    let mut client = OnStdio::new("asking");
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "probe", "version": "1"},
    });
    client.send(json!({"id": 0, "method": "initialize", "params": hello}));
    assert_eq!(client.next()["result"]["protocolVersion"], "2025-11-25");
    // Two calls at once have different ids.
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
    assert_eq!(said(&second), "Hello, stranger!");
    let mut ids = [&first["id"], &second["id"]].map(|id| id.as_u64().expect("an id"));
    ids.sort_unstable();
    assert_eq!(ids, [1, 2]);
    client.end();
}

#[test]
fn a_modern_client_on_stdio_gets_an_input_required_result() {
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
