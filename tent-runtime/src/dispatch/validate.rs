//! Validates the input of a call, and what its client must be capable of. It reports all invalid fields at once.

use serde_json::{Map, Value};

use crate::cx::Client;
use crate::error::Result;
use crate::function::Function;
use crate::schema::InputEncoding;

/// Brings the input into the form that its function reads.
///
/// # Errors
/// T0021 for a client without a capability that the function needs, T0003 for an invalid input.
pub(super) fn validate(
    function: &Function,
    client: &Client,
    input: &mut Map<String, Value>,
    encoding: InputEncoding,
) -> Result<()> {
    // First, since no other input would help.
    client.require(&function.needs)?;
    function.input.validate(input, encoding)
}
