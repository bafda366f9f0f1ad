//! Random bytes from the operating system.

/// Cryptographically secure random bytes.
///
/// # Panics
/// If the operating system cannot supply random bytes. Without them, no secret, key or sealed text would be safe.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    try_bytes().expect("the operating system gives random bytes")
}

/// As [`bytes`], but `None` if the operating system cannot supply random bytes. For ids without a security purpose.
pub(crate) fn try_bytes<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes)
}

/// A text of `length` random characters of `alphabet`, each equally likely.
pub(crate) fn text(alphabet: &[u8], length: usize) -> String {
    debug_assert!((2..=256).contains(&alphabet.len()) && alphabet.is_ascii());
    // Rejection sampling: bytes above the last whole multiple would make the first letters more likely.
    let even = 256 - 256 % alphabet.len();
    let mut text = String::with_capacity(length);
    while text.len() < length {
        for byte in bytes::<64>() {
            let byte = usize::from(byte);
            if byte < even && text.len() < length {
                text.push(char::from(alphabet[byte % alphabet.len()]));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_its_length_and_only_letters_of_its_alphabet() {
        for length in [0, 1, 64, 100] {
            let text = text(b"abc", length);
            assert_eq!(text.len(), length);
            assert!(text.bytes().all(|b| b"abc".contains(&b)));
        }
        assert_ne!(bytes::<16>(), bytes::<16>());
        assert_ne!(try_bytes::<16>(), try_bytes::<16>());
    }
}
