//! [`Pace`]: how many notes of one call may be sent. What is done with the others is [`peer`](crate::mcp::client::notifications)'s.

use std::time::Duration;

use tokio::time::Instant;

/// So many at once, then one each so often.
#[derive(Debug)]
pub(crate) struct Pace {
    most: u32,
    each: Duration,
    left: u32,
    /// Since when one more is under way.
    since: Option<Instant>,
}

impl Pace {
    pub(crate) fn new(most: u32, each: Duration) -> Self {
        Pace {
            most,
            each,
            left: most,
            since: None,
        }
    }

    /// Whether one more may be sent now.
    pub(crate) fn take(&mut self) -> bool {
        let now = Instant::now();
        let mut since = self.since.unwrap_or(now);
        while self.left < self.most && now.saturating_duration_since(since) >= self.each {
            self.left += 1;
            since += self.each;
        }
        self.since = Some(if self.left == self.most { now } else { since });
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
    async fn some_at_once_then_one_each_so_often() {
        let mut pace = Pace::new(3, Duration::from_millis(100));
        let mut taken = |most: usize| (0..most).filter(|_| pace.take()).count();
        assert_eq!(taken(10), 3);
        tokio::time::advance(Duration::from_millis(99)).await;
        assert_eq!(taken(10), 0);
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(taken(10), 1);
        tokio::time::advance(Duration::from_millis(250)).await;
        assert_eq!(taken(10), 2);
        tokio::time::advance(Duration::from_millis(50)).await;
        assert_eq!(taken(10), 1, "half of it had gone by");
        tokio::time::advance(Duration::from_secs(1_000_000)).await;
        assert_eq!(taken(10), 3, "none are saved up beyond the most");
    }
}
