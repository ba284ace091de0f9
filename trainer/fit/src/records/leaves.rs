//! Writes the leaves of searches. A search maximises over noisy leaf values, so its result is
//! biased even if the evaluation is unbiased on games. Training on the leaves of principal
//! variations, with the labels of the searched positions, corrects this bias. (In TDLeaf(λ), by
//! Baxter, Tridgell and Weaver 1998, the labels are values of later positions.)

use std::ops::Range;
use std::path::Path;

use othello_engine::board::Position;
use othello_engine::eval::{Evaluate, Identified};
use othello_engine::file::{Existing, Kind, Section};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, PositionReader, Record as _, RecordError, ScoredPosition};
use othello_engine::run::{Items, Opened, Plan, Run, Shard, Stage, size};
use othello_engine::search::{Search, Searcher, Searchers, Strength};

use super::sequence::{Inputs, Written, pack, records_in};
use crate::source::LabelRules;

/// The games whose positions are searched, and the settings of the searches.
pub struct LeavesJob<'a> {
    /// The games of all input files, in the order of the files.
    pub games: &'a Inputs<Game>,
    /// The rules that label positions; only labelled positions are searched.
    pub labels: &'a LabelRules,
    /// The greatest search depth in plies. Each position is searched to a depth from 1 to this one,
    /// chosen by a hash of the position.
    pub depth: u32,
    /// The shard (share) of the games whose positions this process searches.
    pub shard: Shard,
}

const GAMES_AT_ONCE: u64 = 16;
const MOST_PER_PART: u64 = 1 << 14;
const HASH_MEGABYTES: usize = 1;
const LEAVES: &str = "leaves (games)";

/// Searches each labelled position, and writes the leaf at the end of the principal variation, with
/// the label of the searched position (for the side to move at the leaf). Writes no leaf if the
/// variation ends the game. Threads, shards and interruptions do not affect the file.
pub fn leaves<E: Identified>(
    out: &Path,
    job: &LeavesJob<'_>,
    evaluator: &E,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Written, RecordError> {
    job.games.check_output(out)?;
    let games = job.games.len();
    // An upper estimate of the time of a game, whose positions are searched to depths 1 to `depth`.
    let per_part = size::units(size::game(size::search(job.depth), 0), MOST_PER_PART);
    let provenance = job.games.provenance("leaves").with("labels", job.labels.in_provenance());
    let plan = Plan {
        kind: Some(Kind::Positions),
        provenance: provenance.with("depth", job.depth).with("weights", evaluator.identity()),
        stages: vec![Stage::new(LEAVES, games, per_part)],
        growing: None,
    };
    let run = match Run::open(out, plan, job.shard, existing, progress)? {
        Opened::Run(run) => run,
        Opened::Done(summary) => {
            progress.begin(LEAVES, games, games);
            let records = PositionReader::open(out)?.pass_by(u64::MAX)?;
            return Ok(Written { records, summary: Some(summary) });
        }
    };
    let search = Search::new(evaluator).hash_mb(HASH_MEGABYTES);
    let searchers = search.searchers().map_err(|error| RecordError::Search(error.into()))?;
    run.make(0, GAMES_AT_ONCE, &Searching { job, searchers }, progress)?;
    if !run.is_shard() {
        return run.pack(|run| pack::<ScoredPosition>(run, progress));
    }
    let mut records = 0;
    for index in run.own(0) {
        records += PositionReader::over(run.part(0, index)?).pass_by(u64::MAX)?;
    }
    Ok(Written { records, summary: None })
}

struct Searching<'a, E: Evaluate> {
    job: &'a LeavesJob<'a>,
    searchers: Searchers<'a, E>,
}

impl<E: Evaluate> Items for Searching<'_, E> {
    type Input = (u64, Vec<Game>);
    type Output = Vec<ScoredPosition>;
    type Error = RecordError;

    /// Returns true if the stored `part` has only positions. Any number of positions is valid,
    /// because some searches have no leaf.
    fn fits(&self, _: Range<u64>, part: &[Section]) -> bool {
        records_in::<ScoredPosition>(part).is_some()
    }

    fn begin(&self, numbers: Range<u64>) -> Result<Self::Input, RecordError> {
        Ok((numbers.start, self.job.games.take(numbers)?))
    }

    fn make(
        &self,
        (first, games): &Self::Input,
        numbers: Range<u64>,
    ) -> Result<Vec<Vec<ScoredPosition>>, RecordError> {
        let games = &games[(numbers.start - first) as usize..(numbers.end - first) as usize];
        Ok(self.searchers.with(|searcher| {
            let leaves = games.iter().map(|game| {
                let positions = self.job.labels.positions(game, 1.0);
                positions.iter().filter_map(|scored| self.job.leaf(scored, searcher)).collect()
            });
            leaves.collect()
        }))
    }

    fn encode(&self, leaves: Vec<Vec<ScoredPosition>>) -> Vec<Section> {
        leaves.concat().chunks(ScoredPosition::PER_FRAME).map(ScoredPosition::section).collect()
    }
}

impl LeavesJob<'_> {
    fn leaf<E: Evaluate>(
        &self,
        scored: &ScoredPosition,
        searcher: &mut Searcher<'_, E>,
    ) -> Option<ScoredPosition> {
        let (mut position, mut label) = (scored.position(), scored.label());
        let mut left = drawn_depth(&position, self.depth);
        searcher.new_game();
        // Each move is the best of a search to the remaining depth, which a pass does not reduce.
        while left > 0 || position.moves() == 0 {
            if position.is_over() {
                return None;
            }
            let best = match position.moves() {
                0 => None,
                _ => searcher.search(&position, Strength { depth: left, exact: 0 }).best,
            };
            let next = best.and_then(|square| position.play(square));
            left -= u32::from(next.is_some());
            (position, label) = (next.unwrap_or(position.pass()), label.negated());
        }
        Some(ScoredPosition::new(position, label, scored.weight()))
    }
}

fn drawn_depth(position: &Position, most: u32) -> u32 {
    // The multipliers are from Steele and Vigna, "Computationally easy, spectrally good multipliers
    // for congruential pseudorandom number generators", 2021.
    let mixed = position.player().wrapping_mul(0xD134_2543_DE82_EF95)
        ^ position.opponent().wrapping_mul(0xAF25_1AF3_B0F0_25B5);
    let high = u128::from(mixed.wrapping_mul(0xD134_2543_DE82_EF95));
    1 + ((high * u128::from(most)) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use othello_engine::board::Squares;
    use othello_engine::eval::{Mobility, Value};
    use othello_engine::progress::Silent;

    use super::*;
    use crate::records::tests::{Folder, inputs, random_game};

    /// Returns the minimax value in steps of 1/32 disc, and the leaves of all best lines, each with
    /// sign 1 if the side to move at the leaf is that of `position`, else −1.
    fn minimax(position: &Position, depth: u32) -> (i32, Vec<(Position, i16)>) {
        if position.is_over() {
            return (Value::from_score(position.score()).steps(), vec![]);
        }
        let moves = position.moves();
        if moves == 0 {
            return negated(minimax(&position.pass(), depth));
        }
        if depth == 0 {
            return (Mobility.value(&(), position).steps(), vec![(*position, 1)]);
        }
        let (mut best, mut leaves) = (i32::MIN, vec![]);
        for next in Squares(moves).filter_map(|square| position.play(square)) {
            let (value, of_next) = negated(minimax(&next, depth - 1));
            if value > best {
                (best, leaves) = (value, vec![]);
            }
            if value == best {
                leaves.extend(of_next);
            }
        }
        (best, leaves)
    }

    fn negated((value, leaves): (i32, Vec<(Position, i16)>)) -> (i32, Vec<(Position, i16)>) {
        (-value, leaves.into_iter().map(|(leaf, sign)| (leaf, -sign)).collect())
    }

    #[test]
    fn a_leaf_ends_a_best_line_and_has_the_label_of_the_position_searched() {
        let folder = Folder::new();
        let games: Vec<Game> = (0..20).map(|number| random_game(number, 0, usize::MAX)).collect();
        let games = inputs::<Game>(&folder.write("all.games", &games));
        let labels = LabelRules::default();
        let shard = Shard::WHOLE;
        let job = LeavesJob { games: &games, labels: &labels, depth: 3, shard };
        let out = folder.path("leaves.positions");
        let selected = leaves(&out, &job, &Mobility, Existing::Keep, &Silent).unwrap();
        let mut found = folder.read::<ScoredPosition>("leaves.positions").into_iter().peekable();
        assert!(selected.records > 500);
        for game in games.all() {
            for scored in labels.positions(&game.unwrap(), 1.0) {
                let position = scored.position();
                let (_, ends) = minimax(&position, drawn_depth(&position, 3));
                let is_end = |leaf: &ScoredPosition| {
                    ends.iter().any(|&(end, sign)| {
                        (leaf.position(), leaf.label().steps())
                            == (end, sign * scored.label().steps())
                    })
                };
                if found.next_if(is_end).is_none() {
                    assert!(position.empties() <= 10, "{position:?} has no leaf");
                }
            }
        }
        assert_eq!(found.next(), None);
        assert_eq!(leaves(&out, &job, &Mobility, Existing::Keep, &Silent).unwrap(), selected);
    }
}
