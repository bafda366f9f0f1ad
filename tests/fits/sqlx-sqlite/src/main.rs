//! tent beside sqlx with SQLite.

use tent::prelude::*;

/// The version of SQLite that sqlx uses.
#[query(access = "anyone")]
async fn version(pool: &Shared<sqlx::SqlitePool>) -> Result<String> {
    Ok(sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(&**pool)
        .await?)
}

fn main() -> std::process::ExitCode {
    tent::app!()
        .state_with(async |_| {
            Ok::<_, Error>(Shared(sqlx::SqlitePool::connect("sqlite::memory:").await?))
        })
        .run()
}
