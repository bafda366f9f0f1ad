//! [`Question`]: what a function asks of the client that calls it.

use serde_json::Value;

/// What a function asks of the client: of its person, its model, or the client itself.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Question {
    /// A form for the person: a message, and the schema of what is to be filled in.
    Form {
        /// What the person reads.
        message: String,
        /// A flat object schema, as the standard allows it in forms.
        schema: Value,
    },
    /// An address for the person to open.
    Url {
        /// What the person reads.
        message: String,
        /// The address.
        url: String,
        /// The id by which its end is told.
        id: String,
    },
    /// Something for the client's model: the parameters of `sampling/createMessage`.
    Sampling(Value),
    /// The folders that the client works in.
    Roots,
}
