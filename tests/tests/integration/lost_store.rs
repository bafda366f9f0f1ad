//! A store file that is deleted, replaced or damaged while the server runs: no key is accepted, and `/readyz` is 503.

use std::path::Path;

use tent::Tent;
use tent::http::StatusCode;
use tent::prelude::*;

use crate::support::{Directory, ask, key, tent_with};

#[query(about = "Counts", access = "signedIn")]
fn counts() -> u8 {
    1
}

async fn served(directory: &Directory) -> (Tent, String) {
    let url = directory.store();
    let functions = tent::functions![counts];
    let tent = tent_with(|app| app.functions(functions).set("store.url", url)).await;
    let key = key(&tent, "ada", &["*"]).await;
    (tent, key)
}

/// S16.
#[tokio::test]
#[cfg_attr(not(all(unix, feature = "sqlite")), ignore = "needs a store in a file")]
async fn a_lost_store_accepts_no_key_and_is_not_ready() {
    type Lose = fn(&Path);
    let ways: [(&str, Lose); 4] = [
        ("deleted", |file| {
            std::fs::remove_file(file).expect("it is there");
        }),
        ("replaced", |file| {
            let copy = file.with_extension("copy");
            std::fs::copy(file, &copy).expect("it can be copied");
            std::fs::rename(copy, file).expect("it can be replaced");
        }),
        ("cut-off", |file| {
            std::fs::File::options()
                .write(true)
                .open(file)
                .and_then(|file| file.set_len(100))
                .expect("it can be cut off");
        }),
        ("renamed", |file| {
            std::fs::rename(file, file.with_extension("old")).expect("it is there");
        }),
    ];
    for (name, lose) in ways {
        let directory = Directory::new(&format!("lost-store-{name}"));
        let (tent, key) = served(&directory).await;
        let call = || ask(&tent, "GET", "/api/counts").key(&key).send();
        lose(&directory.0.join("tent.db"));
        let ready = ask(&tent, "GET", "/readyz").send().await;
        assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE, "{name}");
        assert_eq!(ready.bytes, b"store-unavailable", "{name}");
        // A key that was accepted within the last second still is. This one was not.
        let reply = call().await;
        assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE, "{name}");
        assert_eq!(reply.json()["code"], "T0026", "{name}");
        let revoked = tent.keys().revoke("aaaaaaaaaa").await;
        assert_eq!(revoked.expect_err("no store").code(), "T0012", "{name}");
    }
}

/// S16.
#[tokio::test]
#[cfg_attr(not(feature = "sqlite"), ignore = "needs a store in a file")]
async fn a_server_is_ready_while_another_process_writes_to_its_store() {
    let directory = Directory::new("busy-store");
    let (tent, key) = served(&directory).await;
    let other =
        rusqlite::Connection::open(directory.0.join("tent.db")).expect("the file of the store");
    other
        .execute_batch("BEGIN IMMEDIATE")
        .expect("nothing else holds the lock");
    assert_eq!(ask(&tent, "GET", "/readyz").status().await, 200);
    let call = ask(&tent, "GET", "/api/counts").key(&key);
    assert_eq!(call.status().await, 200);
}
