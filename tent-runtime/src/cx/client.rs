//! [`Client`]: the name, the version and the capabilities that a client declares. Nothing of it is verified.
//!
//! Must not read a wire format.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tent_core::capability::Capability;
use tent_core::codes;

use crate::error::{Error, Result};

/// The era of MCP that a call's client uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Era {
    /// `/api`, the command line, or the app itself: no MCP client.
    #[default]
    None,
    /// MCP with an `initialize` handshake, up to 2025-11-25.
    Legacy,
    /// MCP with the metadata in each request, 2026-07-28 and later.
    Modern,
}

/// The client of a call, as it describes itself. Nothing of it is verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Client {
    /// The era of the protocol that it uses.
    pub era: Era,
    /// Its name, if it declares one.
    pub name: Option<String>,
    /// Its version, if it declares one.
    pub version: Option<String>,
    /// Its capabilities.
    pub capabilities: Capabilities,
    pub(crate) extensions: Extensions,
}

impl Client {
    /// Returns the settings of an MCP extension, an object, if the client declares the extension.
    ///
    /// Only the extensions that the app declares ([`App::extension`](crate::server::App::extension)) or that a
    /// function `needs` are known. The session id of an older revision holds what the client declared and is short: it
    /// has room for about four extensions with a setting each. Settings without room are `{}`, and an extension without
    /// room counts as not declared.
    ///
    /// ```
    /// use tent::Cx;
    /// /// An access rule: allows the clients that show pages.
    /// fn shows_pages(cx: &Cx) -> bool {
    ///     cx.client().extension("io.modelcontextprotocol/ui").is_some()
    /// }
    /// ```
    pub fn extension(&self, id: &str) -> Option<&Value> {
        self.extensions
            .all()
            .find_map(|(one, settings)| (one == id).then_some(settings))
    }

    /// Whether the client declares this capability or extension, by the name that the option `needs` uses.
    pub fn has(&self, name: &str) -> bool {
        self.capabilities.has(name) || self.extension(name).is_some()
    }

    /// Rejects a client that lacks one of these capabilities or extensions.
    ///
    /// # Errors
    /// T0021 with everything that the client lacks.
    pub(crate) fn require(&self, names: &[impl AsRef<str>]) -> Result<()> {
        let names = names.iter().map(AsRef::as_ref);
        let lacking: Vec<&str> = names.filter(|name| !self.has(name)).collect();
        if lacking.is_empty() {
            return Ok(());
        }
        let mut required = Map::new();
        for name in &lacking {
            let (capability, part) = match name.split_once('.') {
                // The identifier of an extension has dots too.
                _ if name.contains('/') => ("extensions", Some(*name)),
                Some((capability, part)) => (capability, Some(part)),
                None => (*name, None),
            };
            let capability = required.entry(capability).or_insert_with(|| json!({}));
            if let Some(part) = part {
                capability[part] = json!({});
            }
        }
        Err(Error::new(codes::MISSING_CAPABILITY)
            .with_message(format!(
                "The client did not declare a capability that this call needs: {}.",
                lacking.join(", ")
            ))
            .with_field(REQUIRED, required))
    }
}

/// The extensions that a client declares, by identifier, with their settings. A client without extensions allocates
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extensions(Option<Arc<Map<String, Value>>>);

impl Extensions {
    pub(crate) fn all(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().flat_map(|all| all.iter())
    }
}

impl FromIterator<(String, Value)> for Extensions {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(all: I) -> Self {
        let all: Map<_, _> = all.into_iter().collect();
        Extensions((!all.is_empty()).then(|| Arc::new(all)))
    }
}

/// The capabilities that a client declares. tent sends no request that needs another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// `elicitation.form`: the client can show a form to its user.
    pub form: bool,
    /// `elicitation.url`: the client can ask its user to open a URL.
    pub url: bool,
    /// `sampling`: the client can prompt its model.
    pub sampling: bool,
    /// `sampling.tools`: the client can offer tools to its model.
    pub sampling_tools: bool,
    /// `sampling.context`: the client can add the context of its servers.
    pub sampling_context: bool,
    /// `roots`: the client can list the folders that it works in.
    pub roots: bool,
}

impl Capabilities {
    /// Whether the client declares this capability, by the name that the option `needs` uses.
    ///
    /// ```
    /// let mut capabilities = tent::Capabilities::default();
    /// capabilities.sampling = true;
    /// assert!(capabilities.has("sampling") && !capabilities.has("sampling.tools"));
    /// assert!(!capabilities.has("unknown"));
    /// ```
    pub fn has(&self, name: &str) -> bool {
        match Capability::find(name) {
            Some(Capability::Elicitation) => self.form || self.url,
            Some(Capability::ElicitationForm) => self.form,
            Some(Capability::ElicitationUrl) => self.url,
            Some(Capability::Roots) => self.roots,
            Some(Capability::Sampling) => self.sampling,
            Some(Capability::SamplingContext) => self.sampling_context,
            Some(Capability::SamplingTools) => self.sampling_tools,
            // The enum can grow.
            _ => false,
        }
    }

    /// Whether the client declares no capability, so that it gets no input request.
    pub(crate) fn is_none(self) -> bool {
        self == Capabilities::default()
    }
}

/// The field of a T0021 that holds the capabilities that the client lacks, in the form in which clients declare them.
pub(crate) const REQUIRED: &str = "requiredCapabilities";

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Era::None => "none",
            Era::Legacy => "legacy",
            Era::Modern => "modern",
        })
    }
}
