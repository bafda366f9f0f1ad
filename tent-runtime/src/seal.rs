//! Seals texts that clients carry and return: encrypted and authenticated.
//!
//! A client can neither read nor forge a sealed text. A text opens only with the [`Use`] and the associated data that it was
//! sealed with. It does not expire and can be replayed: put a time or a nonce into the content and check it. Every text that
//! does not open gives the same error.
//!
//! The format, in base64url without padding:
//!
//! | version | key id | nonce | ciphertext | tag |
//! |---|---|---|---|---|
//! | 1 byte | 5 | 24 | as the content | 16 |
//!
//! The cipher is XChaCha20-Poly1305, whose nonces are long enough to be random. HKDF-SHA256 derives one key per use from
//! the secret.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use sha2::Sha256;
use tent_core::codes;

use crate::error::{Error, Result};
use crate::random;
use crate::settings::Secret;

const VERSION: u8 = 1;
const KEY_ID: usize = 5;
const HEAD: usize = 1 + KEY_ID;
/// The length of the head in base64. Six bytes are exactly eight characters, so the head decodes by itself.
const HEAD_TEXT: usize = 8;
const NONCE: usize = 24;
const TAG: usize = 16;

/// The purpose of a sealed text. A text opens only for the purpose that it was sealed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub(crate) enum Use {
    /// The id of an MCP session.
    Session,
    /// The start of the next page of a list.
    Cursor,
    /// A request for input, and the response to it.
    Ask,
    /// The `requestState` of a multi round-trip request.
    State,
    /// A cookie.
    Cookie,
}

impl Use {
    const ALL: [Use; 5] = [Use::Session, Use::Cursor, Use::Ask, Use::State, Use::Cookie];

    /// The label that the key is derived with. A change would make all older texts invalid.
    fn label(self) -> &'static str {
        match self {
            Use::Session => "session",
            Use::Cursor => "cursor",
            Use::Ask => "ask",
            Use::State => "state",
            Use::Cookie => "cookie",
        }
    }
}

/// Seals texts and opens them, with a ring of secrets: the first seals, every one opens.
pub(crate) struct Sealer {
    first: DerivedKeys,
    older: Vec<DerivedKeys>,
}

/// The keys that are derived from one secret.
struct DerivedKeys {
    id: [u8; KEY_ID],
    ciphers: [XChaCha20Poly1305; Use::ALL.len()],
}

impl DerivedKeys {
    fn new(secret: &Secret) -> Self {
        let derivation = Hkdf::<Sha256>::new(None, secret.bytes());
        let derive = |label: &str, out: &mut [u8]| {
            derivation
                .expand_multi_info(&[b"tent seal 1 ", label.as_bytes()], out)
                .expect("HKDF gives up to 255 times its 32 bytes");
        };
        let mut id = [0; KEY_ID];
        derive("id", &mut id);
        let ciphers = Use::ALL.map(|one| {
            let mut key = [0; 32];
            derive(one.label(), &mut key);
            XChaCha20Poly1305::new(&key.into())
        });
        DerivedKeys { id, ciphers }
    }

    fn cipher(&self, purpose: Use) -> &XChaCha20Poly1305 {
        &self.ciphers[purpose as usize]
    }

    fn head(&self) -> [u8; HEAD] {
        let mut head = [VERSION; HEAD];
        head[1..].copy_from_slice(&self.id);
        head
    }
}

impl Sealer {
    /// Makes a sealer from secrets, newest first; `None` without secrets.
    pub(crate) fn new(secrets: &[Secret]) -> Option<Self> {
        let (first, older) = secrets.split_first()?;
        Some(Sealer {
            first: DerivedKeys::new(first),
            older: older.iter().map(DerivedKeys::new).collect(),
        })
    }

    /// Seals `content` for this use. The associated data `aad`, for example the caller, is not part of the text: opening
    /// needs the same `aad` again.
    ///
    /// # Panics
    /// If the operating system cannot supply random bytes.
    pub(crate) fn seal(&self, purpose: Use, content: &[u8], aad: &[u8]) -> String {
        let head = self.first.head();
        let nonce = random::bytes::<NONCE>();
        let payload = Payload {
            msg: content,
            aad: &bound(head, aad),
        };
        let sealed = self
            .first
            .cipher(purpose)
            .encrypt(&XNonce::from(nonce), payload)
            .expect("content in memory is shorter than the cipher's limit of 256 GiB");
        let mut bytes = Vec::with_capacity(HEAD + NONCE + sealed.len());
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&sealed);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Opens a text that [`seal`](Self::seal) made for the same use and `aad`.
    ///
    /// # Errors
    /// T0015, the same error for every cause.
    pub(crate) fn open(&self, purpose: Use, text: &str, aad: &[u8]) -> Result<Vec<u8>> {
        self.opened(purpose, text, aad)
            .ok_or_else(|| Error::new(codes::INVALID_STATE))
    }

    fn opened(&self, purpose: Use, text: &str, aad: &[u8]) -> Option<Vec<u8>> {
        // The head rejects a text of another server before the rest is decoded, however long it is.
        let mut head = [0; HEAD];
        let head_text = text.as_bytes().get(..HEAD_TEXT)?;
        URL_SAFE_NO_PAD.decode_slice(head_text, &mut head).ok()?;
        let mut candidates = std::iter::once(&self.first)
            .chain(&self.older)
            .filter(|keys| keys.head() == head)
            .peekable();
        candidates.peek()?;
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (nonce, sealed) = bytes.get(HEAD..)?.split_at_checked(NONCE)?;
        if sealed.len() < TAG {
            return None;
        }
        let nonce = XNonce::try_from(nonce).ok()?;
        let aad = bound(head, aad);
        candidates.find_map(|keys| {
            let payload = Payload {
                msg: sealed,
                aad: &aad,
            };
            keys.cipher(purpose).decrypt(&nonce, payload).ok()
        })
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealer({} secrets)", 1 + self.older.len())
    }
}

/// Prefixes the associated data with the head. The head has a fixed length, so different pairs give different bytes.
fn bound(head: [u8; HEAD], aad: &[u8]) -> Vec<u8> {
    [&head, aad].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(first: u8) -> Secret {
        let bytes: Vec<u8> = (0..32).map(|at| first.wrapping_add(at * 7)).collect();
        Secret::from_bytes(bytes).expect("32 different bytes")
    }

    fn sealer(firsts: &[u8]) -> Sealer {
        let secrets: Vec<Secret> = firsts.iter().map(|&first| secret(first)).collect();
        Sealer::new(&secrets).expect("at least one secret")
    }

    fn is_refused(sealer: &Sealer, text: &str) -> bool {
        let refusal = Error::new(codes::INVALID_STATE);
        match sealer.open(Use::State, text, b"ada") {
            Ok(_) => false,
            Err(error) => {
                assert_eq!(error.code(), "T0015");
                assert_eq!(error.message(), refusal.message());
                assert!(error.fields().is_empty() && error.source().is_none());
                true
            }
        }
    }

    #[test]
    fn what_is_sealed_opens_for_the_same_use_and_data_alone() {
        let sealer = sealer(&[1]);
        for content in [&b""[..], b"x", &[0; 1000]] {
            for sealed_for in Use::ALL {
                let text = sealer.seal(sealed_for, content, b"ada");
                for opened_for in Use::ALL {
                    let opened = sealer.open(opened_for, &text, b"ada").ok();
                    let expected = (opened_for == sealed_for).then(|| content.to_vec());
                    assert_eq!(opened, expected, "{sealed_for:?} as {opened_for:?}");
                }
                for other in [&b""[..], b"ad", b"adaa", b"grace"] {
                    assert!(sealer.open(sealed_for, &text, other).is_err());
                }
            }
        }
    }

    #[test]
    fn each_use_has_a_key_of_its_own() {
        for (at, purpose) in Use::ALL.into_iter().enumerate() {
            assert_eq!(purpose as usize, at, "the ciphers are indexed by it");
        }
        let words: std::collections::HashSet<_> = Use::ALL.iter().map(|one| one.label()).collect();
        assert_eq!(words.len(), Use::ALL.len());
        assert!(!words.contains("id"));
    }

    #[test]
    fn a_change_of_any_character_is_refused() {
        let sealer = sealer(&[1]);
        let text = sealer.seal(Use::State, b"{\"order\":7}", b"ada");
        for at in 0..text.len() {
            for other in ['A', 'B', '_', '-', '=', '+', ' ', '\0', 'é'] {
                let mut changed: String = text[..at].to_owned();
                changed.push(other);
                changed.push_str(&text[at + 1..]);
                assert!(
                    changed == text || is_refused(&sealer, &changed),
                    "{at} {other:?}"
                );
            }
        }
        let bytes = URL_SAFE_NO_PAD.decode(&text).expect("it is base64");
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(is_refused(&sealer, &URL_SAFE_NO_PAD.encode(changed)));
        }
    }

    #[test]
    fn a_part_and_a_longer_text_are_refused() {
        let sealer = sealer(&[1]);
        let text = sealer.seal(Use::State, b"", b"ada");
        assert_eq!(text.len(), 62);
        for end in 0..text.len() {
            assert!(is_refused(&sealer, &text[..end]), "{end}");
        }
        for more in ["A", "AAAA", "=", "==", "\n"] {
            assert!(is_refused(&sealer, &format!("{text}{more}")));
        }
    }

    #[test]
    fn garbage_is_refused_whatever_its_length_and_its_head() {
        let sealer = sealer(&[1]);
        let ours = &sealer.seal(Use::State, b"", b"ada")[..HEAD_TEXT];
        for garbage in ["A", "é", "\0", " ", "_", "🦀"] {
            let long = garbage.repeat((1 << 20) / garbage.len());
            assert!(is_refused(&sealer, &long));
            assert!(is_refused(&sealer, &format!("{ours}{long}")));
        }
        assert!(is_refused(&sealer, "ééééé"), "no character is cut in two");
    }

    #[test]
    fn the_first_secret_seals_and_every_one_opens() {
        let old = sealer(&[1]);
        let rotated = sealer(&[2, 1]);
        let done = sealer(&[2]);
        let before = old.seal(Use::State, b"old", b"ada");
        let after = rotated.seal(Use::State, b"new", b"ada");
        let open = |sealer: &Sealer, text: &str| sealer.open(Use::State, text, b"ada").ok();
        assert_eq!(open(&rotated, &before).as_deref(), Some(&b"old"[..]));
        assert_eq!(open(&rotated, &after).as_deref(), Some(&b"new"[..]));
        assert_eq!(open(&done, &after).as_deref(), Some(&b"new"[..]));
        assert!(is_refused(&done, &before) && is_refused(&old, &after));
        assert!(Sealer::new(&[]).is_none());
    }

    #[test]
    fn two_secrets_whose_ids_are_the_same_both_open() {
        let mut two = sealer(&[2, 1]);
        let theirs = sealer(&[1]);
        two.first.id = theirs.first.id;
        let text = theirs.seal(Use::State, b"x", b"ada");
        assert_eq!(
            two.open(Use::State, &text, b"ada").ok(),
            Some(b"x".to_vec())
        );
    }

    /// A text that an earlier build made. It must open for good, or every session ends with an update.
    #[test]
    fn a_text_of_the_first_version_still_opens() {
        let opened = sealer(&[1]).open(Use::Session, FIRST_VERSION, b"aad");
        assert_eq!(opened.ok().as_deref(), Some(&b"tent"[..]));
    }
    const FIRST_VERSION: &str =
        "AYpTudgxg60G6YjWo6Q-OVAxi5AGeNZkN_2qFCHoyTABcysUUGGUNwayYcwrdB3JSKk";

    #[test]
    fn the_same_content_is_never_sealed_alike_and_a_session_is_short() {
        let sealer = sealer(&[1]);
        let one = sealer.seal(Use::Session, &[7; 256], b"");
        assert_ne!(one, sealer.seal(Use::Session, &[7; 256], b""));
        assert!(one.len() < 512 && one.is_ascii());
        assert_eq!(format!("{sealer:?}"), "Sealer(1 secrets)");
    }
}
