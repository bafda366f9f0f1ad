//! [`InFlight`]: a budget of the bytes of requests and responses that the process holds, with a total and a share for
//! each client address.
//!
//! Must not know what the bytes are. A holder of bytes has a [`Reservation`], which returns them to the budget when it is
//! dropped.
//!
//! ```text
//!  head being read ─┐
//!  body being read ─┼─► Reservation::cover ─► total   limits.in_flight              beyond: T0013
//!  response        ─┤                      └► share   limits.in_flight_per_address  beyond: T0006
//!  queued messages ─┘
//! ```
//!
//! Up to [`SMALL`] bytes of each are not counted: the buffers of a connection have that room anyway, and the limits of
//! connections bound those. So a common call takes no lock here, and is served while large ones are refused.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use http::Extensions;
use tent_core::codes;

use crate::error::{Error, Result};
use crate::settings::{Network, Settings};

/// The most bytes of one head, body, response or queue that are not counted.
pub(crate) const SMALL: usize = 8 << 10;

/// Reservations grow in steps of this size, so that a body that arrives in many pieces takes the lock seldom.
const STEP: usize = 16 << 10;

/// When a refused client may try again: large messages come and go within moments.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// A client as the limits per address count it: an IPv4 address, or an IPv6 network of 64 bits, all of whose addresses
/// one client may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientNetwork(u128);

impl ClientNetwork {
    pub(crate) fn of(address: IpAddr) -> Self {
        ClientNetwork(match address.to_canonical() {
            // As an IPv4-mapped address, whose first 64 bits are zero as those of no network of a client.
            IpAddr::V4(ip) => ip.to_ipv6_mapped().to_bits(),
            IpAddr::V6(ip) => ip.to_bits() & (u128::MAX << 64),
        })
    }
}

/// The bytes that the process may hold.
pub(crate) struct InFlight {
    max: usize,
    max_per_address: usize,
    /// Many clients share the address of a proxy, so it counts only in total.
    proxies: Vec<Network>,
    held: Mutex<HeldBytes>,
}

#[derive(Default)]
struct HeldBytes {
    total: usize,
    /// Only addresses that hold bytes.
    by_network: HashMap<ClientNetwork, usize>,
}

impl HeldBytes {
    fn of(&self, network: Option<ClientNetwork>) -> usize {
        network.map_or(0, |network| {
            self.by_network.get(&network).copied().unwrap_or_default()
        })
    }

    fn add(&mut self, network: Option<ClientNetwork>, bytes: usize) {
        self.total = self.total.saturating_add(bytes);
        if let Some(network) = network {
            *self.by_network.entry(network).or_default() += bytes;
        }
    }

    fn remove(&mut self, network: Option<ClientNetwork>, bytes: usize) {
        self.total = self.total.saturating_sub(bytes);
        let Some(network) = network else { return };
        if let Some(held) = self.by_network.get_mut(&network) {
            *held = held.saturating_sub(bytes);
            if *held == 0 {
                self.by_network.remove(&network);
            }
        }
    }
}

impl InFlight {
    pub(crate) fn new(settings: &Settings) -> Arc<Self> {
        Arc::new(InFlight {
            max: settings.limits.in_flight,
            max_per_address: settings.limits.share_of_in_flight(),
            proxies: settings.web.trusted_proxies.clone(),
            held: Mutex::default(),
        })
    }

    /// A reservation of no bytes yet, for a client at this address; `None` for an unknown address.
    pub(crate) fn reservation(self: &Arc<Self>, address: Option<IpAddr>) -> Reservation {
        Reservation {
            network: address.and_then(|address| self.counted_network(address)),
            budget: self.clone(),
            bytes: 0,
        }
    }

    /// A reservation of no bytes yet, for the client that sent the request with these extensions.
    pub(crate) fn reservation_of(self: &Arc<Self>, extensions: &Extensions) -> Reservation {
        let address = extensions.get::<ConnectInfo<SocketAddr>>();
        self.reservation(address.map(|ConnectInfo(address)| address.ip()))
    }

    /// The network that limits per address count this address by; `None` for a trusted proxy.
    pub(crate) fn counted_network(&self, address: IpAddr) -> Option<ClientNetwork> {
        let address = address.to_canonical();
        let is_proxy = self.proxies.iter().any(|proxy| proxy.contains(address));
        (!is_proxy).then(|| ClientNetwork::of(address))
    }

    /// Reserves bytes that a call holds for a client at this address; `None` for few bytes.
    ///
    /// # Errors
    /// T0013 or T0006 if the budget has no room for them.
    pub(crate) fn reserve(
        self: &Arc<Self>,
        bytes: usize,
        address: Option<IpAddr>,
    ) -> Result<Option<Reservation>> {
        if bytes <= SMALL {
            return Ok(None);
        }
        let mut reservation = self.reservation(address);
        reservation.cover(bytes)?;
        Ok(Some(reservation))
    }

    /// Makes the body of a response, whose bytes count until the last of them is sent. `reservation` is that of the output
    /// that the response was made of.
    ///
    /// # Errors
    /// T0013 or T0006 if the budget has no room for it.
    pub(crate) fn body(
        self: &Arc<Self>,
        bytes: impl Into<Bytes>,
        extensions: &Extensions,
        reservation: Option<Arc<Reservation>>,
    ) -> Result<Body> {
        let bytes = bytes.into();
        if bytes.len() <= SMALL {
            return Ok(bytes.into());
        }
        // An output that is kept elsewhere too keeps its reservation.
        let reservation = reservation.and_then(Arc::into_inner);
        let mut reservation = reservation.unwrap_or_else(|| self.reservation_of(extensions));
        reservation.cover_output(bytes.len())?;
        Ok(Body::from(reservation.attached_to(bytes)))
    }

    #[cfg(test)]
    fn total(&self) -> usize {
        self.lock().total
    }

    fn lock(&self) -> MutexGuard<'_, HeldBytes> {
        // No code panics while it holds the lock.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InFlight").finish_non_exhaustive()
    }
}

/// Bytes of the budget. Dropping it returns them.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Arc<InFlight>,
    network: Option<ClientNetwork>,
    bytes: usize,
}

impl Reservation {
    /// Grows to at least this many bytes; [`SMALL`] ones need none.
    ///
    /// # Errors
    /// T0013 if the total has no room, T0006 if the share of the address has none. Nothing has changed then.
    pub(crate) fn cover(&mut self, bytes: usize) -> Result<()> {
        if bytes <= SMALL || bytes <= self.bytes {
            return Ok(());
        }
        let InFlight {
            max,
            max_per_address,
            ..
        } = *self.budget;
        let mut held = self.budget.lock();
        let free = max.saturating_sub(held.total);
        let share = match self.network {
            None => usize::MAX,
            Some(_) => max_per_address.saturating_sub(held.of(self.network)),
        };
        let needed = bytes - self.bytes;
        if needed > free {
            drop(held);
            return Err(full());
        }
        if needed > share {
            drop(held);
            return Err(share_used());
        }
        let more = needed.next_multiple_of(STEP).min(free).min(share);
        held.add(self.network, more);
        self.bytes += more;
        Ok(())
    }

    /// How many bytes it has.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Has these bytes of an output, after its function has run.
    ///
    /// # Errors
    /// As [`cover`](Self::cover).
    pub(crate) fn cover_output(&mut self, bytes: usize) -> Result<()> {
        self.cover(bytes).map_err(|error| {
            let message = format!(
                "{} The call ran, but its response of {bytes} bytes has no room.",
                error.message()
            );
            error.with_message(message)
        })?;
        self.shrink(bytes);
        Ok(())
    }

    /// The reservation, if it has any bytes.
    pub(crate) fn if_any(self) -> Option<Self> {
        (self.bytes > 0).then_some(self)
    }

    /// Grows to at least this many bytes beyond every limit: the bytes are held already. The next reservations are
    /// refused.
    pub(crate) fn force(&mut self, bytes: usize) {
        if bytes > SMALL && bytes > self.bytes {
            let more = bytes - self.bytes;
            self.budget.lock().add(self.network, more);
            self.bytes = bytes;
        }
    }

    /// Returns what is more than twice the bytes that are still held.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let left = if bytes <= SMALL { 0 } else { bytes };
        if self.bytes > left.saturating_mul(2) {
            let less = self.bytes - left;
            self.budget.lock().remove(self.network, less);
            self.bytes = left;
        }
    }

    /// A reservation of no bytes yet, for the same client.
    pub(crate) fn another(&self) -> Reservation {
        Reservation {
            budget: self.budget.clone(),
            network: self.network,
            bytes: 0,
        }
    }

    /// Joins these bytes and the reservation, which is then dropped with the last of them.
    pub(crate) fn attached_to(self, bytes: Bytes) -> Bytes {
        struct Counted(
            Bytes,
            #[expect(dead_code, reason = "dropped with the bytes")] Reservation,
        );
        impl AsRef<[u8]> for Counted {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }
        Bytes::from_owner(Counted(bytes, self))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.budget.lock().remove(self.network, self.bytes);
        }
    }
}

fn full() -> Error {
    Error::new(codes::SHUTTING_DOWN)
        .with_message("The server holds as many bytes as limits.in_flight allows.")
        .with_fix("Send the call again after the time in Retry-After.")
        .with_retry_after(RETRY_AFTER)
}

fn share_used() -> Error {
    Error::new(codes::TOO_MANY_REQUESTS)
        .with_message(
            "The requests and responses of this address hold as many bytes as limits.in_flight_per_address allows.",
        )
        .with_fix("Read the responses that are open, then send the call again after the time in Retry-After.")
        .with_retry_after(RETRY_AFTER)
}

#[cfg(test)]
mod tests;
