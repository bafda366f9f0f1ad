//! The grammar of numbers.

/// Whether the text is a number by the grammar of JSON (RFC 8259, section 6).
pub(super) fn is_number(token: &str) -> bool {
    fn digits(text: &str) -> &str {
        text.trim_start_matches(|c: char| c.is_ascii_digit())
    }
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let mut rest = digits(unsigned);
    let whole = unsigned.len() - rest.len();
    if whole == 0 || (whole > 1 && unsigned.starts_with('0')) {
        return false;
    }
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = digits(fraction);
        if rest.len() == fraction.len() {
            return false;
        }
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        rest = digits(exponent);
        if rest.len() == exponent.len() {
            return false;
        }
    }
    rest.is_empty()
}
