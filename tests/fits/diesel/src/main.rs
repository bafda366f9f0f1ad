//! tent beside diesel with SQLite.

use diesel::prelude::*;
use diesel::sql_types::Text;
use tent::prelude::*;

/// The version of SQLite that diesel uses.
#[query(access = "anyone")]
fn version() -> Result<String> {
    let mut connection = SqliteConnection::establish(":memory:")?;
    let version = diesel::dsl::sql::<Text>("sqlite_version()");
    Ok(diesel::select(version).get_result(&mut connection)?)
}

fn main() -> std::process::ExitCode {
    tent::app!().run()
}
