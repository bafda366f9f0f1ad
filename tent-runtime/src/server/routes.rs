//! The axum routers: `/api`, `/mcp`, health checks, the pages of the codes and `/.well-known/`.
//!
//! A router of tent can be nested anywhere. Its handlers see the path below the mount.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use http::{StatusCode, header};
use tent_core::codes;

use super::Tent;
use super::ready::{Ready, StoreProbe};
use crate::api::{self, Api};
use crate::dispatch::Dispatcher;
use crate::error::Error;
use crate::mcp;
use crate::web::Upload;

impl Tent {
    /// The router of `/api`, `/mcp`, `/healthz`, `/readyz` and `/_t`: merge it or nest it into an axum router of the app,
    /// with or without a state. A nested router moves as a whole: `/tools/api`, `/tools/mcp`. The router around it
    /// serves every other path.
    ///
    /// `Host` and `Origin` are checked on every path except `/healthz` and `/readyz`: a load balancer probes a server by
    /// its address. `/healthz` is 200 while the process serves. `/readyz` is 503 while the server shuts down, from
    /// [`drain`](Self::drain) on, and while its store cannot be used.
    ///
    /// ```
    /// # async fn mounted(app: tent::App) -> tent::Result<axum::Router> {
    /// #[derive(Clone)]
    /// struct AppState;
    ///
    /// let tent = app.build().await?;
    /// let router = axum::Router::<AppState>::new()
    ///     .route("/", axum::routing::get(async || "the home page"))
    ///     .nest("/tools", tent.router())
    ///     .merge(tent.well_known())
    ///     .with_state(AppState);
    /// # Ok(router)
    /// # }
    /// ```
    pub fn router<S>(&self) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
    {
        let api = Arc::new(Api::new(self.dispatcher.clone()));
        let mcp = self.mcp.clone();
        let api = any(move |request: Request| api::serve(api.clone(), request));
        let mcp = any(move |request: Request| mcp::serve(mcp.clone(), request));
        let dispatcher = self.dispatcher.clone();
        let probe = Arc::new(StoreProbe::default());
        let ready = async move || readyz(probe.ready(&dispatcher).await);
        let probes = Router::new()
            .route("/healthz", get(healthz))
            .route("/readyz", get(ready))
            .route_layer(from_fn(without_body));
        let pages = Router::new()
            .route("/_t/codes/{code}", get(code_page))
            .route_layer(from_fn_with_state(self.dispatcher.clone(), check_host));
        Router::new()
            .route("/api", api.clone())
            .route("/api/", api.clone())
            .route("/api/{*rest}", api)
            .route("/mcp", mcp.clone())
            .route("/mcp/", mcp)
            .merge(probes)
            .merge(pages)
    }

    /// The router of the paths that belong at the root of the host, wherever [`router`](Self::router) is mounted. API
    /// keys are the only credentials, so there is no metadata of an authorization server and each `/.well-known/` path
    /// is 404.
    pub fn well_known<S>(&self) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
    {
        let none = || any(async || StatusCode::NOT_FOUND);
        Router::new()
            .route("/.well-known/oauth-protected-resource", none())
            .route("/.well-known/oauth-protected-resource/{*rest}", none())
            .route_layer(from_fn_with_state(self.dispatcher.clone(), check_host))
    }

    /// The router of tent's own listener: both routers, and T0001 for every other path.
    pub(crate) fn whole(&self) -> Router {
        let dispatcher = self.dispatcher.clone();
        let nothing = any(async move |request: Request| {
            let (parts, _) = request.into_parts();
            api::failure(&no_such_path(), &parts, &dispatcher)
        });
        let nothing = nothing.layer(from_fn_with_state(self.dispatcher.clone(), check_host));
        let all = self.router().merge(self.well_known());
        all.fallback_service(nothing)
    }
}

pub(super) async fn healthz() -> &'static str {
    "ok"
}

fn readyz(ready: Ready) -> Response {
    let why = match ready {
        Ready::Yes => return "ready".into_response(),
        Ready::ShuttingDown => "shutting-down",
        Ready::StoreUnavailable => "store-unavailable",
    };
    (StatusCode::SERVICE_UNAVAILABLE, why).into_response()
}

/// A layer for handlers that read no body: drains it, so that the connection can take the next request.
async fn without_body(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let body = Upload::of(&parts, body);
    let mut response = next.run(Request::from_parts(parts, Body::empty())).await;
    body.finish(&mut response).await;
    response
}

/// The same layer for paths that are served under the server's own hosts alone.
async fn check_host(dispatcher: State<Arc<Dispatcher>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let body = Upload::of(&parts, body);
    let mut response = match dispatcher.check_host(&parts) {
        Ok(()) => next.run(Request::from_parts(parts, Body::empty())).await,
        Err(error) => api::failure(&error, &parts, &dispatcher),
    };
    body.finish(&mut response).await;
    response
}

/// The error for a path that leads nowhere.
fn no_such_path() -> Error {
    Error::new(codes::NOT_FOUND)
        .with_message("There is nothing at this address.")
        .with_fix("Call a function at /api/{name}, or connect an MCP client to /mcp.")
}

/// The page of a code: the text that `explain` prints.
async fn code_page(Path(code): Path<String>) -> Response {
    match codes::find(&code) {
        Some(code) => {
            let plain = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
            (plain, explanation(code)).into_response()
        }
        None => (StatusCode::NOT_FOUND, "There is no such code.\n").into_response(),
    }
}

/// An entry of the catalogue of codes as text.
pub(crate) fn explanation(code: codes::Code) -> String {
    let codes::Entry {
        name,
        status,
        when,
        meaning,
        fix,
        ..
    } = code.entry();
    let met = match when {
        codes::When::Build => "when the app is built".to_owned(),
        codes::When::Start => "when the app starts, and by `check`".to_owned(),
        _ => format!("by a caller, with status {status}"),
    };
    format!("{code} {name}\n\n{meaning}\n\nMet: {met}.\nFix: {fix}\n")
}
