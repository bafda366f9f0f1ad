//! How the app describes itself in each revision.

use serde_json::{Value, json};

use super::app::{App, META, Request, server};
use tent::{Icon, Theme};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

async fn app() -> App {
    App::with(|app| {
        app.about("Chairs and tables.")
            .website("https://shop.example")
            .icons(vec![
                Icon::svg("<svg/>"),
                Icon::new("https://shop.example/dark.png")
                    .media_type("image/png")
                    .sizes(["48x48", "96x96"])
                    .theme(Theme::Dark),
            ])
            .extension("com.example/ui", json!({"a": [1]}))
            .experimental("fast", json!({}))
    })
    .await
}

/// Every member of the server.
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
    let got = app.legacy("initialize", params).await;
    got["result"].clone()
}

#[tokio::test]
async fn describes_the_server_with_the_members_of_each_revision() {
    let app = app().await;
    for revision in REVISIONS {
        let wanted = match revision {
            "2025-11-25" => whole(),
            "2025-06-18" => server(),
            _ => json!({"name": "shop", "version": "1.2.3"}),
        };
        let got = agreed(&app, revision).await;
        assert_eq!(got["serverInfo"], wanted, "{revision}");
    }
    let got = app.modern("server/discover", json!({})).await;
    let listed = &got["result"]["_meta"][format!("{META}serverInfo")];
    assert_eq!(*listed, whole());
}

#[tokio::test]
async fn sends_large_members_of_the_server_once_and_not_with_each_result() {
    let app = app().await;
    for send in [
        Request::modern("tools/list", json!({})),
        Request::call("server_time", json!({})),
    ] {
        let got = app.json(200, send).await;
        let listed = &got["result"]["_meta"][format!("{META}serverInfo")];
        assert_eq!(*listed, server());
    }
}

#[tokio::test]
async fn declares_the_extensions_of_the_app_in_each_revision() {
    let own = |capabilities: &Value| {
        let member = |name: &str| capabilities.get(name).cloned();
        (member("extensions"), member("experimental"))
    };
    let (declaring, silent) = (app().await, App::new().await);
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
        let got = app.modern("server/discover", json!({})).await;
        assert_eq!(own(&got["result"]["capabilities"]), wanted);
    }
}
