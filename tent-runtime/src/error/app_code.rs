//! [`AppCode`]: the codes of an app's own failures, checked when the app is compiled.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// A code of the app: `A` and four digits. [`code!`](crate::code) makes one.
///
/// It is another type than tent's own [`Code`](super::Code), so an app cannot report a `T` code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AppCode(&'static str);

impl AppCode {
    /// Checks `text`. Only [`code!`](crate::code) and the derive of `Failure` call it, in a constant, so that an invalid
    /// code is a compile error.
    #[doc(hidden)]
    pub const fn checked(text: &'static str) -> Self {
        match text.as_bytes() {
            [b'A', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9'] => AppCode(text),
            _ => panic!("an app's code is `A` and four digits, for example A0001"),
        }
    }

    /// Restores a code from a stored text; `None` where it is not a code of an app.
    ///
    /// Its text lives as long as the program. There are 10,000 codes, so this memory is bounded.
    pub(crate) fn stored(text: &str) -> Option<Self> {
        static STORED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let [b'A', digits @ ..] = text.as_bytes() else {
            return None;
        };
        if digits.len() != 4 || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut stored = STORED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = stored.get(text) {
            return Some(AppCode(known));
        }
        let text: &'static str = Box::leak(text.into());
        stored.insert(text);
        Some(AppCode(text))
    }

    /// `A` and four digits.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for AppCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for AppCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Makes an [`AppCode`](crate::AppCode) from a literal of `A` and four digits, also in a constant.
///
/// ```
/// use tent::AppCode;
/// const CLOSED: AppCode = tent::code!("A0007");
/// assert_eq!(CLOSED.as_str(), "A0007");
/// ```
///
/// Another text does not compile, nor does a code of tent's own:
///
/// ```compile_fail
/// let typo = tent::code!("A007");
/// ```
///
/// ```compile_fail
/// let forged = tent::code!("T0001");
/// ```
#[macro_export]
macro_rules! code {
    ($text:literal) => {
        const { $crate::AppCode::checked($text) }
    };
}
