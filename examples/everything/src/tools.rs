//! Tools that give content, and one that fails.
//!
//! Says nothing while it runs: see `talks`. Asks nothing: see `asks`.

use tent::prelude::*;
use tent::{Annotations, Role};

use crate::media::{PNG, WAV};

/// Give a text.
#[query(access = "anyone", offer = "mcp")]
fn test_simple_text() -> Content {
    Content::text("This is a simple text response for testing.")
}

/// Give an image.
#[query(access = "anyone", offer = "mcp")]
fn test_image_content() -> Content {
    Content::image(PNG, "image/png")
}

/// Give a sound.
#[query(access = "anyone", offer = "mcp")]
fn test_audio_content() -> Content {
    Content::audio(WAV, "audio/wav")
}

/// Give a resource with what it holds.
#[query(access = "anyone", offer = "mcp")]
fn test_embedded_resource() -> Content {
    Content::resource_text(
        "test://embedded-resource",
        "text/plain",
        "This is an embedded resource content.",
    )
}

/// Give a text, an image and a resource.
#[query(access = "anyone", offer = "mcp")]
fn test_multiple_content_types() -> Vec<Content> {
    vec![
        Content::text("Multiple content types test:"),
        Content::image(PNG, "image/png"),
        Content::resource_text(
            "test://mixed-content-resource",
            "application/json",
            r#"{"test":"data","value":123}"#,
        ),
    ]
}

/// Give links to resources, one of them with all that can be said of it.
#[query(access = "anyone", offer = "mcp")]
fn test_resource_links() -> Vec<Content> {
    vec![
        Content::link("test://static-text", "static-text"),
        Content::link("test://static-binary", "static-binary")
            .title("A picture")
            .about("One red pixel.")
            .media_type("image/png")
            .size(PNG.len() as u64)
            .annotated(
                Annotations::new()
                    .audience([Role::User])
                    .priority(0.9)
                    .last_modified("2026-07-28T00:00:00Z"),
            ),
    ]
}

/// Give a value, and beside it a text for the person alone.
#[query(access = "anyone", offer = "mcp")]
fn test_structured_content() -> WithContent<Weather> {
    let weather = Weather {
        place: "Oslo".to_owned(),
        degrees: -3.5,
        sky: Sky::Snow,
    };
    let text = Content::text("Snow in Oslo, -3.5 °C");
    let text = text.annotated(Annotations::new().audience([Role::User]));
    WithContent::new(weather, [text])
}

/// The weather of a place.
#[data]
struct Weather {
    /// Where it is.
    place: String,
    /// The temperature in degrees Celsius.
    degrees: f64,
    /// What the sky looks like.
    sky: Sky,
}

/// What the sky looks like.
#[data]
#[serde(rename_all = "lowercase")]
enum Sky {
    Snow,
}

/// Fail, always.
#[query(access = "anyone", offer = "mcp")]
fn test_error_handling() -> Result<(), Stated> {
    Err(Stated)
}

/// The failure of `test_error_handling`.
#[derive(Debug, Failure)]
#[failure(
    code = "A0001",
    status = 409,
    message = "This tool intentionally returns an error for testing",
    fix = "Call another tool"
)]
struct Stated;
