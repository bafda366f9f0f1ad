//! What a client says of itself, and what it says it can do. Never proof of anything.

use std::fmt;

use serde_json::Value;

/// The way a call came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Era {
    /// `/api`, the command line, or the app itself: no MCP client.
    #[default]
    None,
    /// MCP by an `initialize` handshake, up to 2025-11-25.
    Legacy,
    /// MCP with the metadata in each request, 2026-07-28 and later.
    Modern,
}

/// What a client says of itself. Never proof of anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Client {
    /// The era of the protocol it speaks.
    pub era: Era,
    /// Its name, where it gave one.
    pub name: Option<String>,
    /// Its version, where it gave one.
    pub version: Option<String>,
    /// What it says it can do.
    pub capabilities: Capabilities,
}

/// What a client says it can do: what is not said is never asked of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// `elicitation`: it can ask its person to fill in a form.
    pub form: bool,
    /// `elicitation.url`: it can ask its person to open an address.
    pub url: bool,
    /// `sampling`: it can ask its model.
    pub sampling: bool,
    /// `sampling.tools`: it can hand tools to its model.
    pub sampling_tools: bool,
    /// `sampling.context`: it can add context of its servers.
    pub sampling_context: bool,
    /// `roots`: it can say which folders it works in.
    pub roots: bool,
}

impl Capabilities {
    /// From the `capabilities` of a handshake or the metadata of a request. What has another form than the
    /// standard's counts as not said.
    ///
    /// ```
    /// use serde_json::json;
    /// use tent_runtime::cx::Capabilities;
    /// let said = Capabilities::read(&json!({"elicitation": {}, "roots": {}}));
    /// assert!(said.form && !said.url && said.roots && !said.sampling);
    /// ```
    pub fn read(said: &Value) -> Self {
        let object = |name: &str| said.get(name).filter(|value| value.is_object());
        let within = |name: &str, part: &str| {
            object(name)
                .and_then(|value| value.get(part))
                .is_some_and(Value::is_object)
        };
        // An empty `elicitation` means forms (2025-11-25, client/elicitation, Capabilities).
        let elicitation = object("elicitation");
        let only_url = within("elicitation", "url") && !within("elicitation", "form");
        Capabilities {
            form: elicitation.is_some() && !only_url,
            url: within("elicitation", "url"),
            sampling: object("sampling").is_some(),
            sampling_tools: within("sampling", "tools"),
            sampling_context: within("sampling", "context"),
            roots: object("roots").is_some(),
        }
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Era::None => "none",
            Era::Legacy => "legacy",
            Era::Modern => "modern",
        })
    }
}
