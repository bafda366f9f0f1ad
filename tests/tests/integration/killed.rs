//! The real program, killed in the middle of a call.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Directory;

/// A process that speaks MCP on stdin and stdout, and keeps its store in a file. Killed when it is dropped.
struct Process {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    log: Lines<BufReader<ChildStderr>>,
}

impl Process {
    fn start(directory: &Directory) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stuck-app"))
            .arg("mcp")
            .current_dir(&directory.0)
            .env("TENT_STORE__URL", "sqlite:tent.db")
            .env_remove("TENT_KEY")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        Process {
            input: child.stdin.take().expect("it has one"),
            output: BufReader::new(child.stdout.take().expect("it has one")).lines(),
            log: BufReader::new(child.stderr.take().expect("it has one")).lines(),
            child,
        }
    }

    /// Calls `pay` with what a request of a later round brings.
    fn send(&mut self, brings: &Value) {
        let mut params = json!({"name": "pay", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        }});
        for (name, value) in brings.as_object().expect("an object") {
            params[name] = value.clone();
        }
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        writeln!(self.input, "{request}").expect("it reads");
    }

    fn answer(&mut self) -> Value {
        let line = self.output.next().expect("an answer").expect("a text");
        serde_json::from_str(&line).expect("a message")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SIGKILL, where there is one.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn reports_an_unknown_outcome_and_does_not_run_again_after_the_process_was_killed() {
    let directory = Directory::new("killed");
    let mut first = Process::start(&directory);
    first.send(&json!({}));
    let asked = first.answer();
    let state = asked["result"]["requestState"].clone();
    assert!(state.is_string(), "{asked}");
    let yes = json!({"requestState": state, "inputResponses": {
        "sure": {"action": "accept", "content": {"sure": true}},
    }});
    first.send(&yes);
    let paid = first
        .log
        .any(|line| line.is_ok_and(|line| line == "it has paid"));
    assert!(paid, "it runs");
    drop(first);

    // Until the time of the first is over it may be running, for all that anybody knows. Each repeat waits.
    let mut second = Process::start(&directory);
    let mut repeats = 0;
    loop {
        second.send(&yes);
        let answer = second.answer();
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer}");
        match result["_meta"]["tent.error"]["code"].as_str() {
            Some("T0009") if repeats < 1000 => repeats += 1,
            code => {
                assert_eq!(code, Some("T0011"), "{answer}");
                break;
            }
        }
    }
    let payments = std::fs::read_to_string(directory.0.join("payments"));
    assert_eq!(payments.expect("it has paid"), "paid\n");
}
