//! The command line of an app: `serve` (the default), `check`, `list`, `call`, `mcp`, `keys`,
//! `explain`.
//!
//! Data goes to stdout, everything else to stderr. Exit codes: 0 it went well; 1 it did not, with the
//! failure on stderr; 2 the command line itself is wrong. Decides nothing that the door decides.

mod call;
mod keys;
mod list;
mod mcp;
mod serve;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use tent_core::codes;

use crate::error::{Error, Result};
use crate::server::{App, Prepared, explained};

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
    #[arg(long, value_name = "IP:PORT")]
    addr: Option<String>,
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
        #[arg(default_value = "{}")]
        input: String,
        /// The id of the person to call as
        #[arg(long = "as", value_name = "USER")]
        person: Option<String>,
    },
    /// Speak MCP on stdin and stdout, as who holds the key in TENT_KEY, as a person, or as nobody
    Mcp {
        /// The id of the person to call as
        #[arg(long = "as", value_name = "USER")]
        person: Option<String>,
    },
    /// Make, list and revoke keys
    #[command(subcommand)]
    Keys(keys::Keys),
    /// Explain a code, or list all
    Explain {
        /// The code, such as T7120
        code: Option<String>,
    },
}

impl App {
    /// Runs the command line of this process to its end.
    ///
    /// The log goes to stderr, at the level that `RUST_LOG` names (`info` without it).
    pub fn run(self) -> ExitCode {
        self.run_with(std::env::args_os())
    }

    /// As [`run`](Self::run), with this command line; its first word is the program's name.
    pub fn run_with(self, line: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
        let about = self.told();
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
    if let Command::Explain { code } = &command {
        return explain(code.as_deref());
    }
    let app = match &command {
        Command::Serve(Serve { addr: Some(addr) }) => app.flag("--addr", "web.addr", addr),
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

fn on_runtime(work: impl Future<Output = Result<ExitCode>>) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(work)
}

fn log() {
    let level = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    // An app that set up a log of its own before keeps it.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(level)
        .with_writer(std::io::stderr)
        .try_init();
}

/// A failure on stderr: for whoever sits at this machine, so with what lies under it. What the message says
/// already is not said again.
fn complain(error: &Error) {
    let message = error.message();
    eprintln!("error: {} {}: {message}", error.code(), error.name());
    for (field, what) in error.fields() {
        match what.as_str() {
            Some(what) if message.contains(what) => {}
            Some(what) => eprintln!("  {field}: {what}"),
            None => eprintln!("  {field}: {what}"),
        }
    }
    for under in error.chain() {
        if !message.contains(&under) {
            eprintln!("  because: {under}");
        }
    }
    if !error.fix().is_empty() {
        eprintln!("  help: {}", error.fix());
    }
}

fn explain(code: Option<&str>) -> Result<ExitCode> {
    let Some(code) = code else {
        for entry in codes::ALL {
            println!("{}  {}", entry.code, entry.name);
        }
        return Ok(ExitCode::SUCCESS);
    };
    match codes::find(code) {
        Some(entry) => {
            print!("{}", explained(entry));
            Ok(ExitCode::SUCCESS)
        }
        None => {
            eprintln!("error: there is no code {code}; `explain` alone lists all");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// What to type to run this program again: through cargo, where cargo runs it.
fn program(prepared: &Prepared) -> String {
    match (std::env::var("CARGO"), std::env::var("CARGO_PKG_NAME")) {
        (Ok(_), Ok(package)) => format!("cargo run -p {package} --"),
        _ => std::env::args()
            .next()
            .unwrap_or_else(|| prepared.app.told().name.clone()),
    }
}
