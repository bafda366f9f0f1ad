//! The way down: what a server waits for before its process ends.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use tokio::sync::Notify;

use super::listen::bind;
use super::*;
use crate::caller::Caller;
use crate::cx::{Client, Era, TraceId};
use crate::dispatch::{Admitted, Call, Endpoint};
use crate::function::{
    AccessDeclaration, Body, Declaration, Kind, Location, Output, OutputDeclaration,
};

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
    let served = tent.clone().serve_on(listener);
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
    tent.serve_on(listener).await.expect("it ends");
}
