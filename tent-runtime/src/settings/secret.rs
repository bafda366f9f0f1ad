//! [`Secret`]: what sealed texts are sealed with. Its bytes are shown nowhere: not by `Debug`, not in an
//! error.

use std::fmt;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The fewest bytes a secret has: those of the keys that are derived from it.
pub const FEWEST_BYTES: usize = 32;

/// Of 32 random bytes, fewer than this many different ones come about once in 10³⁰ times; of a
/// word that somebody repeated, always.
const FEWEST_DIFFERENT: usize = 10;

/// At least 32 random bytes. Written as hex, or as base64 in either alphabet, padded or not.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// A new one, from the random bytes of the operating system.
    ///
    /// ```
    /// use tent::settings::Secret;
    /// assert_ne!(Secret::random(), Secret::random());
    /// assert_eq!(format!("{:?}", Secret::random()), "Secret(…)");
    /// ```
    pub fn random() -> Self {
        Secret(crate::random::bytes::<FEWEST_BYTES>().to_vec())
    }

    /// From its bytes.
    ///
    /// # Errors
    /// What is wrong with them, as the end of a sentence: there are fewer than 32, or they are not random.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self, String> {
        let bytes = bytes.into();
        if bytes.len() < FEWEST_BYTES {
            return Err(format!(
                "has {} bytes, and fewer than {FEWEST_BYTES} can be guessed; `openssl rand -hex 32` makes a good one",
                bytes.len()
            ));
        }
        let mut seen = [false; 256];
        for &byte in &bytes {
            seen[usize::from(byte)] = true;
        }
        if seen.iter().filter(|&&seen| seen).count() < FEWEST_DIFFERENT {
            return Err(
                "repeats the same few bytes, so it is not random; `openssl rand -hex 32` makes a good one".into(),
            );
        }
        Ok(Secret(bytes))
    }

    /// From its text. What is all hex digits is read as hex, all else as base64.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), and where the text is neither hex nor base64.
    ///
    /// ```
    /// use tent::settings::Secret;
    /// let hex = "8f14e45fceea167a5a36dedd4bea2543d3d9446802a44259755d38e6d163e820";
    /// let base64 = "jxTkX87qFnpaNt7dS+olQ9PZRGgCpEJZdV045tFj6CA=";
    /// assert_eq!(Secret::parse(hex)?, Secret::parse(base64)?);
    /// assert!(Secret::parse("hunter2").is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let bytes = if text.len().is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit()) {
            hex(text)
        } else {
            base64(text)
        };
        Self::from_bytes(bytes.ok_or("is neither hex nor base64")?)
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
        .collect()
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let alphabet = if text.contains(['-', '_']) {
        base64::alphabet::URL_SAFE
    } else {
        base64::alphabet::STANDARD
    };
    let either_padding =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(&alphabet, either_padding)
        .decode(text)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "8f14e45fceea167a5a36dedd4bea2543d3d9446802a44259755d38e6d163ffff";

    #[test]
    fn hex_and_both_alphabets_of_base64_give_the_same_bytes() {
        let secret = Secret::parse(HEX).expect("64 hex digits");
        for text in [
            HEX.to_uppercase().as_str(),
            "jxTkX87qFnpaNt7dS+olQ9PZRGgCpEJZdV045tFj//8=",
            "jxTkX87qFnpaNt7dS+olQ9PZRGgCpEJZdV045tFj//8",
            "jxTkX87qFnpaNt7dS-olQ9PZRGgCpEJZdV045tFj__8",
            " jxTkX87qFnpaNt7dS-olQ9PZRGgCpEJZdV045tFj__8=\n",
        ] {
            assert_eq!(Secret::parse(text).as_ref(), Ok(&secret), "{text}");
        }
    }

    #[test]
    fn what_can_be_guessed_is_refused_and_never_repeated() {
        for (text, why) in [
            ("", "has 0 bytes"),
            ("hunter2!", "is neither hex nor base64"),
            (&HEX[..62], "has 31 bytes"),
            (&"00".repeat(32), "repeats the same few bytes"),
            (&"hunter22".repeat(8), "repeats the same few bytes"),
            ("größe", "is neither hex nor base64"),
        ] {
            let refused = Secret::parse(text).expect_err(text);
            assert!(refused.starts_with(why), "{text}: {refused}");
            assert!(text.is_empty() || !refused.contains(text));
        }
    }
}
