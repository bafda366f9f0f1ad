//! What clients read and get: the resources of an app by URI, its prompts by name, and the functions that
//! answer a method of MCP. Part of the registry.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tent_core::uri::Template;

use super::{Diagnostic, Function, OutputShape, Registry};
use crate::function::{Annotations, Declaration, Primitive};

/// A resource as the app has it.
#[derive(Debug)]
pub struct Resource {
    /// The function that reads it.
    pub function: Function,
    /// What the macro wrote of it.
    pub stated: crate::function::Resource,
    /// Its hints for the client.
    pub annotations: Annotations,
    template: Template,
}

impl Resource {
    /// Whether it is one URI, and no template of many.
    pub fn is_one(&self) -> bool {
        self.template.is_literal()
    }
}

/// The most bytes of a URI that is looked for.
const MOST_URI: usize = 8 << 10;

/// The three lists beside that of the functions.
#[derive(Debug, Default)]
pub(super) struct Served {
    /// Sorted by URI.
    resources: Vec<Resource>,
    /// The same by position, the most exact first.
    by_exactness: Vec<usize>,
    /// Sorted by name.
    prompts: Vec<Function>,
}

impl Served {
    pub(super) fn prompt(&mut self, prompt: Function) {
        self.prompts.push(prompt);
    }

    /// Puts a resource in. The macro has read its URI already; a declaration that none wrote may have any.
    pub(super) fn resource(
        &mut self,
        function: Function,
        stated: crate::function::Resource,
    ) -> Result<(), Diagnostic> {
        match Template::read(stated.uri) {
            Ok(template) => self.resources.push(Resource {
                function,
                stated,
                annotations: stated.annotations.map(|given| given()).unwrap_or_default(),
                template,
            }),
            Err(wrong) => {
                let declaration = function.declaration;
                return Err(Diagnostic {
                    code: "T7030",
                    message: format!(
                        "`{}`: {:?} is no URI template: {wrong}",
                        function.name, stated.uri
                    ),
                    locations: vec![declaration.location],
                });
            }
        }
        Ok(())
    }

    pub(super) fn sort(&mut self) {
        self.prompts.sort_by(|a, b| a.name.cmp(&b.name));
        self.resources
            .sort_by(|a, b| a.stated.uri.cmp(b.stated.uri));
        self.by_exactness = (0..self.resources.len()).collect();
        let resources = &self.resources;
        self.by_exactness
            .sort_by_key(|&at| Reverse(resources[at].template.exactness()));
    }

    /// T1001 for each set of URIs that more than one resource has.
    pub(super) fn uris_taken(&self) -> Vec<Diagnostic> {
        let mut taken: BTreeMap<String, Vec<&Resource>> = BTreeMap::new();
        for resource in &self.resources {
            let same = taken.entry(resource.template.shape()).or_default();
            same.push(resource);
        }
        let finding = |same: Vec<&Resource>| {
            let mut locations: Vec<_> = same
                .iter()
                .map(|resource| resource.function.declaration.location)
                .collect();
            locations.sort_by_key(|l| (l.file, l.line));
            Diagnostic {
                code: "T1001",
                message: format!(
                    "{} resources have the URI {}",
                    same.len(),
                    same[0].stated.uri
                ),
                locations,
            }
        };
        let taken = taken.into_values().filter(|same| same.len() > 1);
        taken.map(finding).collect()
    }
}

impl Registry {
    /// All resources, sorted by URI.
    pub fn resources(&self) -> &[Resource] {
        &self.served.resources
    }

    /// All prompts, sorted by name.
    pub fn prompts(&self) -> &[Function] {
        &self.served.prompts
    }

    /// The resources that have this URI, the most exact first, each with the values of its variables. One of more
    /// than 8 KiB is nobody's: each template looks at the whole of it.
    pub fn matching<'a>(
        &'a self,
        uri: &str,
    ) -> impl Iterator<Item = (&'a Resource, Map<String, Value>)> {
        let looked_at = match uri.len() <= MOST_URI {
            true => &*self.served.by_exactness,
            false => &[],
        };
        looked_at.iter().filter_map(move |&at| {
            let resource = &self.served.resources[at];
            let values = resource.template.matched(uri)?;
            let values = values
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.into()));
            Some((resource, values.collect()))
        })
    }

    /// The most exact of the resources that have this URI.
    pub fn resource<'a>(&'a self, uri: &str) -> Option<(&'a Resource, Map<String, Value>)> {
        self.matching(uri).next()
    }

    /// The resource whose URI or template is written like this.
    pub fn stated_resource(&self, uri: &str) -> Option<&Resource> {
        let resources = &self.served.resources;
        let at = resources.binary_search_by(|one| one.stated.uri.cmp(uri));
        at.ok().map(|at| &resources[at])
    }

    /// The prompt of this name.
    pub fn prompt(&self, name: &str) -> Option<&Function> {
        let prompts = &self.served.prompts;
        let at = prompts.binary_search_by(|one| one.name.as_str().cmp(name));
        at.ok().map(|at| &prompts[at])
    }

    /// The function that answers this method of MCP.
    pub fn method(&self, method: &str) -> Option<&Function> {
        let answers = |function: &&Function| function.declaration.on == Some(method);
        self.functions.iter().find(answers)
    }

    /// Whether anything completes an argument.
    pub fn completes(&self) -> bool {
        let resources = self.resources().iter().map(|resource| &resource.function);
        resources
            .chain(self.prompts())
            .any(|function| !function.declaration.completions.is_empty())
    }

    /// Everything there is: functions, resources and prompts.
    pub fn all(&self) -> impl Iterator<Item = &Function> {
        let resources = self.resources().iter().map(|resource| &resource.function);
        self.functions.iter().chain(resources).chain(self.prompts())
    }
}

/// The methods that resources, prompts and completions answer.
const BY_RESOURCES: [&str; 5] = [
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
];
const BY_PROMPTS: [&str; 2] = ["prompts/get", "prompts/list"];
const BY_COMPLETIONS: [&str; 1] = ["completion/complete"];

/// T1001 for each method that has more than one answer.
pub(super) fn methods_taken(declarations: &[&'static Declaration]) -> Vec<Diagnostic> {
    let mut answers: BTreeMap<&str, Vec<&Declaration>> = BTreeMap::new();
    for declaration in declarations {
        if let Some(method) = declaration.on {
            answers.entry(method).or_default().push(declaration);
        }
    }
    for (method, answers) in &mut answers {
        // One of those that answer it already is named, so that its place is.
        let other = declarations.iter().find(|one| match one.primitive {
            Primitive::Resource(_) if BY_RESOURCES.contains(method) => true,
            Primitive::Prompt if BY_PROMPTS.contains(method) => true,
            _ => BY_COMPLETIONS.contains(method) && !one.completions.is_empty(),
        });
        answers.extend(other);
    }
    let finding = |(method, same): (&str, Vec<&Declaration>)| {
        let named: Vec<_> = same.iter().map(|d| format!("`{}`", d.name)).collect();
        Diagnostic {
            code: "T1001",
            message: format!("{} both answer {method}", named.join(" and ")),
            locations: same.iter().map(|d| d.location).collect(),
        }
    };
    let answers = answers.into_iter().filter(|(_, same)| same.len() > 1);
    answers.map(finding).collect()
}

/// What does not go with what the function is for: T7031, T7032.
pub(super) fn misfits(function: &Function) -> Vec<Diagnostic> {
    let finding = |code, message: String| Diagnostic {
        code,
        message: format!("`{}`: {message}", function.name),
        locations: vec![function.declaration.location],
    };
    let mut found = Vec::new();
    if !matches!(function.declaration.primitive, Primitive::Function) {
        let fields = function.input.published().get("properties");
        for (name, schema) in fields.and_then(Value::as_object).into_iter().flatten() {
            if let Some(kind @ ("object" | "array")) = schema.get("type").and_then(Value::as_str) {
                found.push(finding("T7031", format!("`{name}` is an {kind}")));
            }
        }
    }
    let object = match &function.output {
        OutputShape::Nothing | OutputShape::Value(None) => true,
        OutputShape::Value(Some(schema)) => schema.is_object(),
        OutputShape::Content => false,
    };
    if let (Some(method), false) = (function.declaration.on, object) {
        let message = format!("it answers {method} with what is no object");
        found.push(finding("T7032", message));
    }
    found
}
