use std::str::FromStr;

use super::{EndgameSchedule, Pruning, Selectivity, Strength};
use crate::eval::Evaluate;

/// A strength of play, 1 to 60. It sets a depth, a ProbCut confidence, and the numbers of empty
/// squares from which searches go to the end of the game. Higher levels never search less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, derive_more::Display)]
pub struct Level(u32);

/// The search settings of a level. They depend on whether the weights have a ProbCut model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The depth, in plies, of searches that do not go to the end of the game.
    pub depth: u32,
    /// The ProbCut confidence of fixed-depth searches.
    pub selectivity: Selectivity,
    /// The ProbCut confidences of searches to the end of the game from more than [`Self::exact`]
    /// empty squares.
    pub ends: EndgameSchedule,
    /// The number of empty squares at or below which searches solve positions exactly.
    pub exact: u32,
}

/// Up to this level, the depth is the same for weights with and without a ProbCut model.
const FULL_DEPTH: u32 = 10;
/// Up to this level, exact solving begins at 2 × level empty squares.
const DOUBLED: u32 = 10;
/// Each entry has a ProbCut confidence of endgame searches, the lowest level that uses it, and two
/// numbers `[m, n]`. The confidence applies up to e + m empty squares or, from level [`WIDE`] on,
/// up to e + n, where e is the greatest number of empty squares that the level solves exactly.
const STEPS: [(Selectivity, u32, [u32; 2]); 4] = [
    (Selectivity::Percent73, 12, [6, 8]),
    (Selectivity::Percent87, 8, [4, 6]),
    (Selectivity::Percent95, 4, [2, 4]),
    (Selectivity::Percent99, 11, [1, 2]),
];
const WIDE: u32 = 18;

impl Level {
    /// The default level, 10: a move takes a fraction of a second.
    pub const USUAL: Self = Self(10);

    /// Returns the level with this number; `None` if the number is not from 1 to 60.
    pub const fn new(level: u32) -> Option<Self> {
        if 1 <= level && level <= 60 { Some(Self(level)) } else { None }
    }

    /// Returns the number of the level, 1 to 60.
    pub const fn number(self) -> u32 {
        self.0
    }

    fn exact(self) -> u32 {
        match self.0 {
            level @ ..=DOUBLED => 2 * level,
            level @ ..=20 => 20 + (level - DOUBLED) / 3,
            level => 24 + (level - 21) / 3,
        }
    }

    /// Returns the search settings of this level for weights with ProbCut models.
    pub fn selective(self) -> Plan {
        let (exact, is_wide) = (self.exact(), self.0 >= WIDE);
        let steps = STEPS.iter().filter(|&&(_, from, _)| self.0 >= from);
        let ends = EndgameSchedule::of(
            steps.map(|&(selectivity, _, more)| (exact + more[usize::from(is_wide)], selectivity)),
        );
        Plan { depth: self.0, selectivity: Selectivity::Percent73, ends, exact }
    }

    /// Returns the search settings of this level for weights without ProbCut models: no ProbCut,
    /// and a depth that equals the level up to 10 and then rises by one ply every two levels.
    pub fn full(self) -> Plan {
        let depth = self.0.min(FULL_DEPTH) + self.0.saturating_sub(FULL_DEPTH) / 2;
        let exact = self.exact();
        Plan { depth, selectivity: Selectivity::Full, ends: EndgameSchedule::NONE, exact }
    }

    /// Returns the search settings of this level: with pruning if the weights have a ProbCut model.
    pub fn plan(self, evaluator: &impl Evaluate) -> Plan {
        if evaluator.models().probcut.is_some() { self.selective() } else { self.full() }
    }
}

impl Plan {
    /// Returns the settings of a search to a depth, without pruning and without exact solving.
    pub const fn to_depth(depth: u32) -> Self {
        Self { depth, selectivity: Selectivity::Full, ends: EndgameSchedule::NONE, exact: 0 }
    }

    /// Returns the depth, and the number of empty squares at or below which searches go to the end:
    /// the greater of [`Self::exact`] and the greatest number in [`Self::ends`].
    pub fn strength(&self) -> Strength {
        Strength { depth: self.depth, exact: self.ends.most_empties().max(self.exact) }
    }

    /// Returns the pruning of searches with `evaluator`; no pruning if it has no ProbCut model.
    pub fn pruning(&self, evaluator: &impl Evaluate) -> Pruning {
        let ends = self.ends.clone().exact_from(self.exact);
        let pruning = Pruning::new(evaluator, self.selectivity);
        let pruning = pruning.and_then(|pruning| pruning.with_endgame(evaluator, &ends));
        pruning.unwrap_or_default().with_stages(evaluator)
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let level = text.parse().ok().and_then(Self::new);
        level.ok_or_else(|| "expected a whole number from 1 to 60".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::eval::{Evaluator, Mobility};
    use crate::random::{Generator, random_position};
    use crate::search::tests::searcher;
    use crate::search::{Search, Searcher};
    use othello_testing::on_threads;

    fn all() -> impl Iterator<Item = Level> {
        (1..=60).filter_map(Level::new)
    }

    fn effort(plan: &Plan, empties: u32) -> (bool, Selectivity, u32) {
        if empties <= plan.strength().exact {
            let ends = plan.ends.clone().exact_from(plan.exact);
            (true, ends.selectivity(empties), empties)
        } else {
            (false, plan.selectivity, plan.depth)
        }
    }

    #[test]
    fn no_level_searches_less_than_the_one_before() {
        for plan in [Level::selective, Level::full] {
            let plans: Vec<Plan> = all().map(plan).collect();
            for (less, more) in plans.iter().zip(&plans[1..]) {
                for empties in 1..=60 {
                    assert!(effort(less, empties) <= effort(more, empties), "{less:?} {more:?}");
                }
            }
        }
        let plans: Vec<Plan> = all().map(Level::selective).collect();
        assert!(plans.is_sorted_by(|less, more| less.depth < more.depth));
    }

    #[test]
    fn the_table_is_the_one_of_the_reference() {
        let page = include_str!("../../../docs/reference/levels.md");
        let mut levels = all();
        for row in page.lines().filter(|line| line.starts_with("| ")).skip(1) {
            let cell = row.trim_start_matches("| ").split(" |").next().unwrap();
            let (first, last) = cell.split_once(" to ").unwrap_or((cell, cell));
            for number in first.parse::<u32>().unwrap()..=last.parse().unwrap() {
                let level = levels.next().unwrap();
                let Plan { depth, selectivity, ends, exact } = level.selective();
                assert_eq!(level.to_string(), number.to_string());
                assert_eq!((depth, selectivity.percent()), (number, 73));
                let expected = format!("| {cell} | {ends} | {exact} |");
                assert!(row.starts_with(&expected), "{expected} is {row}");
            }
        }
        assert_eq!(levels.next(), None);
        // The flag `--ends` must accept the text of a schedule that the page shows.
        for level in all() {
            let ends = level.selective().ends;
            assert_eq!(ends.to_string().parse(), Ok(ends));
        }
    }

    #[test]
    fn weights_without_predictions_leave_nothing_out_and_look_less_far() {
        let level = Level::new(20).unwrap();
        let plan = level.plan(&Mobility);
        assert_eq!((plan.depth, plan.selectivity.percent(), plan.exact), (15, 100, 23));
        assert!(plan.ends.is_none() && plan.pruning(&Mobility).is_exact(60));
        assert_eq!(level.plan(&Evaluator::embedded()), level.selective());
        assert_eq!(Level(1).plan(&Mobility).strength(), Strength { depth: 1, exact: 2 });
    }

    #[test]
    fn a_team_searches_as_deep_and_as_surely_as_one_searcher() {
        let evaluator = Evaluator::embedded();
        let level = Level::new(12).unwrap();
        let plan = level.plan(&evaluator);
        let mut random = Generator::new(34);
        for empties in [44, 36, 26, 24, 21, 19] {
            let position = random_position(&mut random, empties);
            let search = Search::new(&evaluator).level(level).hash_mb(4);
            let expected = search.find(&position).unwrap();
            let mut team = search.threads(3).team(1).unwrap();
            let work = |searcher: &mut Searcher<'_, Evaluator>| {
                searcher.search(&position, plan.strength())
            };
            let found = on_threads(3, || team.lead(work));
            assert_eq!((found.depth, found.selectivity), (expected.depth, expected.selectivity));
            assert!(position.is_legal(found.best.unwrap()));
            if found.selectivity == Selectivity::Full {
                assert_eq!(found.value, expected.value, "{position:?}");
            }
            // The team's table keeps its entries, so a repeated search takes fewer nodes.
            let again = on_threads(3, || team.lead(work));
            assert!(again.nodes < expected.nodes, "{again:?} {expected:?}");
        }
    }

    #[test]
    fn searches_of_a_level_are_as_deep_and_as_sure_as_its_row() {
        let evaluator = Evaluator::embedded();
        let level = Level::new(7).unwrap();
        let search = Search::new(&evaluator).level(level).hash_mb(4);
        let mut leveled = search.searcher().unwrap();
        let mut random = Generator::new(31);
        for (empties, depth, percent) in
            [(30, 7, 73), (17, 7, 73), (16, 16, 95), (15, 15, 95), (14, 14, 100), (9, 9, 100)]
        {
            let position: Position = random_position(&mut random, empties);
            let found = leveled.search(&position, level.plan(&evaluator).strength());
            assert_eq!((found.depth, found.selectivity.percent()), (depth, percent));
            if percent == 100 {
                assert_eq!(found.value, searcher(&Mobility, 1000).solve(&position).value);
            }
        }
    }
}
