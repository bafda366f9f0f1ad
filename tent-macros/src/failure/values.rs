//! The values of `#[failure(…)]`: codes, statuses and names. Each type checks one value alone (T7020).

use quote::ToTokens as _;
use syn::{Lit, LitStr};

use crate::options::{AttributeOption, Value, invalid};
use tent_core::codes;

/// The code of a failure of an app: `A` and four digits.
#[derive(Clone)]
pub(crate) struct FailureCode(pub(crate) LitStr);

impl Value for FailureCode {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let literal = option.literal_text()?;
        let code = literal.value();
        let digits = |rest: &str| rest.len() == 4 && rest.bytes().all(|b| b.is_ascii_digit());
        if code.strip_prefix('A').is_some_and(digits) {
            return Ok(FailureCode(literal.clone()));
        }
        let problem = if code.strip_prefix('T').is_some_and(digits) {
            format!("`{code}` is a code of tent")
        } else {
            format!("`{code}` is not a valid code")
        };
        let help = "use `A` and four digits, for example `A0001`";
        Err(invalid(codes::INVALID_FAILURE, &problem, help))
    }
}

/// The HTTP status of a failure: 400 to 599.
#[derive(Clone, Copy)]
pub(crate) struct Status(pub(crate) u16);

impl Value for Status {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let number = match option.literal() {
            Some(Lit::Int(number)) => number.base10_parse::<u16>().ok(),
            _ => None,
        };
        if let Some(number) = number.filter(|number| (400..600).contains(number)) {
            return Ok(Status(number));
        }
        let problem = match option.literal() {
            Some(literal) => format!(
                "`{}` is not an HTTP status of a failure",
                literal.to_token_stream()
            ),
            None => "`status` requires a number literal".to_owned(),
        };
        let help = "use a status from 400 to 599, for example 404 for an absent resource or 409 for a conflict";
        Err(invalid(codes::INVALID_FAILURE, &problem, help))
    }
}

/// The name of a failure, for example `already-paid`.
#[derive(Clone)]
pub(crate) struct FailureName(pub(crate) String);

impl Value for FailureName {
    fn read(option: &AttributeOption<'_>) -> darling::Result<Self> {
        let name = option.text()?;
        let valid = |word: &str| {
            let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            !word.is_empty() && word.bytes().all(letter)
        };
        if name.split('-').all(valid) {
            return Ok(FailureName(name));
        }
        let problem = format!("`{name}` is not a valid name of a failure");
        let help = "use lower-case words and digits joined by hyphens, for example `already-paid`";
        Err(invalid(codes::INVALID_FAILURE, &problem, help))
    }
}
