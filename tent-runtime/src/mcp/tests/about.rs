//! What the server says of itself, to each revision as it has it.

use serde_json::{Value, json};

use super::app::{App, META, Send, server};
use super::dispatch;
use super::functions::FUNCTIONS;
use crate::dispatch::AppInfo;
use crate::function::{Icon, Theme};

pub(super) const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn app() -> App {
    let about = AppInfo {
        about: Some("Chairs and tables.".to_owned()),
        website: Some("https://shop.example".to_owned()),
        icons: vec![
            Icon::svg("<svg/>"),
            Icon::new("https://shop.example/dark.png")
                .media_type("image/png")
                .sizes(["48x48", "96x96"])
                .theme(Theme::Dark),
        ],
        extensions: [("com.example/ui".to_owned(), json!({"a": [1]}))].into(),
        experimental: [("fast".to_owned(), json!({}))].into(),
        ..dispatch::about()
    };
    App::about(about, FUNCTIONS)
}

/// All of it.
fn whole() -> Value {
    let mut whole = server();
    whole["description"] = "Chairs and tables.".into();
    whole["websiteUrl"] = "https://shop.example".into();
    whole["icons"] = json!([
        {"src": "data:image/svg+xml;base64,PHN2Zy8+", "mimeType": "image/svg+xml", "sizes": ["any"]},
        {
            "src": "https://shop.example/dark.png", "mimeType": "image/png",
            "sizes": ["48x48", "96x96"], "theme": "dark",
        },
    ]);
    whole
}

/// The result of the handshake of this revision.
async fn agreed(app: &App, revision: &str) -> Value {
    let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {}});
    let got = app.ask(200, Send::legacy("initialize", params)).await;
    got["result"].clone()
}

#[tokio::test]
async fn each_revision_is_told_of_the_server_what_it_has_a_name_for() {
    let app = app();
    for revision in REVISIONS {
        let wanted = match revision {
            "2025-11-25" => whole(),
            "2025-06-18" => server(),
            _ => json!({"name": "shop", "version": "1.2.3"}),
        };
        let got = agreed(&app, revision).await;
        assert_eq!(got["serverInfo"], wanted, "{revision}");
    }
    let got = app
        .ask(200, Send::modern("server/discover", json!({})))
        .await;
    let told = &got["result"]["_meta"][format!("{META}serverInfo")];
    assert_eq!(*told, whole());
}

#[tokio::test]
async fn what_is_large_is_told_once_and_not_with_each_answer() {
    let app = app();
    for send in [
        Send::modern("tools/list", json!({})),
        Send::call("server_time", json!({})),
    ] {
        let got = app.ask(200, send).await;
        let told = &got["result"]["_meta"][format!("{META}serverInfo")];
        assert_eq!(*told, server());
    }
}

#[tokio::test]
async fn what_the_app_declares_is_among_the_capabilities_of_each_revision() {
    let own = |capabilities: &Value| {
        let member = |name: &str| capabilities.get(name).cloned();
        (member("extensions"), member("experimental"))
    };
    let (declaring, silent) = (app(), App::new());
    let declared = (
        Some(json!({"com.example/ui": {"a": [1]}})),
        Some(json!({"fast": {}})),
    );
    for revision in REVISIONS {
        let got = agreed(&declaring, revision).await;
        assert_eq!(own(&got["capabilities"]), declared, "{revision}");
        let got = agreed(&silent, revision).await;
        assert_eq!(own(&got["capabilities"]), (None, None), "{revision}");
    }
    for (app, wanted) in [(declaring, declared), (silent, (None, None))] {
        let got = app
            .ask(200, Send::modern("server/discover", json!({})))
            .await;
        assert_eq!(own(&got["result"]["capabilities"]), wanted);
    }
}
