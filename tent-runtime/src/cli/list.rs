//! `check` and `list`: what the declarations say, without opening anything.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::error::Result;
use crate::registry::{Function, Registry};
use crate::server::Prepared;

pub(super) fn check(prepared: &Prepared, strict: bool) -> Result<ExitCode> {
    let registry = match prepared.registry() {
        Ok(registry) => registry,
        Err(problems) => return Ok(refuse(&problems)),
    };
    let warnings = registry.warnings();
    for warning in &warnings {
        eprintln!("warning: {warning}");
    }
    let count = registry.functions().len();
    let tools = registry.tools().count();
    println!(
        "{count} functions, {tools} of them tools; {} warnings",
        warnings.len()
    );
    Ok(match strict && !warnings.is_empty() {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

pub(super) fn list(prepared: &Prepared, as_json: bool) -> Result<ExitCode> {
    let registry = match prepared.registry() {
        Ok(registry) => registry,
        Err(problems) => return Ok(refuse(&problems)),
    };
    match as_json {
        true => println!(
            "{:#}",
            Value::from_iter(registry.functions().iter().map(as_value))
        ),
        false => table(&registry),
    }
    Ok(ExitCode::SUCCESS)
}

/// Every problem on stderr, as `check`, `list`, `call` and `serve` all say it.
pub(super) fn refuse(problems: &crate::registry::Problems) -> ExitCode {
    for problem in &problems.0 {
        eprintln!("error: {problem}");
    }
    ExitCode::FAILURE
}

fn table(registry: &Registry) {
    let rows: Vec<_> = registry.functions().iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (name, kind, access, doors) = (width(0), width(1), width(2), width(3));
    for [n, k, a, d, about] in &rows {
        println!("{n:name$}  {k:kind$}  {a:access$}  {d:doors$}  {about}");
    }
}

fn row(function: &Function) -> [String; 5] {
    // The first paragraph, whose line breaks are those of the source.
    let about = function.about.split("\n\n").next().unwrap_or_default();
    let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    let kind = function.declaration.kind.word().to_owned();
    let access = function.declaration.access.to_string();
    [
        function.name.clone(),
        kind,
        access,
        doors(function).join("+"),
        about,
    ]
}

fn doors(function: &Function) -> Vec<&'static str> {
    let declaration = function.declaration;
    let doors = [(declaration.api, "api"), (declaration.mcp, "mcp")];
    doors
        .into_iter()
        .filter(|(open, _)| *open)
        .map(|(_, door)| door)
        .collect()
}

fn as_value(function: &Function) -> Value {
    json!({
        "name": function.name,
        "title": function.title,
        "about": function.about,
        "kind": function.declaration.kind.word(),
        "access": function.declaration.access.to_string(),
        "scope": function.scope,
        "doors": doors(function),
        "asks": function.declaration.asks,
        "input": function.input.published(),
        "location": function.declaration.location.to_string(),
    })
}
