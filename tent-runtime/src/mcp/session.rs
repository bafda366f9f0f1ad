//! Sessions of the legacy era: an id that is a sealed text of what was agreed, so that a restarted server
//! or another machine goes on with it. That one was ended is all that is kept.
//!
//! An id names no caller and lets nobody in: each request is identified by its own credentials.

use std::time::Duration;

use super::revision::Revision;
use crate::clock::Time;
use crate::cx::{Capabilities, Client, Era};
use crate::random;
use crate::seal::{Sealer, Use};

/// How long an id is good. Then the client is told that it is lost and begins anew, which costs it one request;
/// and what was ended need not be remembered longer.
const LIFE: Duration = Duration::from_secs(7 * 24 * 3600);

/// What `initialize` agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) revision: Revision,
    pub(super) client: Client,
    pub(super) began: Time,
    pub(super) nonce: [u8; 16],
}

/// The form of what is sealed; a later form gets another number.
const FORM: u8 = 1;

/// The most bytes of a client's name and of its version that are kept, so that an id stays under 512.
const NAME: usize = 128;
const VERSION: usize = 32;

impl Session {
    pub(super) fn begin(revision: Revision, client: Client, now: Time) -> Self {
        Session {
            revision,
            client,
            began: now,
            nonce: random::bytes(),
        }
    }

    /// The id: visible ASCII, under 512 bytes.
    pub(super) fn seal(&self, sealer: &Sealer) -> String {
        let mut bytes = vec![FORM, self.revision as u8, self.client.capabilities.bits()];
        bytes.extend_from_slice(&self.began.as_millis().to_be_bytes());
        bytes.extend_from_slice(&self.nonce);
        put(&mut bytes, self.client.name.as_deref(), NAME);
        put(&mut bytes, self.client.version.as_deref(), VERSION);
        sealer.seal(Use::Session, &bytes, b"")
    }

    /// What an id says; `None` for one that this server did not make, or that is too old.
    pub(super) fn open(sealer: &Sealer, id: &str, now: Time) -> Option<Self> {
        let bytes = sealer.open(Use::Session, id, b"").ok()?;
        let ([form, revision, bits], bytes) = bytes.split_first_chunk()?;
        let (began, bytes) = bytes.split_first_chunk()?;
        let (nonce, bytes) = bytes.split_first_chunk()?;
        let (name, bytes) = take(bytes)?;
        let (version, _) = take(bytes)?;
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
            },
            began,
            nonce: *nonce,
        })
    }

    /// When it ends by itself.
    pub(super) fn ends(&self) -> Time {
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
    use super::*;
    use crate::settings::Secret;

    fn sealer() -> Sealer {
        Sealer::new(&[Secret::random()]).expect("one secret")
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
        let id = first.seal(&sealer);
        assert_eq!(Session::open(&sealer, &id, now), Some(first));
        let long = session(&"é".repeat(1000)).seal(&sealer);
        assert!(
            long.len() < 512 && long.bytes().all(|b| b.is_ascii_graphic()),
            "{}",
            long.len()
        );
        let name = Session::open(&sealer, &long, now).and_then(|s| s.client.name);
        assert_eq!(name, Some("é".repeat(NAME / 2)));
    }

    #[test]
    fn a_foreign_a_changed_and_an_old_id_are_lost() {
        let ours = sealer();
        let now = Time::from_millis(2_000);
        let id = session("probe").seal(&ours);
        assert_eq!(Session::open(&sealer(), &id, now), None);
        assert_eq!(Session::open(&ours, &id[1..], now), None);
        assert_eq!(Session::open(&ours, "", now), None);
        let last = Time::from_millis(1_000).plus(LIFE);
        assert_eq!(Session::open(&ours, &id, last), None);
        assert!(Session::open(&ours, &id, Time::from_millis(last.as_millis() - 1)).is_some());
        assert!(
            Session::open(&ours, &id, Time::from_millis(0)).is_some(),
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
