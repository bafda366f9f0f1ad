//! tent beside sqlx with Postgres.

use tent::prelude::*;

/// The version of Postgres.
#[query(access = "anyone")]
async fn version(pool: &Shared<sqlx::PgPool>) -> Result<String> {
    Ok(sqlx::query_scalar("SELECT version()")
        .fetch_one(&**pool)
        .await?)
}

fn main() -> std::process::ExitCode {
    tent::app!()
        .state_with(async |settings| {
            let url: String = settings.get("database.url")?;
            Ok::<_, Error>(Shared(sqlx::PgPool::connect_lazy(&url)?))
        })
        .run()
}
