//! Tools that return content, and one that fails.
//!
//! See `progress` for tools that report progress, and `input_requests` for tools that need input from the client.

use tent::prelude::*;
use tent::{Annotations, Role};

use crate::media::{PNG, WAV};

/// Return a text.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn test_simple_text() -> Content {
    Content::text("This is a simple text response for testing.")
}

/// Return an image.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn test_image_content() -> Content {
    Content::image(PNG, "image/png")
}

/// Return a sound.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn test_audio_content() -> Content {
    Content::audio(WAV, "audio/wav")
}

/// Return a resource with its content.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn test_embedded_resource() -> Content {
    Content::resource_text(
        "test://embedded-resource",
        "text/plain",
        "This is an embedded resource content.",
    )
}

/// Return a text, an image and a resource.
#[query(access = "anyone", offer = "mcp", blocking = false)]
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

/// Return links to resources, one of them with every member.
#[query(access = "anyone", offer = "mcp", blocking = false)]
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

/// Return a value and a text for the person alone.
#[query(access = "anyone", offer = "mcp", blocking = false)]
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
    /// The place.
    place: String,
    /// The temperature in degrees Celsius.
    degrees: f64,
    /// The sky.
    sky: Sky,
}

/// The sky.
#[data]
#[serde(rename_all = "lowercase")]
enum Sky {
    Snow,
}

/// Always fail.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn test_error_handling() -> Result<(), Declared> {
    Err(Declared)
}

/// The error of `test_error_handling`.
#[derive(Debug, Failure)]
#[failure(
    code = "A0001",
    status = 409,
    message = "This tool intentionally returns an error for testing",
    fix = "Call another tool"
)]
struct Declared;
