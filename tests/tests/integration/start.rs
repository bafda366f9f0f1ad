//! Errors that prevent an app from starting.

use std::sync::Arc;

use tent::App;
use tent::http::request::Parts;
use tent::prelude::*;

use crate::app::Watched;

fn app() -> App {
    tent::app!()
        .functions(crate::app::FUNCTIONS)
        .set("store.url", "memory:")
}

#[tokio::test]
async fn names_a_state_that_does_not_open() {
    let app =
        app().state_with(async |_| Err::<Watched, _>(std::io::Error::other("the disk is gone")));
    let error = app.build().await.expect_err("it does not open");
    assert!(
        error.message().ends_with("app::Watched cannot be opened."),
        "{error}"
    );
    assert_eq!(error.chain(), ["the disk is gone"]);
}

#[tokio::test]
async fn returns_a_declared_failure_of_an_opener_unchanged() {
    let closed = || tent::Error::declared(tent::code!("A0009"), 503, "The shop has moved");
    let app = app().state_with(async move |_| Err::<Watched, _>(closed()));
    let error = app.build().await.expect_err("it does not open");
    assert_eq!(
        (error.code(), error.message()),
        ("A0009", "The shop has moved")
    );
}

// R01
#[tokio::test]
async fn the_last_state_of_a_type_wins_and_no_other_is_opened() {
    #[derive(State)]
    struct Pool(&'static str);

    let pool = |tent: &tent::Tent| tent_runtime::__private::state::<Pool>(tent).map(|pool| pool.0);
    let unopened = async |_| Err::<Pool, _>(std::io::Error::other("it must not be opened"));
    let app = || app().state(Watched::default());
    let tent = app().state_with(unopened).state(Pool("ready"));
    assert_eq!(pool(&tent.build().await.expect("it starts")), Some("ready"));

    let opened = async |_| Ok::<_, tent::Error>(Pool("opened"));
    let tent = app().state(Pool("ready")).state_with(opened);
    assert_eq!(
        pool(&tent.build().await.expect("it starts")),
        Some("opened")
    );

    let tent = app().state_with(unopened).state_with(opened);
    assert_eq!(
        pool(&tent.build().await.expect("it starts")),
        Some("opened")
    );
}

// R05
#[tokio::test]
async fn a_built_app_serves_the_address_that_it_listens_on() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    // An address of this machine that is not among the names of the loopback interface.
    let free = std::net::TcpListener::bind("127.0.0.2:0").expect("there is a port");
    let addr = free.local_addr().expect("it has an address");
    drop(free);
    let tent = app().state(Watched::default()).build().await;
    let tent = tent.expect("it starts");
    let served = tokio::spawn(tent.clone().serve(addr));
    let mut stream = loop {
        match TcpStream::connect(addr).await {
            Ok(stream) => break stream,
            Err(_) => tokio::task::yield_now().await,
        }
        assert!(!served.is_finished(), "it cannot listen");
    };
    let get = |host: &str| {
        format!("GET /api/add?a=2&b=40 HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")
    };
    let request = get(&addr.to_string());
    stream
        .write_all(request.as_bytes())
        .await
        .expect("it is open");
    let mut response = String::new();
    stream.read_to_string(&mut response).await.expect("a text");
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");

    let mut stream = TcpStream::connect(addr).await.expect("it listens");
    let request = get("127.0.0.3");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("it is open");
    let mut response = String::new();
    stream.read_to_string(&mut response).await.expect("a text");
    assert!(response.starts_with("HTTP/1.1 403 "), "{response}");
    tent.shutdown();
    served.await.expect("no panic").expect("it ends");
}

#[tokio::test]
async fn names_every_function_that_takes_a_missing_state() {
    let error = app().build().await.expect_err("a state is missing");
    assert_eq!(error.code(), "T7011");
    let message = error.message();
    assert!(
        message
            .contains("app::Watched, which `delete_all`, `explode_locked`, `order`, `touch` take"),
        "{message}"
    );
}

#[tokio::test]
async fn names_a_port_that_is_taken() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let addr = taken.local_addr().expect("it has an address");
    let error = app().state(Watched::default()).serve(addr).await;
    let error = error.expect_err("the port is taken");
    let expected = format!("Cannot listen on {addr}: ");
    assert_eq!(error.code(), "T7019");
    assert!(error.message().starts_with(&expected), "{error}");
}

impl Watched {
    async fn opened(path: String) -> Result<Watched> {
        assert_eq!(path, "shop.db");
        Ok(Watched::default())
    }
    async fn person(&self, id: String) -> Result<Option<User>> {
        Ok(Some(User::new(id)))
    }
}

/// The builder and each hook as the guide writes them.
#[tokio::test]
async fn hooks_are_closures_without_type_annotations() {
    async fn person(id: String) -> Result<Option<User>> {
        Ok(Some(User::new(id)))
    }
    async fn session_user(_: Arc<Parts>) -> Result<Option<User>> {
        person("ada".to_owned()).await
    }
    let tent = app()
        .set("shop.db", "shop.db")
        .state_with(async |settings| Watched::opened(settings.get("shop.db")?).await)
        .users(async |id| person(id).await)
        .users_with(async |cx, id| cx.state::<Watched>()?.person(id).await)
        .identify(async |parts| session_user(parts).await)
        .identify(session_user)
        .identify_with(async |cx, parts| {
            let _ = parts.headers.get("cookie");
            cx.state::<Watched>()?.person("ada".to_owned()).await
        })
        .build()
        .await;
    assert!(tent.is_ok());
}
