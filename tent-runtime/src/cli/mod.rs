//! The command line of an app: `serve` (the default), `check`, `list`, `call`, `mcp`, `keys`,
//! `explain`.
//!
//! Data goes to stdout, everything else to stderr. How it ends is said at [`App::run`]. Decides nothing that the
//! door decides.

mod call;
mod keys;
mod list;
mod mcp;
mod out;
mod serve;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use serde_json::{Map, Value};
use tent_core::codes::{self, Code};

use crate::error::{Error, Result};
use crate::json;
use crate::server::{App, Prepared, explanation};
use crate::settings::values;

/// How long threads under way are waited for when everything else has ended.
const LAST: Duration = Duration::from_secs(1);

#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Line {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: Serve,
}

#[derive(Args)]
struct Serve {
    /// Where to listen, instead of web.addr [default: 127.0.0.1:3000]
    #[arg(long, value_name = "IP:PORT", value_parser = addr)]
    addr: Option<SocketAddr>,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the functions over HTTP and MCP (the default)
    Serve(Serve),
    /// Check the functions: problems that keep the app from starting, and warnings
    Check {
        /// Fail on warnings too
        #[arg(long)]
        strict: bool,
    },
    /// List the functions
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Call a function, as the app itself or as a person
    Call {
        /// The function's name
        name: String,
        /// Its input, a JSON object
        #[arg(default_value = "{}", value_parser = input)]
        input: Map<String, Value>,
        /// The id of the person to call as
        #[arg(long = "as", value_name = "USER", value_parser = NonEmptyStringValueParser::new())]
        person: Option<String>,
    },
    /// Speak MCP on stdin and stdout, as who holds the key in TENT_KEY, as a person, or as nobody
    Mcp {
        /// The id of the person to call as
        #[arg(long = "as", value_name = "USER", value_parser = NonEmptyStringValueParser::new())]
        person: Option<String>,
    },
    /// Make, list and revoke keys
    #[command(subcommand)]
    Keys(keys::Keys),
    /// Explain a code, or list all
    Explain {
        /// The code, such as T7120
        #[arg(value_parser = code)]
        code: Option<Code>,
    },
}

impl App {
    /// Runs the command line of this process to its end.
    ///
    /// The log goes to stderr, at the level that `RUST_LOG` names (`info` without it).
    ///
    /// | exit code | means |
    /// |---|---|
    /// | 0 | it went well; also where a server was told to end |
    /// | 1 | it did not, and stderr says why: something is wrong with the app, its settings or its store, a call failed, `keys revoke` found no such key, `check --strict` warned |
    /// | 2 | the line itself is wrong: an unknown command or option, or a value that could never be one, such as an address without a port or an input that is no JSON object |
    ///
    /// It starts a tokio runtime of its own, so it is called from a plain `fn main`. Within a runtime, such as that of
    /// `#[tokio::main]`, it says so and gives 1: there it is [`serve`](Self::serve), or [`build`](Self::build).
    pub fn run(self) -> ExitCode {
        self.run_with(std::env::args_os())
    }

    /// As [`run`](Self::run), with this command line; its first word is the program's name.
    pub fn run_with(self, line: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
        let about = self.info();
        let command = Line::command()
            .name(about.name.clone())
            .version(about.version.clone());
        let matches = command.try_get_matches_from(line);
        let line = matches.and_then(|matches| Line::from_arg_matches(&matches));
        let line = match line {
            Ok(line) => line,
            Err(wrong) => {
                let _ = wrong.print();
                return ExitCode::from(u8::try_from(wrong.exit_code()).unwrap_or(2));
            }
        };
        log();
        match ran(self, line) {
            Ok(code) => code,
            Err(error) => {
                complain(&error);
                ExitCode::FAILURE
            }
        }
    }
}

fn ran(app: App, line: Line) -> Result<ExitCode> {
    let command = line.command.unwrap_or(Command::Serve(line.serve));
    // What only reads the catalogue must work whatever state the settings are in.
    if let Command::Explain { code } = command {
        explain(code)?;
        return Ok(ExitCode::SUCCESS);
    }
    outside_of_runtimes()?;
    let app = match &command {
        Command::Serve(Serve { addr: Some(addr) }) => {
            app.flag("--addr", "web.addr", addr.to_string())
        }
        _ => app,
    };
    let prepared = app.prepare()?;
    match command {
        Command::Explain { .. } => Ok(ExitCode::SUCCESS),
        Command::Check { strict } => list::check(&prepared, strict),
        Command::List { json } => list::list(&prepared, json),
        Command::Serve(_) => on_runtime(serve::serve(prepared)),
        Command::Call {
            name,
            input,
            person,
        } => on_runtime(call::call(prepared, name, input, person)),
        Command::Mcp { person } => on_runtime(mcp::mcp(prepared, person)),
        Command::Keys(keys) => on_runtime(keys::run(prepared, keys)),
    }
}

/// A runtime that is started within another one panics. Every command says so that would be an app's way to find out
/// whether it starts, `check` among them.
fn outside_of_runtimes() -> Result<()> {
    if tokio::runtime::Handle::try_current().is_err() {
        return Ok(());
    }
    Err(Error::new(codes::INTERNAL)
        .with_message("App::run starts a tokio runtime of its own, and was called within one.")
        .with_fix(
            "Call it from a plain `fn main`, without #[tokio::main]. Within a runtime, \
             .serve(addr).await serves the app and .build().await gives it to serve as you like.",
        ))
}

fn on_runtime(work: impl Future<Output = Result<ExitCode>>) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(work);
    // A function that does not come back holds its thread, and would hold the process too.
    runtime.shutdown_timeout(LAST);
    ended
}

fn log() {
    let level = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    // An app that set up a log of its own before keeps it.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(level)
        // It would be told by the standard macro, which panics where stderr has no reader.
        .log_internal_errors(false)
        .with_writer(std::io::stderr)
        .try_init();
}

/// A failure on stderr: for whoever sits at this machine, so with what lies under it. What the message says
/// already is not said again.
fn complain(error: &Error) {
    let message = error.message();
    out::say(format_args!(
        "error: {} {}: {message}",
        error.code(),
        error.name()
    ));
    for (field, what) in error.fields() {
        match what.as_str() {
            Some(what) if message.contains(what) => {}
            Some(what) => out::say(format_args!("  {field}: {what}")),
            None => out::say(format_args!("  {field}: {what}")),
        }
    }
    for under in error.chain() {
        if !message.contains(&under) {
            out::say(format_args!("  because: {under}"));
        }
    }
    if !error.fix().is_empty() {
        out::say(format_args!("  help: {}", error.fix()));
    }
}

fn explain(code: Option<Code>) -> Result<()> {
    let line = |code: Code| format!("{code}  {}", code.name());
    match code {
        Some(code) => out::data(explanation(code).trim_end()),
        None => out::data(codes::all().map(line).collect::<Vec<_>>().join("\n")),
    }
}

// What a word of the line means, or why it means nothing, which ends the program with 2. What it names in the
// app or in its store is found out by the commands.

fn addr(text: &str) -> Result<SocketAddr, String> {
    values::addr(text).map_err(|why| format!("it {why}"))
}

fn input(text: &str) -> Result<Map<String, Value>, String> {
    json::object_in(text)
        .map_err(|why| format!("{why}; give one JSON object, in quotes: '{{\"id\": 1}}'"))
}

fn code(text: &str) -> Result<Code, String> {
    codes::find(text).ok_or_else(|| "there is no such code; `explain` alone lists all".to_owned())
}

/// What to type to run this program again: through cargo, where cargo runs it.
fn program(prepared: &Prepared) -> String {
    match (std::env::var("CARGO"), std::env::var("CARGO_PKG_NAME")) {
        (Ok(_), Ok(package)) => format!("cargo run -p {package} --"),
        _ => std::env::args()
            .next()
            .unwrap_or_else(|| prepared.app.info().name.clone()),
    }
}
