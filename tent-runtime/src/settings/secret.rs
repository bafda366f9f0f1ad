//! [`Secret`]: the key material of sealed texts. Neither `Debug` nor an error shows its bytes.

use std::fmt;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use tent_core::count::counted;

/// The smallest length of a secret in bytes: the length of the keys that are derived from it.
pub const MIN_BYTES: usize = 32;

/// The smallest number of distinct bytes in a secret. 32 random bytes have fewer about once in 10³⁰ times; a repeated word
/// always has fewer.
const MIN_DISTINCT_BYTES: usize = 10;

/// At least 32 random bytes. Written as hex, or as base64 in either alphabet, padded or not.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Generates a secret from the random bytes of the operating system.
    ///
    /// ```
    /// use tent::settings::Secret;
    /// assert_ne!(Secret::random(), Secret::random());
    /// assert_eq!(format!("{:?}", Secret::random()), "Secret(…)");
    /// ```
    pub fn random() -> Self {
        Secret(crate::random::bytes::<MIN_BYTES>().to_vec())
    }

    /// Checks the bytes of a secret.
    ///
    /// # Errors
    /// The problem, as the end of a sentence: there are fewer than 32 bytes, or they are not random.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self, String> {
        let bytes = bytes.into();
        if bytes.len() < MIN_BYTES {
            return Err(format!(
                "has {} but needs at least {MIN_BYTES}; generate one with `openssl rand -hex 32`",
                counted(bytes.len(), "byte")
            ));
        }
        let mut seen = [false; 256];
        for &byte in &bytes {
            seen[usize::from(byte)] = true;
        }
        if seen.iter().filter(|&&seen| seen).count() < MIN_DISTINCT_BYTES {
            return Err(
                "repeats the same few bytes, so it is not random; generate one with `openssl rand -hex 32`".into(),
            );
        }
        Ok(Secret(bytes))
    }

    /// Parses a secret. A text of hex digits is hex, any other text is base64.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), or the text is neither hex nor base64.
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
    fn parses_hex_and_both_alphabets_of_base64() {
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
    fn rejects_a_secret_that_can_be_guessed_without_showing_it() {
        for (text, why) in [
            ("", "has 0 bytes"),
            ("hunter2!", "is neither hex nor base64"),
            (&HEX[..62], "has 31 bytes"),
            (&"00".repeat(32), "repeats the same few bytes"),
            (&"hunter22".repeat(8), "repeats the same few bytes"),
            ("größe", "is neither hex nor base64"),
        ] {
            let error = Secret::parse(text).expect_err(text);
            assert!(error.starts_with(why), "{text}: {error}");
            assert!(text.is_empty() || !error.contains(text));
        }
    }
}
