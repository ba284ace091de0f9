//! The features of the search. Each can be turned off to measure its worth.

/// The set of features that a search uses. No feature changes a value or a score; among equally
/// good moves, a different one may be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Principal variation search: moves after the first are searched in a null window, which shows
    /// whether they are better. Without it, every move is searched in the full window (alpha-beta).
    pub null_windows: bool,
    /// Aspiration: a search begins in a narrow window around a guess or the previous search's
    /// value.
    pub aspiration: bool,
    /// The transposition table.
    pub transposition_table: bool,
    /// The shallow table: a small transposition table near the leaves.
    pub shallow_table: bool,
    /// Enhanced transposition cut-off: a node's children are looked up before any is searched.
    pub enhanced_cutoff: bool,
    /// The selectivity ladder: at 16 or more empty squares, endgame searches at lower ProbCut
    /// confidences precede an exact search, if the weights contain an endgame ProbCut model.
    pub selectivity_ladder: bool,
    /// Moves are ordered by their values if that saves time. Exact searches find these values by a
    /// shallow search.
    pub value_ordering: bool,
    /// In exact searches, the moves that leave the opponent the fewest replies are searched first.
    pub fastest_first: bool,
    /// In the last plies, moves are ordered by the move-ordering evaluation too, if the weights
    /// have one.
    pub move_ordering_evaluation: bool,
    /// Moves in quadrants with an odd number of empty squares come first.
    pub parity: bool,
    /// The stability cutoff: a node ends if the opponent's stable discs prove that its score is at
    /// most alpha.
    pub stability: bool,
    /// If a move leaves the opponent no disc, the node ends with it.
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
        selectivity_ladder: true,
        value_ordering: true,
        fastest_first: true,
        move_ordering_evaluation: true,
        parity: true,
        stability: true,
        wipe_out: true,
    };

    /// Some features affect searches to a fixed depth. Returns whether one of these is turned off.
    pub fn differs_in_midgame(&self) -> bool {
        let Self { null_windows, aspiration, transposition_table, enhanced_cutoff, .. } = *self;
        let all = [null_windows, aspiration, transposition_table, enhanced_cutoff];
        !all.into_iter().chain([self.value_ordering]).all(|feature| feature)
    }

    /// Returns the sets in which exactly one feature is turned off, each with the name of that
    /// feature.
    pub fn one_off() -> impl ExactSizeIterator<Item = (&'static str, Self)> {
        const ALL: Features = Features::ALL;
        [
            ("null windows", Self { null_windows: false, ..ALL }),
            ("aspiration window", Self { aspiration: false, ..ALL }),
            ("transposition table", Self { transposition_table: false, ..ALL }),
            ("shallow table", Self { shallow_table: false, ..ALL }),
            ("enhanced cut-off", Self { enhanced_cutoff: false, ..ALL }),
            ("selectivity ladder", Self { selectivity_ladder: false, ..ALL }),
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
