//! What a plan is told once it is whole: how the objects of a union tell which branch they mean, and
//! whether something refers to itself without end.

use super::plan::{By, Id, Kind, Node, Object, Plan, Rest};

/// Finds out how the objects of each union tell which branch they mean.
pub(super) fn tell_branches(plan: &mut Plan) {
    for id in 0..plan.nodes.len() {
        let Kind::Union(union) = &plan.nodes[id].kind else {
            continue;
        };
        let objects: Vec<(Id, &Object)> = union
            .branches
            .iter()
            .filter_map(|branch| match &plan.real(*branch).kind {
                Kind::Object(object) => Some((*branch, &**object)),
                _ => None,
            })
            .collect();
        // A branch that may be an object in another way would never be asked.
        let hidden = union.branches.iter().any(|branch| {
            !matches!(
                plan.real(*branch).kind,
                Kind::Object(_)
                    | Kind::Null
                    | Kind::Bool(_)
                    | Kind::Integer(_)
                    | Kind::Number(_)
                    | Kind::Text(_)
                    | Kind::List(_)
            )
        });
        if hidden || objects.len() < 2 {
            continue;
        }
        let by = by_tag(plan, &objects).or_else(|| by_key(&objects));
        if let (Some(by), Kind::Union(union)) = (by, &mut plan.nodes[id].kind) {
            union.by = by;
        }
    }
}

fn by_tag(plan: &Plan, objects: &[(Id, &Object)]) -> Option<By> {
    let (_, first) = objects.first()?;
    first.properties.iter().find_map(|candidate| {
        let mut values: Vec<(Box<str>, Id)> = Vec::new();
        for (branch, object) in objects {
            let property = object
                .property(&candidate.name)
                .filter(|one| one.required)?;
            let Kind::Text(text) = &plan.real(property.node).kind else {
                return None;
            };
            for value in &text.only.as_ref()?.stated {
                if values.iter().any(|(known, _)| known == value) {
                    return None;
                }
                values.push((value.clone(), *branch));
            }
        }
        Some(By::Tag(candidate.name.clone(), values))
    })
}

fn by_key(objects: &[(Id, &Object)]) -> Option<By> {
    let mut keys: Vec<(Box<str>, Id)> = Vec::new();
    for (branch, object) in objects {
        match (object.properties.as_slice(), object.rest) {
            ([only], Rest::Closed) if only.required => keys.push((only.name.clone(), *branch)),
            _ => return None,
        }
    }
    let distinct = keys
        .iter()
        .enumerate()
        .all(|(at, (key, _))| keys[at + 1..].iter().all(|(other, _)| other != key));
    distinct.then_some(By::Key(keys))
}

/// Whether the node at `id` leads back to one that is `open`, without a value in between.
pub(super) fn circles(nodes: &[Node], id: Id, open: &mut [bool], done: &mut [bool]) -> bool {
    if done[id] || open[id] {
        return open[id];
    }
    open[id] = true;
    let circles = match &nodes[id].kind {
        Kind::Same(other) | Kind::Not(other) => circles(nodes, *other, open, done),
        Kind::Every(parts) => parts.iter().any(|part| circles(nodes, *part, open, done)),
        Kind::Union(union) => union
            .branches
            .iter()
            .any(|branch| circles(nodes, *branch, open, done)),
        _ => false,
    };
    open[id] = false;
    done[id] = true;
    circles
}
