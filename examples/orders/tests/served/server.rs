//! Starts the app on a port of its own with a new database and a new store, and stops it again.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;

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
            .env("TENT_STORE__URL", "sqlite:tent.db");
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
        let mut child = self
            .command()
            .args(["serve", "--addr", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the app starts");
        let output = child.stdout.take().expect("it is piped");
        let (found, listens) = mpsc::channel();
        // Reads on to the end, so that the app never waits for somebody to read.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some(url) = address(&line) {
                    let _ = found.send(url);
                }
            }
        });
        match listens.recv() {
            Ok(url) => Server { child, url },
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
}

impl Server {
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
