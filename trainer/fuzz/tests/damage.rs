//! Passes damaged files of every kind to the readers of the commands. No file may be accepted as
//! good, crash or hang a reader, or fill the memory, and every refusal must name the file and the
//! place.
//!
//! `OTHELLO_DAMAGED_FILES` sets the number of files (default 1,500; 10,000 in
//! `scripts/check-long.sh`).

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "damage/damages.rs"]
mod damages;
#[path = "damage/kinds.rs"]
mod kinds;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use damages::{Damaged, damage};
use kinds::{Kind, Read};
use othello_testing::corpus::check_message as check_text;
use othello_testing::mutation::Draws;
use othello_testing::scratch;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The most memory that a reader may allocate for a file: 1 GiB.
const MOST_MEMORY: usize = 1 << 30;

/// The most time that a small file may take.
const MOST_TIME: Duration = Duration::from_secs(20);

#[test]
fn damaged_files_are_refused_by_name_and_place() {
    let files: usize = std::env::var("OTHELLO_DAMAGED_FILES").map_or(1_500, |n| n.parse().unwrap());
    let kinds = kinds::all();
    let everything: Vec<Vec<u8>> = kinds.iter().map(|kind| kind.bytes.clone()).collect();
    let mut draws = Draws(1);
    std::thread::spawn(watch);
    for kind in &kinds {
        assert_eq!(read(kind, &kind.bytes, "nothing"), Outcome::Taken, "{}: sound", kind.name);
        let mut counts = Counts::default();
        for number in 0..files.div_ceil(kinds.len()) {
            let damaged = damage(kind, number, &everything, &mut draws);
            counts.add(&check(kind, &damaged));
        }
        println!("{:<24} {counts}", kind.name);
    }
    let peak = peak_of_the_process();
    println!("most memory of the whole process, zstd's own included: {} MiB", peak >> 20);
    assert!(peak < MOST_MEMORY);
}

#[derive(PartialEq, Eq, Debug)]
enum Outcome {
    Taken,
    /// Some records are refused, the others are accepted.
    TakenInPart(Vec<String>),
    Refused(String),
}

fn check(kind: &Kind, damaged: &Damaged) -> Outcome {
    let outcome = read(kind, &damaged.bytes, damaged.what);
    match &outcome {
        Outcome::Taken => {
            let allowed = !kind.checksummed && !damaged.must_be_refused || kind.cut_back;
            assert!(allowed || damaged.sound, "{}: {}: taken for good", kind.name, damaged.what);
        }
        Outcome::TakenInPart(messages) => {
            assert!(
                !kind.checksummed || kind.cut_back,
                "{}: {}: {messages:?}",
                kind.name,
                damaged.what
            );
            messages.iter().for_each(|message| check_message(kind, damaged, message));
        }
        Outcome::Refused(message) => {
            assert_ne!(damaged.bytes, kind.bytes, "{}: sound, and refused: {message}", kind.name);
            check_message(kind, damaged, message);
        }
    }
    outcome
}

/// Checks that a message names the file and the place in it, and has no control characters for a
/// terminal.
fn check_message(kind: &Kind, damaged: &Damaged, message: &str) {
    let context = format!("{}: {}: {message:?}", kind.name, damaged.what);
    assert!(message.contains(&format!("damaged.{}", kind.extension)), "no file: {context}");
    let after = message.rsplit_once(&format!("damaged.{}", kind.extension));
    let place = after.map_or(message, |(_, place)| place);
    let numbered = ["line ", "byte ", "section ", "record ", "game ", "position ", "version "];
    let named =
        ["begins with `", "expected a", "section `", " bytes", "the board has", "empty squares"];
    let in_settings = |place: &str| kind.extension == "toml" && place.contains('`');
    let number = numbered.iter().any(|word| {
        let follows = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        place.split(word).skip(1).any(follows)
    });
    let name = named.iter().any(|words| place.contains(words)) || in_settings(place);
    assert!(number || name || place.contains("pattern "), "no place: {context}");
    check_text(message);
}

/// The file that is being read, for the watch.
static READING: Mutex<Option<(Instant, String)>> = Mutex::new(None);

fn read(kind: &Kind, bytes: &[u8], what: &'static str) -> Outcome {
    let name = format!("damaged.{}", kind.extension);
    scratch::with_file(&name, bytes, |path: &Path| {
        *READING.lock().unwrap() = Some((Instant::now(), format!("{}: {what}", kind.name)));
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let read = catch_unwind(AssertUnwindSafe(|| (kind.read)(path)));
        let taken = MEMORY.peak_usage().saturating_sub(before);
        *READING.lock().unwrap() = None;
        assert!(taken < MOST_MEMORY, "{}: {what}: {taken} bytes", kind.name);
        match read {
            Ok(Read::Refused(message)) => Outcome::Refused(message),
            Ok(Read::Taken(rejections)) if rejections.is_empty() => Outcome::Taken,
            Ok(Read::Taken(rejections)) => Outcome::TakenInPart(rejections),
            Err(_) => {
                let kept = std::env::temp_dir().join(format!("othello-{name}"));
                std::fs::write(&kept, bytes).unwrap();
                panic!("{}: {what}: a panic; the file is {}", kind.name, kept.display())
            }
        }
    })
}

/// Ends the process if a file takes too long.
fn watch() {
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let reading = READING.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        if let Some((_, what)) = reading.filter(|(since, _)| since.elapsed() > MOST_TIME) {
            eprintln!("{what}: hangs");
            std::process::abort();
        }
    }
}

/// Returns the peak memory of the process in bytes; 0 if Linux does not report it.
fn peak_of_the_process() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kibibytes.map_or(0, |number| number.trim().parse::<usize>().unwrap() << 10)
}

#[derive(Default)]
struct Counts {
    refused: usize,
    in_part: usize,
    taken: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Refused(_) => self.refused += 1,
            Outcome::TakenInPart(_) => self.in_part += 1,
            Outcome::Taken => self.taken += 1,
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { refused, in_part, taken } = self;
        let files = refused + in_part + taken;
        write!(f, "{files:6} files: {refused:6} refused, {in_part:5} in part, {taken:5} taken")
    }
}
