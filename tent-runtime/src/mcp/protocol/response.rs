//! Answers: the bytes of results and of JSON-RPC errors, and how a failure of tent's becomes one.
//!
//! Written straight into bytes, with the id as it came. Decides no routing and reads no request.

use std::borrow::Cow;

use futures_util::{Stream, StreamExt as _, stream::BoxStream};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};
use tent_core::codes;

use crate::cx::REQUIRED;
use crate::error::Error;
use crate::function::Meta;
use crate::mcp::protocol::revision::Revision;
use crate::web;

/// Codes of JSON-RPC, and those that MCP adds.
pub(crate) mod code {
    pub(crate) const PARSE: i64 = -32700;
    pub(crate) const INVALID_REQUEST: i64 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const INTERNAL: i64 = -32603;
    /// Of the legacy era.
    pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;
    pub(crate) const HEADER_MISMATCH: i64 = -32020;
    pub(crate) const MISSING_CAPABILITY: i64 = -32021;
    pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;
}

/// What goes back, as far as it differs from one answer to another.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// JSON, or nothing.
    pub(crate) body: Vec<u8>,
    /// A stream of messages in place of the body.
    pub(crate) stream: Option<MessageStream>,
}

/// The messages of a response stream or a subscription stream.
pub(crate) type MessageStream = BoxStream<'static, StreamItem>;

/// One item of a stream.
#[derive(Debug)]
pub(crate) enum StreamItem {
    Message(Vec<u8>),
    /// A sign that the stream is alive.
    KeepAlive,
}

impl Response {
    /// A result that is already written.
    pub(crate) fn ok(body: Vec<u8>) -> Self {
        Response {
            status: StatusCode::OK,
            headers: Vec::new(),
            body,
            stream: None,
        }
    }

    /// No body at all: a notification must not be answered.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Response {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            stream: None,
        }
    }

    /// A stream of events, which ends when it does.
    pub(crate) fn stream(messages: impl Stream<Item = StreamItem> + Send + 'static) -> Self {
        let mut reply = Response::empty(StatusCode::OK);
        reply.stream = Some(messages.boxed());
        // A proxy that gathers events before it sends them on would make a lump of them.
        reply.with(
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        )
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// A request that was not served: a JSON-RPC error and its HTTP status.
#[derive(Debug)]
pub(crate) struct RpcError {
    pub(crate) status: StatusCode,
    code: i64,
    message: Cow<'static, str>,
    data: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl RpcError {
    /// An error of JSON-RPC's own, which has no code of tent's.
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

    /// −32602 in an answer of status 200: the request was well formed as such.
    pub(crate) fn params(message: impl Into<Cow<'static, str>>) -> Self {
        RpcError::new(StatusCode::OK, code::INVALID_PARAMS, message)
    }

    /// −32601. A missing method is 404 in the modern era; in the legacy one 404 means a lost session
    /// and nothing else.
    pub(crate) fn method(name: &str, revision: Revision) -> Self {
        let status = if revision.is_modern() {
            StatusCode::NOT_FOUND
        } else {
            StatusCode::OK
        };
        let message = format!("Method not found: {name}");
        RpcError::new(status, code::METHOD_NOT_FOUND, message)
    }

    /// −32022, 400: with what would work, so that a client can choose.
    pub(crate) fn version(requested: &str) -> Self {
        RpcError::new(
            StatusCode::BAD_REQUEST,
            code::UNSUPPORTED_VERSION,
            "Unsupported protocol version",
        )
        .with_data("supported", json!(Revision::ALL.map(Revision::name)))
        .with_data("requested", requested.into())
    }

    /// −32020, 400, T0002: a header that does not agree with the body.
    pub(crate) fn mismatch(what: impl std::fmt::Display) -> Self {
        RpcError::new(
            StatusCode::BAD_REQUEST,
            code::HEADER_MISMATCH,
            format!("Header mismatch: {what}"),
        )
        .with_code(&Error::new(codes::MISMATCH))
    }

    /// A failure of tent's, by its number. `realm` is the server's name, for the challenge.
    ///
    /// A failure that a model can mend is a result instead, see `methods::tools_call`.
    pub(crate) fn of(error: &Error, realm: &str) -> Self {
        let status =
            StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let refusal = match error.tent_code() {
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
                    Some(lacking) => RpcError::new(status, code::MISSING_CAPABILITY, message)
                        .with_data(REQUIRED, lacking.clone()),
                    // Nothing that the client could have said would have let it be asked there.
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
        let mut refusal = refusal.with_code(error);
        let mut headers = HeaderMap::new();
        web::failure_headers(error, realm, &mut headers);
        // A header that stands several times has a name only once, and none of these does.
        let named = headers
            .into_iter()
            .filter_map(|(name, value)| Some((name?, value)));
        refusal.headers.extend(named);
        refusal
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

    /// Adds the code, the fix and the fields of a failure of tent's to `data`.
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

    /// The message under the request's id; without one where it could not be read.
    pub(crate) fn write(&self, id: Option<&str>) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
        if let Some(id) = id {
            out.extend_from_slice(br#""id":"#);
            out.extend_from_slice(id.as_bytes());
            out.push(b',');
        }
        out.extend_from_slice(br#""error":{"code":"#);
        out.extend_from_slice(self.code.to_string().as_bytes());
        out.extend_from_slice(br#","message":"#);
        write(&mut out, &*self.message);
        if !self.data.is_empty() {
            out.extend_from_slice(br#","data":"#);
            write(&mut out, &self.data);
        }
        out.extend_from_slice(b"}}");
        out
    }

    pub(crate) fn into_response(self, id: Option<&str>) -> Response {
        Response {
            body: self.write(id),
            status: self.status,
            headers: self.headers,
            stream: None,
        }
    }
}

/// The scopes that a T0005 names as missing; `None` where it is no matter of scopes.
pub(crate) fn missing_scopes(error: &Error) -> Option<Vec<&str>> {
    let scopes = error.fields().get("scopes")?.as_array()?;
    let scopes: Vec<&str> = scopes.iter().filter_map(Value::as_str).collect();
    (!scopes.is_empty()).then_some(scopes)
}

/// The start of a result under this id, with room for `room` bytes more. [`end`] closes it.
pub(crate) fn begin(id: &str, room: usize) -> Vec<u8> {
    const HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
    const RESULT: &[u8] = br#","result":"#;
    let mut out = Vec::with_capacity(HEAD.len() + id.len() + RESULT.len() + room + 1);
    out.extend_from_slice(HEAD);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(RESULT);
    out
}

/// Closes what [`begin`] opened.
pub(crate) fn end(mut out: Vec<u8>) -> Response {
    out.push(b'}');
    Response::ok(out)
}

/// Writes the `_meta` of a result, where there is any, with a comma before it. `server` is the member that names the
/// server, `own` more of tent's, `more` what the function adds, whose keys are neither's.
pub(crate) fn meta(out: &mut Vec<u8>, server: Option<&str>, own: Option<&[u8]>, more: &Meta) {
    if server.is_none() && own.is_none() && more.is_empty() {
        return;
    }
    out.extend_from_slice(br#","_meta":{"#);
    let start = out.len();
    let mut member = |bytes: &[u8]| {
        if out.len() > start {
            out.push(b',');
        }
        out.extend_from_slice(bytes);
    };
    server.map(str::as_bytes).into_iter().for_each(&mut member);
    own.into_iter().for_each(&mut member);
    for (key, value) in more.members() {
        member(format!("{}:{value}", Value::from(key.as_str())).as_bytes());
    }
    out.push(b'}');
}

/// Writes a value as JSON.
pub(crate) fn write(out: &mut Vec<u8>, value: &(impl serde::Serialize + ?Sized)) {
    serde_json::to_writer(out, value).expect("texts and JSON values are written to memory");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn body(refusal: &RpcError, id: Option<&str>) -> Value {
        serde_json::from_slice(&refusal.write(id)).expect("an error is JSON")
    }

    #[test]
    fn an_error_holds_the_id_as_it_came_or_none() {
        let refusal = RpcError::invalid("No \"thing\".");
        assert_eq!(
            body(&refusal, Some("\"7\"")),
            json!({"jsonrpc": "2.0", "id": "7", "error": {"code": -32600, "message": "No \"thing\"."}})
        );
        assert_eq!(body(&refusal, None).get("id"), None);
    }

    #[test]
    fn a_failure_of_tents_is_told_by_its_number_with_code_and_fix() {
        let error = Error::new(codes::TOO_MANY_REQUESTS).with_retry_after(Duration::from_secs(2));
        let refusal = RpcError::of(&error, "shop");
        assert_eq!(refusal.status, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(
            refusal.headers,
            [(http::header::RETRY_AFTER, HeaderValue::from_static("2"))]
        );
        let body = body(&refusal, Some("1"));
        assert_eq!(body["error"]["code"], 6);
        assert_eq!(
            body["error"]["data"],
            json!({"code": "T0006", "fix": error.fix()})
        );
    }

    #[test]
    fn what_broke_is_an_internal_error_of_json_rpc() {
        let refusal = RpcError::of(&Error::unexpected("a secret of the inside"), "shop");
        let body = body(&refusal, Some("1"));
        assert_eq!(
            (&body["error"]["code"], &body["error"]["data"]["code"]),
            (&json!(-32603), &json!("T0012"))
        );
        assert_eq!(refusal.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!body.to_string().contains("secret"), "{body}");
    }

    #[test]
    fn a_capability_that_the_client_lacks_is_named_and_where_none_would_help_it_is_the_servers() {
        let lacks = json!({"sampling": {}});
        let error = Error::new(codes::MISSING_CAPABILITY).with_field(REQUIRED, lacks.clone());
        let refusal = RpcError::of(&error, "shop");
        let told = body(&refusal, Some("1"));
        assert_eq!(
            (
                refusal.status,
                &told["error"]["code"],
                &told["error"]["data"][REQUIRED]
            ),
            (StatusCode::BAD_REQUEST, &json!(-32021), &lacks)
        );
        let refusal = RpcError::of(&Error::new(codes::MISSING_CAPABILITY), "shop");
        let told = body(&refusal, Some("1"));
        assert_eq!(
            (
                refusal.status,
                &told["error"]["code"],
                told["error"]["data"].get(REQUIRED)
            ),
            (StatusCode::OK, &json!(-32603), None)
        );
    }

    #[test]
    fn only_a_scope_that_is_missing_makes_a_t0005_one_for_the_client() {
        let scoped = Error::new(codes::NOT_ALLOWED).with_field("scopes", json!(["a:b", "write"]));
        assert_eq!(missing_scopes(&scoped), Some(vec!["a:b", "write"]));
        assert_eq!(missing_scopes(&Error::new(codes::NOT_ALLOWED)), None);
        assert_eq!(
            missing_scopes(&Error::new(codes::NOT_ALLOWED).with_field("scopes", json!([]))),
            None
        );
    }
}
