//! Mutates inputs and runs a target on them. An input after which the target behaves in a new way joins the pool, so
//! mutations build on each other. Must not know what a target does.

use std::collections::HashSet;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fastrand::Rng;

/// A fuzz target.
pub(crate) trait Target {
    /// Runs the target on an input, and returns a digest of how it behaved. Panics if a rule does not hold.
    fn run(&mut self, input: &[u8]) -> u64;

    /// Texts that the mutations insert.
    fn words(&self) -> &'static [&'static str];
}

/// The longest input.
const MAX_INPUT: usize = 4096;

/// How many inputs the pool holds at most, beside the corpus.
const MAX_POOL: usize = 4096;

/// How long a target may run on one input.
const MAX_TIME: Duration = Duration::from_secs(20);

/// The settings of a run, from the environment.
pub(crate) struct Settings {
    /// `FUZZ_SECONDS`: how long each target runs.
    time: Duration,
    /// `FUZZ_JOBS`: how many targets run at once.
    pub(crate) jobs: usize,
    /// `FUZZ_SEED`: repeats the run of this seed.
    seed: u64,
}

impl Settings {
    pub(crate) fn from_env() -> Self {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
        Settings {
            time: Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(60)),
            jobs: number("FUZZ_JOBS").unwrap_or(2).clamp(1, 64) as usize,
            seed: number("FUZZ_SEED").unwrap_or_else(|| fastrand::u64(..)),
        }
    }
}

/// The input that runs now, and since when, in milliseconds after the start.
#[derive(Default)]
struct Current {
    input: Mutex<Vec<u8>>,
    since: AtomicU64,
}

/// Runs a target until its time is over, and prints the number of executions.
pub(crate) fn run(name: &str, target: &mut dyn Target, settings: &Settings) {
    let start = Instant::now();
    let current = Arc::new(Current::default());
    watch(name, start, &current);
    let mut file =
        std::fs::File::create(input_file(name)).expect("the folder for inputs is writable");
    let mut one = |target: &mut dyn Target, input: &[u8]| {
        // For the process around this one, if this one is aborted.
        let written = file.rewind().and_then(|()| file.write_all(input));
        let written = written.and_then(|()| file.set_len(input.len() as u64));
        written.expect("the input is written");
        *lock(&current.input) = input.to_vec();
        current
            .since
            .store(start.elapsed().as_millis() as u64, Ordering::Relaxed);
        execute(name, target, input)
    };
    let mut pool = Pool::new(name, settings.seed);
    let mut count = 0_u64;
    for input in pool.inputs.clone() {
        pool.seen.insert(one(target, &input));
        count += 1;
    }
    while start.elapsed() < settings.time {
        let input = pool.mutation(target.words());
        let behaviour = one(target, &input);
        pool.note(input, behaviour);
        count += 1;
    }
    // A target that never ran checks nothing.
    assert!(count > 0, "{name} did not run");
    println!(
        "{name}: {count} executions in {} s, {} behaviours (seed {})",
        start.elapsed().as_secs(),
        pool.seen.len(),
        settings.seed
    );
    let _ = std::fs::remove_file(input_file(name));
}

/// Runs a target on its corpus and on some mutations.
#[cfg(test)]
pub(crate) fn replay(name: &str, target: &mut dyn Target, mutations: usize) {
    let mut pool = Pool::new(name, 7);
    for input in pool.inputs.clone() {
        execute(name, target, &input);
    }
    for _ in 0..mutations {
        let input = pool.mutation(target.words());
        let behaviour = execute(name, target, &input);
        pool.note(input, behaviour);
    }
}

/// Runs a target on one input, and prints the input if it panics.
fn execute(name: &str, target: &mut dyn Target, input: &[u8]) -> u64 {
    /// Prints the input when a panic drops it.
    struct Report<'a>(&'a str, &'a [u8]);
    impl Drop for Report<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                report(self.0, self.1);
            }
        }
    }
    let _report = Report(name, input);
    target.run(input)
}

fn report(name: &str, input: &[u8]) {
    eprintln!(
        "{name} failed on this input; add it to tests/fuzz/corpus/{name}:\nb\"{}\"",
        input.escape_ascii()
    );
}

/// Where the input of a target is while it runs.
pub(crate) fn input_file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("tent-fuzz-{name}.input"))
}

/// Ends the process if the target takes too long for one input.
fn watch(name: &str, start: Instant, current: &Arc<Current>) {
    let (name, current) = (name.to_owned(), current.clone());
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let since = Duration::from_millis(current.since.load(Ordering::Relaxed));
            if start.elapsed().saturating_sub(since) > MAX_TIME {
                eprintln!("{name} takes longer than {MAX_TIME:?}");
                report(&name, &lock(&current.input));
                std::process::exit(1);
            }
        }
    });
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The inputs that mutations start from.
struct Pool {
    rng: Rng,
    inputs: Vec<Vec<u8>>,
    /// How many of them are of the corpus. They stay.
    corpus: usize,
    seen: HashSet<u64>,
}

impl Pool {
    /// The corpus of a target.
    fn new(name: &str, seed: u64) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpus")
            .join(name);
        let entries = std::fs::read_dir(&folder).expect("each target has a corpus");
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let read = |path: &PathBuf| std::fs::read(path).expect("the corpus is readable");
        let inputs: Vec<_> = paths.iter().map(read).collect();
        assert!(!inputs.is_empty(), "the corpus of {name} is empty");
        Pool {
            rng: Rng::with_seed(seed),
            corpus: inputs.len(),
            inputs,
            seen: HashSet::new(),
        }
    }

    /// Adds an input to the pool if the target behaved in a new way.
    fn note(&mut self, input: Vec<u8>, behaviour: u64) {
        if !self.seen.insert(behaviour) {
            return;
        }
        if self.inputs.len() < self.corpus + MAX_POOL {
            self.inputs.push(input);
        } else {
            let at = self.rng.usize(self.corpus..self.inputs.len());
            self.inputs[at] = input;
        }
    }

    /// A mutation of one of the inputs.
    fn mutation(&mut self, words: &[&str]) -> Vec<u8> {
        let rng = &mut self.rng;
        let mut input = self.inputs[rng.usize(..self.inputs.len())].clone();
        for _ in 0..1 + rng.usize(..6) {
            let at = rng.usize(..=input.len());
            let end = (at + rng.usize(..16)).min(input.len());
            match rng.u8(..9) {
                0 => input.insert(at, rng.u8(..)),
                1 => drop(input.drain(at..end)),
                2 => {
                    if let Some(byte) = input.get_mut(at) {
                        *byte ^= 1 << rng.u8(..8);
                    }
                }
                3 | 4 => {
                    let word = words[rng.usize(..words.len())];
                    input.splice(at..at, word.bytes());
                }
                5 => {
                    let word = words[rng.usize(..words.len())];
                    input.splice(at..end, word.bytes());
                }
                6 => {
                    let part = input[at..end].to_vec();
                    let times = 1 + rng.usize(..40);
                    input.splice(at..at, part.repeat(times));
                }
                7 => {
                    let other = &self.inputs[rng.usize(..self.inputs.len())];
                    let from = rng.usize(..=other.len());
                    let to = (from + rng.usize(..64)).min(other.len());
                    input.splice(at..end, other[from..to].iter().copied());
                }
                _ => input.truncate(at),
            }
            input.truncate(MAX_INPUT);
        }
        input
    }
}
