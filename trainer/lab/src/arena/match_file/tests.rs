use std::path::PathBuf;

use othello_engine::eval::{Evaluator, Mobility, Zero};
use othello_engine::progress::Silent;
use othello_engine::search::Strength;
use othello_testing::{StopFit, records};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::arena::Contestant;
use crate::arena::paired::tests::openings;

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
        let [first, second] = [first, second].map(|one| Contestant::new(one, strength));
        Match { first, second }
    }

    fn play(
        &self,
        name: &str,
        shard: &str,
        progress: &dyn Progress,
    ) -> Result<MatchFile, LabError> {
        let (players, openings) = (&[self.players()], openings());
        let shard = shard.parse().unwrap();
        let conditions = &self.conditions;
        let kept = KeptMatch { players, openings: &openings, conditions, progress };
        let stage = Stage::new(PAIRS, openings.len() as u64, 2);
        let of_run = (shard, Existing::Keep);
        kept.play(&self.path(name), &Provenance::new("match"), stage, of_run)
    }

    fn shards(&self, name: &str, count: usize) -> MatchFile {
        for number in (1..=count).rev() {
            self.play(name, &format!("{number}/{count}"), &Silent).unwrap();
        }
        let (run, _) = Run::to_pack(&self.path(name)).unwrap();
        pack(&run, &Silent).unwrap();
        MatchFile::read(&self.path(name)).unwrap()
    }

    fn part(&self, number: usize) -> PathBuf {
        self.path(&format!("a.match.parts/part-{number:06}"))
    }
}

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
    // A second run plays nothing, but reads the file, so even the measured times are equal.
    assert_eq!(setting.play("a.match", "1/1", &Silent).unwrap(), kept);
    let plain_efforts = plain.efforts.map(|effort| effort.nodes);
    assert!(plain_efforts.iter().all(|&nodes| nodes > 0), "{plain_efforts:?}");
}

#[test]
fn shards_put_together_come_out_as_the_undivided_match() {
    let setting = Setting::new(None);
    let whole = setting.play("whole.match", "1/1", &Silent).unwrap();
    // With 7 shards, one shard has no part to play.
    for count in [2, 3, 7] {
        let name = format!("{count}.match");
        let packed = setting.shards(&name, count);
        assert_eq!(timeless(&packed.result), timeless(&whole.result), "{count} shards");
        assert_eq!(setting.play(&name, "1/1", &Silent).unwrap(), packed);
    }
}

#[test]
fn a_sequential_test_decides_over_all_shards_as_in_one_run() {
    let setting = Setting::new(Some("-800,-100"));
    let whole = setting.play("whole.match", "1/1", &Silent).unwrap();
    assert!((1..12).contains(&whole.result.pairs.len()), "{} pairs", whole.result.pairs.len());
    let plain = setting.players().play(&openings(), &Silent).unwrap();
    assert_eq!(whole.result.pairs, plain.pairs[..whole.result.pairs.len()]);
    let (mut seen, mut ends) = (vec![], Sprt::ends(setting.conditions.sprt));
    let enough = |pair| {
        seen.push(pair);
        ends(pair)
    };
    let ended = setting.players().play_until(&openings(), enough, &Silent).unwrap();
    assert_eq!((&ended.pairs, &ended.pairs), (&whole.result.pairs, &seen));
    let packed = setting.shards("shards.match", 3);
    assert_eq!(timeless(&packed.result), timeless(&whole.result));
}

/// A regression: a match counted duplicate pairs, and pairs from openings of another match.
#[test]
fn parts_that_are_damaged_or_not_of_this_match_are_played_again_or_refused() {
    let setting = Setting::new(None);
    let whole = setting.play("whole.match", "1/1", &Silent).unwrap();
    let resumed = |change: &dyn Fn()| {
        setting.play("a.match", "1/2", &Silent).unwrap();
        change();
        let played = setting.play("a.match", "1/1", &Silent).map(|played| played.result);
        let _ = std::fs::remove_file(setting.path("a.match"));
        played
    };
    let damage = || {
        let mut bytes = std::fs::read(setting.part(2)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(setting.part(2), bytes).unwrap();
    };
    assert_eq!(timeless(&resumed(&damage).unwrap()), timeless(&whole.result));
    setting.play("a.match", "1/2", &Silent).unwrap();
    damage();
    let progress = StopFit::after(u64::MAX, u64::MAX);
    setting.play("a.match", "1/1", &progress).unwrap();
    std::fs::remove_file(setting.path("a.match")).unwrap();
    let said = progress.into_messages().concat();
    assert!(said.contains("part-000002: ") && said.contains(": the part is made again"), "{said}");
    let rewrite = |change: &dyn Fn(&mut Vec<Section>)| {
        let mut reader = Reader::open(&setting.part(2), Kind::Part).unwrap();
        let mut sections: Vec<Section> = reader.by_ref().map(Result::unwrap).collect();
        change(&mut sections);
        records::write_sections(&setting.part(2), Kind::Part, reader.provenance(), sections);
    };
    let wrong_score = |sections: &mut Vec<Section>| {
        let text = String::from_utf8(sections[0].content.clone()).unwrap();
        let score = text.find("\"score\":").unwrap() + 8;
        sections[0].content = (text[..score].to_owned() + "1" + &text[score..]).into_bytes();
    };
    type Change<'a> = &'a dyn Fn(&mut Vec<Section>);
    let forged: [Change; 4] = [
        &|sections| drop(sections.remove(0)),
        &|sections| sections.swap(0, 1),
        &|sections| sections[1] = sections[0].clone(),
        &wrong_score,
    ];
    for change in forged {
        let result = resumed(&|| rewrite(change)).unwrap();
        assert_eq!(timeless(&result), timeless(&whole.result));
    }
    let other = || {
        let provenance = Reader::open(&setting.part(0), Kind::Part).unwrap().provenance().clone();
        records::write_sections(&setting.part(2), Kind::Part, &provenance, vec![]);
    };
    let error = resumed(&other).unwrap_err().to_string();
    assert!(error.contains("part-000002") && error.contains("another run"), "{error}");
}

#[test]
fn a_pair_has_one_name() {
    let numbered = |name: &str| number_of(&Section { name: name.to_owned(), content: vec![] });
    assert_eq!(numbered("pair 5"), Some(4));
    for name in ["pair 05", "pair +5", "pair 0", "pair", "pair 5 ", "pairs 5"] {
        assert_eq!(numbered(name), None, "{name}");
    }
}

/// A regression: the negation of a forged score overflowed.
#[test]
fn a_forged_score_is_refused() {
    let game = |score: i32| json!({"moves": "f5d6", "score": score, "forfeit": null});
    let opening = format!("{}XO------OX{} X", "-".repeat(27), "-".repeat(27));
    let pair = json!({"opening": opening, "games": [game(i32::MIN), game(i32::MIN)],
        "efforts": [{"nodes": 0, "seconds": 0.0}, {"nodes": 0, "seconds": 0.0}]});
    let section = Section { name: "pair 1".to_owned(), content: pair.to_string().into_bytes() };
    let error = decode_pair(0, &section).err().unwrap();
    assert!(error.starts_with("has a game 1 whose moves"), "{error}");
}
