//! `check` and `list`: print problems and functions, without opening anything.

use std::process::ExitCode;

use serde_json::{Value, json};
use tent_core::count::counted;

use crate::error::Result;
use crate::function::{Function, Primitive};
use crate::registry::Registry;
use crate::server::Prepared;

use super::out;

pub(super) fn check(prepared: &Prepared, strict: bool) -> Result<ExitCode> {
    let registry = match prepared.registry() {
        Ok(registry) => registry,
        Err(problems) => return Ok(refuse(&problems)),
    };
    let mut warnings = prepared.app.info().warnings();
    warnings.extend(registry.warnings());
    for warning in &warnings {
        out::say(format_args!("warning: {warning}"));
    }
    let count = registry.functions().len();
    let tools = counted(registry.tools().count(), "tool");
    let mut more = String::new();
    for (count, what) in [
        (registry.resources().len(), "resource"),
        (registry.prompts().len(), "prompt"),
    ] {
        if count > 0 {
            more += &format!("; {}", counted(count, what));
        }
    }
    out::data(format_args!(
        "{} ({tools}){more}; {}",
        counted(count, "function"),
        counted(warnings.len(), "warning")
    ))?;
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
        true => out::data(format_args!(
            "{:#}",
            Value::from_iter(registry.all().map(|one| as_value(one)))
        ))?,
        false => out::data(table(&registry))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints every problem to stderr, the same for `check`, `list`, `call` and `serve`.
pub(super) fn refuse(problems: &crate::registry::Diagnostics) -> ExitCode {
    for problem in &problems.0 {
        out::say(format_args!("error: {problem}"));
    }
    ExitCode::FAILURE
}

fn table(registry: &Registry) -> String {
    let rows: Vec<_> = registry.all().map(|one| row(one)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (name, kind, access, endpoints) = (width(0), width(1), width(2), width(3));
    let line = |[n, k, a, d, about]: &[String; 5]| {
        format!("{n:name$}  {k:kind$}  {a:access$}  {d:endpoints$}  {about}")
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn row(function: &Function) -> [String; 5] {
    // The first paragraph, whose line breaks are those of the source.
    let about = function.about.split("\n\n").next().unwrap_or_default();
    let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    let kind = kind(function).to_owned();
    let access = function.access.to_string();
    [
        function.name.clone(),
        kind,
        access,
        endpoints(function).join("+"),
        about,
    ]
}

pub(super) fn kind(function: &Function) -> &'static str {
    match (function.primitive, function.kind) {
        (Primitive::Resource(_), _) => "resource",
        (Primitive::Prompt, _) => "prompt",
        (Primitive::Function, kind) => kind.word(),
    }
}

fn endpoints(function: &Function) -> Vec<&'static str> {
    // Custom methods, resources and prompts are only at /mcp.
    let served = function.on.is_some() || !matches!(function.primitive, Primitive::Function);
    let api = function.api && function.on.is_none();
    let endpoints = [(api, "api"), (function.mcp || served, "mcp")];
    endpoints
        .into_iter()
        .filter(|(open, _)| *open)
        .map(|(_, endpoint)| endpoint)
        .collect()
}

fn as_value(function: &Function) -> Value {
    let mut value = json!({
        "name": function.name,
        "title": function.title,
        "about": function.about,
        "kind": kind(function),
        "access": function.access.to_string(),
        "scope": function.scope,
        "endpoints": endpoints(function),
        "asks": function.needs_approval,
        "input": function.input.published(),
        "location": function.location.map(|at| at.to_string()),
    });
    if let Primitive::Resource(resource) = function.primitive {
        value["uri"] = resource.uri.into();
    }
    if let Some(method) = &function.on {
        value["on"] = json!(method);
    }
    value
}
