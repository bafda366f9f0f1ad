//! [`Notifier`]: what an app tells and asks the clients that keep a stream open.
//!
//! Tells who is there, and keeps nothing for who is not: a client that comes later reads the lists then.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::caller::Caller;
use crate::cx::{Capabilities, State};
use crate::error::Result;
use crate::mcp::client::pending_requests::{self, PendingRequests, gone};
use crate::mcp::protocol::notification::{begin, end};
use crate::mcp::protocol::required_capabilities;
use crate::mcp::protocol::response::write;
use crate::mcp::subscriptions::listeners::Streams;
use crate::mcp::subscriptions::streams::subscription;

/// Tells MCP clients that something has changed: those with a stream kept open (`mcp.stream`), and of these
/// the ones that asked to hear it. Cheap to clone; a [`State`] that every app has, so a function takes it as
/// `&Notifier`.
///
/// ```
/// use tent_runtime::server::App;
/// let app = App::new("orders", "1.0.0");
/// let notes = app.mcp();
/// notes.tools_changed();
/// # let _ = app;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Notifier(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    streams: Streams,
    questions: PendingRequests,
}

impl State for Notifier {}

impl Notifier {
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

    /// Asks the clients of a caller by a request of MCP's, such as `roots/list`: those of the legacy era that
    /// keep the stream of their session open, and that said they can answer this. Gives the first result; the
    /// others are told that nobody waits for theirs any more, as all are when what this gives is dropped.
    ///
    /// What a client must have said it can do is read from the request, as
    /// [`Cx::input`](crate::cx::Cx::input) does it: tools in a `sampling/createMessage` need `sampling.tools`, say.
    ///
    /// It waits for an answer as long as a client is there, also on a newer stream of the same session: bound it by
    /// a timeout of your own. A client of the
    /// modern era takes no requests; it is asked within a call.
    ///
    /// ```
    /// # async fn asked(notes: &tent_runtime::server::Notifier, caller: &tent_runtime::caller::Caller) -> tent_runtime::error::Result<()> {
    /// let roots = notes.request(caller, "roots/list", None).await?;
    /// println!("works in {}", roots["roots"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// T7120 where no such client is there, or none answers with a result; T0006 where too many questions wait for
    /// an answer already.
    pub async fn request(
        &self,
        caller: &Caller,
        method: &str,
        params: Option<Value>,
    ) -> Result<Value> {
        let needs = required_capabilities::of_request(method, params.as_ref());
        let can = |said: &Capabilities| needs.iter().all(|name| said.has(name));
        let clients = self.streams().of(caller, can);
        if clients.is_empty() {
            return Err(gone());
        }
        let request = |_: &str| {
            let mut request = json!({"method": method});
            if let Some(params) = &params {
                request["params"] = params.clone();
            }
            request
        };
        let asked = clients.iter().map(|(session, on, outbox)| {
            let asked = pending_requests::Recipient {
                session,
                on,
                outbox,
            };
            Box::pin(async move {
                let answered = tokio::select! {
                    biased;
                    answered = self.questions().put(asked, request) => answered?,
                    () = self.streams().left(session, outbox) => None,
                };
                match answered {
                    Some(Ok(result)) => Ok(result),
                    Some(Err(error)) => Err(pending_requests::refused(&error)),
                    None => Err(gone()),
                }
            })
        });
        let (first, _) = futures_util::future::select_ok(asked).await?;
        Ok(first)
    }

    pub(crate) fn streams(&self) -> &Streams {
        &self.0.streams
    }

    /// What clients were asked, and did not answer yet.
    pub(crate) fn questions(&self) -> &PendingRequests {
        &self.0.questions
    }

    fn tell(&self, note: Note<'_>) {
        self.0.streams.tell(note);
    }
}

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note<'a> {
    Tools,
    Prompts,
    Resources,
    Updated(&'a str),
}

impl Note<'_> {
    /// The notification; `id`: of the subscription that it is told on.
    pub(crate) fn write(self, id: Option<&str>) -> Vec<u8> {
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
