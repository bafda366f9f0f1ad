//! tent beside the oldest rusqlite that tent supports.

use rusqlite::Connection;
use tent::prelude::*;

/// The version of SQLite that the app uses.
#[query(access = "anyone")]
fn version() -> Result<String> {
    let connection = Connection::open_in_memory()?;
    Ok(connection.query_row("SELECT sqlite_version()", [], |row| row.get(0))?)
}

fn main() -> std::process::ExitCode {
    tent::app!().run()
}
