//! The list of functions at `GET /api`.
//! Must not decide which functions a caller sees: dispatch does.

use std::ops::Not;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::error::Result;
use crate::function::{Function, Kind, OutputShape};
use crate::registry::Registry;

/// The functions of a registry as they are listed, each written once: a list costs one copy of its bytes.
pub(super) struct Listing {
    registry: Arc<Registry>,
    /// By position in the registry.
    functions: Vec<Box<RawValue>>,
}

impl Listing {
    pub(super) fn new(registry: Arc<Registry>) -> Result<Self> {
        let functions = registry.functions().iter();
        let functions = functions.map(|function| to_raw_value(&ListedFunction::new(function)));
        Ok(Listing {
            functions: functions.collect::<std::result::Result<_, _>>()?,
            registry,
        })
    }

    pub(super) fn is_of(&self, registry: &Arc<Registry>) -> bool {
        Arc::ptr_eq(&self.registry, registry)
    }

    /// Writes the list of the functions at these positions.
    pub(super) fn write(&self, positions: &[usize]) -> Result<String> {
        let functions = positions.iter().map(|&at| &*self.functions[at]);
        let list = FunctionList {
            functions: functions.collect(),
        };
        Ok(serde_json::to_string(&list)?)
    }
}

#[derive(Serialize)]
struct FunctionList<'a> {
    functions: Vec<&'a RawValue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedFunction<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    about: &'a str,
    #[serde(skip_serializing_if = "Not::not")]
    asks: bool,
    input: &'a Value,
    kind: &'a str,
    methods: &'static [&'static str],
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a Value>,
    read_only: bool,
    title: &'a str,
}

impl<'a> ListedFunction<'a> {
    fn new(function: &'a Function) -> Self {
        ListedFunction {
            about: &function.about,
            asks: function.needs_approval,
            input: function.input.published(),
            kind: function.kind.word(),
            methods: match function.kind {
                Kind::Query => &["GET", "POST"],
                _ => &["POST"],
            },
            name: &function.name,
            output: match &function.output {
                OutputShape::Value(Some(output)) => Some(output.published()),
                _ => None,
            },
            read_only: function.is_read_only(),
            title: &function.title,
        }
    }
}
