//! The calls that every client makes, and what each must see.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
pub(crate) struct Cases {
    /// The tools that each caller is listed.
    pub(crate) tools: BTreeMap<String, Vec<String>>,
    /// How each tool is listed.
    pub(crate) listed: BTreeMap<String, Listed>,
    pub(crate) calls: Vec<Case>,
}

#[derive(Deserialize)]
pub(crate) struct Listed {
    pub(crate) title: String,
    pub(crate) annotations: Value,
    pub(crate) properties: Vec<String>,
    pub(crate) required: Vec<String>,
    /// The fields of the output; `None` where a call has none.
    pub(crate) output: Option<Vec<String>>,
}

#[derive(Deserialize)]
pub(crate) struct Case {
    #[serde(rename = "as")]
    pub(crate) caller: String,
    pub(crate) tool: String,
    pub(crate) input: Map<String, Value>,
    #[serde(flatten)]
    pub(crate) expected: Expected,
}

/// What must come back.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Expected {
    /// Exactly this value.
    Value { result: Value },
    /// A list of orders with these numbers, in this order.
    Orders { result_ids: Vec<u32> },
    /// An object that holds at least this.
    Part { result_part: Map<String, Value> },
    /// A failure with this code.
    Failure {
        error: String,
        status: u16,
        message: Option<String>,
        fields: Option<Vec<String>>,
    },
    /// MCP does not know this tool.
    Unknown {
        #[expect(dead_code, reason = "only says which of these it is")]
        unknown: bool,
    },
    /// The key lacks this scope.
    Scope { lacks_scope: String },
}

pub(crate) fn cases() -> Cases {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/cases.json");
    let text = std::fs::read_to_string(path).expect("the cases are in the repository");
    serde_json::from_str(&text).expect("the cases are of their form")
}

impl Case {
    /// What a failed assertion names.
    pub(crate) fn name(&self) -> String {
        let input = Value::Object(self.input.clone());
        format!("{} calls {} {input}", self.caller, self.tool)
    }
}

impl Expected {
    /// Asserts that a value is the one expected.
    pub(crate) fn check_value(&self, value: &Value, name: &str) {
        match self {
            Expected::Value { result } => assert_eq!(value, result, "{name}"),
            Expected::Orders { result_ids } => {
                let orders = value
                    .as_array()
                    .unwrap_or_else(|| panic!("{name}: {value}"));
                let ids: Vec<_> = orders.iter().map(|order| order["id"].clone()).collect();
                assert_eq!(ids, *result_ids, "{name}");
            }
            Expected::Part { result_part } => {
                let mut part = value.as_object().cloned().unwrap_or_default();
                part.retain(|field, _| result_part.contains_key(field));
                assert_eq!(&part, result_part, "{name}");
            }
            _ => panic!("{name}: a value that was not expected: {value}"),
        }
    }
}
