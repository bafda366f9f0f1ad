//! [`RpcError`]: a JSON-RPC error, and how an error of tent becomes one.
//! Must not know any method.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tent_core::codes;

use crate::cx::REQUIRED;
use crate::error::Error;
use crate::mcp::protocol::json_rpc::{self, ErrorMessage, ErrorObject, JsonRpc, code};
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::revision::Revision;
use crate::web;

/// A JSON-RPC error and its HTTP status.
#[derive(Debug)]
pub(crate) struct RpcError {
    pub(crate) status: StatusCode,
    code: i64,
    message: Cow<'static, str>,
    data: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl RpcError {
    /// An error without a code of tent.
    pub(crate) fn new(
        status: StatusCode,
        code: i64,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        RpcError {
            status,
            code,
            message: message.into(),
            data: Map::new(),
            headers: Vec::new(),
        }
    }

    /// −32600, 400.
    pub(crate) fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        RpcError::new(StatusCode::BAD_REQUEST, code::INVALID_REQUEST, message)
    }

    /// −32602 with status 200, since the request itself is well formed.
    pub(crate) fn params(message: impl Into<Cow<'static, str>>) -> Self {
        RpcError::new(StatusCode::OK, code::INVALID_PARAMS, message)
    }

    /// −32601. The status is 404 in the modern era. In the legacy era 404 means that the session has ended.
    pub(crate) fn method(name: &str, revision: Revision) -> Self {
        let status = if revision.is_modern() {
            StatusCode::NOT_FOUND
        } else {
            StatusCode::OK
        };
        let message = format!("Method not found: {name}");
        RpcError::new(status, code::METHOD_NOT_FOUND, message)
    }

    /// −32022, 400, with the supported revisions.
    pub(crate) fn version(requested: &str) -> Self {
        RpcError::new(
            StatusCode::BAD_REQUEST,
            code::UNSUPPORTED_VERSION,
            "Unsupported protocol version",
        )
        .with_data("supported", json!(Revision::ALL.map(Revision::name)))
        .with_data("requested", requested.into())
    }

    /// −32020, 400, T0002: a header differs from the body.
    pub(crate) fn mismatch(what: impl std::fmt::Display) -> Self {
        RpcError::new(
            StatusCode::BAD_REQUEST,
            code::HEADER_MISMATCH,
            format!("Header mismatch: {what}"),
        )
        .with_code(&Error::new(codes::MISMATCH))
    }

    /// An error of tent, by its code. `realm` is the server's name, for the challenge.
    ///
    /// An error that a model can fix is a result instead, see `methods::tools_call`.
    pub(crate) fn of(error: &Error, realm: &str) -> Self {
        let status =
            StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let rpc_error = match error.tent_code() {
            Some(codes::NOT_FOUND | codes::INVALID_STATE) => {
                RpcError::params(error.message().to_owned())
            }
            Some(codes::INVALID_JSON) => RpcError::invalid(error.message().to_owned()),
            Some(codes::INTERNAL) => {
                RpcError::new(status, code::INTERNAL, error.message().to_owned())
            }
            Some(codes::MISSING_CAPABILITY) => {
                let message = error.message().to_owned();
                match error.fields().get(REQUIRED) {
                    Some(missing) => RpcError::new(status, code::MISSING_CAPABILITY, message)
                        .with_data(REQUIRED, missing.clone()),
                    // No capability of the client would help: the method does not accept input requests.
                    None => RpcError::new(StatusCode::OK, code::INTERNAL, message),
                }
            }
            // The digits of the code, the app's own codes included.
            _ => {
                let digits = error.code().get(1..);
                let number = digits.and_then(|digits| digits.parse().ok());
                let number = number.unwrap_or(code::INTERNAL);
                RpcError::new(status, number, error.message().to_owned())
            }
        };
        let mut rpc_error = rpc_error.with_code(error);
        let mut headers = HeaderMap::new();
        web::failure_headers(error, realm, &mut headers);
        // Only the first value of a repeated header has a name, and none of these headers is repeated.
        let named = headers
            .into_iter()
            .filter_map(|(name, value)| Some((name?, value)));
        rpc_error.headers.extend(named);
        rpc_error
    }

    /// An error of a method other than `tools/call`, which has no result for errors. What the sender can fix is
    /// −32602, with every invalid field. An internal error is −32603. What concerns the caller, the client or the
    /// whole server is the same as for every method.
    pub(crate) fn of_method(error: &Error, revision: Revision, realm: &str) -> Self {
        match error.tent_code() {
            // Older revisions have no code for a missing capability.
            Some(codes::MISSING_CAPABILITY) if revision.is_modern() => RpcError::of(error, realm),
            Some(
                codes::SIGN_IN
                | codes::NOT_ALLOWED
                | codes::TOO_MANY_REQUESTS
                | codes::TOO_LARGE
                | codes::SHUTTING_DOWN
                | codes::UNAVAILABLE
                | codes::WRONG_HOST_OR_ORIGIN,
            ) => RpcError::of(error, realm),
            Some(codes::INVALID_INPUT) => {
                let mut message = error.message().to_owned();
                for (field, problem) in error.fields() {
                    let problem = problem
                        .as_str()
                        .map_or_else(|| problem.to_string(), str::to_owned);
                    message += &format!(" {field}: {problem}.");
                }
                RpcError::params(message).with_code(error)
            }
            _ if error.status() < 500 => {
                RpcError::params(error.message().to_owned()).with_code(error)
            }
            _ => RpcError::new(StatusCode::OK, code::INTERNAL, error.message().to_owned())
                .with_code(error),
        }
    }

    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(crate) fn with_data(mut self, key: &str, value: Value) -> Self {
        self.data.insert(key.to_owned(), value);
        self
    }

    /// Adds the code, the fix and the fields of an error of tent to `data`.
    pub(crate) fn with_code(mut self, error: &Error) -> Self {
        self.data.insert("code".to_owned(), error.code().into());
        if !error.fix().is_empty() {
            self.data.insert("fix".to_owned(), error.fix().into());
        }
        if !error.fields().is_empty() {
            let fields = Value::Object(error.fields().clone());
            self.data.insert("fields".to_owned(), fields);
        }
        self
    }

    /// Writes the response. `id` is `None` where the id of the request could not be read.
    pub(crate) fn write(&self, id: Option<&RawValue>) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        let message = ErrorMessage {
            jsonrpc: JsonRpc,
            id,
            error: ErrorObject {
                code: self.code,
                message: Cow::Borrowed(&self.message),
                data: Cow::Borrowed(&self.data),
            },
        };
        json_rpc::write(&mut out, &message);
        out
    }

    pub(crate) fn into_response(self, id: Option<&RawValue>) -> Response {
        Response {
            body: self.write(id),
            status: self.status,
            headers: self.headers,
            stream: None,
            reservation: None,
        }
    }
}

/// The scopes that a T0005 names as missing; `None` where other rules reject the caller.
pub(crate) fn missing_scopes(error: &Error) -> Option<Vec<&str>> {
    let scopes = error.fields().get("scopes")?.as_array()?;
    let scopes: Vec<&str> = scopes.iter().filter_map(Value::as_str).collect();
    (!scopes.is_empty()).then_some(scopes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::protocol::notification::raw;
    use std::time::Duration;

    fn body(error: &RpcError, id: Option<&str>) -> Value {
        serde_json::from_slice(&error.write(id.map(raw))).expect("an error is JSON")
    }

    #[test]
    fn has_the_id_of_the_request_or_none() {
        let rpc_error = RpcError::invalid("No \"thing\".");
        assert_eq!(
            body(&rpc_error, Some("\"7\"")),
            json!({"jsonrpc": "2.0", "id": "7", "error": {"code": -32600, "message": "No \"thing\"."}})
        );
        assert_eq!(body(&rpc_error, None).get("id"), None);
    }

    #[test]
    fn an_error_of_tent_has_its_number_code_and_fix() {
        let error = Error::new(codes::TOO_MANY_REQUESTS).with_retry_after(Duration::from_secs(2));
        let rpc_error = RpcError::of(&error, "shop");
        assert_eq!(rpc_error.status, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(
            rpc_error.headers,
            [(http::header::RETRY_AFTER, HeaderValue::from_static("2"))]
        );
        let body = body(&rpc_error, Some("1"));
        assert_eq!(body["error"]["code"], 6);
        assert_eq!(
            body["error"]["data"],
            json!({"code": "T0006", "fix": error.fix()})
        );
    }

    #[test]
    fn an_unexpected_error_is_an_internal_error_without_its_source() {
        let rpc_error = RpcError::of(&Error::unexpected("a secret of the inside"), "shop");
        let body = body(&rpc_error, Some("1"));
        assert_eq!(
            (&body["error"]["code"], &body["error"]["data"]["code"]),
            (&json!(-32603), &json!("T0012"))
        );
        assert_eq!(rpc_error.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!body.to_string().contains("secret"), "{body}");
    }

    #[test]
    fn names_a_missing_capability_and_is_internal_where_none_would_help() {
        let missing = json!({"sampling": {}});
        let error = Error::new(codes::MISSING_CAPABILITY).with_field(REQUIRED, missing.clone());
        let rpc_error = RpcError::of(&error, "shop");
        let written = body(&rpc_error, Some("1"));
        assert_eq!(
            (
                rpc_error.status,
                &written["error"]["code"],
                &written["error"]["data"][REQUIRED]
            ),
            (StatusCode::BAD_REQUEST, &json!(-32021), &missing)
        );
        let rpc_error = RpcError::of(&Error::new(codes::MISSING_CAPABILITY), "shop");
        let written = body(&rpc_error, Some("1"));
        assert_eq!(
            (
                rpc_error.status,
                &written["error"]["code"],
                written["error"]["data"].get(REQUIRED)
            ),
            (StatusCode::OK, &json!(-32603), None)
        );
    }

    #[test]
    fn reads_the_missing_scopes_of_a_t0005() {
        let scoped = Error::new(codes::NOT_ALLOWED).with_field("scopes", json!(["a:b", "write"]));
        assert_eq!(missing_scopes(&scoped), Some(vec!["a:b", "write"]));
        assert_eq!(missing_scopes(&Error::new(codes::NOT_ALLOWED)), None);
        assert_eq!(
            missing_scopes(&Error::new(codes::NOT_ALLOWED).with_field("scopes", json!([]))),
            None
        );
    }
}
