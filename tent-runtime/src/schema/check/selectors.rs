//! Analyses of a whole schema: the property that selects the branch of a union ([`add_selectors`]), and cycles of
//! references ([`has_cycle`]).

use super::compiled::{Additional, CompiledSchema, Node, NodeId, NodeKind, ObjectRule, Selector};

/// Sets the selector of each union whose branches a property tells apart.
pub(super) fn add_selectors(compiled: &mut CompiledSchema) {
    for id in 0..compiled.nodes.len() {
        let NodeKind::Union(union) = &compiled.nodes[id].kind else {
            continue;
        };
        let objects: Vec<(NodeId, &ObjectRule)> = union
            .branches
            .iter()
            .filter_map(|branch| match &compiled.resolve(*branch).kind {
                NodeKind::Object(object) => Some((*branch, &**object)),
                _ => None,
            })
            .collect();
        // A branch that matches objects in another way, such as a nested union, would never be tried.
        let hidden = union.branches.iter().any(|branch| {
            !matches!(
                compiled.resolve(*branch).kind,
                NodeKind::Object(_)
                    | NodeKind::Null
                    | NodeKind::Bool(_)
                    | NodeKind::Integer(_)
                    | NodeKind::Number(_)
                    | NodeKind::String(_)
                    | NodeKind::Array(_)
            )
        });
        if hidden || objects.len() < 2 {
            continue;
        }
        let by = by_tag(compiled, &objects).or_else(|| by_key(&objects));
        if let (Some(by), NodeKind::Union(union)) = (by, &mut compiled.nodes[id].kind) {
            union.by = by;
        }
    }
}

fn by_tag(compiled: &CompiledSchema, objects: &[(NodeId, &ObjectRule)]) -> Option<Selector> {
    let (_, first) = objects.first()?;
    first.properties.iter().find_map(|candidate| {
        let mut values: Vec<(Box<str>, NodeId)> = Vec::new();
        for (branch, object) in objects {
            let property = object
                .property(&candidate.name)
                .filter(|one| one.required)?;
            let NodeKind::String(text) = &compiled.resolve(property.node).kind else {
                return None;
            };
            let allowed = text.allowed.as_ref()?;
            for value in allowed.values.iter().chain(&allowed.aliases) {
                if values.iter().any(|(known, _)| known == value) {
                    return None;
                }
                values.push((value.clone(), *branch));
            }
        }
        Some(Selector::Tag(candidate.name.clone(), values))
    })
}

fn by_key(objects: &[(NodeId, &ObjectRule)]) -> Option<Selector> {
    let mut keys: Vec<(Box<str>, NodeId)> = Vec::new();
    for (branch, object) in objects {
        match (object.properties.as_slice(), object.rest) {
            ([only], Additional::Forbidden) if only.required => {
                let names = std::iter::once(&only.name).chain(&only.aliases);
                keys.extend(names.map(|name| (name.clone(), *branch)));
            }
            _ => return None,
        }
    }
    let distinct = keys
        .iter()
        .enumerate()
        .all(|(at, (key, _))| keys[at + 1..].iter().all(|(other, _)| other != key));
    distinct.then_some(Selector::Key(keys))
}

/// Removes the tries of each node that does not contain itself: the product of those is a constant of the type.
pub(super) fn keep_recursive_tries(nodes: &mut [Node]) {
    for id in 0..nodes.len() {
        if nodes[id].tries.is_none() {
            continue;
        }
        let mut seen = vec![false; nodes.len()];
        let mut open = parts(&nodes[id].kind);
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                open.extend(parts(&nodes[next].kind));
            }
        }
        if !seen[id] {
            nodes[id].tries = None;
        }
    }
}

/// The nodes that a node refers to.
fn parts(kind: &NodeKind) -> Vec<NodeId> {
    match kind {
        NodeKind::Ref(other) | NodeKind::Not(other) => vec![*other],
        NodeKind::AllOf(parts) => parts.clone(),
        NodeKind::Union(union) => union.branches.clone(),
        NodeKind::Array(rule) => {
            let mut parts = rule.prefix_items.clone();
            parts.push(rule.items);
            parts
        }
        NodeKind::Object(rule) => {
            let mut parts: Vec<_> = rule.properties.iter().map(|one| one.node).collect();
            if let Additional::Allowed(id) = rule.rest {
                parts.push(id);
            }
            parts
        }
        _ => Vec::new(),
    }
}

/// Whether the node at `id` refers to a node that is `open`, without a value in between.
pub(super) fn has_cycle(nodes: &[Node], id: NodeId, open: &mut [bool], done: &mut [bool]) -> bool {
    if done[id] || open[id] {
        return open[id];
    }
    open[id] = true;
    let has_cycle = match &nodes[id].kind {
        NodeKind::Ref(other) | NodeKind::Not(other) => has_cycle(nodes, *other, open, done),
        NodeKind::AllOf(parts) => parts.iter().any(|part| has_cycle(nodes, *part, open, done)),
        NodeKind::Union(union) => union
            .branches
            .iter()
            .any(|branch| has_cycle(nodes, *branch, open, done)),
        _ => false,
    };
    open[id] = false;
    done[id] = true;
    has_cycle
}
