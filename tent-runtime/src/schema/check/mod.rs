//! The validator: compiles a schema once into a [`CompiledSchema`], then walks each value along it.
//! Must not know where schemas come from, and must not panic or recurse deeper than the value nests.
//!
//! | file | holds |
//! |---|---|
//! | `compile`, `compile_containers`, `compile_scalars` | JSON Schema to nodes; a keyword that is not enforced is a problem |
//! | `compiled` | the nodes, in a list; they refer to each other by index, so a type can contain itself |
//! | `selectors` | once per schema: the property that tells the branches of a union apart; cycles |
//! | `walk`, `scalars`, `containers`, `union` | the walk: reports every invalid field and normalizes the value in place |
//! | `matching` | the dry run: whether a value matches a branch of a union, without changing it |
//! | `budget` | the limit of steps for one walk, and the results of earlier dry runs |
//! | `format` | string formats |
//! | `messages`, `path` | the text of errors |
//! | `secrets` | masks secret values, and finds the paths of secrets |
//!
//! **Cost.** A value that is valid for a schema without unions is visited once, and nothing is allocated. A schema with
//! unions, `allOf` or `not` may visit a value more than once. Nested unions could then take time that is exponential in
//! their depth, so two rules bound the walk: a dry run visits an array or object at most once per node, and a walk takes
//! at most 16 steps for each value and for each 64 bytes of text in the input, or one million if that is more. A walk
//! that needs more steps fails (see [`budget`]).
//!
//! serde reads an untagged enum by trial, and copies its value before. Where such an enum contains itself, its reading
//! is exponential in the nesting, so the walk also counts what serde will do: a part that `n` variants read counts `n`
//! times, times the count of the part around it. An input may need 200,000 such reads, or 16 for each value in it if that
//! is more. An enum whose variants share the field that nests, two of them, thus nests about 14 levels; one whose
//! variants share none nests as deep as JSON does.

mod budget;
mod compile;
mod compile_containers;
mod compile_scalars;
mod compiled;
mod containers;
mod format;
mod matching;
mod messages;
mod path;
mod scalars;
mod secrets;
mod selectors;
mod union;
mod walk;

#[cfg(feature = "schema")]
pub(super) use self::compile::CYCLE;
pub(super) use self::compile::{Purpose, compile};
pub(super) use self::compiled::CompiledSchema;
pub(super) use self::format::Format;
pub(super) use self::path::Path;
pub(super) use self::walk::{Mode, Validation};
