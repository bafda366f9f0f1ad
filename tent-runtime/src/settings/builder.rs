//! Where settings come from, and which wins: [`Builder`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

use tent_core::codes;
use tent_core::names::nearest;

use super::own::Node;
use super::{KNOWN, SECTIONS, Settings, values};
use crate::error::{Error, Result};

/// Where a value comes from. The greater wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Variable,
    App,
    Flag,
}

/// One value, not yet looked at.
struct Given {
    source: Source,
    /// `section.key`.
    key: String,
    /// How the person who set it knows it: the variable, the key, the flag.
    label: String,
    value: String,
}

/// Settings in the making. Whatever order its methods are called in, the command line wins over the
/// app's own code, and that over the variables.
///
/// ```
/// use tent_runtime::settings::Settings;
/// let settings = Settings::builder()
///     .set("limits.body", "1MiB")
///     .flag("--addr", "web.addr", "127.0.0.1:8080")
///     .vars([("TENT_WEB__ADDR", "127.0.0.1:4000"), ("TENT_LIMITS__CALL_TIME", "5s")])
///     .build()?;
/// assert_eq!(settings.web.addr.port(), 8080);
/// assert_eq!(settings.limits.call_time.as_secs(), 5);
/// # Ok::<(), tent_runtime::error::Error>(())
/// ```
#[derive(Default)]
#[must_use]
pub struct Builder {
    given: Vec<Given>,
    problems: BTreeMap<String, String>,
    warnings: Vec<String>,
}

/// Shows the names alone: the values may be secrets.
impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given: Vec<&str> = self.given.iter().map(|given| &*given.label).collect();
        f.debug_struct("Builder")
            .field("given", &given)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Adds the variables of this process.
    pub fn env(self) -> Self {
        self.vars_os(std::env::vars_os())
    }

    /// Adds variables: pairs of name and value. What does not begin with `TENT_` is left alone, and
    /// so is what has no section, but for `TENT_SECRET`. An empty variable counts as none where the
    /// setting is tent's own.
    pub fn vars<N, V>(mut self, vars: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<String>,
        V: Into<String>,
    {
        for (name, value) in vars {
            self.var(name.into(), value.into());
        }
        self
    }

    pub(super) fn vars_os(mut self, vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        for (name, value) in vars {
            let Ok(name) = name.into_string() else {
                continue;
            };
            match value.into_string() {
                Ok(value) => self.var(name, value),
                Err(_) if key_of(&name).is_some() => {
                    self.problems
                        .insert(name, "has a value that is no Unicode text".into());
                }
                Err(_) => {}
            }
        }
        self
    }

    fn var(&mut self, name: String, value: String) {
        match key_of(&name) {
            Some(key) => self.given.push(Given {
                source: Source::Variable,
                key,
                label: name,
                value,
            }),
            None => self.warnings.extend(no_section(&name)),
        }
    }

    /// Sets one by the app's own code: tent's own or, in a section that tent does not know, the app's.
    /// The last of several for one key wins.
    pub fn set(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let key = key.into();
        self.given.push(Given {
            source: Source::App,
            label: key.clone(),
            key,
            value: value.into(),
        });
        self
    }

    /// Sets one by a flag of the command line, whose name is what an error names.
    pub fn flag(
        mut self,
        flag: impl Into<String>,
        key: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        self.given.push(Given {
            source: Source::Flag,
            label: flag.into(),
            key: key.into(),
            value: value.into(),
        });
        self
    }

    /// The settings.
    ///
    /// # Errors
    /// T7019 with everything that is wrong at once, each under the name it was set by: keys that tent's
    /// own sections do not have, and values that do not fit.
    pub fn build(mut self) -> Result<Settings> {
        // A stable sort: of two from the same source the one that came later stays later.
        self.given.sort_by_key(|given| given.source);
        let mut settings = Settings {
            warnings: self.warnings,
            ..Settings::default()
        };
        let mut problems = self.problems;
        let mut variables = BTreeMap::new();
        for given in self.given {
            if given.source == Source::Variable
                && let Some(other) = variables.insert(given.key.clone(), given.label.clone())
            {
                let problem = format!("sets the same as {other}; keep one of the two");
                problems.insert(given.label, problem);
                continue;
            }
            if let Err(problem) = apply(&mut settings, &given) {
                problems.insert(given.label, problem);
            }
        }
        if problems.is_empty() {
            return Ok(settings);
        }
        Err(refused(problems))
    }
}

/// Puts one value where it belongs.
fn apply(settings: &mut Settings, given: &Given) -> Result<(), String> {
    if let Some(known) = KNOWN.iter().find(|known| known.key == given.key) {
        if given.source == Source::Variable && given.value.trim().is_empty() {
            return Ok(());
        }
        return (known.read)(settings, &given.value).map_err(|why| match known.secret {
            true => why,
            false => format!("is `{}`, which {why}", shown(&given.value)),
        });
    }
    match given.key.split_once('.') {
        Some((section, rest)) if !SECTIONS.contains(&section) => {
            settings.warnings.extend(near_section(given, section, rest));
            Node::put(&mut settings.own, &given.key, given.value.clone());
            Ok(())
        }
        _ => Err(unknown(given)),
    }
}

fn refused(problems: BTreeMap<String, String>) -> Error {
    let lines: Vec<String> = problems
        .iter()
        .map(|(label, problem)| format!("{label} {problem}"))
        .collect();
    let message = match lines.as_slice() {
        [only] => format!("{only}."),
        several => format!(
            "{} settings are wrong:\n  {}",
            several.len(),
            several.join("\n  ")
        ),
    };
    problems.into_iter().fold(
        Error::new(codes::INVALID_SETTING).with_message(message),
        |error, (label, problem)| error.with_field(label, problem),
    )
}

/// The key that a variable sets; `None` where it sets none.
fn key_of(name: &str) -> Option<String> {
    let rest = name.strip_prefix("TENT_")?;
    if rest == "SECRET" {
        return Some("secret".into());
    }
    let parts: Vec<&str> = rest.split("__").collect();
    (parts.len() > 1 && parts.iter().all(|part| !part.is_empty()))
        .then(|| parts.join(".").to_ascii_lowercase())
}

/// The variable that sets a key.
pub(super) fn variable(key: &str) -> String {
    format!("TENT_{}", key.replace('.', "__").to_ascii_uppercase())
}

/// A key as whoever set it would write it.
fn spelled(key: &str, source: Source) -> Cow<'_, str> {
    match source {
        Source::Variable => variable(key).into(),
        Source::App | Source::Flag => key.into(),
    }
}

fn unknown(given: &Given) -> String {
    let keys = || KNOWN.iter().map(|known| known.key);
    let section = given.key.split_once('.').map(|(section, _)| section);
    let near = nearest(&given.key, keys()).map(|near| spelled(near, given.source));
    if let Some(near) = near {
        return format!("is no setting; {near} is");
    }
    let beside: Vec<_> = keys()
        .filter(|key| key.split_once('.').map(|(section, _)| section) == section)
        .map(|key| spelled(key, given.source))
        .collect();
    match (beside.as_slice(), section) {
        ([], _) | (_, None) => {
            "is no setting, and its section is kept for tent; an app's own stand in a section of another name"
                .into()
        }
        (beside, Some(section)) => {
            format!("is no setting; section {section} has {}", beside.join(", "))
        }
    }
}

/// A warning where a section of the app's own is one letter off one of tent's, and has a key of it.
fn near_section(given: &Given, section: &str, rest: &str) -> Option<String> {
    let near = nearest(section, SECTIONS)?;
    let meant = format!("{near}.{rest}");
    KNOWN.iter().any(|known| known.key == meant).then(|| {
        format!(
            "{} is read as a setting of the app's own; tent's is {}.",
            given.label,
            spelled(&meant, given.source)
        )
    })
}

/// A warning where a variable without a section is near one that is read.
fn no_section(name: &str) -> Option<String> {
    let rest = name.strip_prefix("TENT_")?.to_ascii_lowercase();
    let flat = |key: &str| key.replace('.', "_");
    let keys: Vec<String> = KNOWN.iter().map(|known| flat(known.key)).collect();
    let near = nearest(&rest, keys.iter().map(String::as_str))?;
    let meant = KNOWN.iter().find(|known| flat(known.key) == near)?;
    let meant = (meant.key, variable(meant.key));
    Some(match meant {
        (key, variable) if key.contains('.') => format!(
            "{name} is not read: section and key are joined by two underscores, {variable}."
        ),
        (_, variable) => format!("{name} is not read; {variable} is."),
    })
}

/// A value in an error: on one line, not at length, and without what stands before an `@`, which is where
/// an address has its password.
fn shown(value: &str) -> String {
    const MOST: usize = 80;
    let value = &*values::without_password(value);
    let mut shown: String = value
        .chars()
        .take(MOST)
        .flat_map(char::escape_debug)
        .collect();
    if value.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}
