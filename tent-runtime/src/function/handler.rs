//! [`Handler`]: the code that answers the calls of one function.
//!
//! Runs nothing by itself: `dispatch` calls a handler after it has checked the caller and the input, and decides
//! where it runs by its [`Execution`].

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;

use serde_json::{Map, Value};

use super::declaration::Body;
use super::input::{Arguments, Owned};
use super::{BoxFuture, IntoError, IntoOutput, Output};
use crate::cx::Cx;
use crate::error::{Error, Result};

/// The code that answers the calls of one function. Implement it for functions whose input is known at run time
/// alone, such as those of a remote server; a closure needs no implementation, see
/// [`FunctionBuilder::handler`](super::FunctionBuilder::handler).
pub trait Handler: Send + Sync + 'static {
    /// Answers one call. `input` is valid against the function's input schema.
    ///
    /// A handler whose [`execution`](Self::execution) is [`Execution::Async`] returns a future. The others do their
    /// work before they return.
    fn call<'a>(&'a self, cx: &'a Cx, input: Map<String, Value>) -> HandlerCall<'a>;

    /// Where the handler runs.
    fn execution(&self) -> Execution {
        Execution::Async
    }
}

/// A call that a [`Handler`] has started.
#[non_exhaustive]
pub enum HandlerCall<'a> {
    /// The call has ended.
    Ready(Result<Output>),
    /// The call ends with this future.
    Future(BoxFuture<'a, Result<Output>>),
}

impl fmt::Debug for HandlerCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandlerCall::Ready(ended) => f.debug_tuple("Ready").field(ended).finish(),
            HandlerCall::Future(_) => f.debug_tuple("Future").finish_non_exhaustive(),
        }
    }
}

/// Where a [`Handler`] runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Execution {
    /// On the runtime's own threads, as a future. [`Handler::call`] must return soon.
    Async,
    /// On a thread of the blocking pool.
    Blocking,
    /// On the runtime's own threads, for a function that never blocks.
    InPlace,
}

/// What a macro declared.
pub(super) struct DeclaredHandler {
    pub(super) body: Body,
    pub(super) blocking: bool,
}

impl Handler for DeclaredHandler {
    fn call<'a>(&'a self, cx: &'a Cx, input: Map<String, Value>) -> HandlerCall<'a> {
        match self.body {
            Body::Async(body) => HandlerCall::Future(body(cx, input)),
            Body::Sync(body) => HandlerCall::Ready(body(cx, input)),
        }
    }

    fn execution(&self) -> Execution {
        match self.body {
            Body::Async(_) => Execution::Async,
            Body::Sync(_) if self.blocking => Execution::Blocking,
            Body::Sync(_) => Execution::InPlace,
        }
    }
}

/// An async closure with a typed input.
pub(super) struct AsyncHandler<F, I, By> {
    run: F,
    types: PhantomData<fn(I) -> By>,
}

impl<F, I, By> AsyncHandler<F, I, By> {
    pub(super) fn new(run: F) -> Self {
        AsyncHandler {
            run,
            types: PhantomData,
        }
    }
}

impl<F, Fut, I, T, E, By> Handler for AsyncHandler<F, I, By>
where
    F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    I: Owned + 'static,
    T: IntoOutput<By> + 'static,
    E: IntoError,
    By: 'static,
{
    fn call<'a>(&'a self, cx: &'a Cx, input: Map<String, Value>) -> HandlerCall<'a> {
        match read(input) {
            Ok(input) => {
                let running = (self.run)(cx.clone(), input);
                HandlerCall::Future(Box::pin(async move { output(running.await) }))
            }
            Err(error) => HandlerCall::Ready(Err(error)),
        }
    }
}

/// A plain closure with a typed input.
pub(super) struct SyncHandler<F, I, By> {
    run: F,
    blocking: bool,
    types: PhantomData<fn(I) -> By>,
}

impl<F, I, By> SyncHandler<F, I, By> {
    pub(super) fn new(run: F, blocking: bool) -> Self {
        SyncHandler {
            run,
            blocking,
            types: PhantomData,
        }
    }
}

impl<F, I, T, E, By> Handler for SyncHandler<F, I, By>
where
    F: Fn(&Cx, I) -> Result<T, E> + Send + Sync + 'static,
    I: Owned + 'static,
    T: IntoOutput<By> + 'static,
    E: IntoError,
    By: 'static,
{
    fn call<'a>(&'a self, cx: &'a Cx, input: Map<String, Value>) -> HandlerCall<'a> {
        HandlerCall::Ready(read(input).and_then(|input| output((self.run)(cx, input))))
    }

    fn execution(&self) -> Execution {
        match self.blocking {
            true => Execution::Blocking,
            false => Execution::InPlace,
        }
    }
}

/// Reads the whole input as an `I`. An `I` that is the map itself is moved, not read.
fn read<I: Owned + 'static>(input: Map<String, Value>) -> Result<I> {
    if is_unit::<I>() {
        let unit = I::read(Value::Null);
        return unit.map_err(|(_, why)| Error::unexpected(why));
    }
    let mut input = Some(input);
    if let Some(same) = (&mut input as &mut dyn Any).downcast_mut::<Option<I>>() {
        return same
            .take()
            .ok_or_else(|| Error::unexpected("the input is read once"));
    }
    let mut arguments = Arguments::new(input.unwrap_or_default());
    match arguments.take_all(I::read) {
        Some(input) => Ok(input),
        None => Err(arguments.into_error()),
    }
}

/// The output of a closure that has returned. A `()` means no value, as for a declared function.
fn output<T, E, By>(returned: Result<T, E>) -> Result<Output>
where
    T: IntoOutput<By> + 'static,
    E: IntoError,
{
    let value = returned.map_err(IntoError::into_error)?;
    match is_unit::<T>() {
        true => Ok(Output::default()),
        false => value.into_output(),
    }
}

/// Whether `T` is `()`.
pub(super) fn is_unit<T: 'static>() -> bool {
    std::any::TypeId::of::<T>() == std::any::TypeId::of::<()>()
}
