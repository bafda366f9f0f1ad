//! The MCP methods that a function of an app may answer: the one rule of `on = "…"` and of functions that are made at
//! run time.

/// Returns why a function cannot answer this method, as the end of a sentence about it, and the fix.
///
/// ```
/// use tent_core::method;
/// assert_eq!(method::problem("acme/status"), None);
/// assert!(method::problem("tools/call").is_some());
/// ```
pub fn problem(method: &str) -> Option<(&'static str, &'static str)> {
    const RESERVED: &str = "is a method that tent answers itself";
    match method {
        "initialize"
        | "ping"
        | "server/discover"
        | "subscriptions/listen"
        | "tools/call"
        | "tools/list" => Some((
            RESERVED,
            "remove `on`; use `offer = \"mcp\"` to make the function a tool",
        )),
        "logging/setLevel" => Some((
            RESERVED,
            "remove the function; `cx.log` follows the level that the client sets",
        )),
        // Updates go to the sessions that tent recorded, so the app's own response would promise updates that
        // never arrive.
        "resources/subscribe" | "resources/unsubscribe" => Some((
            RESERVED,
            "set `subscribe` on the `#[resource]`, and `mcp.stream` in the settings",
        )),
        _ if method.starts_with("notifications/") => Some((
            "is a notification, which has no response",
            "name a request method",
        )),
        _ if method.is_empty() || method.contains(char::is_whitespace) => Some((
            "is not a valid MCP method",
            "name a method such as \"resources/list\"",
        )),
        _ => None,
    }
}
