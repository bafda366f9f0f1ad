//! The text of a key: `tk_`, the id, `_`, the secret and a checksum. The checksum recognises mistyped and cut keys, and lets
//! scanners find leaked ones, without a store.
//!
//! It is the CRC-32 of the text before it, as six characters in base 62. It protects against mistakes, not against attacks.

use crate::random;

const PREFIX: &str = "tk_";
/// Without characters that look alike, because people read ids aloud and type them.
const ID_LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
const ID_LENGTH: usize = 10;
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// 62⁴³ is the first power above 2²⁵⁶.
const SECRET_LENGTH: usize = 43;
const CHECK_LENGTH: usize = 6;

/// The length of every key.
pub(super) const LENGTH: usize = PREFIX.len() + ID_LENGTH + 1 + SECRET_LENGTH + CHECK_LENGTH;

/// A new id.
pub(super) fn new_id() -> String {
    random::text(ID_LETTERS, ID_LENGTH)
}

/// A new key of this id.
pub(super) fn new_key(id: &str) -> String {
    let mut text = format!("{PREFIX}{id}_{}", random::text(LETTERS, SECRET_LENGTH));
    text.push_str(&checksum(&text));
    text
}

/// The id in the text of a key; `None` if the text is not a key.
pub(super) fn id_of(text: &str) -> Option<&str> {
    if text.len() != LENGTH || !text.is_ascii() {
        return None;
    }
    let (body, check) = text.split_at(LENGTH - CHECK_LENGTH);
    let (id, secret) = body.strip_prefix(PREFIX)?.split_at(ID_LENGTH);
    let secret = secret.strip_prefix('_')?;
    let is_valid = id.bytes().all(|b| ID_LETTERS.contains(&b))
        && secret.bytes().all(|b| b.is_ascii_alphanumeric())
        && checksum(body) == check;
    is_valid.then_some(id)
}

fn checksum(text: &str) -> String {
    let mut rest = crc32(text.as_bytes()) as usize;
    let mut letters = [0; CHECK_LENGTH];
    for letter in letters.iter_mut().rev() {
        *letter = LETTERS[rest % LETTERS.len()];
        rest /= LETTERS.len();
    }
    letters.into_iter().map(char::from).collect()
}

/// CRC-32 as in ISO 3309, gzip and PNG.
fn crc32(bytes: &[u8]) -> u32 {
    const REVERSED_POLYNOMIAL: u32 = 0xEDB8_8320;
    let crc = bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 {
                (crc >> 1) ^ REVERSED_POLYNOMIAL
            } else {
                crc >> 1
            }
        })
    });
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_that_is_known() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
        assert_eq!(checksum(""), "000000");
    }

    #[test]
    fn a_new_key_is_read_back() {
        for _ in 0..100 {
            let id = new_id();
            let text = new_key(&id);
            assert_eq!(text.len(), LENGTH);
            assert_eq!(id_of(&text), Some(id.as_str()));
        }
        assert_ne!(new_key("aaaaaaaaaa"), new_key("aaaaaaaaaa"));
    }

    #[test]
    fn a_mistyped_key_is_none() {
        let text = new_key(&new_id());
        for at in 0..text.len() {
            for other in ["a", "Z", "0", "_", " ", "\u{0}"] {
                let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
                assert!(changed == text || id_of(&changed).is_none(), "{changed}");
            }
        }
        for end in 0..text.len() {
            assert_eq!(id_of(&text[..end]), None);
        }
        let swapped = {
            let mut bytes = text.clone().into_bytes();
            let at = (20..50)
                .find(|&at| bytes[at] != bytes[at + 1])
                .expect("43 random letters");
            bytes.swap(at, at + 1);
            String::from_utf8(bytes).expect("ASCII")
        };
        assert_eq!(id_of(&swapped), None);
        for other in [
            format!("{text}a"),
            format!(" {text}"),
            "é".repeat(LENGTH / 2),
            String::new(),
        ] {
            assert_eq!(id_of(&other), None);
        }
    }
}
