//! [`Throttle`]: how many notifications of one call may be sent: a burst, then one per interval.
//! Must not send or drop anything: [`notifications`](crate::mcp::client::notifications) does.

use std::time::Duration;

use tokio::time::Instant;

/// A token bucket: permits a burst, then one per interval.
#[derive(Debug)]
pub(crate) struct Throttle {
    burst: u32,
    interval: Duration,
    left: u32,
    /// When the interval of the next permit began.
    since: Option<Instant>,
}

impl Throttle {
    pub(crate) fn new((burst, interval): (u32, Duration)) -> Self {
        Throttle {
            burst,
            interval,
            left: burst,
            since: None,
        }
    }

    /// Whether one more may be sent now.
    pub(crate) fn take(&mut self) -> bool {
        let now = Instant::now();
        let mut since = self.since.unwrap_or(now);
        while self.left < self.burst && now.saturating_duration_since(since) >= self.interval {
            self.left += 1;
            since += self.interval;
        }
        self.since = Some(if self.left == self.burst { now } else { since });
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn permits_a_burst_then_one_per_interval() {
        let mut throttle = Throttle::new((3, Duration::from_millis(100)));
        let mut taken = |tries: usize| (0..tries).filter(|_| throttle.take()).count();
        assert_eq!(taken(10), 3);
        tokio::time::advance(Duration::from_millis(99)).await;
        assert_eq!(taken(10), 0);
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(taken(10), 1);
        tokio::time::advance(Duration::from_millis(250)).await;
        assert_eq!(taken(10), 2);
        tokio::time::advance(Duration::from_millis(50)).await;
        assert_eq!(taken(10), 1, "half of an interval had passed");
        tokio::time::advance(Duration::from_secs(1_000_000)).await;
        assert_eq!(taken(10), 3, "no more than a burst is saved");
    }
}
