//! Prints data to stdout and everything else to stderr.
//!
//! Nothing here panics if the reader is gone, unlike the macros of the standard library.

use std::fmt::{self, Write as _};
use std::io::{self, ErrorKind, Write as _};

use crate::error::{Error, Result};

/// Prints data and a line end. A reader that has read enough, such as `head`, is not an error.
///
/// # Errors
/// T0012 if the write fails, for example on a full disk, so that scripts do not continue with incomplete data.
pub(super) fn data(text: impl fmt::Display) -> Result<()> {
    let mut whole = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(whole, "{text}");
    let mut out = io::stdout().lock();
    let written = out.write_all(whole.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::from(error)
            .with_message("Cannot write to stdout.")
            .with_fix("")),
        _ => Ok(()),
    }
}

/// Prints a line to stderr. A failure has no place to be reported.
pub(super) fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
