//! The features of the search, each of which can be turned off to measure its effect.

/// The set of features that a search uses. Without ProbCut and realization probability, features
/// change no value or score. They may change which of several equally good moves a search finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Principal variation search: null windows after the first move; if off, only full windows.
    pub null_windows: bool,
    /// Aspiration: a search begins in a narrow window around a guess or an earlier value.
    pub aspiration: bool,
    /// The transposition table, which keeps bounds and best moves of earlier searches.
    pub transposition_table: bool,
    /// The shallow table: a small transposition table for nodes near the leaves of exact searches.
    pub shallow_table: bool,
    /// Enhanced transposition cutoff: table entries of a node's children may prune the node.
    pub enhanced_cutoff: bool,
    /// The selectivity ladder: at 16 or more empty squares, endgame searches with ProbCut at rising
    /// confidence precede an exact search, if the weights contain a ProbCut model.
    pub selectivity_ladder: bool,
    /// Value ordering. At nodes of depth 4 or more, fixed-depth searches order moves by static
    /// value; at 14 or more empty squares, exact searches order them by shallow searches.
    pub value_ordering: bool,
    /// Fastest first: exact searches begin with moves that leave the opponent the fewest replies.
    pub fastest_first: bool,
    /// Near the leaves of exact searches, the move ordering also uses the move-ordering evaluation
    /// (a small pattern evaluation), if the weights have one.
    pub move_ordering_evaluation: bool,
    /// Parity ordering: exact searches prefer moves in quadrants with an odd number of empty
    /// squares.
    pub parity: bool,
    /// Stability cutoff: a node ends if the opponent's stable discs prove a score of at most alpha.
    pub stability: bool,
    /// Wipe-out: if a move leaves the opponent no disc, the node ends with the score 64.
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

    /// Returns true if at least one feature that affects fixed-depth searches is off.
    pub fn differs_in_midgame(&self) -> bool {
        let Self { null_windows, aspiration, transposition_table, enhanced_cutoff, .. } = *self;
        let all = [null_windows, aspiration, transposition_table, enhanced_cutoff];
        !all.into_iter().chain([self.value_ordering]).all(|feature| feature)
    }

    /// Returns every feature set with exactly one feature turned off, and the name of that feature.
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
