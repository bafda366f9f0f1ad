//! Writes `sampling/createMessage` and reads its result (2026-07-28 and 2025-11-25, client/sampling).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::cx::input::{Sampling, SamplingContent, SamplingResult, ToolChoice};

/// The parameters of `sampling/createMessage`. Options that are not set are absent.
pub(crate) fn params(sampling: &Sampling) -> Map<String, Value> {
    let mut params = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        params.extend(value.map(|value| (name.to_owned(), value)));
    };
    put("maxTokens", Some(sampling.max_tokens.into()));
    put(
        "systemPrompt",
        sampling.system_prompt.clone().map(Value::from),
    );
    put("temperature", sampling.temperature.map(Value::from));
    put(
        "stopSequences",
        sampling.stop_sequences.clone().map(Value::from),
    );
    put("modelPreferences", model_preferences(sampling));
    put("metadata", sampling.metadata.clone().map(Value::from));
    let tools = sampling.tools.iter().map(
        |tool| json!({"name": tool.name, "description": tool.about, "inputSchema": tool.input}),
    );
    let tools: Vec<Value> = tools.collect();
    put("tools", (!tools.is_empty()).then(|| tools.into()));
    let choice = sampling.tool_choice.map(|choice| match choice {
        ToolChoice::Auto => "auto",
        ToolChoice::Required => "required",
        ToolChoice::Never => "none",
    });
    put("toolChoice", choice.map(|mode| json!({"mode": mode})));
    let messages = sampling.messages.iter().map(|message| {
        // Every revision reads a single block; only later revisions read a list.
        let content = match message.content.as_slice() {
            [only] => write_content(only),
            blocks => blocks.iter().map(write_content).collect(),
        };
        json!({"role": message.role.name(), "content": content})
    });
    put("messages", Some(messages.collect()));
    params
}

fn model_preferences(sampling: &Sampling) -> Option<Value> {
    let mut preferences = Map::new();
    if let Some(models) = &sampling.models {
        let hints = models.iter().map(|name| json!({"name": name}));
        preferences.insert("hints".to_owned(), hints.collect());
    }
    for (name, priority) in [
        ("costPriority", sampling.cost_priority),
        ("speedPriority", sampling.speed_priority),
        ("intelligencePriority", sampling.intelligence_priority),
    ] {
        preferences.extend(priority.map(|priority| (name.to_owned(), priority.into())));
    }
    (!preferences.is_empty()).then(|| preferences.into())
}

fn write_content(content: &SamplingContent) -> Value {
    let media = |kind: &str, data: &[u8], media_type: &str| json!({"type": kind, "data": STANDARD.encode(data), "mimeType": media_type});
    match content {
        SamplingContent::Text(text) => json!({"type": "text", "text": text}),
        SamplingContent::Image { data, media_type } => media("image", data, media_type),
        SamplingContent::Audio { data, media_type } => media("audio", data, media_type),
        SamplingContent::ToolUse { id, name, input } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": input})
        }
        SamplingContent::ToolResult { id, text, failed } => {
            let mut result = json!({
                "type": "tool_result",
                "toolUseId": id,
                "content": [{"type": "text", "text": text}],
            });
            if *failed {
                result["isError"] = true.into();
            }
            result
        }
    }
}

/// Reads the result of `sampling/createMessage`.
///
/// # Errors
/// What is wrong with the result, as the end of a sentence.
pub(crate) fn result(result: &Value) -> Result<SamplingResult, String> {
    let string = |name: &str| result.get(name).and_then(Value::as_str).map(str::to_owned);
    let content = match result.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().map(read_content).collect(),
        Some(block) => read_content(block).map(|block| vec![block]),
        None => Err("has no `content`".to_owned()),
    };
    Ok(SamplingResult {
        content: content?,
        model: string("model").ok_or("has no `model`")?,
        stop_reason: string("stopReason"),
    })
}

fn read_content(block: &Value) -> Result<SamplingContent, String> {
    let string = |name: &str| {
        let text = block.get(name).and_then(Value::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| format!("has a content block without the string `{name}`"))
    };
    let bytes = || {
        let decoded = STANDARD.decode(string("data")?);
        decoded.map_err(|_| "has a content block whose `data` is not base64".to_owned())
    };
    Ok(match &*string("type")? {
        "text" => SamplingContent::Text(string("text")?),
        "image" => SamplingContent::Image {
            data: bytes()?,
            media_type: string("mimeType")?,
        },
        "audio" => SamplingContent::Audio {
            data: bytes()?,
            media_type: string("mimeType")?,
        },
        "tool_use" => SamplingContent::ToolUse {
            id: string("id")?,
            name: string("name")?,
            input: match block.get("input") {
                Some(Value::Object(input)) => input.clone(),
                _ => return Err("has a tool call whose `input` is not an object".to_owned()),
            },
        },
        other => return Err(format!("has a content block of the unknown type {other:?}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Role;
    use crate::cx::input::{Tool, sampling};

    #[test]
    fn writes_every_option_of_a_request() {
        let weather = Tool {
            name: "weather".into(),
            about: "The weather.".into(),
            input: json!({"type": "object"}),
        };
        let call = SamplingContent::ToolUse {
            id: "1".into(),
            name: "weather".into(),
            input: Map::new(),
        };
        let result = SamplingContent::ToolResult {
            id: "1".into(),
            text: "No sky.".into(),
            failed: true,
        };
        let request = sampling("What is the weather?", 100)
            .system("Be brief.")
            .temperature(0.5)
            .stop(["."])
            .models(["claude"])
            .priorities(0.0, 0.5, 1.0)
            .tool(weather)
            .tool_choice(ToolChoice::Required)
            .message(Role::Assistant, [call])
            .message(Role::User, [result]);
        let result = json!({
            "type": "tool_result", "toolUseId": "1", "isError": true,
            "content": [{"type": "text", "text": "No sky."}],
        });
        let call = json!({"type": "tool_use", "id": "1", "name": "weather", "input": {}});
        let text = json!({"type": "text", "text": "What is the weather?"});
        assert_eq!(
            Value::from(params(&request)),
            json!({
                "maxTokens": 100,
                "systemPrompt": "Be brief.",
                "temperature": 0.5,
                "stopSequences": ["."],
                "modelPreferences": {
                    "hints": [{"name": "claude"}],
                    "costPriority": 0.0, "speedPriority": 0.5, "intelligencePriority": 1.0,
                },
                "tools": [{
                    "name": "weather", "description": "The weather.",
                    "inputSchema": {"type": "object"},
                }],
                "toolChoice": {"mode": "required"},
                "messages": [
                    {"role": "user", "content": text},
                    {"role": "assistant", "content": call},
                    {"role": "user", "content": result},
                ],
            })
        );
        let nan = f64::NAN;
        let plain = params(&sampling("?", 9).priorities(nan, nan, nan));
        assert_eq!(
            plain.keys().collect::<Vec<_>>(),
            ["maxTokens", "messages"],
            "options that are not set are absent"
        );
    }

    #[test]
    fn reads_a_result_in_every_form() {
        let call = json!({"type": "tool_use", "id": "1", "name": "weather", "input": {}});
        let response = json!({"role": "assistant", "model": "m", "stopReason": "toolUse", "content": [
            {"type": "text", "text": "I "}, call, {"type": "text", "text": "look."},
        ]});
        let read = result(&response).expect("a result");
        assert_eq!((read.text(), read.content.len()), ("I look.".to_owned(), 3));
        assert_eq!(read.stop_reason.as_deref(), Some("toolUse"));
        for (invalid, problem) in [
            (json!({"model": "m"}), "has no `content`"),
            (
                json!({"content": {"type": "text", "text": "x"}}),
                "has no `model`",
            ),
            (
                json!({"model": "m", "content": {"type": "video"}}),
                "has a content block of the unknown type \"video\"",
            ),
            (
                json!({"model": "m", "content": {"type": "image", "data": "?", "mimeType": "a/b"}}),
                "has a content block whose `data` is not base64",
            ),
        ] {
            assert_eq!(result(&invalid).expect_err("an error"), problem);
        }
    }
}
