//! Session ids of the legacy era. An id is a sealed token with everything that `initialize` negotiated, so that a
//! restarted server, or another machine, can serve the session. Only the end of a session is stored.
//! Must not authenticate: each request has its own credentials.
//!
//! | bytes | content |
//! |---|---|
//! | 3 | the version of this layout, the revision, the capabilities as bits |
//! | 8 | when the session began, in milliseconds since 1970 |
//! | 16 | the nonce |
//! | 1 + up to 128 | the length and the text of the client's name |
//! | 1 + up to 32 | the same of its version |
//! | the rest | the extensions as a JSON object; nothing if there are none |

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::clock::Time;
use crate::cx::{Capabilities, Client, Era, Extensions};
use crate::mcp::protocol::revision::Revision;
use crate::random;
use crate::seal::{Sealer, Use};

/// How long an id is valid. A client with an older one starts again, which costs it one request, and the store keeps
/// the end of a session no longer than this.
const LIFE: Duration = Duration::from_secs(7 * 24 * 3600);

/// A session, as `initialize` negotiated it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) revision: Revision,
    pub(crate) client: Client,
    pub(crate) began: Time,
    pub(crate) nonce: [u8; 16],
}

/// The version of the layout. Another layout gets another number.
const VERSION: u8 = 2;

/// The most bytes of a client's name and version, so that an id stays under 512 characters.
const MAX_NAME: usize = 128;
const MAX_VERSION: usize = 32;

/// The most bytes before sealing. Sealed and in base64 they are 511 characters.
const MAX: usize = 337;

impl Session {
    pub(crate) fn begin(revision: Revision, client: Client, now: Time) -> Self {
        Session {
            revision,
            client,
            began: now,
            nonce: random::bytes(),
        }
    }

    /// The session id: visible ASCII, under 512 characters.
    pub(crate) fn seal(&self, sealer: &Sealer) -> String {
        let Client {
            name,
            version,
            capabilities,
            extensions,
            ..
        } = &self.client;
        let mut bytes = vec![VERSION, self.revision as u8, to_bits(*capabilities)];
        bytes.extend_from_slice(&self.began.as_millis().to_be_bytes());
        bytes.extend_from_slice(&self.nonce);
        put(&mut bytes, name.as_deref(), MAX_NAME);
        put(&mut bytes, version.as_deref(), MAX_VERSION);
        bytes.extend(extensions_within(MAX - bytes.len(), extensions));
        sealer.seal(Use::Session, &bytes, b"")
    }

    /// Opens a session id; `None` for one that this server did not make, or that has expired.
    pub(crate) fn open(sealer: &Sealer, id: &str, now: Time) -> Option<Self> {
        let bytes = sealer.open(Use::Session, id, b"").ok()?;
        let ([layout, revision, bits], bytes) = bytes.split_first_chunk()?;
        let (began, bytes) = bytes.split_first_chunk()?;
        let (nonce, bytes) = bytes.split_first_chunk()?;
        let (name, bytes) = take(bytes)?;
        let (version, bytes) = take(bytes)?;
        let extensions: Map<String, Value> = match bytes {
            [] => Map::new(),
            bytes => serde_json::from_slice(bytes).ok()?,
        };
        let began = Time::from_millis(i64::from_be_bytes(*began));
        let revision = Revision::ALL
            .into_iter()
            .find(|&one| one as u8 == *revision && !one.is_modern())?;
        // If the clock was set back, the session seems to begin in the future. It is valid then.
        let is_valid = now.since(began).is_none_or(|age| age < LIFE);
        (*layout == VERSION && is_valid).then(|| Session {
            revision,
            client: Client {
                era: Era::Legacy,
                name,
                version,
                capabilities: from_bits(*bits),
                extensions: extensions.into_iter().collect(),
            },
            began,
            nonce: *nonce,
        })
    }

    /// When it expires.
    pub(crate) fn ends(&self) -> Time {
        self.began.plus(LIFE)
    }
}

/// The extensions as JSON of at most `room` bytes: first as many as there is room for, then settings in the room that
/// is left.
fn extensions_within(room: usize, extensions: &Extensions) -> Vec<u8> {
    let bytes = |all: &Map<String, Value>| serde_json::to_vec(all).unwrap_or_default();
    let mut kept = Map::new();
    for (id, _) in extensions.all() {
        kept.insert(id.clone(), json!({}));
        if bytes(&kept).len() > room {
            kept.remove(id);
        }
    }
    for (id, settings) in extensions.all() {
        let Some(without) = kept.get_mut(id) else {
            continue;
        };
        let without = std::mem::replace(without, settings.clone());
        if bytes(&kept).len() > room {
            kept.insert(id.clone(), without);
        }
    }
    match kept.is_empty() {
        true => Vec::new(),
        false => bytes(&kept),
    }
}

/// Writes the length of a text in one byte, then the text, cut to `max` bytes. An absent text is empty.
fn put(bytes: &mut Vec<u8>, text: Option<&str>, max: usize) {
    let text = text.unwrap_or_default();
    let mut end = text.len().min(max);
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

fn to_bits(capabilities: Capabilities) -> u8 {
    let Capabilities {
        form,
        url,
        sampling,
        sampling_tools,
        sampling_context,
        roots,
    } = capabilities;
    let flags = [roots, sampling, form, url, sampling_tools, sampling_context];
    let bits = flags.into_iter().rev();
    bits.fold(0, |bits, flag| bits << 1 | u8::from(flag))
}

fn from_bits(bits: u8) -> Capabilities {
    let flag = |at: u8| bits >> at & 1 == 1;
    Capabilities {
        roots: flag(0),
        sampling: flag(1),
        form: flag(2),
        url: flag(3),
        sampling_tools: flag(4),
        sampling_context: flag(5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Secret;

    fn sealer() -> Sealer {
        Sealer::new(&[Secret::random()]).expect("one secret")
    }

    const NOW: Time = Time::from_millis(2_000);

    fn session(name: &str) -> Session {
        let client = Client {
            era: Era::Legacy,
            name: Some(name.to_owned()),
            capabilities: from_bits(0b10_1010),
            ..Client::default()
        };
        Session::begin(Revision::V2025_06_18, client, Time::from_millis(1_000))
    }

    /// The client that the id of this session carries.
    fn carried(session: &Session) -> Client {
        let sealer = sealer();
        let id = session.seal(&sealer);
        assert!(id.len() < 512, "{}", id.len());
        assert!(id.bytes().all(|b| b.is_ascii_graphic()), "{id}");
        let opened = Session::open(&sealer, &id, NOW).expect("it is ours");
        assert_eq!((opened.nonce, opened.began), (session.nonce, session.began));
        opened.client
    }

    #[test]
    fn an_id_carries_the_negotiated_values_and_is_short() {
        let first = session("probe");
        assert_eq!(carried(&first), first.client);
        let mut long = session(&"é".repeat(1000));
        long.client.version = Some("9".repeat(1000));
        let client = carried(&long);
        assert_eq!(client.name, Some("é".repeat(MAX_NAME / 2)));
        assert_eq!(client.version, Some("9".repeat(MAX_VERSION)));
    }

    #[test]
    fn an_id_carries_the_extensions_that_it_has_room_for() {
        let settings = json!({"mimeTypes": ["text/html;profile=mcp-app"]});
        let with = |name: &str, ids: &[&str]| {
            let mut session = session(name);
            let all = ids.iter().map(|id| ((*id).to_owned(), settings.clone()));
            session.client.extensions = all.collect();
            session.client.version = Some("9".repeat(1000));
            carried(&session)
        };
        const UI: &str = "io.modelcontextprotocol/ui";
        // Those of MCP Apps always have room, whatever the client is called.
        assert_eq!(
            with(&"é".repeat(1000), &[UI]).extension(UI),
            Some(&settings)
        );
        let both = with(&"é".repeat(1000), &[UI, "com.example/a-long-identifier"]);
        assert_eq!(
            both.extension("com.example/a-long-identifier"),
            Some(&settings)
        );
        assert_eq!(
            both.extension(UI),
            Some(&json!({})),
            "there is no room for both settings"
        );
        let ids: Vec<String> = (10..40).map(|n| format!("com.example/{n}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let many = with("probe", &ids);
        let kept = ids.iter().filter(|id| many.extension(id).is_some());
        assert!((8..20).contains(&kept.count()), "{many:?}");
    }

    #[test]
    fn a_foreign_a_changed_and_an_old_id_are_lost() {
        let ours = sealer();
        let id = session("probe").seal(&ours);
        assert_eq!(Session::open(&sealer(), &id, NOW), None);
        assert_eq!(Session::open(&ours, &id[1..], NOW), None);
        assert_eq!(Session::open(&ours, "", NOW), None);
        let last = Time::from_millis(1_000).plus(LIFE);
        assert_eq!(Session::open(&ours, &id, last), None);
        let before = Time::from_millis(last.as_millis() - 1);
        assert!(Session::open(&ours, &id, before).is_some());
        let set_back = Time::from_millis(0);
        assert!(
            Session::open(&ours, &id, set_back).is_some(),
            "a clock set back"
        );
    }

    #[test]
    fn capabilities_survive_as_bits() {
        for bits in 0..64 {
            assert_eq!(to_bits(from_bits(bits)), bits);
        }
    }
}
