//! Starts the app on a port of its own with a new database and a new store, and stops it again.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

/// A folder of its own, with everything that one running app keeps.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("orders-{}-{next}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the folder is made");
        Place(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_orders"));
        command
            .current_dir(&self.0)
            .env("ORDERS_DB", self.path("orders.db"))
            .env("ORDERS_OUTBOX", self.path("outbox"))
            .env("TENT_STORE__URL", "sqlite:tent.db")
            // What it says to type depends on how it was started.
            .env_remove("CARGO");
        command
    }

    /// Runs the app with these arguments to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command()
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("the app runs")
    }

    /// Runs the app with these arguments and variables to its end, and shows what it printed and how it ended.
    pub(crate) fn shown(&self, variables: &[(&str, &str)], arguments: &[&str]) -> String {
        let ran = self
            .command()
            .args(arguments)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .output()
            .expect("the app runs");
        let mut shown = String::from("$ ");
        for (name, value) in variables {
            shown += &format!("{name}={value} ");
        }
        shown += &format!("orders {}\n", arguments.join(" "));
        for (name, printed) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
            if !printed.is_empty() {
                shown += &format!("--- {name}\n{}", String::from_utf8_lossy(printed));
            }
        }
        shown + &format!("--- exit {}\n", ran.status.code().unwrap_or(-1))
    }

    /// Runs the app with these arguments, and gives what it printed on stdout.
    pub(crate) fn print(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        let says = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{arguments:?}: {says}");
        String::from_utf8(ran.stdout).expect("what is printed is UTF-8")
    }

    /// A new key of `owner`'s.
    pub(crate) fn key(&self, owner: &str, scopes: &[&str]) -> String {
        let mut arguments = vec!["keys", "create", "--owner", owner];
        for scope in scopes {
            arguments.extend(["--scope", scope]);
        }
        self.print(&arguments).trim_end().to_owned()
    }

    /// The app, once it says where it listens.
    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    /// The same with these variables.
    pub(crate) fn serve_with(&self, variables: &[(&str, &str)]) -> Server {
        let mut child = self
            .command()
            .args(["serve", "--addr", "127.0.0.1:0"])
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the app starts");
        let output = child.stdout.take().expect("it is piped");
        let printed = Arc::<Mutex<String>>::default();
        let kept = printed.clone();
        let (found, listens) = mpsc::channel();
        // Reads on to the end, so that the app never waits for somebody to read.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                *kept += &format!("{line}\n");
                drop(kept);
                if let Some(url) = address(&line) {
                    let _ = found.send(url);
                }
            }
        });
        match listens.recv() {
            Ok(url) => Server {
                child,
                url,
                printed,
            },
            Err(_) => panic!(
                "the app ended without saying where it listens: {:?}",
                child.wait()
            ),
        }
    }
}

/// The address that a line names, without a path.
fn address(line: &str) -> Option<String> {
    let at = line.find("http://127.0.0.1:")?;
    let port = line[at + "http://127.0.0.1:".len()..]
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .filter(|port| !port.is_empty())?;
    Some(format!("http://127.0.0.1:{port}"))
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A running app; stopped when it is dropped.
pub(crate) struct Server {
    child: Child,
    url: String,
    printed: Arc<Mutex<String>>,
}

impl Server {
    /// The host and the port that it listens on.
    pub(crate) fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// What it has printed on stdout.
    pub(crate) fn printed(&self) -> String {
        let printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        printed.clone()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The keys that the cases name, by their caller.
pub(crate) struct Keys {
    ada: String,
    grace: String,
    reader: String,
}

impl Keys {
    pub(crate) fn new(place: &Place) -> Self {
        Keys {
            ada: place.key("ada", &["read", "write"]),
            grace: place.key("grace", &["read", "write"]),
            reader: place.key("ada", &["read"]),
        }
    }

    pub(crate) fn of(&self, caller: &str) -> &str {
        match caller {
            "ada" => &self.ada,
            "grace" => &self.grace,
            "reader" => &self.reader,
            other => panic!("no key for {other}"),
        }
    }
}
