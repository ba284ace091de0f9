//! The beginning of a game: an opening, followed by random moves.

use super::{Openings, Settings};
use crate::board::transcript::Replay;
use crate::board::{Position, Side};
use crate::openings::OpeningTree;
use crate::random::Generator;
use crate::record::Game;

/// The greatest length, in plies, for which [`Openings::Distinct`] lists all openings (433,993).
pub const MAX_DISTINCT_PLIES: usize = 9;

/// The beginnings (opening and random moves) of the games of a self-play run.
#[derive(Clone, Debug)]
pub struct Beginnings<'s> {
    pub(super) settings: &'s Settings,
    distinct: Option<Distinct>,
}

/// All openings of up to [`MAX_DISTINCT_PLIES`] plies, in a random order for each number of plies.
#[derive(Clone, Debug)]
struct Distinct {
    tree: OpeningTree,
    orders: Vec<Vec<u32>>,
}

impl<'s> Beginnings<'s> {
    /// Prepares the openings and random moves with which games of these settings begin.
    pub fn new(settings: &'s Settings) -> Self {
        let is_distinct = settings.openings == Openings::Distinct;
        Self { settings, distinct: is_distinct.then(|| Distinct::new(settings)) }
    }

    pub(super) fn fits(&self, index: u64, game: &Game) -> bool {
        let beginning = self.of(index).steps;
        usize::from(game.random_plies()) == beginning.len()
            && game.squares().iter().zip(&beginning).all(|(square, step)| *square == step.square)
    }

    /// Returns the beginning of game number `index`; the game is never over after it.
    pub(super) fn of(&self, index: u64) -> Replay {
        let Settings { seed, random_plies, openings, .. } = self.settings;
        let mut random = Generator::split(*seed, index);
        let start = Replay::from(Position::START, Side::Black);
        if let Some(distinct) = &self.distinct {
            let (plies, rank) = random_plies.deal(*seed, index);
            let longer = || played_on(start, std::iter::repeat(plies), &mut random);
            return distinct.opening(plies, rank).unwrap_or_else(longer);
        }
        let plies = usize::from(random_plies.draw(&mut random));
        let Openings::Listed(listed) = openings else {
            return played_on(start, std::iter::repeat(plies), &mut random);
        };
        let opening = listed[(index % listed.len() as u64) as usize].replay();
        // If the game would be over after that many plies, smaller numbers are tried.
        let fewer = (opening.steps.len()..=plies).rev();
        played_on(opening, fewer, &mut random)
    }
}

impl Distinct {
    fn new(settings: &Settings) -> Self {
        let tree = OpeningTree::new(settings.random_plies.longest_up_to(MAX_DISTINCT_PLIES));
        let order = |ply: usize| {
            let mut order: Vec<u32> = (0..).take(tree.count(ply)).collect();
            // Game `index` uses the random stream `index`: the greatest numbers are free.
            Generator::split(settings.seed, u64::MAX - ply as u64).shuffle(&mut order);
            order
        };
        let orders = (0..=MAX_DISTINCT_PLIES).map(order).collect();
        Self { tree, orders }
    }

    fn opening(&self, plies: usize, rank: u64) -> Option<Replay> {
        let order = self.orders.get(plies)?;
        let number = order[(rank % order.len() as u64) as usize];
        Some(self.tree.replay(plies, number as usize))
    }
}

/// Continues `opening` by random moves to the first number of plies in `lengths`. If this ends the
/// game, begins again with the next number. Returns `opening` if every number ends the game.
fn played_on(
    opening: Replay,
    mut lengths: impl Iterator<Item = usize>,
    random: &mut Generator,
) -> Replay {
    let attempt = |plies| {
        let mut replay = opening.clone();
        while replay.steps.len() < plies {
            let square = random.square_of(replay.end.moves())?;
            replay.push(square).expect("the move is legal");
        }
        (replay.end.moves() != 0).then_some(replay)
    };
    lengths.find_map(attempt).unwrap_or(opening)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use othello_testing::scratch;

    use super::*;
    use crate::progress::Silent;
    use crate::selfplay::OpeningsChoice;

    fn settings(random_plies: &str, openings: Openings) -> Settings {
        Settings { openings, ..Settings::new(5, random_plies.parse().unwrap(), 1, 0) }
    }

    fn canonical(game: &Replay) -> Position {
        game.end.canonical()
    }

    #[test]
    fn distinct_openings_are_all_there_are_before_one_comes_again() {
        let settings = settings("3*14,4*60,5*322,12*4", Openings::Distinct);
        let beginnings = Beginnings::new(&settings);
        let round: Vec<Replay> = (0..400).map(|index| beginnings.of(index)).collect();
        for (plies, positions) in [(3, 14), (4, 60), (5, 322), (12, 4)] {
            let games = round.iter().filter(|game| game.steps.len() == plies);
            assert_eq!(games.map(canonical).collect::<BTreeSet<_>>().len(), positions, "{plies}");
        }
        let plies = |index| beginnings.of(index).steps.len();
        assert_eq!(canonical(&beginnings.of(400)), canonical(&round[0]));
        assert!((400..800).map(plies).eq((0..400).map(plies)));
        let other = Settings { seed: 6, ..settings.clone() };
        assert_ne!(Beginnings::new(&other).of(0), round[0]);
    }

    #[test]
    fn listed_openings_are_gone_on_with_to_the_length_drawn() {
        let openings = scratch::with_file("openings", b"f5d6c3\nf5f6e6f4g5\n", |path| {
            Openings::load(&OpeningsChoice::File(path.to_owned()), &Silent).unwrap()
        });
        let settings = settings("0*1,12..=13*2", openings);
        let beginnings = Beginnings::new(&settings);
        let mut lengths = BTreeSet::new();
        for index in 0..40 {
            let game = beginnings.of(index);
            let moves: String = game.steps.iter().map(|step| step.square.to_string()).collect();
            assert!(moves.starts_with(["f5d6c3", "f5f6e6f4g5"][(index % 2) as usize]));
            lengths.insert(game.steps.len());
        }
        assert_eq!(lengths, BTreeSet::from([3, 5, 12, 13]));
    }

    /// After the tested opening, the move e3 ends the game. The result must be an unfinished game.
    #[test]
    fn an_opening_that_hardly_goes_on_is_played_as_it_is() {
        let squares = crate::board::transcript::parse("f5d6c5f4e7f6g5e6").unwrap();
        let opening = Replay::from_start(&squares).unwrap();
        let mut random = Generator::new(1);
        for _ in 0..50 {
            let game = played_on(opening.clone(), (8..=60).rev(), &mut random);
            assert!(game.end.moves() != 0 && game.steps.len() >= 8);
        }
    }
}
