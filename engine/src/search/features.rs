//! The features of the search, each of which can be turned off to see what it is worth.

/// The features that a search uses. None of them changes a value or a score; of several moves that are
/// equally good, another one may be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Principal variation search: moves after the first are searched in a null window, which tells
    /// whether they are better. Without it every move is searched in the full window (alpha-beta).
    pub null_windows: bool,
    /// A search begins in a narrow window around a guess, or around the value of the search before.
    pub aspiration: bool,
    /// The transposition table.
    pub transposition_table: bool,
    /// The shallow table: a small transposition table near the leaves.
    pub shallow_table: bool,
    /// Enhanced transposition cut-off: a node's children are looked up before any is searched.
    pub enhanced_cutoff: bool,
    /// The table's move is searched before the others are even generated.
    pub hash_move_first: bool,
    /// Moves are ordered by their values, in exact searches by those that a shallow search finds, where that pays.
    pub value_ordering: bool,
    /// Moves of exact searches that leave the fewest replies come first.
    pub fastest_first: bool,
    /// Moves of the last plies are ordered by the move-ordering evaluation too, where the weights have
    /// one.
    pub move_ordering_evaluation: bool,
    /// Squares in quadrants with an odd number of empty squares come first.
    pub parity: bool,
    /// A node ends where the other side's stable discs prove the score low.
    pub stability: bool,
    /// A node ends with a move that leaves the other side no disc.
    pub wipe_out: bool,
}

impl Features {
    /// All features.
    pub const ALL: Self = Self {
        null_windows: true,
        aspiration: true,
        transposition_table: true,
        shallow_table: true,
        enhanced_cutoff: true,
        hash_move_first: true,
        value_ordering: true,
        fastest_first: true,
        move_ordering_evaluation: true,
        parity: true,
        stability: true,
        wipe_out: true,
    };

    /// Whether one of the features that searches to a fixed depth have is turned off.
    pub fn differs_in_midgame(&self) -> bool {
        let Self { null_windows, aspiration, transposition_table, enhanced_cutoff, .. } = *self;
        let Self { hash_move_first, value_ordering, .. } = *self;
        let all = [null_windows, aspiration, transposition_table, enhanced_cutoff];
        !all.into_iter().chain([hash_move_first, value_ordering]).all(|feature| feature)
    }

    /// Every feature turned off alone, under its name.
    pub fn one_off() -> impl ExactSizeIterator<Item = (&'static str, Self)> {
        const ALL: Features = Features::ALL;
        [
            ("null windows", Self { null_windows: false, ..ALL }),
            ("aspiration window", Self { aspiration: false, ..ALL }),
            ("transposition table", Self { transposition_table: false, ..ALL }),
            ("shallow table", Self { shallow_table: false, ..ALL }),
            ("enhanced cut-off", Self { enhanced_cutoff: false, ..ALL }),
            ("hash move first", Self { hash_move_first: false, ..ALL }),
            ("value ordering", Self { value_ordering: false, ..ALL }),
            ("fastest first", Self { fastest_first: false, ..ALL }),
            ("move-ordering evaluation", Self { move_ordering_evaluation: false, ..ALL }),
            ("parity ordering", Self { parity: false, ..ALL }),
            ("stability cut-off", Self { stability: false, ..ALL }),
            ("wipe-out", Self { wipe_out: false, ..ALL }),
        ]
        .into_iter()
    }
}

impl Default for Features {
    fn default() -> Self {
        Self::ALL
    }
}
