//! The listener while the app opens: probes learn at once that the server starts, every other request waits for the app.

use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{StatusCode, header};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;
use tower_service::Service as _;

use super::connections::{ConnectionLimits, Connections};
use super::routes::healthz;
use crate::error::Result;
use crate::in_flight::InFlight;
use crate::settings::Settings;

/// Serves on the listener until the app is open.
pub(crate) struct Starting {
    opened: watch::Sender<Option<Router>>,
    connections: Connections,
}

/// What a waiting request needs.
#[derive(Clone)]
struct Waits {
    app: watch::Receiver<Option<Router>>,
    longest: Duration,
}

impl Starting {
    /// Begins to serve on a second handle of the listener. A request waits for the app, at most `limits.call_timeout`.
    ///
    /// # Errors
    /// T0012 where the system has no descriptor left.
    pub(crate) fn serve(listener: TcpListener, settings: &Settings) -> Result<(Self, TcpListener)> {
        let limits = ConnectionLimits::new(&settings.limits, &InFlight::new(settings));
        let listener = listener.into_std()?;
        let second = TcpListener::from_std(listener.try_clone()?)?;
        let (opened, app) = watch::channel(None);
        let waits = Waits {
            app: app.clone(),
            longest: settings.limits.call_timeout,
        };
        let router = Router::new()
            .route("/healthz", get(healthz))
            .route("/readyz", get(starting))
            .fallback(wait)
            .with_state(waits);
        let is_open = async move {
            let mut app = app;
            // An error: the start has failed, and the process ends.
            let _ = app.wait_for(Option::is_some).await;
        };
        let connections = Connections::new(&limits);
        let accepted = connections.clone();
        tokio::spawn(async move {
            accepted.accept(&second, &router, &limits, is_open).await;
        });
        let starting = Starting {
            opened,
            connections,
        };
        Ok((starting, TcpListener::from_std(listener)?))
    }

    /// Passes all requests on to the app, and leaves new connections to another server on the listener, which gets the open
    /// ones.
    pub(crate) fn finish(self, app: Router) -> Connections {
        let _ = self.opened.send(Some(app));
        self.connections
    }
}

async fn starting() -> impl IntoResponse {
    let retry = [(header::RETRY_AFTER, "1")];
    (StatusCode::SERVICE_UNAVAILABLE, retry, "starting")
}

async fn wait(State(waits): State<Waits>, request: Request) -> Response {
    let Waits { mut app, longest } = waits;
    let opened = timeout(longest, app.wait_for(Option::is_some)).await;
    let app = opened.ok().and_then(Result::ok).and_then(|app| app.clone());
    match app {
        Some(mut app) => match app.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        },
        None => starting().await.into_response(),
    }
}
