//! tent beside deadpool-sqlite.

use deadpool_sqlite::{Config, Pool, Runtime};
use tent::prelude::*;

/// The version of SQLite that deadpool-sqlite uses.
#[query(access = "anyone")]
async fn version(pool: &Shared<Pool>) -> Result<String> {
    let connection = pool.get().await?;
    let version = connection.interact(|connection| {
        connection.query_row("SELECT sqlite_version()", [], |row| row.get(0))
    });
    // A panic of the closure cannot be an error of the function: it is not `Sync`.
    Ok(version.await.map_err(|error| error.to_string())??)
}

fn main() -> std::process::ExitCode {
    tent::app!()
        .state_with(async |_| {
            Ok::<_, Error>(Shared(
                Config::new(":memory:").create_pool(Runtime::Tokio1)?,
            ))
        })
        .run()
}
