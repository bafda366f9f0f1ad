//! How an app describes itself, from the builder to what clients get.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{App, Icon};

use crate::support::{key, legacy, modern, tent_with};

/// A function that is on no list.
#[query(access = "app")]
fn about_nothing() {}

fn told(app: App) -> App {
    app.title("The shop")
        .about("Chairs and tables.")
        .website("https://shop.example")
        .icons([
            Icon::new("https://shop.example/icon.png"),
            Icon::svg("<svg/>"),
        ])
        .extension("io.modelcontextprotocol/ui", json!({}))
        .extension("com.example/prices", json!({"in": ["EUR"]}))
        .experimental("fast", json!({}))
}

#[tokio::test]
async fn clients_get_the_description_of_the_app() {
    let tent = tent_with(told).await;
    let key = key(&tent, "ada", &["read"]).await;
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}});
    let agreed = legacy(&tent, "2025-11-25", "initialize", params).key(&key);
    let agreed = agreed.send().await.json()["result"].clone();
    let found = modern(&tent, "server/discover", json!({})).key(&key);
    let found = found.send().await.json()["result"].clone();
    let server = json!({
        "name": "shop", "version": "1.2.3", "title": "The shop",
        "description": "Chairs and tables.", "websiteUrl": "https://shop.example",
        "icons": [
            {"src": "https://shop.example/icon.png"},
            {"src": "data:image/svg+xml;base64,PHN2Zy8+", "mimeType": "image/svg+xml", "sizes": ["any"]},
        ],
    });
    let meta = &found["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!((&agreed["serverInfo"], meta), (&server, &server));
    let declared = json!({
        "io.modelcontextprotocol/ui": {}, "com.example/prices": {"in": ["EUR"]},
    });
    for result in [agreed, found] {
        let capabilities = &result["capabilities"];
        assert_eq!(capabilities["extensions"], declared);
        assert_eq!(capabilities["experimental"], json!({"fast": {}}));
    }
}

#[tokio::test]
async fn an_app_that_clients_would_refuse_does_not_start() {
    let app = App::new("shop", "1.2.3")
        .set("store.url", "memory:")
        .functions(tent::functions![about_nothing])
        .website("shop.example")
        .icons(Icon::data("<svg/>", "text/html"))
        .extension("ui", Value::Null)
        .experimental("fast", 1);
    let error = app.build().await.expect_err("it says what clients refuse");
    let problems: Vec<_> = error
        .message()
        .lines()
        .filter(|line| line.starts_with('T'))
        .collect();
    assert_eq!(
        problems,
        [
            r#"T7034 invalid-icon: The app's icon "data:text/html;base64,PHN2Zy8+" has a data: URL of the type "text/html", which is not an image type"#,
            "T7035 invalid-extension: The extension \"ui\" has no prefix, such as `com.example/`",
            r#"T7035 invalid-extension: The settings of the experimental capability "fast" must be an object"#,
            r#"T7035 invalid-extension: The settings of the extension "ui" must be an object"#,
            r#"T7036 invalid-website: The website "shop.example" has a URL that is neither https: nor http:"#,
        ]
    );
}
