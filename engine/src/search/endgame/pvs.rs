//! The PVS nodes of the endgame, whose moves are ordered by value.

use super::super::ordering::{Move, Moves, Parity, weighted_count};
use super::super::split::Goal;
use super::super::window::{Best, Window};
use super::super::{Searcher, Selectivity};
use super::{INFINITE, PVS_EMPTIES, stability_bound};
use crate::board::{Discs, Position, Square};
use crate::eval::{Evaluate, STEPS_PER_DISC, Value};
use crate::instructions::{Instructions, compiled_for};

/// The least depth of a table entry whose moves are searched first. The search that guesses the
/// score leaves moves in the table; those of shallower entries are worse than the order by
/// [`Searcher::promise`]. With 6 instead, the search takes 3 to 14 % more nodes on four suites, and
/// 12 % fewer on fforum-20-39. (Below [`PVS_EMPTIES`], where only the root is a PVS node, every
/// table move is used.)
const TRUSTED_DEPTH: u32 = 8;

/// The numbers of empty squares from which on the shallow search for a move's promise goes one, two
/// and three plies deep. With each one square less, the search takes as many nodes and 2 to 4 %
/// more time.
const PROMISE_EMPTIES: [u32; 3] = [16, 18, 21];

/// The least number of empty squares at which factors count in a move's promise. Below, the weights
/// of one phase alone order moves nearly as well: 1 to 4 % more nodes, 3 to 20 % less time.
const FACTOR_EMPTIES: u32 = 19;

/// The greatest difference to the best move's promise, in steps, that is still computed exactly.
const PROMISE_MARGIN: i32 = 8 * STEPS_PER_DISC;

/// The greatest distance of a move's value below the window, in discs, that is still computed
/// exactly; as in Edax.
const HOPELESS_MARGIN: Discs = 8;

/// The least number of empty squares at which the moves of a node are worth sharing.
const SHARED_EMPTIES: u32 = 16;

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Returns the score, or a bound on it if it is outside the window. The number of empty squares
    /// decides the kind of node.
    pub(in super::super) fn endgame(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Discs,
        beta: Discs,
        empties: u32,
    ) -> Discs {
        if empties >= PVS_EMPTIES {
            return self.endgame_pvs(position, state, alpha, beta).value;
        }
        let parity = self.parity(position);
        let (mut lower, mut upper) = (alpha, beta);
        // A few null windows close in on the score: most often the middle one decides.
        loop {
            let middle = (lower + upper - 1).div_euclid(2);
            let value = self.null_window(*position, parity, middle, empties);
            if value > middle {
                lower = value;
            } else {
                upper = value;
            }
            if lower >= upper || value <= alpha || beta <= value {
                return value;
            }
        }
    }

    /// Searches a PVS node, whose moves are ordered by value. The root is always searched as one.
    #[compiled_for(I::SET)]
    pub(super) fn endgame_pvs(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Discs,
        beta: Discs,
    ) -> Best<Discs> {
        self.nodes += 1;
        self.table.prefetch(position);
        let squares = position.moves_by(self.set);
        if squares == 0 {
            let passed = position.pass();
            let value = if passed.moves_by(self.set) == 0 {
                position.score()
            } else {
                -self.endgame_pvs(&passed, &self.evaluator.pass(state), -beta, -alpha).value
            };
            return Best { value, square: None };
        }
        let empties = position.empties();
        if beta == alpha + 1
            && let Some(upper) = stability_bound(self.set, position, alpha, empties, self.features)
        {
            return Best { value: upper, square: None };
        }
        let mut window = Window::new(alpha, beta);
        let mut table_moves = [None; 2];
        if self.features.transposition_table
            && let Some(entry) = self.table.probe(position)
        {
            let found = entry.best();
            if window.narrow(exact(entry.bounds(empties, self.end.selectivity)), found[0]) {
                return window.best;
            }
            if entry.depth() >= TRUSTED_DEPTH || empties < PVS_EMPTIES {
                table_moves = found;
            }
        }
        let mut moves = Moves::new(self.set, position, squares);
        if self.features.enhanced_cutoff
            && self.features.transposition_table
            && empties > PVS_EMPTIES
        {
            let (bounds, square) =
                self.bounds_from_children(&moves, (empties - 1, self.end.selectivity), exact);
            if window.narrow(bounds, square) {
                return window.best;
            }
        }
        if window.beta == window.alpha + 1
            && let Some(value) = self.probable_score(position, state, window.alpha)
        {
            return Best { value, square: table_moves[0] };
        }
        let odd_squares = self.parity(position).odd_squares();
        self.rate_by_promise(&mut moves, table_moves, state, odd_squares, window.alpha);
        let mut first = true;
        while let Some(next) = moves.take_best() {
            let after = self.evaluator.after(state, next.square, next.flips);
            let Window { alpha, beta, .. } = window;
            let mut value = INFINITE;
            let first_or_full = first || !self.features.null_windows;
            if !first_or_full {
                value = -self.endgame(&next.child, &after, -alpha - 1, -alpha, empties - 1);
            }
            if first_or_full || (alpha < value && value < beta && !self.is_stopped()) {
                value = -self.endgame(&next.child, &after, -beta, -alpha, empties - 1);
            }
            first = false;
            if self.is_stopped() {
                return window.best;
            }
            if window.take(value, next.square) {
                break;
            }
            let is_full = self.end.selectivity == Selectivity::Full;
            if empties >= SHARED_EMPTIES && self.is_help_welcome(&moves, is_full) {
                let shared = (state, empties, Goal::End(self.end.clone()));
                window = self.share(shared, moves, window);
                if self.is_stopped() {
                    return window.best;
                }
                break;
            }
        }
        self.store(position, empties, &window);
        window.best
    }

    /// Finds a move that attains a score that is already known: the first move for which a null
    /// window proves it, or the last remaining move without a search. If the score is likely but
    /// not proven, perhaps no move attains it; then the result is the most promising move. The
    /// player must have a move.
    pub(super) fn attaining_move(
        &mut self,
        position: &Position,
        state: &E::State,
        score: Discs,
    ) -> Best<Discs> {
        self.nodes += 1;
        let empties = position.empties();
        let odd_squares = self.parity(position).odd_squares();
        let mut moves = Moves::new(self.set, position, position.moves_by(self.set));
        if moves.len() > 1 {
            self.rate_by_promise(&mut moves, [None; 2], state, odd_squares, score - 1);
        }
        let is_proven = self.end.selectivity == Selectivity::Full;
        let mut best = Best { value: score, square: None };
        while let Some(next) = moves.take_best() {
            if is_proven && moves.is_empty() {
                best.square = Some(next.square);
                break;
            }
            let state = self.evaluator.after(state, next.square, next.flips);
            let reply = self.endgame(&next.child, &state, -score, 1 - score, empties - 1);
            if -reply >= score {
                best.square = Some(next.square);
                break;
            }
            best.square = best.square.or(Some(next.square));
        }
        best
    }

    /// Rates the moves of a node by their promise. A promise more than [`PROMISE_MARGIN`] below the
    /// best one, or of a value more than [`HOPELESS_MARGIN`] below `alpha`, is only bounded from
    /// above: the first saves 6 to 8 % of the time, the second 3 to 8 %.
    fn rate_by_promise(
        &mut self,
        moves: &mut Moves,
        table_moves: [Option<Square>; 2],
        state: &E::State,
        odd_squares: u64,
        alpha: Discs,
    ) {
        let hopeless = Value::clamped((alpha - HOPELESS_MARGIN) * STEPS_PER_DISC);
        let mut most = None;
        moves.rate(table_moves, |candidate| {
            let least = most.map(|most| most - PROMISE_MARGIN);
            let promise = self.promise(candidate, state, odd_squares, least, hopeless);
            most = most.max(Some(promise));
            promise
        });
    }

    /// Returns the promise of a move, in steps: the value by a shallow search, plus a bonus for an
    /// odd quadrant, less a cost for each reply. If the promise is below `least`, or the searched
    /// value below `hopeless`, the result is an upper bound.
    #[compiled_for(I::SET)]
    fn promise(
        &mut self,
        candidate: &Move,
        state: &E::State,
        odd_squares: u64,
        least: Option<i32>,
        hopeless: Value,
    ) -> i32 {
        let child = &candidate.child;
        let odd = i32::from(candidate.square.bit() & odd_squares != 0);
        let mut promise = odd * STEPS_PER_DISC / 2;
        if self.features.fastest_first {
            promise -= 2 * STEPS_PER_DISC * weighted_count(child.moves_by(self.set));
        }
        if self.features.value_ordering {
            let state = self.evaluator.after(state, candidate.square, candidate.flips);
            let empties = child.empties() + 1;
            let depth = PROMISE_EMPTIES.iter().filter(|&&from| empties >= from).count() as u32;
            let enough = least.map_or(Value::INFINITE, |least| Value::ZERO.raised(promise - least));
            let beta = enough.min(-hopeless).max(Value::MIN);
            self.is_rating = (PVS_EMPTIES..FACTOR_EMPTIES).contains(&empties);
            promise -= self.alpha_beta(child, &state, -Value::INFINITE, beta, depth).steps();
            self.is_rating = false;
        }
        promise
    }

    /// Returns the parity of the quadrants; all even if the parity feature is off.
    #[inline]
    pub(super) fn parity(&self, position: &Position) -> Parity {
        if self.features.parity { Parity::of(position.empty()) } else { Parity::EVEN }
    }

    fn store(&mut self, position: &Position, empties: u32, window: &Window<Discs>) {
        if !self.features.transposition_table {
            return;
        }
        let (lower, upper) = window.proven();
        let bounds = (lower.map(Value::from_score), upper.map(Value::from_score));
        let effort = (empties, self.end.selectivity);
        self.table.store(position, effort, bounds, window.best.square);
    }
}

/// Converts the bounds of a solved position to whole discs.
fn exact((lower, upper): (Value, Value)) -> (Discs, Discs) {
    (lower.score(), upper.score())
}
