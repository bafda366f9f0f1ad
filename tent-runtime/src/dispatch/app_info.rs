//! [`AppInfo`]: what clients are told of the app as a whole, and the rules for it. Part of the door.

use std::collections::BTreeMap;

use serde_json::Value;
use tent_core::codes;
use tent_core::extension;

use crate::function::{Icon, web_address};
use crate::registry::{Diagnostic, Diagnostics, Registry};

/// What clients are told of the app as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppInfo {
    /// Its name, for programs.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its name, for people.
    pub title: Option<String>,
    /// What it does, for people.
    pub about: Option<String>,
    /// Where people read more of it.
    pub website: Option<String>,
    /// The pictures that it is shown by.
    pub icons: Vec<Icon>,
    /// How a model uses it well.
    pub instructions: Option<String>,
    /// The extensions of MCP that it has, each with its settings.
    pub extensions: BTreeMap<String, Value>,
    /// What it can do that no standard has, each with its settings.
    pub experimental: BTreeMap<String, Value>,
}

impl AppInfo {
    /// What clients would refuse of it: T7034, T7035, T7036.
    pub fn problems(&self) -> Vec<Diagnostic> {
        let at = |code, message| Diagnostic {
            code,
            message,
            locations: Vec::new(),
        };
        let mut problems = Vec::new();
        for icon in &self.icons {
            if let Some(problem) = icon.problem() {
                let message = format!("The app's icon {:?} {problem}", icon.shown());
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
                let message = format!("The settings of the extension {id:?} are no object");
                problems.push(at(codes::INVALID_EXTENSION, message));
            }
        }
        for (name, settings) in &self.experimental {
            if name.is_empty() {
                let message = "An experimental capability has no name".to_owned();
                problems.push(at(codes::INVALID_EXTENSION, message));
            }
            if !settings.is_object() {
                let message =
                    format!("The settings of the experimental capability {name:?} are no object");
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

    /// What clients take and show worse: T7034 for an icon that is not encrypted on its way.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let unfetched = self.icons.iter().filter(|icon| !icon.is_fetched());
        let finding = |icon: &Icon| Diagnostic {
            code: codes::INVALID_ICON,
            message: format!(
                "The app's icon {:?} is not over https:, and clients fetch no other",
                icon.shown()
            ),
            locations: Vec::new(),
        };
        unfetched.map(finding).collect()
    }

    /// The same functions, unless something is wrong with them or with this: then everything that is.
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
    fn what_an_app_says_of_itself_well_is_no_problem() {
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
    fn an_icon_in_the_clear_is_warned_of() {
        let clear = Icon::new("http://shop.example/a.png");
        let about = AppInfo {
            icons: vec![Icon::svg("<svg/>"), clear],
            ..AppInfo::default()
        };
        assert_eq!(found(&about), []);
        let warnings = about.warnings();
        let told: Vec<_> = warnings
            .iter()
            .map(|one| (one.code, &*one.message))
            .collect();
        let wanted = r#"The app's icon "http://shop.example/a.png" is not over https:, and clients fetch no other"#;
        assert_eq!(told, [(codes::INVALID_ICON, wanted)]);
    }

    #[test]
    fn everything_that_clients_refuse_is_told_at_once() {
        let of = |name: &str, settings: Value| (name.to_owned(), settings);
        let about = AppInfo {
            website: Some("shop.example".to_owned()),
            icons: vec![Icon::new("file:///icon.png")],
            extensions: [of("com.example/ok", json!([])), of("ui", json!({}))].into(),
            experimental: [of("", json!({})), of("tasks", json!(true))].into(),
            ..AppInfo::default()
        };
        let told = [
            (
                codes::INVALID_ICON,
                r#"The app's icon "file:///icon.png" has a URL that is neither https: nor http:"#,
            ),
            (
                codes::INVALID_EXTENSION,
                r#"The settings of the extension "com.example/ok" are no object"#,
            ),
            (
                codes::INVALID_EXTENSION,
                r#"The extension "ui" has no prefix, such as `com.example/`"#,
            ),
            (
                codes::INVALID_EXTENSION,
                "An experimental capability has no name",
            ),
            (
                codes::INVALID_EXTENSION,
                r#"The settings of the experimental capability "tasks" are no object"#,
            ),
            (
                codes::INVALID_WEBSITE,
                r#"The website "shop.example" has a URL that is neither https: nor http:"#,
            ),
        ];
        assert_eq!(
            found(&about),
            told.map(|(code, said)| (code, said.to_owned()))
        );
    }
}
