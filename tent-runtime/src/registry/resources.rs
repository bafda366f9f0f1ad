//! [`Resource`]: a resource of an app, found by its URI.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use tent_core::codes;
use tent_core::uri::Template;

use super::{Diagnostic, Registry};
use crate::function::{Annotations, Function};

/// A resource of an app.
#[derive(Debug)]
#[non_exhaustive]
pub struct Resource {
    /// The function that reads it.
    pub(crate) function: Arc<Function>,
    /// The options of `#[resource]`.
    pub(crate) options: crate::function::Resource,
    /// Hints for the client.
    pub(crate) annotations: Annotations,
    template: Template,
}

impl Resource {
    /// The function that reads it.
    pub fn function(&self) -> &Arc<Function> {
        &self.function
    }

    /// The URI, or the template of its URIs.
    pub fn uri(&self) -> &str {
        self.options.uri
    }

    /// Whether the resource has one URI, rather than a template of many.
    pub fn is_one(&self) -> bool {
        self.template.is_literal()
    }
}

/// The most bytes of a URI that the registry looks up: each template matches the whole of it.
const MAX_URI: usize = 8 << 10;

/// The resources of a registry.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// Sorted by URI.
    all: Vec<Arc<Resource>>,
    /// Indices in `all`, the most exact template first.
    by_exactness: Vec<usize>,
}

impl Resources {
    /// Adds a resource.
    ///
    /// # Errors
    /// T7030 for a URI that is not a template. A macro checks it at compile time; a declaration written by hand may
    /// have any.
    pub(super) fn add(
        &mut self,
        function: Arc<Function>,
        options: crate::function::Resource,
    ) -> Result<(), Diagnostic> {
        match Template::parse(options.uri) {
            Ok(template) => {
                self.all.push(Arc::new(Resource {
                    annotations: options
                        .annotations
                        .map(|annotations| annotations())
                        .unwrap_or_default(),
                    function,
                    options,
                    template,
                }));
                Ok(())
            }
            Err(wrong) => {
                let message =
                    format_args!("{:?} is not a valid URI template: {wrong}", options.uri);
                Err(function.diagnostic(codes::INVALID_URI_TEMPLATE, message))
            }
        }
    }

    pub(super) fn sort(&mut self) {
        self.all.sort_by(|a, b| a.options.uri.cmp(b.options.uri));
        self.by_exactness = (0..self.all.len()).collect();
        let all = &self.all;
        self.by_exactness
            .sort_by_key(|&at| Reverse(all[at].template.specificity()));
    }

    /// T1001 for each set of URIs that more than one resource has.
    pub(super) fn conflicts(&self) -> Vec<Diagnostic> {
        let mut taken: BTreeMap<String, Vec<&Resource>> = BTreeMap::new();
        for resource in &self.all {
            let same = taken.entry(resource.template.shape()).or_default();
            same.push(resource);
        }
        let several = taken.into_values().filter(|same| same.len() > 1);
        let diagnostic = |same: Vec<&Resource>| {
            let locations = same.iter().filter_map(|one| one.function.location);
            let mut locations: Vec<_> = locations.collect();
            locations.sort_by_key(|location| (location.file, location.line));
            let message = format!(
                "{} resources have the URI {}",
                same.len(),
                same[0].options.uri
            );
            Diagnostic::new(codes::DUPLICATE_NAME, message, locations)
        };
        several.map(diagnostic).collect()
    }
}

impl Registry {
    /// All resources, sorted by URI.
    pub fn resources(&self) -> &[Arc<Resource>] {
        &self.resources.all
    }

    /// The resources that have this URI, the most exact first, each with the values of its variables. A URI of more than
    /// 8 KiB matches none.
    pub fn matching<'a>(
        &'a self,
        uri: &str,
    ) -> impl Iterator<Item = (&'a Arc<Resource>, Map<String, Value>)> {
        let candidates = match uri.len() <= MAX_URI {
            true => &*self.resources.by_exactness,
            false => &[],
        };
        candidates.iter().filter_map(move |&at| {
            let resource = &self.resources.all[at];
            let values = resource.template.match_uri(uri)?;
            let values = values
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.into()));
            Some((resource, values.collect()))
        })
    }

    /// The most exact of the resources that have this URI.
    pub fn resource<'a>(&'a self, uri: &str) -> Option<(&'a Arc<Resource>, Map<String, Value>)> {
        self.matching(uri).next()
    }

    /// The resource with exactly this URI or template.
    pub fn resource_at(&self, uri: &str) -> Option<&Arc<Resource>> {
        let all = &self.resources.all;
        let at = all.binary_search_by(|one| one.options.uri.cmp(uri));
        at.ok().map(|at| &all[at])
    }
}
