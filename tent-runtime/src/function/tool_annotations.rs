//! [`ToolAnnotations`]: MCP's tool annotations, derived from the kind and the options of a function.

use super::Kind;

/// MCP's tool annotations: hints for a client, which enforce nothing. `None` is left out of listings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// `readOnlyHint`.
    pub read_only: bool,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
}

/// The options of a function that tool annotations derive from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effects {
    /// `danger = "ask"`.
    pub(super) needs_approval: bool,
    /// `writes = "adds"`.
    pub(super) additive: bool,
    /// `changes = false`.
    pub(super) read_only: bool,
    /// `sends = true`.
    pub(super) sends: bool,
    /// `idempotent`.
    pub(super) idempotent: Option<bool>,
}

impl ToolAnnotations {
    pub(super) fn derive(kind: Kind, effects: Effects) -> Self {
        let read_only = kind == Kind::Query || effects.read_only;
        ToolAnnotations {
            read_only,
            destructive: match (read_only, effects.needs_approval, effects.additive) {
                (true, ..) => None,
                (_, true, _) => Some(true),
                (_, _, true) => Some(false),
                _ => None,
            },
            idempotent: effects.idempotent,
            open_world: match (effects.sends, kind) {
                (true, _) => Some(true),
                (false, Kind::Query | Kind::Change) => Some(false),
                (false, Kind::Action) => None,
            },
        }
    }
}
