//! Tests of matches that are kept, stopped, resumed, divided and merged.

use othello_engine::eval::{Evaluator, Mobility, Zero};
use othello_engine::progress::Silent;
use othello_engine::search::Strength;
use othello_testing::records;
use tempfile::TempDir;

use super::*;
use crate::arena::Effort;
use crate::arena::paired::tests::openings;

/// A progress that asks to stop after a number of units.
struct StopAfter {
    units: usize,
    done: std::sync::atomic::AtomicUsize,
}

impl Progress for StopAfter {
    fn begin(&self, _stage: &str, _done: u64, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn message(&self, _line: &str) {}
    fn is_interrupted(&self) -> bool {
        self.done.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1 >= self.units
    }
}

fn conditions(sprt: Option<&str>) -> Conditions {
    let rate = || "0.05".parse().unwrap();
    let sprt = sprt.map(|hypotheses| Sprt {
        hypotheses: hypotheses.parse().unwrap(),
        alpha: rate(),
        beta: rate(),
    });
    let players = ["mobility", "none"].map(str::to_owned);
    Conditions { players, depth: 1, exact: 4, budgets: Default::default(), sprt }
}

/// A match in a folder of its own.
struct Setting {
    folder: TempDir,
    conditions: Conditions,
    players: [Evaluator; 2],
}

impl Setting {
    fn new(sprt: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let players = [Mobility.into(), Zero.into()];
        Self { folder, conditions: conditions(sprt), players }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn players(&self) -> Match<'_> {
        let [first, second] = &self.players;
        let strength = Strength { depth: 1, exact: 4 };
        Match { first: first.into(), second: second.into(), strength }
    }

    fn play(
        &self,
        name: &str,
        shard: &str,
        progress: &dyn Progress,
    ) -> Result<MatchFile, MatchFileError> {
        let (players, openings) = (self.players(), openings());
        let shard = shard.parse().unwrap();
        let kept = KeptMatch { players, openings: &openings, shard, conditions: &self.conditions };
        kept.play(&self.path(name), &Provenance::new("match"), Existing::Keep, progress)
    }

    /// Plays all shards and returns their files, the last first.
    fn shards(&self, count: usize) -> Vec<PathBuf> {
        let play = |number| {
            let name = format!("{number}of{count}.match");
            self.play(&name, &format!("{number}/{count}"), &Silent).unwrap();
            self.path(&name)
        };
        (1..=count).rev().map(play).collect()
    }

    fn merge(&self, paths: &[PathBuf]) -> Result<MatchFile, MatchFileError> {
        MatchFile::merge(paths, &self.path("merged.match"), Existing::Keep, &Silent)
    }
}

/// Returns a result without its times.
fn timeless(result: &MatchResult) -> MatchResult {
    let efforts = result.efforts.map(|Effort { nodes, .. }| Effort { nodes, seconds: 0.0 });
    MatchResult { efforts, ..result.clone() }
}

#[test]
fn a_kept_match_comes_out_as_one_that_is_not_kept() {
    let setting = Setting::new(None);
    let plain = setting.players().play(&openings(), &Silent).unwrap();
    let kept = setting.play("a.match", "1/1", &Silent).unwrap();
    assert_eq!(timeless(&kept.result), timeless(&plain));
    assert_eq!(kept.conditions, setting.conditions);
    // A second run finds the file done, its seconds included.
    assert_eq!(setting.play("a.match", "1/1", &Silent).unwrap(), kept);
    let plain_efforts = plain.efforts.map(|effort| effort.nodes);
    assert!(plain_efforts.iter().all(|&nodes| nodes > 0), "{plain_efforts:?}");
}

#[test]
fn a_match_that_is_stopped_goes_on_and_comes_out_the_same() {
    let setting = Setting::new(None);
    let whole = setting.play("whole.match", "1/1", &Silent).unwrap();
    for units in [1, 5, 11] {
        let name = format!("{units}.match");
        let stop = StopAfter { units, done: Default::default() };
        let stopped = setting.play(&name, "1/1", &stop).unwrap_err();
        assert!(matches!(stopped, MatchFileError::Interrupted(_)), "{stopped}");
        let resumed = setting.play(&name, "1/1", &Silent).unwrap();
        assert_eq!(timeless(&resumed.result), timeless(&whole.result));
    }
}

#[test]
fn shards_put_together_come_out_as_the_undivided_match() {
    let setting = Setting::new(None);
    let whole = setting.play("whole.match", "1/1", &Silent).unwrap();
    // With 13 shards, one has no pair.
    for count in [1, 3, 13] {
        let merged = setting.merge(&setting.shards(count)).unwrap();
        assert_eq!(timeless(&merged.result), timeless(&whole.result), "{count} shards");
        // The merged file counts as that of the undivided match.
        let again = setting.play("merged.match", "1/1", &Silent).unwrap();
        assert_eq!(again, merged);
        std::fs::remove_file(setting.path("merged.match")).unwrap();
    }
}

/// Every shard plays all its pairs, but those after the decision do not count.
#[test]
fn a_sequential_test_decides_over_all_shards_as_in_one_run() {
    let setting = Setting::new(Some("-800,-100"));
    let whole = setting.play("whole.match", "1/1", &Silent).unwrap();
    assert!((1..12).contains(&whole.result.pairs.len()), "{} pairs", whole.result.pairs.len());
    let merged = setting.merge(&setting.shards(3)).unwrap();
    assert_eq!(timeless(&merged.result), timeless(&whole.result));
}

#[test]
fn damaged_and_foreign_shards_are_refused_by_name() {
    let setting = Setting::new(None);
    let [third, second, first] = &setting.shards(3)[..] else { panic!("three shards") };
    let refusal = |paths: &[&PathBuf]| {
        let paths: Vec<PathBuf> = paths.iter().map(|&path| path.clone()).collect();
        setting.merge(&paths).unwrap_err().to_string()
    };
    assert!(refusal(&[first, third]).contains("shard 2 of 3 is missing"));
    assert!(refusal(&[first, second, second, third]).contains("are both shard 2/3"));

    // A shard of a match with another test.
    let other = Setting::new(Some("0,10"));
    let other = other.shards(3)[0].clone();
    let said = refusal(&[first, second, &other]);
    assert!(said.contains("3of3.match: is a shard of another run"), "{said}");

    let damaged = setting.path("damaged.match");
    let mut bytes = std::fs::read(second).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&damaged, bytes).unwrap();
    let said = refusal(&[first, &damaged, third]);
    assert!(said.contains("damaged.match: damaged: section"), "{said}");

    // One complete file without a pair, and one whose stated score differs from that of its moves.
    let rewritten = |name: &str, change: &dyn Fn(&mut Vec<Section>)| {
        let mut reader = Reader::open(second, Kind::Match).unwrap();
        let mut sections: Vec<Section> = reader.by_ref().map(Result::unwrap).collect();
        change(&mut sections);
        let path = setting.path(name);
        records::write_sections(&path, Kind::Match, reader.provenance(), sections);
        path
    };
    let short = rewritten("short.match", &|sections| drop(sections.remove(0)));
    let said = refusal(&[first, &short, third]);
    assert!(
        said.contains("short.match: has") && said.contains("shard 2/3 of the match has 4"),
        "{said}"
    );
    let wrong = rewritten("wrong.match", &|sections| {
        let text = String::from_utf8(sections[0].content.clone()).unwrap();
        let score = text.find("\"score\":").unwrap() + 8;
        sections[0].content = (text[..score].to_owned() + "1" + &text[score..]).into_bytes();
    });
    let said = refusal(&[first, &wrong, third]);
    assert!(said.contains("wrong.match: damaged: section 1"), "{said}");
}
