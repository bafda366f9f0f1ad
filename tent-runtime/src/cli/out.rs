//! What is printed: data on stdout, everything else on stderr, where whoever reads may be gone.
//!
//! Nothing here panics for want of a reader, as the standard macros do.

use std::fmt::{self, Write as _};
use std::io::{self, ErrorKind, Write as _};

use crate::error::{Error, Result};

/// Prints data, and the end of its last line. Where its reader has read enough, as `head` has, all is well.
///
/// # Errors
/// T0012 where it cannot be written, as on a disk that is full: what a script goes on with would lack it.
pub(super) fn data(text: impl fmt::Display) -> Result<()> {
    let mut whole = String::new();
    // A text takes everything.
    let _ = writeln!(whole, "{text}");
    let mut out = io::stdout().lock();
    let written = out.write_all(whole.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::from(error)
            .with_message("Stdout cannot be written to.")
            .with_fix("")),
        _ => Ok(()),
    }
}

/// Says a line on stderr. There is nobody to tell where that fails.
pub(super) fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
