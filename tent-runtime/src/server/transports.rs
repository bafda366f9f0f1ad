//! MCP over a transport that the app provides: a byte stream, whole messages, or one message at a time.
//!
//! The caller is known from the start, so nothing here identifies one.

use futures_util::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite};

use super::Tent;
use crate::caller::Caller;
use crate::dispatch::Identity;
use crate::error::Result;
use crate::mcp;

impl Tent {
    /// Serves one MCP client over a byte stream of the app: a socket, a pipe, or one half of [`tokio::io::duplex`]. Each
    /// message is a line. It serves all that `mcp` serves on stdin and stdout: both eras, concurrent calls,
    /// notifications and input requests of functions, cancellation and subscriptions. Every message is of `caller`.
    ///
    /// It ends when `read` ends, or when [`shutdown`](Self::shutdown) is called. Running calls then have
    /// [`limits.grace`](crate::settings::Limits::grace), or half a second if both have happened, before they are cancelled. They are cancelled at once if `write` fails or if
    /// this future is dropped, except for a change or an action that runs again with the client's responses: see
    /// [`drained`](Self::drained).
    ///
    /// ```
    /// # #[cfg(unix)]
    /// # async fn served(tent: tent::Tent) -> std::io::Result<()> {
    /// use tent::{Caller, User};
    /// let listener = tokio::net::UnixListener::bind("/run/shop/mcp.sock")?;
    /// loop {
    ///     let (stream, _) = listener.accept().await?;
    ///     let tent = tent.clone();
    ///     tokio::spawn(async move {
    ///         let (read, write) = stream.into_split();
    ///         let ada = Caller::User(User::new("ada").into());
    ///         if let Err(error) = tent.serve_mcp(ada, read, write).await {
    ///             eprintln!("the connection failed: {error}");
    ///         }
    ///     });
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    /// T0012 if `read` fails.
    pub async fn serve_mcp(
        &self,
        caller: Caller,
        read: impl AsyncRead + Send + Unpin,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<()> {
        mcp::connection_loop::on_bytes(self.mcp.clone(), Identity::Caller(caller), read, write)
            .await
    }

    /// Serves one MCP client over a transport with whole messages, such as the frames of a WebSocket or a queue. Each
    /// item of `incoming` and of `outgoing` is one JSON text. See [`serve_mcp`](Self::serve_mcp).
    ///
    /// It ends when `incoming` ends, or when `outgoing` fails. A transport that fails ends `incoming`.
    ///
    /// # Errors
    /// Those that refuse `caller` as a whole, before a message is read.
    ///
    /// ```
    /// # async fn served(tent: tent::Tent) -> Option<()> {
    /// use futures_util::{sink, stream};
    /// use tent::Caller;
    /// use tokio::sync::mpsc;
    /// let (to_tent, mut incoming) = mpsc::channel::<String>(16);
    /// let (outgoing, mut from_tent) = mpsc::channel(16);
    /// let incoming = stream::poll_fn(move |cx| incoming.poll_recv(cx));
    /// let outgoing = sink::unfold(outgoing, async |outgoing, message: Vec<u8>| {
    ///     outgoing.send(message).await.map(|()| outgoing)
    /// });
    /// tokio::spawn(async move { tent.serve_mcp_messages(Caller::Anonymous, incoming, outgoing).await });
    ///
    /// let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    /// to_tent.send(ping.to_owned()).await.ok()?;
    /// let response = from_tent.recv().await?;
    /// # Some(())
    /// # }
    /// ```
    pub async fn serve_mcp_messages<M: AsRef<[u8]> + Send + Sync + 'static>(
        &self,
        caller: Caller,
        incoming: impl Stream<Item = M> + Send,
        outgoing: impl Sink<Vec<u8>> + Send + 'static,
    ) -> Result<()> {
        let who = Identity::Caller(caller);
        mcp::connection_loop::on_messages(self.mcp.clone(), who, incoming, outgoing).await
    }

    /// Handles one MCP message of `caller` and returns the response; `None` for a message without one. Dropping the
    /// future ends a call, except those that go on without their client: see [`drained`](Self::drained).
    ///
    /// Each message stands alone: tent keeps nothing of an `initialize`, so a legacy message counts as one of revision
    /// 2025-03-26. Progress and log messages are discarded, and the function cannot send input requests. For a transport
    /// in both directions use [`serve_mcp`](Self::serve_mcp).
    ///
    /// ```
    /// # async fn handled(tent: tent::Tent) -> Option<Vec<u8>> {
    /// use tent::{Caller, User};
    /// let ada = Caller::User(User::new("ada").into());
    /// let message = br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#;
    /// tent.handle_mcp(ada, message).await
    /// # }
    /// ```
    pub async fn handle_mcp(&self, caller: Caller, message: &[u8]) -> Option<Vec<u8>> {
        let connection = mcp::Connection::of_one(self.mcp.clone(), Identity::Caller(caller));
        connection.answer(connection.admit().await, message).await
    }
}
