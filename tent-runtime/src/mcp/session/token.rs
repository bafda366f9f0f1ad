//! Sessions of the legacy era: an id that is a sealed text of what was negotiated, so that a restarted server
//! or another machine goes on with it. That one was ended is all that is kept.
//!
//! An id names no caller and lets nobody in: each request is identified by its own credentials.

use std::time::Duration;

use crate::clock::Time;
use crate::cx::{Capabilities, Client, Era};
use crate::mcp::protocol::extensions::{KnownExtensions, LEAST_ROOM};
use crate::mcp::protocol::revision::Revision;
use crate::random;
use crate::seal::{Sealer, Use};

/// How long an id is good. Then the client is told that it is lost and begins anew, which costs it one request;
/// and what was ended need not be remembered longer.
const LIFE: Duration = Duration::from_secs(7 * 24 * 3600);

/// What `initialize` negotiated on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) revision: Revision,
    pub(crate) client: Client,
    pub(crate) began: Time,
    pub(crate) nonce: [u8; 16],
}

/// The form of what is sealed; a later form gets another number.
const FORM: u8 = 1;

/// The most bytes of a client's name and of its version that are kept, so that an id stays under 512.
const NAME: usize = 128;
const VERSION: usize = 32;

/// The most bytes that are sealed: with what sealing adds, and in base64, they are 511 characters.
const MOST: usize = 337;

/// The bytes before the name.
const HEAD: usize = 3 + size_of::<i64>() + size_of::<[u8; 16]>();

const _: () = assert!(
    HEAD + 1 + NAME + 1 + VERSION + LEAST_ROOM <= MOST,
    "whatever a client is called, what it says it has finds its place"
);

impl Session {
    pub(crate) fn begin(revision: Revision, client: Client, now: Time) -> Self {
        Session {
            revision,
            client,
            began: now,
            nonce: random::bytes(),
        }
    }

    /// The id: visible ASCII, under 512 bytes.
    pub(crate) fn seal(&self, sealer: &Sealer, known: &KnownExtensions) -> String {
        let mut bytes = vec![FORM, self.revision as u8, self.client.capabilities.bits()];
        bytes.extend_from_slice(&self.began.as_millis().to_be_bytes());
        bytes.extend_from_slice(&self.nonce);
        put(&mut bytes, self.client.name.as_deref(), NAME);
        put(&mut bytes, self.client.version.as_deref(), VERSION);
        // Last, and nothing where there are none: an id without them is one of the form before there were any.
        known.put(&self.client.extensions, MOST - bytes.len(), &mut bytes);
        sealer.seal(Use::Session, &bytes, b"")
    }

    /// What an id says; `None` for one that this server did not make, or that is too old.
    pub(crate) fn open(
        sealer: &Sealer,
        known: &KnownExtensions,
        id: &str,
        now: Time,
    ) -> Option<Self> {
        let bytes = sealer.open(Use::Session, id, b"").ok()?;
        let ([form, revision, bits], bytes) = bytes.split_first_chunk()?;
        let (began, bytes) = bytes.split_first_chunk()?;
        let (nonce, bytes) = bytes.split_first_chunk()?;
        let (name, bytes) = take(bytes)?;
        let (version, bytes) = take(bytes)?;
        let began = Time::from_millis(i64::from_be_bytes(*began));
        let revision = Revision::ALL
            .into_iter()
            .find(|&one| one as u8 == *revision && !one.is_modern())?;
        // A clock that was set back makes an id look as if it began later, which is no reason to lose it.
        let young = now.since(began).is_none_or(|age| age < LIFE);
        (*form == FORM && young).then(|| Session {
            revision,
            client: Client {
                era: Era::Legacy,
                name,
                version,
                capabilities: Capabilities::of_bits(*bits),
                extensions: known.take(bytes),
            },
            began,
            nonce: *nonce,
        })
    }

    /// When it ends by itself.
    pub(crate) fn ends(&self) -> Time {
        self.began.plus(LIFE)
    }
}

/// A text after its length in one byte; an empty one is as none.
fn put(bytes: &mut Vec<u8>, text: Option<&str>, most: usize) {
    let text = text.unwrap_or_default();
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    bytes.push(u8::try_from(end).expect("texts are cut to less than 256 bytes"));
    bytes.extend_from_slice(&text.as_bytes()[..end]);
}

fn take(bytes: &[u8]) -> Option<(Option<String>, &[u8])> {
    let (&length, bytes) = bytes.split_first()?;
    let (text, bytes) = bytes.split_at_checked(length.into())?;
    let text = std::str::from_utf8(text).ok()?;
    Some(((!text.is_empty()).then(|| text.to_owned()), bytes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cx::Extensions;
    use crate::settings::Secret;

    fn sealer() -> Sealer {
        Sealer::new(&[Secret::random()]).expect("one secret")
    }

    /// An app that knows no extension.
    fn none() -> KnownExtensions {
        KnownExtensions::default()
    }

    fn session(name: &str) -> Session {
        let client = Client {
            era: Era::Legacy,
            name: Some(name.to_owned()),
            capabilities: Capabilities::of_bits(0b10_1010),
            ..Client::default()
        };
        Session::begin(Revision::V2025_06_18, client, Time::from_millis(1_000))
    }

    #[test]
    fn an_id_carries_what_was_agreed_and_is_short_and_visible() {
        let sealer = sealer();
        let now = Time::from_millis(2_000);
        let first = session("probe");
        let id = first.seal(&sealer, &none());
        assert_eq!(Session::open(&sealer, &none(), &id, now), Some(first));
        let long = session(&"é".repeat(1000)).seal(&sealer, &none());
        assert!(
            long.len() < 512 && long.bytes().all(|b| b.is_ascii_graphic()),
            "{}",
            long.len()
        );
        let name = Session::open(&sealer, &none(), &long, now).and_then(|s| s.client.name);
        assert_eq!(name, Some("é".repeat(NAME / 2)));
    }

    #[test]
    fn an_id_carries_extensions_and_is_short_whatever_a_client_is_called() {
        let sealer = sealer();
        let now = Time::from_millis(2_000);
        let ids: Vec<String> = (0..20).map(|n| format!("com.example/{n}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let known = KnownExtensions::of(&ids);
        let settings = json!({"mimeTypes": ["text/html;profile=mcp-app"]});
        let of = |name: &str, ids: &[&str]| {
            let all = ids.iter().map(|&id| (id.into(), settings.clone()));
            let mut session = session(name);
            session.client.extensions = Extensions::from(all.collect::<Vec<_>>());
            session.client.version = Some("9".repeat(1000));
            session
        };
        let mut one = of("probe", &ids[..1]);
        one.client.version = None;
        let id = one.seal(&sealer, &known);
        assert_eq!(Session::open(&sealer, &known, &id, now), Some(one));
        let id = of(&"é".repeat(1000), &ids).seal(&sealer, &known);
        assert!(id.len() < 512, "{}", id.len());
        let client = Session::open(&sealer, &known, &id, now).map(|session| session.client);
        let client = client.expect("it is our own");
        let kept: Vec<&str> = client.extensions.iter().map(|(id, _)| id).collect();
        assert_eq!(kept, ids[..16]);
        assert_eq!(client.version, Some("9".repeat(VERSION)));
    }

    #[test]
    fn an_id_of_the_version_that_knew_no_extensions_opens_and_the_other_way_round() {
        let (sealer, now) = (sealer(), Time::from_millis(2_000));
        let known = KnownExtensions::of(&["com.example/ui"]);
        let first = session("probe");
        // What that version sealed: the form, what was negotiated, and two texts after their lengths.
        let mut bytes = vec![1, Revision::V2025_06_18 as u8, 0b10_1010];
        bytes.extend_from_slice(&1_000_i64.to_be_bytes());
        bytes.extend_from_slice(&first.nonce);
        bytes.extend_from_slice(b"\x05probe\0");
        let id = sealer.seal(Use::Session, &bytes, b"");
        let opened = Session::open(&sealer, &known, &id, now);
        assert_eq!(opened.as_ref(), Some(&first));
        // That version reads as far, and so is sealed what it reads.
        let mut second = first.clone();
        second.client.extensions = vec![("com.example/ui".into(), json!({}))].into();
        for (session, more) in [(first, 0), (second, 6)] {
            let id = session.seal(&sealer, &known);
            let sealed = sealer.open(Use::Session, &id, b"").expect("it is ours");
            assert!(sealed.starts_with(&bytes) && sealed.len() == bytes.len() + more);
        }
    }

    #[test]
    fn a_foreign_a_changed_and_an_old_id_are_lost() {
        let ours = sealer();
        let now = Time::from_millis(2_000);
        let id = session("probe").seal(&ours, &none());
        assert_eq!(Session::open(&sealer(), &none(), &id, now), None);
        assert_eq!(Session::open(&ours, &none(), &id[1..], now), None);
        assert_eq!(Session::open(&ours, &none(), "", now), None);
        let last = Time::from_millis(1_000).plus(LIFE);
        assert_eq!(Session::open(&ours, &none(), &id, last), None);
        assert!(
            Session::open(&ours, &none(), &id, Time::from_millis(last.as_millis() - 1)).is_some()
        );
        assert!(
            Session::open(&ours, &none(), &id, Time::from_millis(0)).is_some(),
            "a clock set back"
        );
    }

    #[test]
    fn abilities_survive_as_bits() {
        for bits in 0..64 {
            assert_eq!(Capabilities::of_bits(bits).bits(), bits);
        }
    }
}
