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
