//! The extensions that clients say they have: of all that a client may name, those that the app declares or a
//! function needs are kept, with what settings there is room for. Judges no settings.

use std::collections::BTreeSet;

use serde::de::{Error as _, MapAccess};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::cx::Extensions;
use crate::dispatch::AppInfo;
use crate::json::{self, Skip, Strict, Take, Taking};
use crate::mcp::protocol::params::members;
use crate::registry::Registry;

/// The most bytes of the settings of one extension that are kept; longer ones are told as `{}`.
const SETTINGS: usize = 4 << 10;

/// The most extensions that the id of a session carries.
const IN_SESSION: usize = 16;

/// By what the id of a session tells an extension: the beginning of the digest of its identifier.
type Tag = [u8; 4];

/// The most bytes that a session's id takes for extensions where none has settings: how many, and for each its tag
/// and the length of nothing.
pub(crate) const LEAST_ROOM: usize = 1 + IN_SESSION * (size_of::<Tag>() + 1);

/// The extensions that this app knows: those that functions need before those that it declares alone.
#[derive(Debug, Default)]
pub(crate) struct KnownExtensions(Vec<(Box<str>, Tag)>);

impl KnownExtensions {
    pub(crate) fn new(registry: &Registry, about: &AppInfo) -> Self {
        let needs = registry
            .all()
            .flat_map(|one| one.needs.iter().map(AsRef::as_ref));
        let needed: BTreeSet<&str> = needs.filter(|need| need.contains('/')).collect();
        let declared = about.extensions.keys().map(String::as_str);
        let declared = declared.filter(|id| !needed.contains(id));
        let known = needed.iter().copied().chain(declared);
        KnownExtensions(known.map(|id| (id.into(), tag(id))).collect())
    }

    #[cfg(test)]
    pub(crate) fn of(ids: &[&str]) -> Self {
        KnownExtensions(ids.iter().map(|&id| (id.into(), tag(id))).collect())
    }

    /// What a client says, as it was sent. The whole of it is read strictly, whatever is kept of it.
    pub(crate) fn said(&self, sent: Option<&RawValue>) -> Result<Extensions, serde_json::Error> {
        match sent {
            None => Ok(Extensions::default()),
            Some(sent) => json::read(sent.get(), Taking(TheExtensions(self))),
        }
    }

    /// Writes them to the end of a session's id, in at most `room` bytes, which are [`LEAST_ROOM`] or more. Settings
    /// stand there as far as they fit.
    pub(crate) fn put(&self, said: &Extensions, room: usize, out: &mut Vec<u8>) {
        let said = self
            .0
            .iter()
            .filter_map(|(id, tag)| Some((tag, said.get(id)?)));
        let said: Vec<_> = said.take(IN_SESSION).collect();
        if said.is_empty() {
            return;
        }
        let mut room = room.saturating_sub(1 + said.len() * (size_of::<Tag>() + 1));
        out.push(u8::try_from(said.len()).expect("at most sixteen"));
        for (tag, settings) in said {
            let mut text = settings.to_string();
            if text == "{}" || text.len() > room {
                text.clear();
            }
            let length = u8::try_from(text.len()).unwrap_or_else(|_| {
                text.clear();
                0
            });
            room -= text.len();
            out.extend_from_slice(tag);
            out.push(length);
            out.extend_from_slice(text.as_bytes());
        }
    }

    /// What [`put`](Self::put) wrote; none where it wrote nothing, or this app knows it no more.
    pub(crate) fn take(&self, bytes: &[u8]) -> Extensions {
        let mut said = Vec::new();
        let Some((&count, mut bytes)) = bytes.split_first() else {
            return said.into();
        };
        for _ in 0..count {
            let Some((tag, rest)) = bytes.split_first_chunk::<{ size_of::<Tag>() }>() else {
                break;
            };
            let Some((settings, rest)) = rest
                .split_first()
                .and_then(|(&length, rest)| rest.split_at_checked(length.into()))
            else {
                break;
            };
            bytes = rest;
            if let Some((id, _)) = self.0.iter().find(|(_, known)| known == tag) {
                let settings = serde_json::from_slice(settings).unwrap_or_else(|_| json!({}));
                said.push((id.clone(), settings));
            }
        }
        said.into()
    }
}

fn tag(id: &str) -> Tag {
    let [a, b, c, d, ..]: [u8; 32] = Sha256::digest(id).into();
    [a, b, c, d]
}

/// `extensions`: an object of objects. What is no object counts as not said.
struct TheExtensions<'k>(&'k KnownExtensions);

impl<'de> Take<'de> for TheExtensions<'_> {
    type Out = Extensions;

    fn other(self) -> Extensions {
        Extensions::default()
    }

    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Extensions, A::Error> {
        let mut said = Vec::new();
        members(object, |key, object| {
            if !self.0.0.iter().any(|(known, _)| **known == *key) {
                return Ok(false);
            }
            let sent: &RawValue = object.next_value()?;
            let settings = if sent.get().len() > SETTINGS {
                json::read(sent.get(), Taking(Skip)).map_err(A::Error::custom)?;
                match sent.get().starts_with('{') {
                    true => json!({}),
                    false => Value::Null,
                }
            } else {
                json::read(sent.get(), Strict).map_err(A::Error::custom)?
            };
            if settings.is_object() {
                said.push((key.into(), settings));
            }
            Ok(true)
        })?;
        Ok(said.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(ids: &[&str]) -> KnownExtensions {
        KnownExtensions::of(ids)
    }

    fn said(known: &KnownExtensions, text: &str) -> Result<Vec<(String, Value)>, String> {
        let sent = RawValue::from_string(text.to_owned()).expect("it is JSON");
        let said = known.said(Some(&sent)).map_err(|error| error.to_string())?;
        Ok(list(&said))
    }

    fn list(said: &Extensions) -> Vec<(String, Value)> {
        let all = said.iter();
        all.map(|(id, settings)| (id.to_owned(), settings.clone()))
            .collect()
    }

    #[test]
    fn what_the_app_knows_is_kept_and_nothing_else() {
        let known = known(&["a/ui", "a/tasks"]);
        let ui = ("a/ui".to_owned(), json!({"mimeTypes": ["text/html"]}));
        assert_eq!(
            said(
                &known,
                r#"{"b/x":{"y":1},"a/ui":{"mimeTypes":["text/html"]},"a/tasks":true}"#
            ),
            Ok(vec![ui])
        );
        for none in ["{}", "[]", "null", r#"{"ui":{}}"#, r#"{"a/ui":null}"#] {
            assert_eq!(said(&known, none), Ok(Vec::new()), "{none}");
        }
        assert_eq!(
            known.said(None).expect("nothing is sent"),
            Extensions::default()
        );
    }

    #[test]
    fn all_of_it_is_read_strictly_also_what_is_not_kept() {
        let known = known(&["a/ui"]);
        let long = " ".repeat(SETTINGS);
        for twice in [
            r#"{"a/ui":{},"a/ui":{}}"#.to_owned(),
            r#"{"b/x":{},"b/x":{}}"#.to_owned(),
            r#"{"b/x":{"y":1,"y":1}}"#.to_owned(),
            r#"{"a/ui":{"y":{"z":1,"z":1}}}"#.to_owned(),
            format!(r#"{{"a/ui":{{"y":1,{long}"y":1}}}}"#),
        ] {
            let error = said(&known, &twice).expect_err(&twice);
            assert!(error.contains("duplicate key"), "{error}");
        }
    }

    #[test]
    fn settings_are_bounded() {
        let known = known(&["a/ui"]);
        let of = |length: usize| format!(r#"{{"a/ui":{{"a":"{}"}}}}"#, "x".repeat(length - 8));
        let kept = said(&known, &of(SETTINGS)).expect("it is read");
        assert_eq!(kept[0].1["a"].as_str().map(str::len), Some(SETTINGS - 8));
        let kept = said(&known, &of(SETTINGS + 1)).expect("it is read");
        assert_eq!(kept, [("a/ui".to_owned(), json!({}))]);
    }

    #[test]
    fn a_session_carries_the_first_sixteen_and_settings_as_far_as_they_fit() {
        let ids: Vec<String> = (0..20).map(|n| format!("a/{n}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let known = known(&ids);
        let all: Vec<_> = ids
            .iter()
            .map(|&id| (id.into(), json!({"of": id})))
            .collect();
        let all = Extensions::from(all);
        for room in [LEAST_ROOM, LEAST_ROOM + 12, LEAST_ROOM + 100, 300] {
            let mut bytes = Vec::new();
            known.put(&all, room, &mut bytes);
            assert!(bytes.len() <= room, "{} of {room}", bytes.len());
            let taken = list(&known.take(&bytes));
            let names: Vec<&str> = taken.iter().map(|(id, _)| &**id).collect();
            assert_eq!(names, ids[..IN_SESSION]);
            let whole = taken.iter().filter(|(id, settings)| settings["of"] == **id);
            assert_eq!(whole.count(), ((room - LEAST_ROOM) / 12).min(IN_SESSION));
        }
        let long = json!({"a": "x".repeat(250)});
        let long = Extensions::from(vec![("a/0".into(), long)]);
        let mut bytes = Vec::new();
        known.put(&long, 1000, &mut bytes);
        assert_eq!(list(&known.take(&bytes)), [("a/0".to_owned(), json!({}))]);
    }

    #[test]
    fn nothing_said_takes_no_room_and_what_is_no_more_known_is_left_out() {
        let mut bytes = Vec::new();
        known(&["a/ui"]).put(&Extensions::default(), LEAST_ROOM, &mut bytes);
        assert!(bytes.is_empty());
        assert_eq!(known(&["a/ui"]).take(&bytes), Extensions::default());
        let both = Extensions::from(vec![("a/ui".into(), json!({})), ("a/x".into(), json!({}))]);
        known(&["a/ui", "a/x"]).put(&both, LEAST_ROOM, &mut bytes);
        let left = known(&["a/x", "a/new"]).take(&bytes);
        assert_eq!(list(&left), [("a/x".to_owned(), json!({}))]);
        for cut in 0..bytes.len() {
            known(&["a/ui", "a/x"]).take(&bytes[..cut]);
        }
    }
}
