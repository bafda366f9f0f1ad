//! `/mcp`: the Model Context Protocol over Streamable HTTP, both eras at one address. Reads the envelope, has
//! each request served by its era, and writes the answer; who may call and what runs is the door's.
//!
//! Nothing here calls a function, and nothing outside knows JSON-RPC.

mod protocol;
mod session;
mod client;
mod subscriptions;
mod methods;
mod transport;

#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ConnectInfo;
use http::header::ALLOW;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use tokio::time::Instant;

use self::client::mrtr;
use self::client::outbox::Sink;
use self::client::pending_requests::Answered;
use self::methods::{common, legacy, modern, tools_call, tools_list};
use self::protocol::era::{self, Chosen, is_modern, named};
use self::protocol::message::{self, Kind, Posted, Unreadable};
use self::protocol::params::{Abilities, ClientInfo, Text};
use self::protocol::response::{Refusal, Reply, code};
use self::protocol::revision::Revision;
use self::protocol::{extensions, headers, request_id, server_info};
use self::session::{in_flight, log_levels};
pub use self::subscriptions::notifier::Notifier;
pub(crate) use self::transport::connection::{Line, Who};
pub(crate) use self::transport::{connection_loop, stdio};
use crate::caller::Caller;
use crate::clock::{SystemClock, Time};
use crate::cx::{Client, Era};
use crate::dispatch::{Dispatcher, Endpoint};
use crate::error::Error;
use crate::store::EndedSessions;
use crate::web::{self, Upload};

/// The MCP server of one app: its door, and what is written once, at start.
pub(crate) struct Mcp {
    dispatcher: Arc<Dispatcher>,
    tools: tools_call::Tools,
    lists: tools_list::Lists,
    ended: EndedSessions,
    running: in_flight::Running,
    claims: Arc<mrtr::Claims>,
    levels: log_levels::Levels,
    notes: Notifier,
    /// Those that are kept of what a client says.
    extensions: extensions::Known,
    /// The member of `_meta` that names the server in each modern result.
    server: Arc<str>,
    /// The result of `server/discover`.
    discovered: Vec<u8>,
}

impl Mcp {
    /// The server of this app, which is told what to tell by `notes`.
    pub(crate) fn new(dispatcher: Arc<Dispatcher>, notes: Notifier) -> Self {
        let server = server_info::member(&server_info::brief(
            dispatcher.about(),
            Revision::V2026_07_28,
        ));
        let kept_for = dispatcher.settings().limits.tools_kept;
        Mcp {
            tools: tools_call::Tools::new(dispatcher.registry()),
            lists: tools_list::Lists::new(dispatcher.registry(), kept_for, &server),
            running: in_flight::Running::default(),
            claims: Arc::default(),
            levels: log_levels::Levels::default(),
            notes,
            extensions: extensions::Known::new(dispatcher.registry(), dispatcher.about()),
            ended: EndedSessions::new(dispatcher.store().clone(), Arc::new(SystemClock)),
            discovered: modern::discovered(&dispatcher, kept_for),
            server: server.into(),
            dispatcher,
        }
    }

    fn realm(&self) -> &str {
        &self.dispatcher.about().name
    }

    /// `tools/list`, the same in both eras but for its bytes.
    async fn list(
        &self,
        asked: &Asked<'_>,
        request: &message::Request<'_>,
        agreed: &Agreed,
    ) -> Result<Reply, Refusal> {
        let listed = common::list(self, asked, request, agreed, Endpoint::Mcp);
        let key = asked.key(agreed, request.id);
        let Some(listed) = self.running.unless_stopped(key, listed).await else {
            // What was cancelled has no answer.
            return Ok(Reply::empty(StatusCode::ACCEPTED));
        };
        let (cursor, visible) = listed?;
        let sealer = self.dispatcher.sealer();
        self.lists
            .page(request.id, agreed.revision, visible, cursor, sealer)
            .map(Reply::ok)
    }
}

impl std::fmt::Debug for Mcp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mcp")
            .field("door", &self.dispatcher)
            .finish_non_exhaustive()
    }
}

/// One HTTP request, whose sender is known.
struct Asked<'a> {
    parts: &'a Parts,
    caller: Caller,
    trace: &'a str,
    /// When it has to be answered.
    deadline: Option<Instant>,
    way: Way<'a>,
}

/// How a message came.
#[derive(Clone, Copy)]
enum Way<'a> {
    /// By a POST, whose answer may be a stream of events.
    Http { streams: bool },
    /// On a line, where messages come and go without headers.
    Line(&'a Line),
}

impl<'a> Asked<'a> {
    /// The same for one message of an array, which is a request of its own.
    fn anew(&self, deadline: Option<Instant>) -> Asked<'a> {
        Asked {
            parts: self.parts,
            caller: self.caller.clone(),
            trace: self.trace,
            deadline,
            way: self.way,
        }
    }

    /// Where the events of a call go, if the client takes any.
    fn sink(&self) -> Option<Sink> {
        match self.way {
            Way::Http { streams } => streams.then(Sink::default),
            Way::Line(line) => line.sink().cloned(),
        }
    }

    /// On whom it counts what is kept of a request, a stream or a round: the caller, or the address where there is none.
    fn counts_on(&self) -> String {
        if self.caller.is_known() {
            return self.caller.to_string();
        }
        let peer = self.parts.extensions.get::<ConnectInfo<SocketAddr>>();
        match peer.map(|ConnectInfo(addr)| addr.ip().to_canonical()) {
            // Whoever has one address of such a network has all of it.
            Some(IpAddr::V6(ip)) => format!("{:x?}", &ip.segments()[..4]),
            Some(IpAddr::V4(ip)) => ip.to_string(),
            None => String::new(),
        }
    }

    /// What a request of this id is cancelled by; `None` where it cannot be.
    fn key(&self, agreed: &Agreed, id: &str) -> Option<in_flight::Key> {
        let nonce = agreed.nonce?;
        Some(in_flight::Key::new(nonce, &self.caller, id))
    }

    fn line(&self) -> Option<&Line> {
        match self.way {
            Way::Http { .. } => None,
            Way::Line(line) => Some(line),
        }
    }

    /// A refusal as it is told where this came from.
    fn here(&self, refusal: Refusal) -> Refusal {
        match self.line() {
            None => refusal,
            Some(line) => line.here(refusal),
        }
    }

    /// Whether headers have to repeat what the body of a request of this revision says.
    fn mirrors(&self, revision: Revision) -> bool {
        revision.is_modern() && self.line().is_none()
    }
}

/// What a request is served by: said by the request itself, or agreed on before.
#[derive(Clone, Debug)]
pub(crate) struct Agreed {
    revision: Revision,
    client: Client,
    /// Of the session that the request is part of.
    nonce: Option<[u8; 16]>,
    /// When that session ends by itself.
    ends: Option<Time>,
}

/// Answers one HTTP request to the MCP endpoint, whatever its path.
pub(crate) async fn serve(mcp: Arc<Mcp>, request: Request<Body>) -> Response<Body> {
    let trace = web::trace(request.headers());
    let (parts, body) = request.into_parts();
    let mut body = Upload::of(&parts, body);
    let reply = match answer(&mcp, &parts, &mut body, &trace).await {
        Ok(reply) => reply,
        Err(refusal) => refusal.into_reply(None),
    };
    let mut response = reply.into_response();
    body.finish(&mut response).await;
    if let Ok(trace) = HeaderValue::try_from(trace) {
        response
            .headers_mut()
            .insert(web::REQUEST_ID.clone(), trace);
    }
    if parts.method == Method::HEAD {
        *response.body_mut() = Body::empty();
    }
    response
}

/// Host and origin, then the caller, come before everything else: who has no key learns nothing, not even
/// which methods there are.
async fn answer(
    mcp: &Arc<Mcp>,
    parts: &Parts,
    body: &mut Upload,
    trace: &str,
) -> Result<Reply, Refusal> {
    let refused = |error: Error| Refusal::of(&error, mcp.realm());
    mcp.dispatcher.check_host(parts).map_err(refused)?;
    let caller = mcp
        .dispatcher
        .identify(parts, trace)
        .await
        .map_err(refused)?;
    if !caller.is_known() && !mcp.dispatcher.settings().mcp.anyone {
        return Err(refused(Error::of("T0004")));
    }
    mcp.dispatcher.check_page(parts, &caller).map_err(refused)?;
    match parts.method {
        Method::POST => {}
        Method::DELETE if !is_modern(&parts.headers) => {
            named(&parts.headers)?;
            return legacy::end(mcp, &parts.headers, &caller).await;
        }
        Method::GET if mcp.dispatcher.settings().mcp.stream && !is_modern(&parts.headers) => {
            named(&parts.headers)?;
            if !headers::accepted(&parts.headers).events {
                let why = "The answer to GET is text/event-stream, which Accept does not name.";
                return Err(Refusal::invalid(why).with_status(StatusCode::NOT_ACCEPTABLE));
            }
            let asked = Asked {
                parts,
                caller,
                trace,
                deadline: mcp.dispatcher.deadline(),
                way: Way::Http { streams: true },
            };
            return legacy::get(mcp, &asked).await;
        }
        _ => return Err(not_allowed(mcp, &parts.headers)),
    }
    if !web::is_json(&parts.headers) {
        return Err(refused(Error::of("T0017")));
    }
    let accepted = headers::accepted(&parts.headers);
    if !accepted.one {
        return Err(
            Refusal::invalid("The answer is application/json, which Accept excludes.")
                .with_status(StatusCode::NOT_ACCEPTABLE),
        );
    }
    let limit = mcp.dispatcher.settings().limits.body;
    let body = body.read(limit).await.map_err(refused)?;
    let posted = match message::read(&body) {
        Ok(posted) => posted,
        Err(why) => return Ok(unreadable(why).into_reply(request_id::id(&body).as_deref())),
    };
    let asked = Asked {
        parts,
        caller,
        trace,
        // From now on: how long the body may take to come is bounded by its own pace.
        deadline: mcp.dispatcher.deadline(),
        // An array is answered by an array, which is one text.
        way: Way::Http {
            streams: matches!(posted, Posted::One(_)) && accepted.events,
        },
    };
    match posted {
        Posted::One(message) => one(mcp, &asked, message).await,
        Posted::Batch(messages) => {
            let named = named(&parts.headers)?;
            if named.is_some_and(Revision::is_modern) {
                return Err(Refusal::invalid("A body is one message."));
            }
            let agreed = legacy::agreed(mcp, &asked, named).await?;
            legacy::batch(mcp, &asked, messages, &agreed).await
        }
    }
}

fn unreadable(why: Unreadable) -> Refusal {
    let (code, why) = match why {
        Unreadable::Syntax(why) => (code::PARSE, why),
        Unreadable::Data(why) => (code::INVALID_REQUEST, why),
    };
    let message = format!("The body cannot be read: {why}.");
    Refusal::new(StatusCode::BAD_REQUEST, code, message).with_code(&Error::of("T0018"))
}

fn not_allowed(mcp: &Mcp, headers: &HeaderMap) -> Refusal {
    let allow = if is_modern(headers) {
        "POST"
    } else if mcp.dispatcher.settings().mcp.stream {
        "GET, POST, DELETE"
    } else {
        "POST, DELETE"
    };
    Refusal::of(&Error::of("T0016"), "").with_header(ALLOW, HeaderValue::from_static(allow))
}

async fn one(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    message: message::Message<'_>,
) -> Result<Reply, Refusal> {
    let headers = &asked.parts.headers;
    match message.kind() {
        Kind::Request(request) => {
            let id = request.id;
            let place = asked.line().map(Line::place).transpose();
            let _place = match place {
                Ok(place) => place,
                Err(refusal) => return Ok(refusal.into_reply(Some(id))),
            };
            let meta = &request.params.meta;
            let era = match asked.line() {
                None => era::of(headers, &request.method, meta),
                Some(_) => era::on_a_line(&request.method, meta),
            };
            let served = match era {
                Ok(Chosen::Modern) => modern::serve(mcp, asked, request).await,
                Ok(Chosen::Initialize) => legacy::initialize(mcp, asked, &request),
                Ok(Chosen::Legacy(named)) => match legacy::agreed(mcp, asked, named).await {
                    Ok(agreed) => legacy::serve(mcp, asked, request, &agreed).await,
                    Err(refusal) => Err(refusal),
                },
                Err(refusal) => Err(refusal),
            };
            Ok(served.unwrap_or_else(|refusal| asked.here(refusal).into_reply(Some(id))))
        }
        // Whatever it says, also where nothing here knows it: nobody waits for an answer.
        Kind::Notification(note) => accepted(mcp, asked, Unanswered::Note(&note)).await,
        Kind::Response(id, answer) => accepted(mcp, asked, Unanswered::Response(id, answer)).await,
        Kind::Invalid(id, why) => Ok(Refusal::invalid(why).into_reply(id)),
    }
}

/// What wants no answer.
enum Unanswered<'a> {
    Note(&'a message::Request<'a>),
    Response(&'a str, Answered),
}

/// 202 for what wants no answer. The modern era has no responses of clients.
async fn accepted(mcp: &Mcp, asked: &Asked<'_>, message: Unanswered<'_>) -> Result<Reply, Refusal> {
    let named = named(&asked.parts.headers)?;
    match message {
        Unanswered::Response(..) if named.is_some_and(Revision::is_modern) => {
            return Err(Refusal::invalid("This revision takes no responses."));
        }
        Unanswered::Note(_) if named.is_some_and(Revision::is_modern) => {}
        Unanswered::Response(id, answer) => {
            let agreed = legacy::agreed(mcp, asked, named).await?;
            legacy::answered(mcp, asked, id, answer, &agreed);
        }
        Unanswered::Note(note) => {
            let agreed = legacy::agreed(mcp, asked, named).await?;
            legacy::noted(mcp, asked, note, &agreed);
        }
    }
    Ok(Reply::empty(StatusCode::ACCEPTED))
}

/// What the door is told of a client.
fn client(
    mcp: &Mcp,
    era: Era,
    info: &ClientInfo<'_>,
    said: Option<Abilities<'_>>,
) -> Result<Client, Refusal> {
    let owned = |text: &Text<'_>| text.get().map(str::to_owned);
    let Abilities { said, extensions } = said.unwrap_or_default();
    let extensions = mcp.extensions.said(extensions);
    Ok(Client {
        era,
        name: owned(&info.name),
        version: owned(&info.version),
        capabilities: said,
        extensions: extensions.map_err(|why| unreadable(Unreadable::Data(why.to_string())))?,
    })
}
