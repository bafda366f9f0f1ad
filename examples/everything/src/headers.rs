//! A tool whose arguments clients repeat in headers, for proxies between client and server.

use tent::prelude::*;

/// Describe where a call goes. Clients repeat its arguments in headers.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn test_custom_headers(
    /// The region that the call is for.
    #[arg(header = "Region")]
    region: String,
    /// How urgent it is.
    #[arg(header = "Priority", min = 0)]
    priority: Option<u32>,
    /// Whether the call is a dry run.
    #[arg(header = "Dry-Run")]
    dry_run: Option<bool>,
) -> Content {
    let priority = priority.map_or("none".to_owned(), |priority| priority.to_string());
    let dry_run = dry_run.unwrap_or(false);
    Content::text(format!(
        "region={region}, priority={priority}, dry_run={dry_run}"
    ))
}
