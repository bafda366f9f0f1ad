//! [`Notes`]: what an app tells the clients that keep a stream open.
//!
//! Tells who is there and waits for nobody: a client that is not there reads the lists when it comes.

use std::sync::Arc;

use super::kept::{Streams, subscription};
use super::peer::{begin, end};
use super::reply::write;
use crate::cx::State;

/// Tells MCP clients that something has changed: those with a stream kept open (`mcp.stream`), and of these
/// the ones that asked to hear it. Cheap to clone; a [`State`], so that a function can take it.
///
/// ```
/// use tent_runtime::server::App;
/// let app = App::new("orders", "1.0.0");
/// let notes = app.mcp();
/// let app = app.state(notes.clone());
/// notes.tools_changed();
/// # let _ = app;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<Streams>);

impl State for Notes {}

impl Notes {
    /// The list of tools is another one: `notifications/tools/list_changed`.
    pub fn tools_changed(&self) {
        self.tell(Note::Tools);
    }

    /// The list of prompts is another one: `notifications/prompts/list_changed`.
    pub fn prompts_changed(&self) {
        self.tell(Note::Prompts);
    }

    /// The list of resources is another one: `notifications/resources/list_changed`.
    pub fn resources_changed(&self) {
        self.tell(Note::Resources);
    }

    /// What this resource holds is something else: `notifications/resources/updated`, to those who subscribed
    /// to it.
    pub fn resource_updated(&self, uri: &str) {
        self.tell(Note::Updated(uri));
    }

    pub(super) fn streams(&self) -> &Streams {
        &self.0
    }

    fn tell(&self, note: Note<'_>) {
        self.0.tell(note, |_, _| false);
    }
}

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note<'a> {
    Tools,
    Prompts,
    Resources,
    Updated(&'a str),
}

impl Note<'_> {
    /// The notification; `id`: of the subscription that it is told on.
    pub(super) fn write(self, id: Option<&str>) -> Vec<u8> {
        let mut out = begin(match self {
            Note::Tools => "notifications/tools/list_changed",
            Note::Prompts => "notifications/prompts/list_changed",
            Note::Resources => "notifications/resources/list_changed",
            Note::Updated(_) => "notifications/resources/updated",
        });
        if let Some(id) = id {
            out.extend_from_slice(&subscription(id));
        }
        if let Note::Updated(uri) = self {
            if id.is_some() {
                out.push(b',');
            }
            out.extend_from_slice(br#""uri":"#);
            write(&mut out, uri);
        }
        end(out)
    }
}
