//! A valid example of each option, for help lines: text that an author can type.

/// The option with an example of its value, as `name = value`, or the name alone for a bare word.
pub(crate) fn example(name: &str) -> String {
    let value = match name {
        "about" => "\"Finds an order\"",
        "access" => "\"signedIn\"",
        "annotations" => "Annotations::new()",
        "api" | "blocking" | "changes" | "structured" => "false",
        "asks" => "\"page\"",
        "code" => "\"A0001\"",
        "complete" => "order_numbers",
        "crate" => "::my_app::tent",
        "danger" => "\"ask\"",
        "default" | "example" | "min" | "min_len" => "1",
        "fix" => "\"Try again later\"",
        "header" => "\"Region\"",
        "icons" => "Icon::svg(LOGO)",
        "idempotent" | "retry" | "sends" | "subscribe" => "true",
        "limit" => "\"10/min\"",
        "list" => "all_orders",
        "max" | "max_len" => "100",
        "media_type" => "\"text/plain\"",
        "message" => "\"The shop is closed\"",
        "meta" => "json!({\"ui\": {}})",
        "name" => "\"orders\"",
        "needs" => "\"sampling\"",
        "offer" => "\"mcp\"",
        "on" => "\"resources/list\"",
        "pattern" => "\"^[a-z]+$\"",
        "rename" => "\"order-id\"",
        "schema" => "my_schema()",
        "scope" => "\"orders:write\"",
        "size" => "1024",
        "status" => "409",
        "timeout" => "\"30s\"",
        "title" => "\"Orders\"",
        "uri" => "\"orders://{id}\"",
        "writes" => "\"adds\"",
        _ => return name.to_owned(),
    };
    format!("{name} = {value}")
}
