//! `serve`: opens the app, prints where it listens and what to try, and serves until shutdown.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use tent_core::count::counted;

use crate::error::Result;
use crate::function::{Function, Kind};
use crate::registry::Registry;
use crate::server::{Prepared, Starting, Tent, bind};
use crate::settings::StoreUrl;

use super::{list::refuse, out, program};

pub(super) async fn serve(prepared: Prepared) -> Result<ExitCode> {
    let registry = match prepared.registry() {
        Ok(registry) => registry,
        Err(problems) => return Ok(refuse(&problems)),
    };
    for warning in prepared.settings.warnings() {
        tracing::warn!("{warning}");
    }
    let own = prepared.app.info().warnings();
    for warning in own.into_iter().chain(registry.warnings()) {
        tracing::warn!("{warning}");
    }
    let program = program(&prepared);
    // Bind first: a port in use is the most common reason not to start, and nothing is open yet.
    let listener = bind(prepared.settings.web.addr).await?;
    let addr = listener.local_addr()?;
    let (starting, listener) = Starting::serve(listener, &prepared.settings)?;
    let notifier = prepared.app.notifier.clone();
    let tent = Tent::new(prepared.open(registry).await?, notifier);
    let open = starting.finish(tent.whole());
    // A closed stdout does not stop the server.
    let _ = out::data(greeting(&tent, addr, &program));
    tent.serve_on(listener, Some(open)).await?;
    Ok(ExitCode::SUCCESS)
}

fn greeting(tent: &Tent, addr: SocketAddr, program: &str) -> String {
    let (about, registry) = (tent.dispatcher().about(), tent.registry());
    let local = format!("http://{}", reachable(addr));
    let bound = format!("http://{addr}");
    let public = tent.dispatcher().settings().web.public_url.as_ref();
    let public = public.map(|public| public.as_str().trim_end_matches('/'));
    let (base, known_as) = match public {
        Some(public) => (public, format!(", known as {public}")),
        None => (&*local, String::new()),
    };
    let named: Vec<_> = registry.tools().map(|tool| tool.name.as_str()).collect();
    let name = &about.name;
    let mut lines = vec![
        format!("{name} {} listens on {bound}{known_as}", about.version),
        format!(
            "  HTTP   {base}/api ({})",
            counted(registry.functions().len(), "function")
        ),
        format!(
            "  MCP    {base}/mcp ({}: {})",
            counted(named.len(), "tool"),
            named.join(", ")
        ),
        String::new(),
    ];
    match tent.dispatcher().settings().store.url {
        StoreUrl::Memory => lines.push(
            "The store is memory:, so `keys create` makes no key for this server; set store.url to a file."
                .to_owned(),
        ),
        StoreUrl::Sqlite(_) => lines.extend([
            "Create a key:".to_owned(),
            format!("  KEY=$({program} keys create --owner ada --scope read --scope write)"),
        ]),
    }
    lines.push("Call a function, or connect an MCP client:".to_owned());
    if let Some(function) = to_try(&registry) {
        lines.push(format!(
            "  curl -H \"Authorization: Bearer $KEY\" {base}/api/{function}"
        ));
    }
    lines.push(format!("  claude mcp add --transport http {name} {base}/mcp --header \"Authorization: Bearer $KEY\""));
    lines.join("\n")
}

/// A query without required input, to try first: preferably one that needs a key.
fn to_try(registry: &Registry) -> Option<&str> {
    let takes_nothing = |f: &&Arc<Function>| {
        let required = f
            .input
            .published()
            .get("required")
            .and_then(|r| r.as_array());
        f.kind == Kind::Query && f.api && required.is_none_or(Vec::is_empty)
    };
    let open = |f: &&Arc<Function>| matches!(f.access, crate::function::Access::Anyone);
    let queries = || registry.functions().iter().filter(takes_nothing);
    let first = queries().find(|f| !open(f)).or_else(|| queries().next());
    first.map(|function| function.name.as_str())
}

/// An address that a client on this machine can use, if the server listens on all addresses.
fn reachable(addr: SocketAddr) -> SocketAddr {
    match addr.ip().is_unspecified() {
        true => match addr {
            SocketAddr::V4(_) => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), addr.port()),
            SocketAddr::V6(_) => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), addr.port()),
        },
        false => addr,
    }
}
