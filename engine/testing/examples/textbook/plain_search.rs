//! Textbook forms of alpha-beta search and of its table, compared with each other.
//!
//! `windows`, `softness`, `table`, `order`, `clusters` and `keys` search the first positions of a
//! file to a depth (60: to the end); `game` and `ages` play a game to a depth and solve its end.
//! Moves are ordered by value, or by replies near the end; near the leaves there is neither order
//! nor table.

use std::ops::{AddAssign, Range};

use othello_engine::board::obf::Problem;
use othello_engine::board::{Position, Square, Squares};
use othello_engine::eval::{Evaluate, Value, embedded};

use super::{Done, hash, processor_seconds};

/// The height above leaves up to which moves are not ordered: in searches to a depth, and to the
/// end.
const PLAIN_HEIGHT: [u32; 2] = [3, 7];
/// The least height above the end of the game at which moves are ordered by value instead of
/// replies.
const VALUED_HEIGHT: u32 = 12;
const FIRST_DEPTH: u32 = 4;
/// The move score that puts a move before all others.
const FIRST: i32 = 1 << 16;
/// An unknown bound in steps, beyond all values.
const OPEN: i32 = 65 * 32;

/// The shape of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) entries: usize,
    /// The number of entries in which a position may be stored.
    pub(crate) ways: usize,
    /// The entry with the least depth is replaced; each search since an entry was written reduces
    /// its depth by this number of plies. `None`: an arbitrary entry is replaced.
    pub(crate) age_cost: Option<i32>,
    /// The bits of a hash that identify a position; `None` compares whole boards.
    pub(crate) key_bits: Option<u32>,
}

impl Shape {
    /// A table that never becomes full in these comparisons.
    const LARGE: Self = Self { entries: 1 << 19, ways: 4, age_cost: Some(0), key_bits: None };
    pub(crate) const SMALL: Self = Self { entries: 128, ..Self::LARGE };
}

#[derive(Clone, Copy)]
struct Entry {
    position: Position,
    lower: i32,
    upper: i32,
    depth: u32,
    age: i32,
    best: Option<Square>,
}

struct Table {
    shape: Shape,
    entries: Vec<Option<Entry>>,
    age: i32,
    /// The number of entries that were used for another position by mistake.
    mistaken: u64,
}

impl Table {
    fn new(shape: Shape) -> Self {
        let entries = vec![None; shape.entries / shape.ways * shape.ways];
        Self { shape, entries, age: 0, mistaken: 0 }
    }

    fn cluster(&self, position: &Position) -> Range<usize> {
        let clusters = self.entries.len() / self.shape.ways;
        let first = ((u128::from(hash(position)) * clusters as u128) >> 64) as usize;
        first * self.shape.ways..(first + 1) * self.shape.ways
    }

    fn is_same(&self, entry: &Entry, position: &Position) -> bool {
        let differs = |bits: u32| (hash(&entry.position) ^ hash(position)) << (64 - bits) != 0;
        self.shape.key_bits.map_or(entry.position == *position, |bits| !differs(bits))
    }

    fn find(&mut self, position: &Position) -> Option<Entry> {
        let entries = self.entries[self.cluster(position)].iter().flatten();
        let found = entries.copied().find(|entry| self.is_same(entry, position))?;
        self.mistaken += u64::from(found.position != *position);
        Some(found)
    }

    fn store(&mut self, new: Entry) {
        let aged = |entry: &Entry, cost| entry.depth as i32 - cost * (self.age - entry.age);
        let worth = |place: &usize| match &self.entries[*place] {
            None => i32::MIN + 1,
            Some(entry) if self.is_same(entry, &new.position) => i32::MIN,
            Some(entry) => self.shape.age_cost.map_or(0, |cost| aged(entry, cost)),
        };
        if let Some(place) = self.cluster(&new.position).min_by_key(worth) {
            self.entries[place] = Some(new);
        }
    }
}

/// The move that is searched first, before the order by value or replies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum First {
    None,
    /// The best move of an earlier search, from the table.
    Remembered,
    /// Moves to positions that are in the transposition table of the search one ply shallower, the
    /// best first; two tables alternate.
    Visited,
}

/// A form of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// True if moves after the first are searched with null windows (PVS).
    pub(crate) null_windows: bool,
    /// True if a node may return a value outside its window (fail-soft).
    pub(crate) soft: bool,
    /// True for iterative deepening: the search runs to all depths up to its own.
    pub(crate) deepens: bool,
    pub(crate) first: First,
    pub(crate) table: Option<Shape>,
}

impl Form {
    /// The form that the others are compared with.
    pub(crate) const USUAL: Self = Self {
        null_windows: true,
        soft: true,
        deepens: true,
        first: First::Remembered,
        table: Some(Shape::LARGE),
    };

    const fn with(shape: Shape) -> Self {
        Self { table: Some(shape), ..Self::USUAL }
    }
}

/// The work of searches.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Effort {
    /// The searched nodes with moves.
    inner: u64,
    /// The evaluated positions and finished games.
    leaves: u64,
    /// The evaluations for ordering moves, and the number of them whose position was in the table.
    ordering: [u64; 2],
    /// The entries that were used for another position by mistake.
    pub(crate) mistaken: u64,
    seconds: f64,
}

impl AddAssign for Effort {
    fn add_assign(&mut self, other: Self) {
        self.inner += other.inner;
        self.leaves += other.leaves;
        self.ordering = [0, 1].map(|at| self.ordering[at] + other.ordering[at]);
        self.mistaken += other.mistaken;
        self.seconds += other.seconds;
    }
}

pub(crate) struct Plain<'a, E: Evaluate> {
    evaluator: &'a E,
    form: Form,
    table: Option<Table>,
    /// The table of the search one ply shallower.
    earlier: Option<Table>,
    /// The root of the search, whose best move must be in the table.
    root: Position,
    to_the_end: bool,
    effort: Effort,
}

impl<'a, E: Evaluate> Plain<'a, E> {
    pub(crate) fn new(evaluator: &'a E, form: Form) -> Self {
        let table = form.table.map(Table::new);
        let (root, effort) = (Position::START, Effort::default());
        Self { evaluator, form, table, earlier: None, root, to_the_end: false, effort }
    }

    pub(crate) fn effort(&self) -> Effort {
        Effort { mistaken: self.table.as_ref().map_or(0, |table| table.mistaken), ..self.effort }
    }

    /// Searches a position to a depth, or to the end; returns the value in steps and a best move.
    pub(crate) fn search(&mut self, position: &Position, depth: u32) -> (i32, Option<Square>) {
        let begun = processor_seconds();
        (self.root, self.to_the_end) = (*position, depth >= position.empties());
        let depth = depth.min(position.empties());
        let deepens = self.form.deepens && !self.to_the_end;
        let state = self.evaluator.state(position);
        let mut value = 0;
        for depth in if deepens { FIRST_DEPTH.min(depth) } else { depth }..=depth {
            if self.form.first == First::Visited && deepens {
                self.earlier = self.table.replace(Table::new(Shape::LARGE));
            }
            value = self.node(position, &state, (-OPEN, OPEN), depth);
        }
        let best = self.table.as_mut().and_then(|table| {
            table.age += 1;
            table.find(position)?.best
        });
        self.effort.seconds += processor_seconds() - begun;
        (value, best)
    }

    fn node(
        &mut self,
        position: &Position,
        state: &E::State,
        window @ (given_alpha, given_beta): (i32, i32),
        depth: u32,
    ) -> i32 {
        let squares = position.moves();
        if squares == 0 {
            let passed = position.pass();
            if passed.moves() == 0 {
                self.effort.leaves += 1;
                return Value::from_score(position.score()).steps();
            }
            let state = self.evaluator.pass(state);
            return -self.node(&passed, &state, (-given_beta, -given_alpha), depth);
        }
        if depth == 0 {
            self.effort.leaves += 1;
            return self.evaluator.value(state, position).steps();
        }
        self.effort.inner += 1;
        let is_plain = self.is_plain(depth) && *position != self.root;
        let ((mut alpha, mut beta), mut remembered) = (window, None);
        let table = self.table.as_mut().filter(|_| !is_plain);
        if let Some(known) = table.and_then(|table| table.find(position)) {
            remembered = known.best;
            if known.depth == depth {
                (alpha, beta) = (alpha.max(known.lower), beta.min(known.upper));
                if alpha >= beta {
                    let value = if known.lower >= given_beta { known.lower } else { known.upper };
                    return self.returned(value, window);
                }
            }
        }
        let (mut best, mut best_square, mut narrow) = (-OPEN, None, alpha);
        let ordered = self.ordered(position, state, squares, remembered, depth);
        for (number, (_, square)) in ordered.into_iter().enumerate() {
            let flips = position.flips(square);
            let child = position.after(square, flips);
            // No values are used near the end.
            let has_values = !self.to_the_end || depth > VALUED_HEIGHT;
            let after =
                if has_values { self.evaluator.after(state, square, flips) } else { *state };
            let mut value = -OPEN;
            let is_tried = self.form.null_windows && !is_plain && number > 0;
            if is_tried {
                value = -self.node(&child, &after, (-narrow - 1, -narrow), depth - 1);
            }
            if !is_tried || (narrow < value && value < beta) {
                value = -self.node(&child, &after, (-beta, -narrow), depth - 1);
            }
            if value > best {
                (best, best_square) = (value, Some(square));
                narrow = narrow.max(value);
            }
            if best >= beta {
                break;
            }
        }
        let found = self.returned(best, (alpha, beta));
        if let Some(table) = self.table.as_mut().filter(|_| !is_plain) {
            let lower = if found > alpha { found } else { -OPEN };
            let upper = if found < beta { found } else { OPEN };
            let best = if found > alpha { best_square } else { remembered.or(best_square) };
            table.store(Entry { position: *position, lower, upper, depth, age: table.age, best });
        }
        found
    }

    fn is_plain(&self, depth: u32) -> bool {
        depth <= PLAIN_HEIGHT[usize::from(self.to_the_end)]
    }

    /// Returns the value that a node returns: limited to its window if the search is fail-hard.
    fn returned(&self, value: i32, (alpha, beta): (i32, i32)) -> i32 {
        if self.form.soft { value } else { value.clamp(alpha, beta) }
    }

    /// Returns the moves in the order in which they are searched.
    fn ordered(
        &mut self,
        position: &Position,
        state: &E::State,
        squares: u64,
        remembered: Option<Square>,
        depth: u32,
    ) -> Vec<(i32, Square)> {
        let mut moves: Vec<(i32, Square)> = Squares(squares).map(|square| (0, square)).collect();
        if self.is_plain(depth) {
            return moves;
        }
        for (score, square) in &mut moves {
            let flips = position.flips(*square);
            let child = position.after(*square, flips);
            *score = if self.to_the_end && depth < VALUED_HEIGHT {
                -(child.moves().count_ones() as i32)
            } else {
                let known = self.table.as_mut().is_some_and(|table| table.find(&child).is_some());
                self.effort.ordering[0] += 1;
                self.effort.ordering[1] += u64::from(known);
                -self.evaluator.value_after(state, *square, flips, &child).steps()
            };
            match self.form.first {
                First::Remembered if remembered == Some(*square) => *score += FIRST,
                First::Visited => {
                    let known = self.earlier.as_mut().and_then(|table| table.find(&child));
                    let value = |one: Entry| if one.lower > -OPEN { one.lower } else { one.upper };
                    *score = known.map_or(*score, |one| FIRST - value(one));
                }
                _ => (),
            }
        }
        moves.sort_by_key(|&(score, _)| -score);
        moves
    }
}

/// Plays a game; returns its score for black, and the amount of work.
pub(crate) fn play(evaluator: &impl Evaluate, form: Form, depth: u32, exact: u32) -> (i32, Effort) {
    let (mut middle, mut end) = (Plain::new(evaluator, form), Plain::new(evaluator, form));
    let (mut position, mut sign) = (Position::START, 1);
    while !position.is_over() {
        let best = match position.moves() {
            0 => None,
            _ if position.empties() <= exact => end.search(&position, 60).1,
            _ => middle.search(&position, depth).1,
        };
        // A side without a move passes.
        let next = best.and_then(|best| position.play(best));
        (position, sign) = (next.unwrap_or(position.pass()), -sign);
    }
    let mut effort = middle.effort();
    effort += end.effort();
    (sign * position.score(), effort)
}

pub(crate) const COMPARISONS: [&str; 8] =
    ["windows", "softness", "table", "order", "clusters", "keys", "game", "ages"];

pub(crate) fn forms(comparison: &str) -> Result<Vec<(String, Form)>, String> {
    const USUAL: Form = Form::USUAL;
    const SMALL: Shape = Shape::SMALL;
    let named = |forms: &[(&str, Form)]| {
        forms.iter().map(|&(name, form)| (name.to_owned(), form)).collect()
    };
    let shape = |(name, shape): (String, Shape)| (name, Form::with(shape));
    Ok(match comparison {
        "windows" | "game" => {
            named(&[("alpha-beta", Form { null_windows: false, ..USUAL }), ("PVS", USUAL)])
        }
        "softness" => named(&[("fail-hard", Form { soft: false, ..USUAL }), ("fail-soft", USUAL)]),
        "table" => named(&[("no table", Form { table: None, ..USUAL }), ("table", USUAL)]),
        "order" => named(&[
            ("one depth, by value", Form { deepens: false, first: First::None, ..USUAL }),
            ("deepening, by value", Form { first: First::None, ..USUAL }),
            ("table's move first", USUAL),
            ("two tables", Form { first: First::Visited, ..USUAL }),
        ]),
        "clusters" => {
            let both = |ways| [("any", None), ("shallowest", Some(0))].map(|kind| (ways, kind));
            let one = |(ways, (name, age_cost))| {
                shape((format!("{ways} ways, {name}"), Shape { ways, age_cost, ..SMALL }))
            };
            [1, 2, 3, 4].into_iter().flat_map(both).map(one).collect()
        }
        "ages" => {
            let one = |cost| (format!("{cost} plies"), Shape { age_cost: Some(cost), ..SMALL });
            [0, 1, 2, 4, 8, 64].map(|cost| shape(one(cost))).into()
        }
        "keys" => {
            let name = |bits: Option<u32>| {
                bits.map_or("whole boards".into(), |bits| format!("{bits} bits"))
            };
            [Some(8), Some(16), Some(24), Some(32), Some(48), Some(64), None]
                .map(|key_bits| shape((name(key_bits), Shape { key_bits, ..SMALL })))
                .into()
        }
        other => return Err(format!("`{other}`: expected one of {COMPARISONS:?}")),
    })
}

/// Prints a row with the work of each form, relative to that of the first. `work` returns the
/// result to print and the work.
fn print_rows(comparison: &str, mut work: impl FnMut(Form) -> (String, Effort)) -> Done {
    let mut first = None;
    for (name, form) in forms(comparison)? {
        let (found, effort) = work(form);
        let Effort { inner, leaves, ordering: [ordering, known], mistaken, seconds } = effort;
        let first = *first.get_or_insert(effort);
        let ratio = |own: u64, first: u64| own as f64 / first as f64;
        println!(
            "{name:20} {found:>8}  inner {inner} ({:.2}), leaves {leaves} ({:.2}), all {:.2}, CPU \
             {seconds:.3} s ({:.2}); {:.1} % of {ordering} values for ordering known, {mistaken} \
             mistaken",
            ratio(inner, first.inner),
            ratio(leaves, first.leaves),
            ratio(inner + leaves, first.inner + first.leaves),
            seconds / first.seconds.max(1e-9),
            100.0 * ratio(known, ordering.max(1)),
        );
    }
    Ok(())
}

pub(crate) fn compare_games(comparison: &str, depth: u32, exact: u32) -> Done {
    let tables = embedded::tables();
    print_rows(comparison, |form| {
        let (score, effort) = play(&tables, form, depth, exact);
        (format!("{score:+}"), effort)
    })
}

pub(crate) fn compare(comparison: &str, problems: &[Problem], depth: u32) -> Done {
    let tables = embedded::tables();
    let search_all = |form| {
        let mut effort = Effort::default();
        let search = |problem: &Problem| {
            let mut plain = Plain::new(&tables, form);
            let (value, _) = plain.search(&problem.position, depth);
            effort += plain.effort();
            value
        };
        (problems.iter().map(search).collect::<Vec<_>>(), effort)
    };
    let (right, _) = search_all(Form::USUAL);
    print_rows(comparison, |form| {
        let (values, effort) = search_all(form);
        let wrong = values.iter().zip(&right).filter(|(own, right)| own != right).count();
        (format!("{wrong} wrong"), effort)
    })
}
