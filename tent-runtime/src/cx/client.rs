//! What a client says of itself, and what it says it can do. Never proof of anything.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tent_core::codes;

use crate::error::{Error, Result};

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
    pub(crate) extensions: Extensions,
}

impl Client {
    /// The settings of this extension of MCP, an object, if the client says that it has the extension.
    ///
    /// The server keeps in mind the extensions that the app declares
    /// ([`App::extension`](crate::server::App::extension)) or that a function `needs`, and no others. Settings are
    /// told as `{}` where they are over 4 KiB, and for a session of an older revision where they do not fit
    /// into its id, which has room for sixteen extensions and some hundred bytes of settings.
    ///
    /// ```
    /// use tent::Cx;
    /// /// A rule: lets in the clients that show pages.
    /// fn shows_pages(cx: &Cx) -> bool {
    ///     cx.client().extension("io.modelcontextprotocol/ui").is_some()
    /// }
    /// ```
    pub fn extension(&self, id: &str) -> Option<&Value> {
        self.extensions.get(id)
    }

    /// Whether the client said this one, by the name that `needs` has for it: what [`Capabilities::has`] knows, or
    /// the identifier of an extension.
    pub fn has(&self, name: &str) -> bool {
        self.capabilities.has(name) || self.extension(name).is_some()
    }

    /// Refuses a client that lacks one of these, with all that it lacks.
    pub(crate) fn require(&self, names: &[impl AsRef<str>]) -> Result<()> {
        let is_lacking = |name: &&str| !self.has(name);
        let names = names.iter().map(AsRef::as_ref);
        let lacking: Vec<&str> = names.filter(is_lacking).collect();
        if lacking.is_empty() {
            return Ok(());
        }
        let mut required = Map::new();
        for name in &lacking {
            let (whole, part) = match name.split_once('.') {
                // An identifier has dots of its own.
                _ if name.contains('/') => ("extensions", Some(*name)),
                Some((whole, part)) => (whole, Some(part)),
                None => (*name, None),
            };
            let whole = required.entry(whole).or_insert_with(|| json!({}));
            if let (Some(part), Some(whole)) = (part, whole.as_object_mut()) {
                whole.insert(part.to_owned(), json!({}));
            }
        }
        Err(Error::new(codes::MISSING_CAPABILITY)
            .with_message(format!(
                "The client did not say that it can do what is asked of it: {}.",
                lacking.join(", ")
            ))
            .with_field(REQUIRED, required))
    }
}

/// The extensions that a client says it has, each with its settings. A client that says none costs nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extensions(Option<Arc<[Extension]>>);

/// Its identifier, and its settings.
type Extension = (Box<str>, Value);

impl Extensions {
    pub(crate) fn get(&self, id: &str) -> Option<&Value> {
        let found = self.iter().find(|(one, _)| *one == id);
        found.map(|(_, settings)| settings)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        let all = self.0.as_deref().unwrap_or_default();
        all.iter().map(|(id, settings)| (&**id, settings))
    }
}

impl From<Vec<Extension>> for Extensions {
    fn from(said: Vec<Extension>) -> Self {
        Extensions((!said.is_empty()).then(|| said.into()))
    }
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
    /// use tent::Capabilities;
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

    /// Whether the client said this one, by the name that `needs` has for it: a capability, or a capability,
    /// a dot, and a part of it.
    ///
    /// ```
    /// use tent::Capabilities;
    /// let said = Capabilities::read(&serde_json::json!({"sampling": {}}));
    /// assert!(said.has("sampling") && !said.has("sampling.tools") && !said.has("roots"));
    /// ```
    pub fn has(&self, name: &str) -> bool {
        match name {
            "elicitation" => self.form || self.url,
            "elicitation.form" => self.form,
            "elicitation.url" => self.url,
            "sampling" => self.sampling,
            "sampling.tools" => self.sampling_tools,
            "sampling.context" => self.sampling_context,
            "roots" => self.roots,
            _ => false,
        }
    }

    /// Whether it can be asked nothing at all.
    pub(crate) fn is_none(self) -> bool {
        self == Capabilities::default()
    }

    /// As one byte, for a text that is short.
    pub(crate) fn bits(self) -> u8 {
        let flags = [
            self.roots,
            self.sampling,
            self.form,
            self.url,
            self.sampling_tools,
            self.sampling_context,
        ];
        flags
            .into_iter()
            .rev()
            .fold(0, |bits, flag| bits << 1 | u8::from(flag))
    }

    /// What [`bits`](Self::bits) gave.
    pub(crate) fn of_bits(bits: u8) -> Self {
        let flag = |at: u8| bits >> at & 1 == 1;
        Capabilities {
            roots: flag(0),
            sampling: flag(1),
            form: flag(2),
            url: flag(3),
            sampling_tools: flag(4),
            sampling_context: flag(5),
        }
    }
}

/// The field of a T0021 with what the client lacks, as an object in the form that clients declare it in.
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
