//! [`Cx`]: what a function is told of the call that it serves, and the state of the app.
//!
//! Knows no envelope: what it says of a client is what the envelope put in.

mod client;
pub mod input;
mod peer;
mod cancellation;
mod paused_time;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tent_core::codes;
use tokio::time::Instant;

pub use cancellation::{Cancellation, CancellationHold};
pub use client::{Capabilities, Client, Era};
pub use input::{InputRequest, InputResponse, Kind as InputKind};
pub use peer::{Later, Level, Peer, Progress};

pub(crate) use cancellation::Unfinished;
pub(crate) use client::{Extensions, REQUIRED};
pub(crate) use paused_time::PausedTime;

use crate::caller::{Caller, User};
use crate::error::{Error, Result};

/// Something of the app's own that its functions may take by reference: derive it.
///
/// A foreign type (a pool, a client) is carried by [`Shared`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state of the app",
    note = "derive it: #[derive(tent::State)]; a type of another crate is carried by tent::Shared<T>"
)]
pub trait State: Sized + Send + Sync + 'static {}

/// Carries a type of another crate as a [`State`].
///
/// ```
/// use tent_runtime::cx::Shared;
/// let names = Shared(vec!["ada"]);
/// assert_eq!(names.len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shared<T>(pub T);

impl<T: Send + Sync + 'static> State for Shared<T> {}

impl<T> std::ops::Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// The states that the app was handed, one of each type.
#[derive(Default)]
pub struct States(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl States {
    /// Puts a state in; one of the same type before it is replaced.
    pub fn put<T: State>(&mut self, state: T) {
        self.0.insert(TypeId::of::<T>(), Box::new(state));
    }

    /// The state of this type.
    pub fn find<T: State>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

/// One call, as its function sees it. Cheap to clone.
#[derive(Clone)]
pub struct Cx(Arc<CxParts>);

/// What the door makes a [`Cx`] from.
#[derive(Default)]
pub(crate) struct CxParts {
    pub(crate) caller: Caller,
    pub(crate) states: Arc<States>,
    pub(crate) client: Client,
    pub(crate) meta: Map<String, Value>,
    pub(crate) trace: String,
    pub(crate) deadline: Option<Instant>,
    pub(crate) stop: Cancellation,
    pub(crate) peer: Option<Arc<dyn Peer>>,
    /// Where the call may wait for answers while its deadline stands still.
    pub(crate) waits: Option<PausedTime>,
}

impl Cx {
    pub(crate) fn new(parts: CxParts) -> Self {
        Cx(Arc::new(parts))
    }

    /// A call by `caller` of an app with these states, without the door: for the tests of what generated
    /// code does.
    #[doc(hidden)]
    pub fn for_test(caller: Caller, states: States) -> Self {
        Cx::new(CxParts {
            caller,
            states: Arc::new(states),
            ..CxParts::default()
        })
    }

    /// Who calls.
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// The person who calls, or whose key calls.
    ///
    /// # Errors
    /// T0004 where nobody calls, T0005 where a caller has no person behind it.
    pub fn user(&self) -> Result<&User> {
        self.0.caller.user().ok_or_else(|| match self.0.caller {
            Caller::Nobody => Error::new(codes::SIGN_IN),
            _ => Error::new(codes::NOT_ALLOWED)
                .with_message("No person stands behind this caller.")
                .with_fix("Call with the key of a person, or sign in."),
        })
    }

    /// Goes on where `allowed` holds.
    ///
    /// # Errors
    /// T0005 otherwise.
    ///
    /// ```
    /// # fn serve(cx: &tent_runtime::cx::Cx, owner: &str) -> tent_runtime::error::Result<()> {
    /// cx.require(cx.user()?.id == owner)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn require(&self, allowed: bool) -> Result<()> {
        if allowed {
            return Ok(());
        }
        Err(Error::new(codes::NOT_ALLOWED)
            .with_message("The caller may not do this.")
            .with_fix("Call it as somebody who may."))
    }

    /// A state of the app.
    ///
    /// # Errors
    /// T7011 where the app was never handed one of this type.
    pub fn state<T: State>(&self) -> Result<&T> {
        self.0.states.find().ok_or_else(|| {
            Error::new(codes::MISSING_STATE).with_source(format!(
                "the app was handed no {}",
                std::any::type_name::<T>()
            ))
        })
    }

    /// What the client says of itself.
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// What the client put into the `_meta` of this request, beside what MCP and tent read there themselves: the members
    /// of an extension, or of a client's own. Empty where there is none, at `/api` and for a call from inside. It is the
    /// client's word, and no input: no schema was asked.
    ///
    /// ```
    /// # fn serve(cx: &tent_runtime::cx::Cx) {
    /// let place = cx.meta().get("openai/userLocation");
    /// # let _ = place;
    /// # }
    /// ```
    ///
    /// A rule of `access` finds it empty where a list is asked for, so it is nothing to decide access by.
    pub fn meta(&self) -> &Map<String, Value> {
        &self.0.meta
    }

    /// When the call is ended with T0010; `None` where it may take as long as it likes. It moves on while
    /// the call waits for an answer of its client.
    pub fn deadline(&self) -> Option<Instant> {
        let waited = self
            .0
            .waits
            .as_ref()
            .map_or(Duration::ZERO, PausedTime::total);
        self.0.deadline?.checked_add(waited)
    }

    /// Ends when the deadline has come.
    pub(crate) async fn late(&self) {
        match (self.0.deadline, &self.0.waits) {
            (Some(deadline), Some(waits)) => waits.late(deadline).await,
            (Some(deadline), None) => tokio::time::sleep_until(deadline).await,
            (None, _) => std::future::pending().await,
        }
    }

    /// The time left until [`deadline`](Self::deadline).
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline()
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Tells the client how far the call is: `done` of `total`, and what is being done. It reaches a client
    /// that asked for it, and goes nowhere otherwise. Call it as often as is handy: ten at once are sent, then
    /// ten a second, each the newest there is, and the last one before the answer.
    ///
    /// ```
    /// # fn serve(cx: &tent_runtime::cx::Cx) {
    /// cx.progress(3.0, 10.0, "Reading the books");
    /// cx.progress(4.0, None, None);
    /// # }
    /// ```
    pub fn progress<'a>(
        &self,
        done: f64,
        total: impl Into<Option<f64>>,
        message: impl Into<Option<&'a str>>,
    ) {
        if let Some(peer) = &self.0.peer {
            peer.progress(&Progress {
                done,
                total: total.into(),
                message: message.into().map(str::to_owned),
            });
        }
    }

    /// Sends a line of a log to the client, where it asked for lines of this level. It is for the client:
    /// the log of the server is `tracing`'s. Of one call a hundred lines at once are sent, then fifty a second;
    /// in place of the others one line says how many there were.
    pub fn log(&self, level: Level, data: impl Into<Value>) {
        if let Some(peer) = &self.0.peer {
            peer.log(level, None, &data.into());
        }
    }

    /// Asks the client: its person with [`input::form`] or [`input::url`], its model with [`input::sampling`], or
    /// itself with [`input::roots`]. `name` tells the questions of one call apart.
    ///
    /// **A modern client answers with a second call, for which the function runs again from its start**: what
    /// was answered is then answered at once, in the order in which it was asked. So what stands before a
    /// question is done again, unless it stands in [`once`](Self::once). Questions that are asked together, as
    /// by `join!`, are put together. To an older client the request goes while the function waits.
    ///
    /// An answer that does not fit is asked for again, where that can be; what a client did not say it can do is
    /// never asked of it.
    ///
    /// # Errors
    /// T0021 where the client did not say that it can be asked this, or there is none, as at `/api`; T0022
    /// where it went away before it was asked or, on a line such as stdin, before it answered, where it did not answer in
    /// time, or with something else; T0006 where an older
    /// client has too many questions of its caller's to answer already; T0012 where the question cannot be asked
    /// as it stands. A person who says no is no error.
    ///
    /// ```
    /// use tent_runtime::cx::{Cx, input};
    /// # async fn send(cx: &Cx) -> tent_runtime::error::Result<String> {
    /// let form = input::Form::new("Send it now?").field("sure", input::Field::boolean());
    /// Ok(match cx.input("sure", form).await? {
    ///     input::Reply::Accepted(filled) if filled["sure"] == true => "Sent.".to_owned(),
    ///     _ => "Not sent.".to_owned(),
    /// })
    /// # }
    /// ```
    pub async fn input<R: input::IntoInputRequest>(
        &self,
        name: &str,
        request: R,
    ) -> Result<R::Response> {
        let asked = request.into_input_request()?;
        let question = asked.request();
        self.0.client.require(&question.needs())?;
        let Some(peer) = &self.0.peer else {
            return Err(Error::new(codes::MISSING_CAPABILITY)
                .with_message("Here is no client that can be asked."));
        };
        let waiting = self.0.waits.as_ref().map(PausedTime::begin);
        let answer = peer.ask(name, question).await?;
        drop(waiting);
        asked.read(answer).map_err(|what| misanswered(name, &what))
    }

    /// Does a step once in all the runs that the questions of one call lead to: what it gave is kept, and a later
    /// run is given it instead. For steps before a question, such as a row that is added, that must not
    /// happen for each round. A step that fails is not kept.
    ///
    /// What it gives travels with the question, sealed, so it is small: an id rather than a document.
    ///
    /// # Errors
    /// What the step fails with; T0012 where what it gave cannot be kept.
    ///
    /// ```
    /// # use tent_runtime::cx::{Cx, input};
    /// # use tent_runtime::error::Result;
    /// # async fn add_order() -> Result<u32> { Ok(7) }
    /// # async fn serve(cx: &Cx) -> Result<()> {
    /// let order: u32 = cx.once("order", async { add_order().await }).await?;
    /// let sure = cx.input("pay", input::url("Pay it", format!("https://shop.example/pay/{order}"))).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn once<T, F>(&self, name: &str, step: F) -> Result<T>
    where
        T: Serialize + DeserializeOwned + Send,
        F: Future<Output = Result<T>> + Send,
    {
        let Some(peer) = &self.0.peer else {
            return step.await;
        };
        if let Some(kept) = peer.kept(name).await? {
            return Ok(serde_json::from_value(kept)?);
        }
        let given = step.await?;
        peer.keep(name, serde_json::to_value(&given)?).await?;
        Ok(given)
    }

    /// The client at the other end, where it can be told and asked something.
    pub(crate) fn peer(&self) -> Option<&Arc<dyn Peer>> {
        self.0.peer.as_ref()
    }

    /// Ends when the call was ended before its function: its caller went away, its client cancelled it, or its
    /// [`deadline`](Self::deadline) came. Whatever the function does from then on goes nowhere.
    ///
    /// An async function is dropped then, where it waits; so this is for what is not dropped with it: a task that it
    /// spawned, or a `blocking` function. It never ends where the function came to its own end, so wait for it
    /// beside something else.
    ///
    /// A caller at `/api` and a client of 2026-07-28 go away with their connection. An older client's lost connection says
    /// nothing; its `notifications/cancelled` does. On a line, such as stdin, both eras cancel by that note, and a line
    /// that ends takes its calls with it when their time is over. A change or an action that goes on with the answer to
    /// a question of a client of 2026-07-28 counts once, so its deadline alone ends it.
    ///
    /// ```
    /// # async fn refresh() {}
    /// # fn serve(cx: &tent_runtime::cx::Cx) {
    /// let cx = cx.clone();
    /// tokio::spawn(async move {
    ///     tokio::select! {
    ///         () = refresh() => {}
    ///         () = cx.cancelled() => println!("nobody waits for {} any more", cx.trace()),
    ///     }
    /// });
    /// # }
    /// ```
    pub async fn cancelled(&self) {
        self.0.stop.cancelled().await;
    }

    /// Whether [`cancelled`](Self::cancelled) has ended: for a `blocking` function, which looks between two steps.
    ///
    /// ```
    /// # fn serve(cx: &tent_runtime::cx::Cx, rows: Vec<u32>) -> tent_runtime::error::Result<u64> {
    /// let mut sum = 0;
    /// for row in rows {
    ///     if cx.is_cancelled() {
    ///         break;
    ///     }
    ///     sum += u64::from(row);
    /// }
    /// # Ok(sum)
    /// # }
    /// ```
    pub fn is_cancelled(&self) -> bool {
        self.0.stop.is_cancelled()
    }

    /// What ends the call before its function.
    pub(crate) fn stop(&self) -> &Cancellation {
        &self.0.stop
    }

    /// The id of the request, as the log has it.
    pub fn trace(&self) -> &str {
        &self.0.trace
    }
}

/// T0022 for an answer that is none.
pub(crate) fn misanswered(name: &str, what: &str) -> Error {
    Error::new(codes::CLIENT_DID_NOT_ANSWER)
        .with_message(format!("The client's answer to {name:?} {what}."))
}

impl fmt::Debug for Cx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("caller", &self.0.caller)
            .field("client", &self.0.client)
            .field("trace", &self.0.trace)
            .finish_non_exhaustive()
    }
}
