//! tent beside r2d2_sqlite.

use r2d2_sqlite::SqliteConnectionManager;
use tent::prelude::*;

/// The version of SQLite that r2d2_sqlite uses.
#[query(access = "anyone")]
fn version(pool: &Shared<r2d2::Pool<SqliteConnectionManager>>) -> Result<String> {
    Ok(pool
        .get()?
        .query_row("SELECT sqlite_version()", [], |row| row.get(0))?)
}

fn main() -> std::process::ExitCode {
    tent::app!()
        .state_with(async |_| {
            Ok::<_, Error>(Shared(r2d2::Pool::new(SqliteConnectionManager::memory())?))
        })
        .run()
}
