//! Prompts with and without arguments.

use tent::prelude::*;
use tent::{Map, PromptMessage};

use crate::media::PNG;

/// Return one message.
#[prompt(access = "anyone", blocking = false)]
fn test_simple_prompt() -> String {
    "This is a simple prompt for testing.".to_owned()
}

/// Return the arguments.
#[prompt(access = "anyone", blocking = false)]
fn test_prompt_with_arguments(
    /// First test argument
    #[arg(complete = cities)]
    arg1: String,
    /// Second test argument
    arg2: String,
) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

fn cities(_cx: &Cx, typed: String, _others: Map) -> Vec<String> {
    let known = ["paris", "park", "party", "testing"];
    let matching = known.into_iter().filter(|known| known.starts_with(&typed));
    matching.map(str::to_owned).collect()
}

/// Work on a resource that is part of the prompt.
#[prompt(access = "anyone", blocking = false)]
fn test_prompt_with_embedded_resource(
    /// URI of the resource to embed
    #[arg(rename = "resourceUri")]
    resource_uri: String,
) -> Vec<PromptMessage> {
    let resource = Content::resource_text(
        resource_uri,
        "text/plain",
        "Embedded resource content for testing.",
    );
    vec![
        PromptMessage::user(resource),
        PromptMessage::user("Please process the embedded resource above."),
    ]
}

/// Work on a picture.
#[prompt(access = "anyone", blocking = false)]
fn test_prompt_with_image() -> Vec<PromptMessage> {
    vec![
        PromptMessage::user(Content::image(PNG, "image/png")),
        PromptMessage::user("Please analyze the image above."),
    ]
}
