//! [`Builder`]: collects settings from their sources, and reports all invalid ones at once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

use tent_core::codes;
use tent_core::names::nearest;

use super::own::Node;
use super::{KNOWN, SECTIONS, Settings, values};
use crate::error::{Error, Result};

/// The source of a value. A greater source overrides a smaller one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Variable,
    App,
    Flag,
}

/// A value that is not parsed yet.
struct Entry {
    source: Source,
    /// `section.key`.
    key: String,
    /// The name that errors use: the variable, the key or the flag.
    label: String,
    value: String,
}

/// Builds [`Settings`]. Flags of the command line override values of the app's code, and those override variables, in
/// whatever order the methods are called.
///
/// ```
/// use tent::Settings;
/// let settings = Settings::builder()
///     .set("limits.max_body", "1MiB")
///     .flag("--addr", "web.addr", "127.0.0.1:8080")
///     .vars([("TENT_WEB__ADDR", "127.0.0.1:4000"), ("TENT_LIMITS__CALL_TIMEOUT", "5s")])
///     .build()?;
/// assert_eq!(settings.web.addr.port(), 8080);
/// assert_eq!(settings.limits.call_timeout.as_secs(), 5);
/// # Ok::<(), tent::Error>(())
/// ```
#[derive(Default)]
#[must_use]
pub struct Builder {
    entries: Vec<Entry>,
    problems: BTreeMap<String, String>,
    warnings: Vec<String>,
}

/// Shows only the names, because values may be secrets.
impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<&str> = self.entries.iter().map(|entry| &*entry.label).collect();
        f.debug_struct("Builder")
            .field("settings", &labels)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Adds the environment variables of this process.
    pub fn env(self) -> Self {
        self.vars_os(std::env::vars_os())
    }

    /// Adds variables: pairs of name and value. Variables that do not start with `TENT_` or have no section are ignored,
    /// except `TENT_SECRET`. An empty variable leaves a setting of tent at its default.
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
                    self.problems.insert(name, "is not valid Unicode".into());
                }
                Err(_) => {}
            }
        }
        self
    }

    fn var(&mut self, name: String, value: String) {
        match key_of(&name) {
            Some(key) => self.entries.push(Entry {
                source: Source::Variable,
                key,
                label: name,
                value,
            }),
            None => self.warnings.extend(no_section(&name)),
        }
    }

    /// Sets a setting of tent or, in a section that tent does not know, of the app. The last value of a key applies.
    pub fn set(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let key = key.into();
        self.entries.push(Entry {
            source: Source::App,
            label: key.clone(),
            key,
            value: value.into(),
        });
        self
    }

    /// Sets a setting by a command-line flag. Errors name the flag.
    pub fn flag(
        mut self,
        flag: impl Into<String>,
        key: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        self.entries.push(Entry {
            source: Source::Flag,
            label: flag.into(),
            key: key.into(),
            value: value.into(),
        });
        self
    }

    /// Parses all values.
    ///
    /// # Errors
    /// T7019 with a field for each unknown key in a section of tent and for each invalid value, under the name that it was
    /// set by.
    pub fn build(mut self) -> Result<Settings> {
        // The sort is stable: of two values from one source, the later one stays later and applies.
        self.entries.sort_by_key(|entry| entry.source);
        let mut settings = Settings {
            warnings: self.warnings,
            ..Settings::default()
        };
        let mut problems = self.problems;
        let mut variables = BTreeMap::new();
        for entry in self.entries {
            if entry.source == Source::Variable
                && let Some(other) = variables.insert(entry.key.clone(), entry.label.clone())
            {
                let problem = format!("sets the same setting as {other}; remove one");
                problems.insert(entry.label, problem);
                continue;
            }
            if let Err(problem) = apply(&mut settings, &entry) {
                problems.insert(entry.label, problem);
            }
        }
        if problems.is_empty() {
            settings.warnings.extend(settings.limits.warnings());
            return Ok(settings);
        }
        Err(invalid(problems))
    }
}

/// Applies one value.
fn apply(settings: &mut Settings, entry: &Entry) -> Result<(), String> {
    if let Some(known) = KNOWN.iter().find(|known| known.key == entry.key) {
        if entry.source == Source::Variable && entry.value.trim().is_empty() {
            return Ok(());
        }
        return (known.parse)(settings, &entry.value).map_err(|why| match known.secret {
            true => why,
            false => match why.starts_with("must") {
                true => why,
                false => format!("is `{}`, which {why}", abridged(&entry.value)),
            },
        });
    }
    match entry.key.split_once('.') {
        Some((section, rest)) if !SECTIONS.contains(&section) => {
            settings.warnings.extend(near_section(entry, section, rest));
            Node::put(&mut settings.own, &entry.key, entry.value.clone());
            Ok(())
        }
        _ => Err(unknown(entry)),
    }
}

/// One error for all problems.
fn invalid(problems: BTreeMap<String, String>) -> Error {
    let lines: Vec<String> = problems
        .iter()
        .map(|(label, problem)| format!("{label} {problem}"))
        .collect();
    let message = match lines.as_slice() {
        [only] if only.ends_with('?') => only.clone(),
        [only] => format!("{only}."),
        several => format!(
            "{} settings are invalid:\n  {}",
            several.len(),
            several.join("\n  ")
        ),
    };
    problems.into_iter().fold(
        Error::new(codes::INVALID_SETTING).with_message(message),
        |error, (label, problem)| error.with_field(label, problem),
    )
}

/// The key that a variable sets, if it sets one.
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

/// The key in the spelling of its source.
fn spelled(key: &str, source: Source) -> Cow<'_, str> {
    match source {
        Source::Variable => variable(key).into(),
        Source::App | Source::Flag => key.into(),
    }
}

fn unknown(entry: &Entry) -> String {
    let keys = || KNOWN.iter().map(|known| known.key);
    let section = entry.key.split_once('.').map(|(section, _)| section);
    let near = nearest(&entry.key, keys()).map(|near| spelled(near, entry.source));
    if let Some(near) = near {
        return format!("is not a setting; did you mean {near}?");
    }
    let beside: Vec<_> = keys()
        .filter(|key| key.split_once('.').map(|(section, _)| section) == section)
        .map(|key| spelled(key, entry.source))
        .collect();
    match (beside.as_slice(), section) {
        ([], _) | (_, None) => {
            "is not a setting, and its section is reserved for tent; use another section for settings of the app"
                .into()
        }
        (beside, Some(section)) => {
            format!("is not a setting; section {section} has {}", beside.join(", "))
        }
    }
}

/// A warning if the section of the app is nearly a section of tent that has the key.
fn near_section(entry: &Entry, section: &str, rest: &str) -> Option<String> {
    let near = nearest(section, SECTIONS)?;
    let meant = format!("{near}.{rest}");
    KNOWN.iter().any(|known| known.key == meant).then(|| {
        format!(
            "{} is a setting of the app; did you mean {}, a setting of tent?",
            entry.label,
            spelled(&meant, entry.source)
        )
    })
}

/// A warning if a variable without a section is near the variable of a setting.
fn no_section(name: &str) -> Option<String> {
    let rest = name.strip_prefix("TENT_")?.to_ascii_lowercase();
    let flat = |key: &str| key.replace('.', "_");
    let keys: Vec<String> = KNOWN.iter().map(|known| flat(known.key)).collect();
    let near = nearest(&rest, keys.iter().map(String::as_str))?;
    let meant = KNOWN.iter().find(|known| flat(known.key) == near)?;
    let meant = (meant.key, variable(meant.key));
    Some(match meant {
        (key, variable) if key.contains('.') => {
            format!("{name} is ignored: write two underscores between section and key, {variable}.")
        }
        (_, variable) => format!("{name} is ignored; did you mean {variable}?"),
    })
}

/// A value for an error: on one line, cut, and without the password of a URL.
fn abridged(value: &str) -> String {
    const MOST: usize = 80;
    let value = &*values::without_password(value);
    let mut text: String = value
        .chars()
        .take(MOST)
        .flat_map(char::escape_debug)
        .collect();
    if value.chars().nth(MOST).is_some() {
        text.push('…');
    }
    text
}
