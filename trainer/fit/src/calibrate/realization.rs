//! Estimates the probability that a move of each [`MoveKind`] is played, by counting the moves of
//! games. Searches by realization probability (Tsuruoka et al.) use these probabilities.

use std::fmt;
use std::ops::{AddAssign, Range};
use std::path::PathBuf;

use othello_engine::eval::{Evaluate, MoveKind, Realization, STAGES, Tables, Weights};
use othello_engine::progress::Progress;
use othello_engine::record::Game;
use othello_engine::run::{Stage, size};
use othello_engine::search::{Search, Searcher};
use othello_engine::text::Invalid;
use othello_engine::text_table::table;
use serde::{Deserialize, Serialize};

use super::Work;
use super::samples::per_part;
use crate::records::sequence::Inputs;
use crate::source::Result;

/// The depth of a search whose best move stands in for that of the transposition table: in play,
/// the table may have a best move from an earlier search of the position.
const REMEMBERED_DEPTH: u32 = 2;
const HASH_MEGABYTES: usize = 4;
const GAMES_PER_UNIT: u64 = 256;
const PRIOR: f64 = 16.0;

/// The numbers of legal moves and of played moves, for each stage of the game (ten plies) and each
/// [`MoveKind`].
#[derive(Serialize, Deserialize)]
struct Counts {
    positions: u64,
    available: Vec<u64>,
    played: Vec<u64>,
}

/// The result of a calibration.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Calibrated {
    /// The calibrated model of the probabilities of moves.
    #[serde(skip)]
    pub realization: Realization,
    /// The number of games whose positions were examined.
    pub games: u64,
    /// The number of counted positions: those in which the played move was not random.
    pub positions: u64,
    /// For each family of moves, the share of its moves that were played. A family is defined by
    /// the move's rank in the search's order, and by an earlier search of the position: it found
    /// this move best, it found another move best, or there was none.
    pub families: Vec<Family>,
    /// The mean of −log₂ p over the played moves, where p is the model's probability of the move.
    pub halvings: f64,
}

impl fmt::Display for Calibrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, positions, halvings, .. } = self;
        writeln!(
            f,
            "{games} games, {positions} positions; share of moves that were played, by ply:"
        )?;
        let columns = ["rank", "remembered", "0-9", "10-19", "20-29", "30-39", "40-49", "50-59"];
        let rows = self.families.iter().map(|family| {
            let share =
                |share: Option<f64>| share.map_or("-".into(), |share| format!("{share:.3}"));
            let [a, b, c, d, e, g] = family.played.map(share);
            [family.rank.into(), family.memory.into(), a, b, c, d, e, g]
        });
        writeln!(f, "{}", table(columns, rows))?;
        write!(f, "a played move halves the probability of its line {halvings:.2} times")
    }
}

/// A group of legal moves with equal `rank` and equal `memory`, and the share of them that was
/// played in each stage of the game.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct Family {
    /// The place of the move in the search's order of its position's moves: `1` (the most
    /// promising), `2`, `3`, `4 or 5`, or `later`.
    pub rank: &'static str,
    /// The best move by an earlier search of the position: this move (`the best`) or another one
    /// (`another`); `nothing` if there was no earlier search.
    pub memory: &'static str,
    /// For each stage of the game (ten plies), the share of the family's legal moves that were
    /// played; null for a stage without such moves.
    pub played: [Option<f64>; STAGES],
}

/// The games from whose moves [`calibrate`] estimates the probabilities of moves.
pub struct Counted {
    inputs: Inputs<Game>,
    /// The number of games whose positions are examined.
    pub games: u64,
    /// The number of counted positions: those in which the played move was not random.
    pub positions: u64,
}

impl Counted {
    /// Reads the first `games` games, and counts their positions whose played move was not random.
    pub fn read(data: &[PathBuf], games: u64, progress: &dyn Progress) -> Result<Self> {
        let inputs = Inputs::count(data, progress)?;
        let games = games.min(inputs.len());
        let mut positions = 0;
        for game in inputs.all().take(games as usize) {
            positions += chosen(&game?).count() as u64;
        }
        if positions == 0 {
            let reason = "all moves of the games are random; expected games with other moves";
            return Err(Invalid(reason.to_owned()).into());
        }
        Ok(Self { inputs, games, positions })
    }

    /// Returns the SHA-256 of each file, in the order given to [`Self::read`].
    pub fn sha256(&self) -> &[String] {
        &self.inputs.checksums
    }

    /// Returns the stages of [`calibrate`]: only one, which counts the moves of the games.
    pub fn stages(&self) -> Vec<Stage> {
        let seconds = GAMES_PER_UNIT as f64 * 50.0 * size::search(REMEMBERED_DEPTH);
        let units = self.games.div_ceil(GAMES_PER_UNIT);
        vec![Stage::new(format!("realization ({GAMES_PER_UNIT} games)"), units, per_part(seconds))]
    }
}

/// Returns the plies at which the played move was not random.
fn chosen(game: &Game) -> impl Iterator<Item = usize> {
    let plies = usize::from(game.random_plies())..game.squares().len();
    plies.filter(move |ply| game.deviations() >> ply & 1 == 0)
}

/// Estimates the probability that a move of each kind is played. Equal inputs give equal results.
pub fn calibrate(weights: &Weights, games: &Counted, work: &Work<'_>) -> Result<Calibrated> {
    let evaluator = Tables::new(weights);
    let searchers = Search::new(&evaluator).hash_mb(HASH_MEGABYTES).searchers()?;
    let of_unit = work.results(0, |unit| {
        let first = unit * GAMES_PER_UNIT;
        let mut counts = Counts::none();
        for game in games.inputs.take(first..games.games.min(first + GAMES_PER_UNIT))? {
            counts += searchers.with(|searcher| Counts::of(&game, searcher));
        }
        Ok(counts)
    })?;
    let mut counts = Counts::none();
    of_unit.into_iter().for_each(|one| counts += one);
    let realization = counts.model();
    Ok(Calibrated {
        games: games.games,
        positions: games.positions,
        families: counts.families(),
        halvings: counts.halvings(&realization),
        realization,
    })
}

impl Counts {
    fn none() -> Self {
        let [available, played] = [(); 2].map(|()| vec![0; Realization::COUNT]);
        Self { positions: 0, available, played }
    }

    fn of<E: Evaluate>(game: &Game, searcher: &mut Searcher<'_, E>) -> Self {
        let mut counts = Self::none();
        let steps = game.replay().steps;
        for ply in chosen(game) {
            let step = steps[ply];
            let last = ply.checked_sub(1).map(|before| steps[before].square);
            searcher.new_game();
            let best = searcher.search(&step.position, REMEMBERED_DEPTH).best;
            // A search may or may not find an earlier result in its table: both cases are counted.
            for memory in [None, best] {
                let stage = Realization::stage(step.position.ply());
                for (square, kind) in searcher.move_kinds(&step.position, last, memory) {
                    let place = stage * MoveKind::COUNT + kind.index();
                    counts.available[place] += 1;
                    counts.played[place] += u64::from(square == step.square);
                }
            }
            counts.positions += 1;
        }
        counts
    }

    fn sum(&self, places: impl Iterator<Item = usize>) -> [f64; 2] {
        places.fold([0.0; 2], |[played, available], place| {
            [played + self.played[place] as f64, available + self.available[place] as f64]
        })
    }

    /// Returns the probability of each kind of move in each stage of the game: the share of the
    /// legal moves of this kind that were played. If the kind is rare, the share is pulled towards
    /// that of all moves of the kind's [`Family`] in the stage.
    fn model(&self) -> Realization {
        let mut probabilities = vec![0.0; Realization::COUNT];
        for family in 0..MoveKind::COUNT / MoveKind::FAMILY {
            let all = (0..STAGES).flat_map(|stage| kinds(stage, family));
            let overall = leaning(self.sum(all), 0.5);
            for stage in 0..STAGES {
                let of_stage = leaning(self.sum(kinds(stage, family)), overall);
                for place in kinds(stage, family) {
                    probabilities[place] = leaning(self.sum(place..=place), of_stage);
                }
            }
        }
        Realization::new(&probabilities).expect("shares of moves are probabilities")
    }

    /// Returns the mean of −log₂ p over the played moves, where p is the model's probability of a
    /// move. The mean has each move twice: with its p if the best move of an earlier search is
    /// known, and with its p if that move is not known.
    fn halvings(&self, model: &Realization) -> f64 {
        let halvings = |(place, &played): (usize, &u64)| {
            let (stage, kind) = (place / MoveKind::COUNT, place % MoveKind::COUNT);
            -libm::log2(model.probability(stage, kind)) * played as f64
        };
        let sum: f64 = self.played.iter().enumerate().map(halvings).sum();
        sum / (2.0 * self.positions as f64)
    }

    fn families(&self) -> Vec<Family> {
        let ranks = ["1", "2", "3", "4 or 5", "later"];
        let memories = ["nothing", "the best", "another"];
        let pairs = ranks.into_iter().flat_map(|rank| memories.map(|memory| (rank, memory)));
        let families = (0..).zip(pairs).map(|(number, (rank, memory))| {
            let played = std::array::from_fn(|stage| {
                let [played, available] = self.sum(kinds(stage, number));
                (available > 0.0).then(|| played / available)
            });
            Family { rank, memory, played }
        });
        families.collect()
    }
}

fn kinds(stage: usize, family: usize) -> Range<usize> {
    let first = stage * MoveKind::COUNT + family * MoveKind::FAMILY;
    first..first + MoveKind::FAMILY
}

/// Returns the share `played / available`, pulled towards the share `other`: the sums first get
/// [`PRIOR`] more available moves, of which the share `other` was played.
fn leaning([played, available]: [f64; 2], other: f64) -> f64 {
    (played + PRIOR * other) / (available + PRIOR)
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.positions = self.positions.saturating_add(other.positions);
        let sums = self.available.iter_mut().chain(&mut self.played);
        let counts = other.available.into_iter().chain(other.played);
        sums.zip(counts).for_each(|(sum, count)| *sum = sum.saturating_add(count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::board::transcript::parse;
    use othello_engine::eval::{Memory, Mobility, Place, Rank};

    fn counted(random_plies: u8, deviations: u64, moves: &str) -> Counts {
        let game = Game::new(random_plies, &parse(moves).unwrap()).unwrap();
        let game = game.with_deviations(deviations).unwrap();
        Counts::of(&game, &mut Search::new(&Mobility).hash_mb(1).searcher().unwrap())
    }

    fn first_kind(rank: Rank, memory: Memory) -> usize {
        let kind = MoveKind {
            rank,
            memory,
            place: Place::Inner,
            gives_corner: false,
            answers: false,
            flips_few: true,
            leaves_fewest: true,
        };
        kind.index()
    }

    /// At the start, the four moves have equal values, and the search orders them by square: d3,
    /// c4, f5, e6. So the played move f5 must be counted as the third.
    #[test]
    fn the_moves_of_one_position_are_counted_by_hand() {
        let counts = counted(0, 0, "f5");
        assert_eq!(counts.positions, 1);
        assert_eq!(counts.available.iter().sum::<u64>(), 8, "four moves, with and without memory");
        assert_eq!(counts.played.iter().sum::<u64>(), 2);
        let of = |rank, memory| {
            let place = first_kind(rank, memory);
            [counts.played[place], counts.available[place]]
        };
        assert_eq!(of(Rank::First, Memory::Nothing), [0, 1]);
        assert_eq!(of(Rank::Third, Memory::Nothing), [1, 1]);
        let remembered = [Rank::First, Rank::Second, Rank::Third, Rank::Fourth];
        let remembered = remembered.map(|rank| [of(rank, Memory::Best), of(rank, Memory::Another)]);
        let available = |which: usize| remembered.iter().map(|pair| pair[which][1]).sum::<u64>();
        assert_eq!([available(0), available(1)], [1, 3]);
        // Every prior counts as 16 moves. That of this kind of move is q = (16 p + 1) / 17, for its
        // family in this stage; that of q is p = (16 · 0.5 + 1) / 17, for its family in all stages.
        let overall = (0.5 * 16.0 + 1.0) / 17.0;
        let of_stage = (overall * 16.0 + 1.0) / 17.0;
        let expected = (of_stage * 16.0 + 1.0) / 17.0;
        let model = counts.model();
        let found = model.probability(0, first_kind(Rank::Third, Memory::Nothing));
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        // The last stage has no moves, so its probabilities are those over all stages.
        let late = model.probability(5, first_kind(Rank::Third, Memory::Nothing));
        assert!((late - overall).abs() < 1e-4, "{late} {overall}");
    }

    #[test]
    fn moves_that_were_drawn_by_chance_do_not_count() {
        assert_eq!(counted(0, 0, "f5d6c3").positions, 3);
        assert_eq!(counted(2, 0, "f5d6c3").positions, 1);
        assert_eq!(counted(1, 0b100, "f5d6c3").positions, 1);
        assert_eq!(counted(3, 0, "f5d6c3").positions, 0);
    }

    #[test]
    fn the_sum_of_games_is_that_of_their_moves() {
        let mut sum = counted(0, 0, "f5d6");
        sum += counted(0, 0, "f5");
        let first = counted(0, 0, "f5");
        assert_eq!(sum.positions, 3);
        let place = first_kind(Rank::Third, Memory::Nothing);
        assert_eq!(sum.played[place], 2 * first.played[place]);
        let families = sum.families();
        assert_eq!(families.len(), 15);
        assert_eq!(families[6].rank, "3");
        assert_eq!(families[6].played[5], None);
        assert!(sum.halvings(&sum.model()) > 0.0);
    }
}
