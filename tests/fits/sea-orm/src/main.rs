//! tent beside SeaORM with SQLite.

use sea_orm::{ConnectionTrait as _, Database, DatabaseConnection, Statement};
use tent::prelude::*;

/// The version of SQLite that SeaORM uses.
#[query(access = "anyone")]
async fn version(database: &Shared<DatabaseConnection>) -> Result<String> {
    let query = Statement::from_string(
        database.get_database_backend(),
        "SELECT sqlite_version() AS version",
    );
    let row = database
        .query_one_raw(query)
        .await?
        .ok_or("there is no row")?;
    Ok(row.try_get("", "version")?)
}

fn main() -> std::process::ExitCode {
    tent::app!()
        .state_with(async |_| Ok::<_, Error>(Shared(Database::connect("sqlite::memory:").await?)))
        .run()
}
