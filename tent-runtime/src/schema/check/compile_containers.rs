//! Compiles the keywords of objects and arrays.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tent_core::codes;

use super::compile::{Compiler, DeclaredDefault, values};
use super::compiled::{Additional, ArrayRule, NodeId, NodeKind, ObjectRule, Property};
use crate::schema::transform::{is_name, problem, whole};
use crate::schema::{keywords, pattern};

impl Compiler<'_> {
    pub(super) fn object(
        &mut self,
        id: NodeId,
        schema: &mut Map<String, Value>,
        pointer: &str,
    ) -> NodeKind {
        let values = values(schema);
        let required = match schema.remove("required") {
            Some(Value::Array(names)) => names,
            _ => Vec::new(),
        };
        let is_required = |name: &str| required.iter().any(|one| one == name);
        let mut properties: BTreeMap<Box<str>, Property> = BTreeMap::new();
        if let Some(Value::Object(declared)) = schema.remove("properties") {
            for (name, property) in declared {
                if self.strict && !is_name(&name) {
                    let message =
                        "model interfaces reject this name: use 1 to 64 of A-Z a-z 0-9 _ . -";
                    self.problems
                        .push(problem(codes::INVALID_FIELD_NAME, &name, message));
                }
                let escaped = name.replace('~', "~0").replace('/', "~1");
                let pointer = format!("{pointer}/properties/{escaped}");
                let required = is_required(&name);
                let default = property.get("default").filter(|_| !required).cloned();
                let aliases = property.as_object();
                let aliases = aliases.map_or_else(Vec::new, |property| {
                    keywords::texts(property, keywords::ALIASES)
                });
                let node = self.node(property, &pointer);
                let null_is_absent = self.nodes[node].null && !required && default.is_none();
                if let Some(value) = &default {
                    self.defaults.push(DeclaredDefault {
                        node: id,
                        name: name.clone(),
                        property: node,
                        value: value.clone(),
                        pointer,
                    });
                }
                let property = Property {
                    name: name.as_str().into(),
                    node,
                    required,
                    // `InputSchema` sets it after validation.
                    default: None,
                    null_is_absent,
                    aliases,
                };
                properties.insert(name.into(), property);
            }
        }
        for name in required.iter().filter_map(Value::as_str) {
            if !properties.contains_key(name) {
                let node = self.add(NodeKind::Any);
                let property = Property {
                    name: name.into(),
                    node,
                    required: true,
                    default: None,
                    null_is_absent: false,
                    aliases: Vec::new(),
                };
                properties.insert(name.into(), property);
            }
        }
        let rest = match schema.remove("additionalProperties") {
            Some(Value::Bool(false)) => Additional::Forbidden,
            None => Additional::Allowed(self.add(NodeKind::Any)),
            Some(rest) => {
                Additional::Allowed(self.node(rest, &format!("{pointer}/additionalProperties")))
            }
        };
        let keys = match schema.get(keywords::KEYS).and_then(Value::as_str) {
            Some(keys) => pattern::compile(keys).ok(),
            None => None,
        };
        let kind = NodeKind::Object(Box::new(ObjectRule {
            required: properties.values().filter(|one| one.required).count(),
            aliases: properties.values().any(|one| !one.aliases.is_empty()),
            properties: properties.into_values().collect(),
            defaults: false,
            rest,
            key_pattern: keys,
            min: self.size(schema, "minProperties", pointer).unwrap_or(0),
            max: self
                .size(schema, "maxProperties", pointer)
                .unwrap_or(u64::MAX),
        }));
        self.among(kind, values)
    }

    pub(super) fn list(&mut self, schema: &mut Map<String, Value>, pointer: &str) -> NodeKind {
        let values = values(schema);
        let prefix_items = match schema.remove("prefixItems") {
            Some(Value::Array(prefix_items)) => self.each(prefix_items, pointer, "prefixItems"),
            _ => Vec::new(),
        };
        let items = schema.remove("items").unwrap_or(Value::Bool(true));
        let items = self.node(items, &format!("{pointer}/items"));
        let kind = NodeKind::Array(Box::new(ArrayRule {
            prefix_items,
            items,
            min: self.size(schema, "minItems", pointer).unwrap_or(0),
            max: self.size(schema, "maxItems", pointer).unwrap_or(u64::MAX),
            unique: schema.remove("uniqueItems") == Some(Value::Bool(true)),
        }));
        self.among(kind, values)
    }

    /// Removes a keyword that counts characters, items or properties.
    pub(super) fn size(
        &mut self,
        schema: &mut Map<String, Value>,
        keyword: &str,
        pointer: &str,
    ) -> Option<u64> {
        let size = schema.remove(keyword)?;
        let exact = whole(&size, true).filter(|up| whole(&size, false) == Some(*up));
        let exact = exact.and_then(|size| u64::try_from(size).ok());
        if exact.is_none() {
            let message = format_args!("`{keyword}` must be an integer of at least 0");
            self.problem(pointer, message);
        }
        exact
    }

    /// Restricts an object or array to the values of its `enum`.
    fn among(&mut self, kind: NodeKind, values: Option<Vec<Value>>) -> NodeKind {
        match values {
            None => kind,
            Some(values) => {
                let parts = vec![self.add(NodeKind::Enum(values)), self.add(kind)];
                NodeKind::AllOf(parts)
            }
        }
    }
}
