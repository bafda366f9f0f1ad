//! The notifications of MCP, as types that read and write.
//! Must not decide which client gets one.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::mcp::protocol::json_rpc::{self, JsonRpc};

/// The size that most notifications stay under.
const CAPACITY: usize = 192;

/// A notification with its params.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Notification<'a, P> {
    jsonrpc: JsonRpc,
    #[serde(borrow)]
    method: Cow<'a, str>,
    params: P,
}

/// Writes a notification.
pub(crate) fn write<P: Serialize>(method: &str, params: P) -> Vec<u8> {
    let mut out = Vec::with_capacity(CAPACITY);
    json_rpc::write(
        &mut out,
        &Notification {
            jsonrpc: JsonRpc,
            method: method.into(),
            params,
        },
    );
    out
}

/// `notifications/progress`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProgressParams<'a> {
    /// As the client sent it, so that the echo has the same bytes.
    #[serde(borrow)]
    pub(crate) progress_token: &'a RawValue,
    #[serde(serialize_with = "number")]
    pub(crate) progress: f64,
    #[serde(
        default,
        serialize_with = "optional_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) total: Option<f64>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Cow<'a, str>>,
}

/// `notifications/message`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LogParams<'a> {
    #[serde(borrow)]
    pub(crate) level: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) logger: Option<Cow<'a, str>>,
    pub(crate) data: Cow<'a, Value>,
}

/// `notifications/cancelled`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelledParams<'a> {
    #[serde(
        borrow,
        rename = "_meta",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) meta: Option<SubscriptionMeta<'a>>,
    #[serde(borrow)]
    pub(crate) request_id: &'a RawValue,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<Cow<'a, str>>,
}

/// `notifications/…/list_changed` without `uri`, and `notifications/resources/updated` with it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ChangedParams<'a> {
    #[serde(
        borrow,
        rename = "_meta",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) meta: Option<SubscriptionMeta<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) uri: Option<Cow<'a, str>>,
}

/// `notifications/subscriptions/acknowledged`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AcknowledgedParams<'a> {
    #[serde(borrow, rename = "_meta")]
    pub(crate) meta: SubscriptionMeta<'a>,
    pub(crate) notifications: FilterParams<'a>,
}

/// What a subscription names: the member `notifications` of its request and of its acknowledgement.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FilterParams<'a> {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) tools_list_changed: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) prompts_list_changed: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) resources_list_changed: bool,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) resource_subscriptions: Option<Vec<Cow<'a, str>>>,
}

/// The `_meta` of each message on a subscription stream.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SubscriptionMeta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/subscriptionId")]
    pub(crate) subscription_id: &'a RawValue,
}

impl<'a> SubscriptionMeta<'a> {
    /// For the subscription that the request of this id started.
    pub(crate) fn new(id: &'a str) -> Self {
        SubscriptionMeta {
            subscription_id: raw(id),
        }
    }
}

/// An id or a token as it was read from a message; `null` for anything else.
pub(crate) fn raw(json: &str) -> &RawValue {
    serde_json::from_str(json).unwrap_or(RawValue::NULL)
}

/// Writes a whole number without a fraction: some clients read `progress` as an integer.
fn number<S: Serializer>(number: &f64, json: S) -> Result<S::Ok, S::Error> {
    /// The largest whole number up to which all are exact: 2^53.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        json.serialize_i64(*number as i64)
    } else {
        json.serialize_f64(*number)
    }
}

fn optional_number<S: Serializer>(value: &Option<f64>, json: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, json),
        None => json.serialize_none(),
    }
}

/// Whether a message is the update of one of these resources.
pub(crate) fn is_update_of(message: &[u8], uris: &[String]) -> bool {
    #[derive(serde::Deserialize)]
    struct Update<'a> {
        #[serde(borrow)]
        method: std::borrow::Cow<'a, str>,
        params: UpdateParams,
    }
    #[derive(serde::Deserialize)]
    struct UpdateParams {
        uri: String,
    }
    let update = serde_json::from_slice::<Update<'_>>(message);
    update.is_ok_and(|update| {
        update.method == "notifications/resources/updated" && uris.contains(&update.params.uri)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_have_no_fraction() {
        for (progress, expected) in [(3.0, "3"), (-0.0, "0"), (0.5, "0.5"), (1e300, "1e+300")] {
            let params = ProgressParams {
                progress_token: raw("\"t\""),
                progress,
                total: None,
                message: None,
            };
            let written = write("notifications/progress", params);
            let written = String::from_utf8(written).expect("text");
            let params =
                format!("\"params\":{{\"progressToken\":\"t\",\"progress\":{expected}}}}}");
            assert!(written.ends_with(&params), "{written}");
        }
    }

    #[test]
    fn a_notification_reads_what_it_writes() {
        let params = LogParams {
            level: "info".into(),
            logger: None,
            data: Cow::Owned(json!({"a": "\u{7}"})),
        };
        let written = write("notifications/message", params);
        let read: Notification<'_, LogParams<'_>> =
            serde_json::from_slice(&written).expect("it is one");
        assert_eq!(
            (&*read.method, &*read.params.level, &*read.params.data),
            ("notifications/message", "info", &json!({"a": "\u{7}"}))
        );
        let wrong = br#"{"jsonrpc":"1.0","method":"m","params":{}}"#;
        let read = serde_json::from_slice::<Notification<'_, ChangedParams<'_>>>(wrong);
        assert!(read.is_err());
    }
}
