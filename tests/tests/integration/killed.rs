//! A program that is killed in the middle of a call.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Value, json};

use crate::support::Directory;

/// A process that speaks MCP on stdin and stdout, and keeps its store in a file. Killed when it is dropped.
struct Process {
    child: Child,
    input: ChildStdin,
    /// The lines of stdout and of stderr, as they come.
    lines: Receiver<String>,
}

fn send_lines(read: impl Read + Send + 'static, lines: Sender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(read).lines() {
            if lines.send(line.expect("a text")).is_err() {
                return;
            }
        }
    });
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
        let (sender, lines) = channel();
        send_lines(child.stdout.take().expect("it has one"), sender.clone());
        send_lines(child.stderr.take().expect("it has one"), sender);
        Process {
            input: child.stdin.take().expect("it has one"),
            lines,
            child,
        }
    }

    /// Calls `pay` with these further parameters, until it pays or has an outcome. The response; `None` once it has paid.
    ///
    /// The function has so short a deadline that a call may also end before it ran (T0010), or while an earlier one may
    /// still run (T0009): then it is sent again.
    fn call(&mut self, further: &Value) -> Option<Value> {
        for _ in 0..1000 {
            self.send(further);
            let mut lines = self.lines.iter();
            let response = lines.find(|line| line == "it has paid" || line.starts_with('{'));
            let response = response.expect("a response");
            if response == "it has paid" {
                return None;
            }
            let response: Value = serde_json::from_str(&response).expect("a message");
            let error = &response["result"]["_meta"]["tent.error"]["code"];
            if !matches!(error.as_str(), Some("T0009" | "T0010")) {
                return Some(response);
            }
        }
        panic!("no call has an outcome");
    }

    fn send(&mut self, further: &Value) {
        let mut params = json!({"name": "pay", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        }});
        for (name, value) in further.as_object().expect("an object") {
            params[name] = value.clone();
        }
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        writeln!(self.input, "{request}").expect("it reads");
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
#[cfg_attr(not(feature = "sqlite"), ignore = "needs a store in a file")]
fn reports_an_unknown_outcome_and_does_not_run_again_after_the_process_was_killed() {
    let directory = Directory::new("killed");
    let mut first = Process::start(&directory);
    let required = first.call(&json!({})).expect("it requires input");
    let state = required["result"]["requestState"].clone();
    assert!(state.is_string(), "{required}");
    let yes = json!({"requestState": state, "inputResponses": {
        "sure": {"action": "accept", "content": {"sure": true}},
    }});
    assert_eq!(first.call(&yes), None, "it runs");
    drop(first);

    // The first call may still be running until its lease is over. Each repeat waits.
    let mut second = Process::start(&directory);
    let repeated = second.call(&yes).expect("it does not pay again");
    let result = &repeated["result"];
    assert_eq!(result["isError"], true, "{repeated}");
    let code = &result["_meta"]["tent.error"]["code"];
    assert_eq!(code, "T0011", "{repeated}");
    let payments = std::fs::read_to_string(directory.0.join("payments"));
    assert_eq!(payments.expect("it has paid"), "paid\n");
}
