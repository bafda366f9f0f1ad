//! The process's limit of open files, and how many connections it leaves room for.

/// The most files that the limit is raised to: enough for the greatest default of connections. A greater limit has a
/// price in programs that the app starts and that look at each possible file.
const RAISED: u64 = 65_536;

/// The default of `limits.connections`. An idle connection takes about 10 kB, so all of them take 160 MB.
const DEFAULT: usize = 16_384;

/// Raises the soft limit of open files of this process towards the hard one. Returns the limit; `None` if there is none or
/// the system does not have one.
pub(crate) fn raise() -> Option<u64> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let current = limit.current?;
        let raised = limit.maximum.map_or(RAISED, |hard| hard.min(RAISED));
        if raised <= current {
            return Some(current);
        }
        let new = Rlimit {
            current: Some(raised),
            maximum: limit.maximum,
        };
        match setrlimit(Resource::Nofile, new) {
            Ok(()) => Some(raised),
            Err(error) => {
                tracing::debug!(%error, "the limit of open files stays as it is");
                Some(current)
            }
        }
    }
    #[cfg(not(unix))]
    None
}

/// How many connections a process with this limit of open files can serve. The rest is for the store, the log and the
/// app's own files and connections.
fn room(files: Option<u64>) -> usize {
    let Some(files) = files else {
        return usize::MAX;
    };
    let reserve = (files / 8).clamp(32, 1024);
    usize::try_from(files.saturating_sub(reserve).max(1)).unwrap_or(usize::MAX)
}

/// The greatest number of connections: the setting, or the default, within the limit of open files.
pub(crate) fn connections(setting: Option<usize>, files: Option<u64>) -> usize {
    let room = room(files);
    if let Some(setting) = setting.filter(|&setting| setting > room) {
        tracing::warn!(
            "limits.connections is {setting}, but this process may serve only {room} connections at once: raise its limit of open files (ulimit -n)"
        );
    }
    setting.unwrap_or(DEFAULT).min(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    // S03.
    #[test]
    fn connections_leave_a_reserve_of_files() {
        assert_eq!(connections(None, Some(65_536)), DEFAULT);
        assert_eq!(connections(None, None), DEFAULT);
        assert_eq!(connections(None, Some(1024)), 896);
        assert_eq!(connections(Some(2000), Some(1024)), 896);
        assert_eq!(connections(Some(100), Some(1024)), 100);
        assert_eq!(connections(Some(50_000), Some(65_536)), 50_000);
        assert_eq!(connections(None, Some(8)), 1);
    }
}
