//! The model of searches by realization probability: the probability that a kind of move is played.
//!
//! Source: Y. Tsuruoka, D. Yokoyama, T. Maruyama, T. Chikayama, "Game-Tree Search Algorithm Based
//! on Realization Probability", 2001. In that paper, a move in several categories gets the
//! probability of the most probable category. Here, each combination of traits is a separate kind,
//! because in Othello most moves share some trait with good moves.

use crate::file::Section;

pub(super) const REALIZATION: &str = "realization";

const VERSION: u16 = 1;

/// The number of stages of a game. Each stage has ten plies, and its own move probabilities.
pub const STAGES: usize = 6;

const PLIES_PER_STAGE: u32 = 10;

/// The integer in the file that represents probability 1.
const CERTAIN: f64 = 65535.0;

/// The greatest mean probability, 3/4 in steps of 1/65535, in a [family](MoveKind::FAMILY) of move
/// kinds that many moves of a position can have. A search ends a line of moves at a low
/// probability, so it would not end if all these moves were certain.
const MOST_OF_MANY: usize = 0xC000;

/// The rank of a move among all moves of its position. Moves are ordered by the static value for
/// the mover after the move, minus ¼ disc for each reply of the opponent (½ disc for a corner).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rank {
    /// The move that ranks first.
    First,
    /// The move that ranks second.
    Second,
    /// The move that ranks third.
    Third,
    /// A move that ranks fourth or fifth.
    Fourth,
    /// A move that ranks below fifth.
    Late,
}

impl Rank {
    /// Returns the rank of a move if `others` moves of its position rank before it.
    pub fn after(others: usize) -> Self {
        match others {
            0 => Self::First,
            1 => Self::Second,
            2 => Self::Third,
            3 | 4 => Self::Fourth,
            _ => Self::Late,
        }
    }
}

/// The kind of the square on which a move is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// A corner square, such as a1.
    Corner,
    /// A square diagonally next to a corner, such as b2.
    XSquare,
    /// An edge square next to a corner, such as b1.
    CSquare,
    /// An edge square that is neither a corner nor next to one.
    Edge,
    /// A square that is not on an edge, and is not an X square.
    Inner,
}

/// The relation of a move to the best move that an earlier, shallower search of its position found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Memory {
    /// The best move of an earlier search of the position is not known.
    Nothing,
    /// An earlier search found this move best.
    Best,
    /// An earlier search found another move best.
    Another,
}

/// The kind of a move: all traits that its probability depends on, except the stage of the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MoveKind {
    /// The rank of the move among the legal moves of the position, the most promising move first.
    pub rank: Rank,
    /// The relation of the move to the best move that an earlier search of the position found.
    pub memory: Memory,
    /// The kind of the move's square, such as a corner.
    pub place: Place,
    /// True if the move lets the opponent take a corner that it could not take before.
    pub gives_corner: bool,
    /// True if the square of the move is adjacent to the square of the previous move.
    pub answers: bool,
    /// True if the move flips at most two discs.
    pub flips_few: bool,
    /// True if no other move of the position leaves the opponent fewer replies.
    pub leaves_fewest: bool,
}

impl MoveKind {
    /// The number of kinds of moves.
    pub const COUNT: usize = 5 * 3 * 5 * 16;

    /// The number of move kinds in a family: 5 [`Place`]s × 2⁴ values of the `bool` fields. All
    /// kinds of a family have the same [`Rank`] and [`Memory`], and their indices are consecutive.
    pub const FAMILY: usize = 5 * 16;

    /// Returns true if several moves of a position can be of kinds in the [family](Self::FAMILY)
    /// with this index. False, for example, for the family of moves that rank first.
    fn is_of_many(family: usize) -> bool {
        let family = family % (Self::COUNT / Self::FAMILY);
        family / 3 >= Rank::Fourth as usize && family % 3 != Memory::Best as usize
    }

    /// Returns the index of this kind among all kinds, less than [`Self::COUNT`].
    #[inline]
    pub fn index(self) -> usize {
        let Self { rank, memory, place, gives_corner, answers, flips_few, leaves_fewest } = self;
        let traits = [gives_corner, answers, flips_few, leaves_fewest];
        let first = (rank as usize * 3 + memory as usize) * 5 + place as usize;
        traits.into_iter().fold(first, |index, has| 2 * index + usize::from(has))
    }
}

/// The probabilities that moves are played: one for each kind of move and each stage of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Realization {
    /// The probabilities in steps of 1/65535: for each stage, one for each kind of move.
    steps: Vec<u16>,
}

impl Realization {
    /// The number of probabilities in a model: one for each stage of the game and kind of move.
    pub const COUNT: usize = STAGES * MoveKind::COUNT;

    /// Returns the stage of the game at a ply, from 0 to [`STAGES`] − 1.
    #[inline]
    pub fn stage(ply: u32) -> usize {
        ((ply / PLIES_PER_STAGE) as usize).min(STAGES - 1)
    }

    /// Creates a model from probabilities, which are rounded to 1/65535, but never to 0.
    ///
    /// # Errors
    /// A message for a wrong number of probabilities, or a number outside 0..=1.
    pub fn new(probabilities: &[f64]) -> Result<Self, String> {
        if probabilities.len() != Self::COUNT {
            let found = probabilities.len();
            return Err(format!("{found} probabilities; expected {}", Self::COUNT));
        }
        if let Some(place) = probabilities.iter().position(|one| !(0.0..=1.0).contains(one)) {
            return Err(format!("number {place} is not a probability"));
        }
        let step = |one: &f64| (one * CERTAIN).round().max(1.0) as u16;
        Ok(Self { steps: probabilities.iter().map(step).collect() })
    }

    /// Returns the probability of a move by its [stage](Self::stage) and [kind](MoveKind::index).
    #[inline]
    pub fn probability(&self, stage: usize, kind: usize) -> f64 {
        f64::from(self.steps[stage * MoveKind::COUNT + kind]) / CERTAIN
    }

    pub(super) fn section(&self) -> Section {
        let numbers = [VERSION].into_iter().chain(self.steps.iter().copied());
        let content = numbers.flat_map(u16::to_le_bytes).collect();
        Section { name: REALIZATION.to_owned(), content }
    }

    pub(super) fn from_section(content: &[u8]) -> Result<Self, String> {
        let (numbers, rest) = content.as_chunks();
        let mut numbers = numbers.iter().copied().map(u16::from_le_bytes);
        let version = numbers.next().ok_or("is empty")?;
        if version != VERSION {
            return Err(format!("is of version {version}; this program reads {VERSION}"));
        }
        let steps: Vec<u16> = numbers.collect();
        if steps.len() != Self::COUNT || !rest.is_empty() {
            let expected = 2 + 2 * Self::COUNT;
            return Err(format!("has {} bytes; expected {expected}", content.len()));
        }
        if let Some(place) = steps.iter().position(|&step| step == 0) {
            return Err(format!("probability {place} is 0; expected more"));
        }
        let is_certain = |(family, steps): (usize, &[u16])| {
            let sum: usize = steps.iter().map(|&step| usize::from(step)).sum();
            MoveKind::is_of_many(family) && sum > MOST_OF_MANY * steps.len()
        };
        if let Some(family) = steps.chunks(MoveKind::FAMILY).enumerate().position(is_certain) {
            let first = family * MoveKind::FAMILY;
            let certain = "make moves nearly certain of which a position can have many";
            return Err(format!(
                "probabilities from number {first} {certain}; expected smaller ones"
            ));
        }
        Ok(Self { steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Realization {
        let probability = |place: usize| {
            let is_of_many = MoveKind::is_of_many(place / MoveKind::FAMILY);
            let most = if is_of_many && place != 999 { 700 } else { 1000 };
            (place % most + 1) as f64 / 1000.0
        };
        Realization::new(&(0..Realization::COUNT).map(probability).collect::<Vec<f64>>()).unwrap()
    }

    #[test]
    fn a_section_reads_back_and_a_damaged_one_is_refused() {
        let content = model().section().content;
        assert_eq!(content.len(), 14402);
        assert_eq!(Realization::from_section(&content), Ok(model()));
        let refused = |content: &[u8]| Realization::from_section(content).unwrap_err();
        assert_eq!(refused(&content[..14401]), "has 14401 bytes; expected 14402");
        assert_eq!(refused(&[1, 0]), "has 2 bytes; expected 14402");
        assert_eq!(refused(&[]), "is empty");
        assert_eq!(refused(&[7, 0, 9, 9]), "is of version 7; this program reads 1");
        let mut never = content.clone();
        never[12..14].fill(0);
        assert_eq!(refused(&never), "probability 5 is 0; expected more");
    }

    /// If a file stated that every move is nearly certain, searches would not end.
    #[test]
    fn a_section_in_which_every_move_is_certain_is_refused() {
        let forged = Realization { steps: vec![60_000; Realization::COUNT] };
        let refused = Realization::from_section(&forged.section().content).unwrap_err();
        assert!(refused.contains("nearly certain of which a position can have many"), "{refused}");
    }

    #[test]
    fn probabilities_are_kept_to_the_step_and_never_0() {
        let model = model();
        assert!((model.probability(0, 499) - 0.5).abs() < 1e-4);
        assert_eq!(model.probability(0, 999), 1.0);
        let least = Realization::new(&vec![0.0; Realization::COUNT]).unwrap();
        assert!(least.probability(5, MoveKind::COUNT - 1) > 0.0);
        assert!(Realization::new(&vec![1.5; Realization::COUNT]).is_err());
        assert!(Realization::new(&[0.5]).is_err());
    }

    #[test]
    fn every_kind_has_a_number_of_its_own() {
        let mut found = vec![];
        for rank in [0, 1, 2, 4, 9].map(Rank::after) {
            for memory in [Memory::Nothing, Memory::Best, Memory::Another] {
                let places =
                    [Place::Corner, Place::XSquare, Place::CSquare, Place::Edge, Place::Inner];
                for (place, bits) in places.into_iter().flat_map(|p| (0..16).map(move |b| (p, b))) {
                    let has = |bit: u32| bits >> bit & 1 == 1;
                    let kind = MoveKind {
                        rank,
                        memory,
                        place,
                        gives_corner: has(3),
                        answers: has(2),
                        flips_few: has(1),
                        leaves_fewest: has(0),
                    };
                    found.push(kind.index());
                }
            }
        }
        assert!(found.into_iter().eq(0..MoveKind::COUNT));
    }
}
