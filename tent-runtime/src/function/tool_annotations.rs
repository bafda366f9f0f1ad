//! [`ToolAnnotations`]: MCP's tool annotations, derived from the kind and the options of a function.

use super::Kind;

/// MCP's tool annotations: hints for a client, which enforce nothing.
///
/// Each hint is explicit, in every revision that has it, so a client does not have to know the defaults of the protocol
/// (MCP 2026-07-28, schema, `ToolAnnotations`): app directories reject a tool that leaves one out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// `readOnlyHint`: the function changes nothing.
    pub read_only: bool,
    /// `destructiveHint`: the function may replace or delete something. The protocol's default is `true`.
    pub destructive: bool,
    /// `idempotentHint`: a repeated call has no more effect. The protocol's default is `false`.
    pub idempotent: bool,
    /// `openWorldHint`: the function reaches systems outside the app. The protocol's default is `true`.
    pub open_world: bool,
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
            destructive: !read_only && (effects.needs_approval || !effects.additive),
            idempotent: effects.idempotent.unwrap_or(read_only),
            open_world: effects.sends || kind == Kind::Action,
        }
    }
}
