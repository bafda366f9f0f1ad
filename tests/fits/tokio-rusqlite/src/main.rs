//! tent beside tokio-rusqlite.

use tent::prelude::*;
use tokio_rusqlite::Connection;

/// The version of SQLite that tokio-rusqlite uses.
#[query(access = "anyone")]
async fn version() -> Result<String> {
    let connection = Connection::open_in_memory().await?;
    let version = connection
        .call(|connection| connection.query_row("SELECT sqlite_version()", [], |row| row.get(0)));
    Ok(version.await?)
}

fn main() -> std::process::ExitCode {
    tent::app!().run()
}
