//! The ideas of the search, each of which can be turned off to see what it is worth.

/// Which ideas a search uses. None of them changes a value or a score; of several moves that are
/// equally good, another one may be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ideas {
    /// Moves after the first are only asked whether they are better (principal variation search);
    /// without it every move is searched in the full window (alpha-beta).
    pub null_windows: bool,
    /// An exact search begins in a narrow window around a guess.
    pub aspiration: bool,
    /// The transposition table.
    pub table: bool,
    /// The small table near the leaves.
    pub near_table: bool,
    /// The children of a node are looked up before any is searched.
    pub enhanced_cutoff: bool,
    /// The table's move is searched before the others are even generated.
    pub table_move_first: bool,
    /// Moves of exact searches are ordered by value, where that pays.
    pub ordering_by_value: bool,
    /// Moves of exact searches are ordered by the replies they leave: fastest first.
    pub ordering_by_replies: bool,
    /// Moves of the last plies are ordered by the light evaluation too, where the weights have one.
    pub light_evaluation: bool,
    /// Squares in quadrants with an odd number of empty squares first.
    pub parity: bool,
    /// A node ends where the other side's stable discs prove the score low.
    pub stability: bool,
    /// A node ends with a move that leaves the other side no disc.
    pub wipe_out: bool,
}

impl Ideas {
    /// All of them.
    pub const ALL: Self = Self {
        null_windows: true,
        aspiration: true,
        table: true,
        near_table: true,
        enhanced_cutoff: true,
        table_move_first: true,
        ordering_by_value: true,
        ordering_by_replies: true,
        light_evaluation: true,
        parity: true,
        stability: true,
        wipe_out: true,
    };

    /// Every idea turned off alone, under its name.
    pub fn one_off() -> impl ExactSizeIterator<Item = (&'static str, Self)> {
        const ALL: Ideas = Ideas::ALL;
        [
            ("null windows", Self { null_windows: false, ..ALL }),
            ("aspiration", Self { aspiration: false, ..ALL }),
            ("table", Self { table: false, ..ALL }),
            ("near table", Self { near_table: false, ..ALL }),
            ("enhanced cut-off", Self { enhanced_cutoff: false, ..ALL }),
            ("table move first", Self { table_move_first: false, ..ALL }),
            ("ordering by value", Self { ordering_by_value: false, ..ALL }),
            ("ordering by replies", Self { ordering_by_replies: false, ..ALL }),
            ("light evaluation", Self { light_evaluation: false, ..ALL }),
            ("parity", Self { parity: false, ..ALL }),
            ("stability", Self { stability: false, ..ALL }),
            ("wipe-out", Self { wipe_out: false, ..ALL }),
        ]
        .into_iter()
    }
}

impl Default for Ideas {
    fn default() -> Self {
        Self::ALL
    }
}
