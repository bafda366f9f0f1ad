//! The start and the end: who waits for the app while it opens, and what a server waits for before its process ends.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use super::listen::bind;
use super::*;
use crate::caller::Caller;
use crate::cx::{Client, Era, TraceId};
use crate::dispatch::{Admitted, Call, Endpoint};
use crate::function::{
    AccessDeclaration, Body, Declaration, Kind, Location, Output, OutputDeclaration,
};
use crate::settings::Settings;

static BEGAN: Notify = Notify::const_new();
static GO_ON: Notify = Notify::const_new();
static DONE: AtomicBool = AtomicBool::new(false);

static WORK: Declaration = Declaration::new(
    Kind::Action,
    "work",
    Location {
        module: module_path!(),
        file: file!(),
        line: line!(),
    },
    AccessDeclaration::Anyone,
    OutputDeclaration::Nothing,
    Body::Async(|_, _| {
        Box::pin(async {
            BEGAN.notify_one();
            GO_ON.notified().await;
            DONE.store(true, Ordering::SeqCst);
            Ok(Output::default())
        })
    }),
);

async fn tent() -> Tent {
    let app = App::new("shop", "1").set("store.url", "memory:");
    app.functions(&[&WORK]).build().await.expect("it is whole")
}

/// The response to a GET on a new connection.
async fn get(listener: &TcpListener, path: &str) -> String {
    let addr = listener.local_addr().expect("it has one");
    let mut client = TcpStream::connect(addr).await.expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n\r\n");
    let sent = client.write_all(request.as_bytes()).await;
    sent.expect("it reads");
    let mut response = String::new();
    let read = client.read_to_string(&mut response).await;
    read.expect("a response");
    response
}

/// S16.
#[tokio::test]
async fn while_the_app_opens_probes_get_responses_and_requests_wait() {
    let listener = bind(([127, 0, 0, 1], 0).into()).await.expect("a port");
    let settings = Settings::default();
    let (starting, listener) = Starting::serve(listener, &settings).expect("a second handle");
    let ready = get(&listener, "/readyz").await;
    assert!(
        ready.starts_with("HTTP/1.1 503 ") && ready.ends_with("starting"),
        "{ready}"
    );
    assert!(
        get(&listener, "/healthz")
            .await
            .starts_with("HTTP/1.1 200 ")
    );
    let waits = get(&listener, "/api/nothing");
    tokio::pin!(waits);
    for _ in 0..100 {
        assert!((&mut waits).now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    let kept = TcpStream::connect(listener.local_addr().expect("it has one"));
    let mut kept = kept.await.expect("it listens");
    // Connections are accepted in their order, so both have been.
    is_healthy(&mut kept).await;
    let _open = starting.finish(tent().await.whole());
    let waited = waits.await;
    assert!(
        waited.starts_with("HTTP/1.1 401 ") || waited.starts_with("HTTP/1.1 404 "),
        "{waited}"
    );
    // A connection from before serves on.
    for _ in 0..3 {
        is_healthy(&mut kept).await;
    }
}

/// Sends a request on a connection that stays open.
async fn is_healthy(connection: &mut TcpStream) {
    let request = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    connection.write_all(request).await.expect("it reads");
    let mut response = Vec::new();
    while !response.ends_with(b"\r\n\r\nok") {
        let read = connection.read_buf(&mut response).await;
        assert_ne!(read.expect("a response"), 0, "it stays open");
    }
}

/// S16.
#[tokio::test]
async fn a_request_does_not_wait_forever_for_an_app_that_opens() {
    let listener = bind(([127, 0, 0, 1], 0).into()).await.expect("a port");
    let mut settings = Settings::default();
    settings.limits.call_timeout = std::time::Duration::ZERO;
    let (_starting, listener) = Starting::serve(listener, &settings).expect("a second handle");
    let waited = get(&listener, "/api/nothing").await;
    assert!(
        waited.starts_with("HTTP/1.1 503 ") && waited.contains("retry-after: 1"),
        "{waited}"
    );
}

/// A call whose caller goes away once it has begun.
async fn left(tent: &Tent) {
    let admitted = Admitted::internal(Caller::App, TraceId::default());
    let client = Client {
        era: Era::Legacy,
        ..Client::default()
    };
    let call = Call {
        client,
        ..Call::default()
    };
    let call = tent
        .dispatcher
        .call_as(Endpoint::Cli, admitted, "work", call);
    tokio::select! {
        _ = call => panic!("it waits"),
        () = BEGAN.notified() => {}
    }
}

#[tokio::test]
async fn a_call_that_goes_on_without_its_client_is_waited_for_before_the_server_ends() {
    let tent = tent().await;
    left(&tent).await;
    tent.shutdown();
    assert!(tent.drained().now_or_never().is_none());
    let listener = bind(([127, 0, 0, 1], 0).into()).await.expect("a port");
    let served = tent.clone().serve_on(listener, None);
    tokio::pin!(served);
    for _ in 0..100 {
        assert!((&mut served).now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    GO_ON.notify_one();
    served.await.expect("it ends");
    assert!(DONE.load(Ordering::SeqCst));
    tent.drained().await;

    // No longer than the time of grace, which is over in an instant here.
    let tent = self::tent().await;
    left(&tent).await;
    tent.shutdown();
    let listener = bind(([127, 0, 0, 1], 0).into()).await.expect("a port");
    tokio::time::pause();
    tent.serve_on(listener, None).await.expect("it ends");
}
