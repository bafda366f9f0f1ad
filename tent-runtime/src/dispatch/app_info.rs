//! [`AppInfo`]: what an app says about itself to clients, and the rules for it.

use std::collections::BTreeMap;

use serde_json::Value;
use tent_core::{codes, extension};

use crate::function::{Icon, web_address};
use crate::registry::{Diagnostic, Diagnostics, Registry, too_long};

/// What an app says about itself to clients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AppInfo {
    /// The name, for programs.
    pub name: String,
    /// The version.
    pub version: String,
    /// The name, for people.
    pub title: Option<String>,
    /// A description, for people.
    pub about: Option<String>,
    /// The URL of a page about it.
    pub website: Option<String>,
    /// The icons that clients show for it.
    pub icons: Vec<Icon>,
    /// Instructions for a model that uses it.
    pub instructions: Option<String>,
    /// The MCP extensions that it supports, each with its settings.
    pub extensions: BTreeMap<String, Value>,
    /// Its capabilities outside of any standard, each with its settings.
    pub experimental: BTreeMap<String, Value>,
}

impl AppInfo {
    /// Finds what clients would reject: T7034, T7035, T7036.
    pub(crate) fn problems(&self) -> Vec<Diagnostic> {
        let at = |code, message| Diagnostic {
            code,
            message,
            locations: Vec::new(),
        };
        let mut problems = Vec::new();
        for icon in &self.icons {
            if let Some(problem) = icon.problem() {
                let message = format!("The app's icon {:?} {problem}", icon.abridged_src());
                problems.push(at(codes::INVALID_ICON, message));
            }
        }
        for (id, settings) in &self.extensions {
            if let Some(problem) = extension::problem(id) {
                problems.push(at(
                    codes::INVALID_EXTENSION,
                    format!("The extension {id:?} {problem}"),
                ));
            }
            if !settings.is_object() {
                let message = format!("The settings of the extension {id:?} must be an object");
                problems.push(at(codes::INVALID_EXTENSION, message));
            }
        }
        for (name, settings) in &self.experimental {
            if name.is_empty() {
                let message = "An experimental capability must have a name".to_owned();
                problems.push(at(codes::INVALID_EXTENSION, message));
            }
            if !settings.is_object() {
                let message = format!(
                    "The settings of the experimental capability {name:?} must be an object"
                );
                problems.push(at(codes::INVALID_EXTENSION, message));
            }
        }
        if let Some(website) = &self.website
            && let Err(problem) = web_address(website)
        {
            problems.push(at(
                codes::INVALID_WEBSITE,
                format!("The website {website:?} {problem}"),
            ));
        }
        problems
    }

    /// Finds what clients accept but do not show: T7034 for an icon that is not over https, T7024 for instructions that
    /// clients cut.
    pub(crate) fn warnings(&self) -> Vec<Diagnostic> {
        let unfetched = self.icons.iter().filter(|icon| !icon.is_fetched());
        let diagnostic = |icon: &Icon| Diagnostic {
            code: codes::INVALID_ICON,
            message: format!(
                "The app's icon {:?} is not over https, so that clients do not fetch it",
                icon.abridged_src()
            ),
            locations: Vec::new(),
        };
        let instructions = self.instructions.as_deref().unwrap_or_default();
        let long = too_long("The text of `instructions`", instructions, None);
        unfetched.map(diagnostic).chain(long).collect()
    }

    /// Returns the registry if it and the app info are valid, else all problems of both.
    pub(crate) fn beside(
        &self,
        registry: Result<Registry, Diagnostics>,
    ) -> Result<Registry, Diagnostics> {
        let mut problems = self.problems();
        let registry = match registry {
            Ok(registry) if problems.is_empty() => return Ok(registry),
            Ok(_) => Vec::new(),
            Err(Diagnostics(found)) => found,
        };
        problems.extend(registry);
        problems.sort_by(|a, b| (a.code, &a.message).cmp(&(b.code, &b.message)));
        Err(Diagnostics(problems))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(about: &AppInfo) -> Vec<(codes::Code, String)> {
        let found = about.problems().into_iter();
        found.map(|one| (one.code, one.message)).collect()
    }

    #[test]
    fn a_valid_app_info_has_no_problems() {
        let about = AppInfo {
            website: Some("https://shop.example".to_owned()),
            icons: vec![Icon::svg("<svg/>")],
            extensions: [("io.modelcontextprotocol/ui".to_owned(), json!({}))].into(),
            experimental: [("anything at all".to_owned(), json!({"a": 1}))].into(),
            ..AppInfo::default()
        };
        assert_eq!(found(&about), []);
        assert_eq!(found(&AppInfo::default()), []);
    }

    #[test]
    fn warns_of_an_icon_that_is_not_over_https() {
        let insecure = Icon::new("http://shop.example/a.png");
        let about = AppInfo {
            icons: vec![Icon::svg("<svg/>"), insecure],
            ..AppInfo::default()
        };
        assert_eq!(found(&about), []);
        let warnings = about.warnings();
        let found: Vec<_> = warnings
            .iter()
            .map(|one| (one.code, &*one.message))
            .collect();
        let wanted = r#"The app's icon "http://shop.example/a.png" is not over https, so that clients do not fetch it"#;
        assert_eq!(found, [(codes::INVALID_ICON, wanted)]);
    }

    // P37
    #[test]
    fn warns_of_instructions_that_clients_cut() {
        let warnings = |characters| {
            let about = AppInfo {
                instructions: Some("ö".repeat(characters)),
                ..AppInfo::default()
            };
            let warnings = about.warnings().into_iter();
            Vec::from_iter(warnings.map(|one| (one.code, one.message)))
        };
        let message = "The text of `instructions` has 9000 characters; clients cut it at 2000";
        let expected = (codes::DESCRIPTION_TOO_LONG, message.to_owned());
        assert_eq!(warnings(9_000), [expected]);
        assert_eq!(warnings(2_000), []);
    }

    #[test]
    fn reports_all_problems_at_once() {
        let of = |name: &str, settings: Value| (name.to_owned(), settings);
        let about = AppInfo {
            website: Some("shop.example".to_owned()),
            icons: vec![Icon::new("file:///icon.png")],
            extensions: [of("com.example/ok", json!([])), of("ui", json!({}))].into(),
            experimental: [of("", json!({})), of("tasks", json!(true))].into(),
            ..AppInfo::default()
        };
        let wanted = [
            (
                codes::INVALID_ICON,
                r#"The app's icon "file:///icon.png" has a URL that is neither https: nor http:"#,
            ),
            (
                codes::INVALID_EXTENSION,
                r#"The settings of the extension "com.example/ok" must be an object"#,
            ),
            (
                codes::INVALID_EXTENSION,
                r#"The extension "ui" has no prefix, such as `com.example/`"#,
            ),
            (
                codes::INVALID_EXTENSION,
                "An experimental capability must have a name",
            ),
            (
                codes::INVALID_EXTENSION,
                r#"The settings of the experimental capability "tasks" must be an object"#,
            ),
            (
                codes::INVALID_WEBSITE,
                r#"The website "shop.example" has a URL that is neither https: nor http:"#,
            ),
        ];
        assert_eq!(
            found(&about),
            wanted.map(|(code, message)| (code, message.to_owned()))
        );
    }
}
