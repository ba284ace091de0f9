//! Search to the end of the game, in discs: exact, fail-soft, mostly in null windows.
//!
//! Four kinds of nodes, by what their subtrees are worth: with many empty squares moves are
//! ordered by a shallow search, with fewer by how many replies they leave, with a handful by
//! parity only, and the last four squares are tried one after another.

use super::Searcher;
use super::last::{four_empties, one_empty, three_empties, two_empties};
use super::ordering::{Move, Moves, Parity, weighted_mobility};
use super::window::{Best, Window};
use crate::board::{Discs, Position, Square, Squares};
use crate::eval::{Evaluate, MAX_VALUE, STEPS_PER_DISC};

/// Beyond every score.
const INFINITE: Discs = 65;
/// From this many empty squares on, a search to a fixed depth guesses the score first.
const GUESSED_EMPTIES: u32 = 13;
/// From this many empty squares on, moves are ordered by value, and children looked up for a cut-off.
const EVALUATED_EMPTIES: u32 = 11;
/// From this many empty squares on, the table is used.
const TABLE_EMPTIES: u32 = 8;
/// From this many empty squares on, moves are ordered by the replies they leave.
const ORDERED_EMPTIES: u32 = 7;
/// Half the width of the first window around the guess.
const FIRST_MARGIN: Discs = 3;

impl<E: Evaluate> Searcher<'_, E> {
    /// Solves a position in windows around a guessed score, each wider than the one before.
    pub(super) fn endgame_from_a_guess(&mut self, position: &Position) -> Best {
        let empties = position.empties();
        let state = self.evaluator.state(position);
        if empties < GUESSED_EMPTIES || self.is_solved(position) {
            return self.evaluated(position, &state, -INFINITE, INFINITE);
        }
        let guess = self.iterate(position, (empties - 8).min(2 + empties / 4));
        let mut center =
            (guess.value as f64 / f64::from(STEPS_PER_DISC) / 2.0).round() as Discs * 2;
        let mut margin = FIRST_MARGIN;
        loop {
            let alpha = (center - margin).max(-INFINITE);
            let beta = (center + margin).min(INFINITE);
            let best = self.evaluated(position, &state, alpha, beta);
            if alpha < best.value && best.value < beta {
                return best;
            }
            margin *= 2;
            center = best.value;
        }
    }

    /// Whether the table holds the score.
    fn is_solved(&self, position: &Position) -> bool {
        let bounds = self.table.probe(position).map(|entry| entry.bounds(position.empties()));
        bounds.is_some_and(|(lower, upper)| lower == upper)
    }

    /// The score, a bound on it outside the window: by the kind of node that suits the position.
    fn endgame(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Discs,
        beta: Discs,
        empties: u32,
    ) -> Discs {
        if empties >= EVALUATED_EMPTIES {
            self.evaluated(position, state, alpha, beta).value
        } else {
            self.unevaluated(position, Parity::of(position.empty()), alpha, beta, empties)
        }
    }

    /// A node whose moves are ordered by value; the root in any case.
    fn evaluated(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Discs,
        beta: Discs,
    ) -> Best {
        self.nodes += 1;
        let squares = position.moves();
        if squares == 0 {
            let passed = position.pass();
            let value = if passed.moves() == 0 {
                position.score()
            } else {
                -self.evaluated(&passed, &self.evaluator.pass(state), -beta, -alpha).value
            };
            return Best { value, square: None };
        }
        let empties = position.empties();
        let mut window = Window::new(alpha, beta);
        let mut table_moves = [None; 2];
        if let Some(entry) = self.table.probe(position) {
            table_moves = entry.best();
            if window.narrow(in_discs(entry.bounds(empties)), table_moves[0]) {
                return window.best;
            }
        }
        let mut moves = Moves::new(position, squares);
        let (bounds, square) = self.bounds_from_children(&moves, empties);
        if window.narrow(bounds, square) {
            return window.best;
        }
        let odd_squares = Parity::of(position.empty()).odd_squares();
        moves.rate(table_moves, |candidate| self.promise(candidate, state, odd_squares, empties));
        let mut first = true;
        while let Some(next) = moves.take_best() {
            let state = self.evaluator.after(state, next.square, next.flips);
            let Window { alpha, beta, .. } = window;
            let mut value = INFINITE;
            if !first {
                value = -self.endgame(&next.child, &state, -alpha - 1, -alpha, empties - 1);
            }
            if first || (alpha < value && value < beta) {
                value = -self.endgame(&next.child, &state, -beta, -alpha, empties - 1);
            }
            first = false;
            if window.take(value, next.square) {
                break;
            }
        }
        self.store(position, empties, &window);
        window.best
    }

    /// Enhanced transposition cut-off: a child whose score lies in [l, h] for its own player
    /// proves at least −h here, by the move that leads to it; and where that is known of every
    /// child, the score is at most the greatest −l.
    fn bounds_from_children(
        &self,
        moves: &Moves,
        empties: u32,
    ) -> ((Discs, Discs), Option<Square>) {
        let (mut bounds, mut square) = ((-INFINITE, -INFINITE), None);
        for candidate in moves.iter() {
            let Some(entry) = self.table.probe(&candidate.child) else {
                bounds.1 = INFINITE;
                continue;
            };
            let (lower, upper) = in_discs(entry.bounds(empties - 1));
            bounds.1 = bounds.1.max(-lower);
            if -upper > bounds.0 {
                (bounds.0, square) = (-upper, Some(candidate.square));
            }
        }
        (bounds, square)
    }

    /// How promising a move is: by a shallow search, few replies, and parity.
    fn promise(
        &mut self,
        candidate: &Move,
        state: &E::State,
        odd_squares: u64,
        empties: u32,
    ) -> i32 {
        let child = &candidate.child;
        let state = self.evaluator.after(state, candidate.square, candidate.flips);
        let depth = u32::from(empties >= 15) + u32::from(empties >= 18);
        let value = self.unordered(child, &state, -MAX_VALUE - 1, MAX_VALUE + 1, depth);
        let odd = i32::from(candidate.square.bit() & odd_squares != 0);
        odd * STEPS_PER_DISC / 2 - value - 2 * STEPS_PER_DISC * weighted_mobility(child)
    }

    /// A node without values: ordered by replies or by parity.
    fn unevaluated(
        &mut self,
        position: &Position,
        parity: Parity,
        alpha: Discs,
        beta: Discs,
        empties: u32,
    ) -> Discs {
        if empties >= ORDERED_EMPTIES {
            self.by_replies(position, parity, alpha, beta, empties)
        } else if empties > 4 {
            self.by_parity(position, parity, alpha, beta, empties)
        } else {
            self.last(position, parity, alpha, beta)
        }
    }

    /// A node whose moves are ordered by the replies they leave.
    fn by_replies(
        &mut self,
        position: &Position,
        parity: Parity,
        alpha: Discs,
        beta: Discs,
        empties: u32,
    ) -> Discs {
        self.nodes += 1;
        let squares = position.moves();
        if squares == 0 {
            let passed = position.pass();
            if passed.moves() == 0 {
                return position.score();
            }
            return -self.by_replies(&passed, parity, -beta, -alpha, empties);
        }
        let mut window = Window::new(alpha, beta);
        let mut table_moves = [None; 2];
        if empties >= TABLE_EMPTIES
            && let Some(entry) = self.table.probe(position)
        {
            table_moves = entry.best();
            if window.narrow(in_discs(entry.bounds(empties)), table_moves[0]) {
                return window.best.value;
            }
        }
        let mut moves = Moves::new(position, squares);
        let odd_squares = parity.odd_squares();
        moves.rate(table_moves, |candidate| {
            let odd = i32::from(candidate.square.bit() & odd_squares != 0);
            odd - 2 * weighted_mobility(&candidate.child)
        });
        while let Some(next) = moves.take_best() {
            let parity = parity.after(next.square);
            let Window { alpha, beta, .. } = window;
            let value = -self.unevaluated(&next.child, parity, -beta, -alpha, empties - 1);
            if window.take(value, next.square) {
                break;
            }
        }
        if empties >= TABLE_EMPTIES {
            self.store(position, empties, &window);
        }
        window.best.value
    }

    /// A node whose moves are tried in odd quadrants first.
    fn by_parity(
        &mut self,
        position: &Position,
        parity: Parity,
        alpha: Discs,
        beta: Discs,
        empties: u32,
    ) -> Discs {
        self.nodes += 1;
        let squares = position.moves();
        if squares == 0 {
            let passed = position.pass();
            if passed.moves() == 0 {
                return position.score();
            }
            return -self.by_parity(&passed, parity, -beta, -alpha, empties);
        }
        let odd_squares = parity.odd_squares();
        let mut best = -INFINITE;
        let mut reached = alpha;
        for group in [squares & odd_squares, squares & !odd_squares] {
            for square in Squares(group) {
                let child = position.after(square, position.flips(square));
                let parity = parity.after(square);
                let value = -self.unevaluated(&child, parity, -beta, -reached, empties - 1);
                if value > best {
                    best = value;
                    if value >= beta {
                        return best;
                    }
                    reached = reached.max(value);
                }
            }
        }
        best
    }

    /// A node with four empty squares or fewer.
    fn last(&mut self, position: &Position, parity: Parity, alpha: Discs, beta: Discs) -> Discs {
        let (window, nodes) = ((alpha, beta), &mut self.nodes);
        let odd = parity.odd_squares();
        let empty = position.empty();
        let mut squares = Squares(empty & odd).chain(Squares(empty & !odd));
        let mut next = || squares.next();
        match [next(), next(), next(), next()] {
            [Some(a), Some(b), Some(c), Some(d)] => {
                four_empties(position, [a, b, c, d], window, nodes)
            }
            [Some(a), Some(b), Some(c), None] => three_empties(position, [a, b, c], window, nodes),
            [Some(a), Some(b), None, _] => two_empties(position, [a, b], window, nodes),
            [Some(a), None, ..] => one_empty(position, a, nodes),
            [None, ..] => {
                *nodes += 1;
                position.score()
            }
        }
    }

    fn store(&mut self, position: &Position, empties: u32, window: &Window) {
        let steps = |discs| discs * STEPS_PER_DISC;
        let (lower, upper) = window.proven();
        let bounds = (lower.map(steps), upper.map(steps));
        self.table.store(position, empties, bounds, window.best.square);
    }
}

/// Bounds in discs; exact, since scores are whole.
fn in_discs((lower, upper): (i32, i32)) -> (Discs, Discs) {
    (lower / STEPS_PER_DISC, upper / STEPS_PER_DISC)
}
