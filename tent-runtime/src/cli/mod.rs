//! The command line of an app: `serve` (the default), `check`, `list`, `call`, `mcp`, `keys`,
//! `explain`.
//!
//! Data goes to stdout, everything else to stderr; see [`App::run`] for the exit codes. Decides nothing that dispatch
//! decides.

mod call;
mod colors;
mod keys;
mod list;
mod mcp;
mod out;
mod serve;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use serde_json::{Map, Value};
use tent_core::codes::{self, Code};
use tent_core::names::nearest;

use crate::error::{Error, Result};
use crate::json;
use crate::server::{App, Prepared, explanation};
use crate::settings::values;

/// The time that running threads have to end after everything else has ended.
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
    /// The address to listen on, instead of web.addr [default: 127.0.0.1:3000]
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
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Call a function, as the app itself or as a user
    Call {
        /// The function's name
        name: String,
        /// The input, a JSON object
        #[arg(default_value = "{}", value_parser = input)]
        input: Map<String, Value>,
        /// The id of the user to call as
        #[arg(long = "as", value_name = "USER", value_parser = NonEmptyStringValueParser::new())]
        person: Option<String>,
    },
    /// Serve MCP on stdin and stdout, as the key in TENT_KEY, as a user, or anonymously
    Mcp {
        /// The id of the user to call as
        #[arg(long = "as", value_name = "USER", value_parser = NonEmptyStringValueParser::new())]
        person: Option<String>,
    },
    /// Create, list and revoke keys
    #[command(subcommand)]
    Keys(keys::Keys),
    /// Explain a code, or list all
    Explain {
        /// The code, for example T7120
        #[arg(value_parser = code)]
        code: Option<Code>,
    },
}

impl App {
    /// Runs the command line of this process.
    ///
    /// The log goes to stderr, at the level that `RUST_LOG` names (`info` without it). It has colours where stderr is a
    /// terminal, unless `NO_COLOR` is set.
    ///
    /// | exit code | means |
    /// |---|---|
    /// | 0 | success, including a server that was shut down |
    /// | 1 | failure, with the reason on stderr: a problem of the app, its settings or its store, a failed call, an unknown key in `keys revoke`, a warning with `check --strict` |
    /// | 2 | invalid usage: an unknown command or option, or an invalid value, such as an address without a port or an input that is not a JSON object |
    ///
    /// It starts a tokio runtime, so call it from a plain `fn main`. Within a runtime, such as that of
    /// `#[tokio::main]`, it fails with 1: use [`serve`](Self::serve) or [`build`](Self::build) there.
    pub fn run(self) -> ExitCode {
        self.run_with(std::env::args_os())
    }

    /// As [`run`](Self::run), with the given command line, whose first word is the name of the program.
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
    // `explain` reads only the catalogue, so it works with invalid settings too.
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

/// Starting a runtime within another one panics. Every command reports it as an error instead, `check` included, which
/// starts none.
fn outside_of_runtimes() -> Result<()> {
    if tokio::runtime::Handle::try_current().is_err() {
        return Ok(());
    }
    Err(Error::new(codes::INTERNAL)
        .with_message("App::run starts a tokio runtime, but was called within one.")
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
    // A function that does not return keeps its thread, and would keep the process.
    runtime.shutdown_timeout(LAST);
    ended
}

fn log() {
    let level = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    // Fails if the app has set up a log, which then stays.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(level)
        .with_ansi(colors::wanted(
            |name| std::env::var_os(name),
            std::io::stderr().is_terminal(),
        ))
        // The subscriber would report them with a macro that panics if stderr has no reader.
        .log_internal_errors(false)
        .with_writer(std::io::stderr)
        .try_init();
}

/// Prints an error to stderr with its sources, because the reader operates this machine. Text that the message contains is
/// not repeated.
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
    for source in error.chain() {
        if !message.contains(&source) {
            out::say(format_args!("  because: {source}"));
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

// Parsers of arguments. Their errors end the program with exit code 2. Whether an argument names something in the app or in
// the store is for the commands to find out.

fn addr(text: &str) -> Result<SocketAddr, String> {
    values::addr(text).map_err(|why| format!("it {why}"))
}

fn input(text: &str) -> Result<Map<String, Value>, String> {
    json::object_in(text)
        .map_err(|why| format!("{why}; give one JSON object, in quotes: '{{\"id\": 1}}'"))
}

/// Parses a code. An error explains the app's own codes and suggests the nearest code.
fn code(text: &str) -> Result<Code, String> {
    if let Some(code) = codes::find(text) {
        return Ok(code);
    }
    let is_app_code = text.len() == 5
        && text.starts_with(['A', 'a'])
        && text.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    if is_app_code {
        return Err("`A` codes belong to the app; see its failures for the meaning".to_owned());
    }
    Err(match nearest(text, codes::all().map(Code::as_str)) {
        Some(near) => format!("unknown code; did you mean {near}?"),
        None => "unknown code; `explain` without a code lists all".to_owned(),
    })
}

/// A number with its noun in the singular or the plural.
fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// The command to run this program again, with cargo if cargo runs it.
fn program(prepared: &Prepared) -> String {
    match (std::env::var("CARGO"), std::env::var("CARGO_PKG_NAME")) {
        (Ok(_), Ok(package)) => format!("cargo run -p {package} --"),
        _ => std::env::args()
            .next()
            .unwrap_or_else(|| prepared.app.info().name.clone()),
    }
}
