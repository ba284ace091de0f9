//! Textbook forms of alpha-beta search and of its table, compared with each other: the rows of
//! `docs/log/published-claims.md` that need more than the one form of each in the program's own
//! search.
//!
//! ```sh
//! cargo run --release -p othello-testing --example plain_search -- \
//!     windows datasets/problems/fforum-1-19.obf 60 3
//! ```
//!
//! `windows`, `softness`, `table`, `order`, `clusters` and `keys` search the first positions of a
//! file to a depth (60 is to the end); `game` and `ages` play a game, to a depth, and perfectly
//! from some empty squares on. Moves are ordered by value, or by replies near the end; near the
//! leaves there is neither order nor table.

use std::error::Error;
use std::path::Path;

use othello_engine::board::obf::Problem;
use othello_engine::board::{Position, Square, Squares};
use othello_engine::eval::{Evaluate, Value, embedded};
use othello_engine::text::Lines;

/// The height above leaves up to which moves are not ordered: to a depth, and to the end.
const PLAIN_HEIGHT: [u32; 2] = [3, 7];
/// The height above the end from which on moves are ordered by value, and not by replies.
const VALUED_HEIGHT: u32 = 12;
/// The first depth of a search that deepens.
const FIRST_DEPTH: u32 = 4;
/// The promise that puts a move before all others.
const FIRST: i32 = 1 << 16;
/// The value of a bound that is not known, in steps: beyond all values.
const OPEN: i32 = 65 * 32;

/// The shape of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) entries: usize,
    /// The number of entries that a position may be in.
    pub(crate) ways: usize,
    /// The least depth goes first, each search since an entry was written counting as so many plies
    /// less; `None`: any goes first.
    pub(crate) age_cost: Option<i32>,
    /// The bits of a hash by which positions are told apart; `None` compares whole boards.
    pub(crate) key_bits: Option<u32>,
}

impl Shape {
    /// A table that is never full in these comparisons.
    const LARGE: Self = Self { entries: 1 << 19, ways: 4, age_cost: Some(0), key_bits: None };
    /// One that is too small for what it is asked.
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
    /// The number of entries that were taken for those of another position.
    mistaken: u64,
}

/// Returns 64 bits that depend on the whole board.
fn hash(position: &Position) -> u64 {
    let [player, opponent] = [position.player(), position.opponent()].map(u128::from);
    let product = (player ^ 0x9E37_79B9_7F4A_7C15) * (opponent ^ 0xD1B5_4A32_D192_ED03);
    (product >> 64) as u64 ^ product as u64
}

impl Table {
    fn new(shape: Shape) -> Self {
        let entries = vec![None; shape.entries / shape.ways * shape.ways];
        Self { shape, entries, age: 0, mistaken: 0 }
    }

    fn cluster(&self, position: &Position) -> std::ops::Range<usize> {
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
        let cluster = self.cluster(&new.position);
        let worth = |entry: &Option<Entry>| match entry {
            None => i32::MIN + 1,
            Some(entry) if self.is_same(entry, &new.position) => i32::MIN,
            Some(entry) => self
                .shape
                .age_cost
                .map_or(0, |cost| entry.depth as i32 - cost * (self.age - entry.age)),
        };
        if let Some(place) = cluster.min_by_key(|&place| worth(&self.entries[place])) {
            self.entries[place] = Some(new);
        }
    }
}

/// The move that is searched first, before the order by value or replies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum First {
    /// None.
    None,
    /// The best move of an earlier search, from the table.
    Remembered,
    /// Moves to positions that the table of the search one ply shallower has, the best first: two
    /// tables take turns.
    Visited,
}

/// A form of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// Moves after the first are tried in null windows: PVS.
    pub(crate) null_windows: bool,
    /// A node returns what it found, also outside its window.
    pub(crate) soft: bool,
    /// The search is to all depths up to its own, one after another.
    pub(crate) deepens: bool,
    /// The move that comes first.
    pub(crate) first: First,
    /// The table.
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
}

/// The work of searches.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Effort {
    /// The nodes with moves that were searched.
    inner: u64,
    /// The values and the ends of games.
    leaves: u64,
    /// The values for ordering moves; and those of them whose position the table had.
    ordering: [u64; 2],
    /// The entries that were taken for those of another position.
    pub(crate) mistaken: u64,
    /// The processor's seconds.
    seconds: f64,
}

impl Effort {
    fn add(&mut self, other: Self) {
        self.inner += other.inner;
        self.leaves += other.leaves;
        self.ordering = [0, 1].map(|at| self.ordering[at] + other.ordering[at]);
        self.mistaken += other.mistaken;
        self.seconds += other.seconds;
    }
}

/// A search in one form.
pub(crate) struct Plain<'a, E: Evaluate> {
    evaluator: &'a E,
    form: Form,
    table: Option<Table>,
    /// The table of the search one ply shallower.
    earlier: Option<Table>,
    /// The position of the search, whose best move the table must tell.
    root: Position,
    to_the_end: bool,
    effort: Effort,
}

impl<'a, E: Evaluate> Plain<'a, E> {
    /// Begins with an empty table.
    pub(crate) fn new(evaluator: &'a E, form: Form) -> Self {
        let table = form.table.map(Table::new);
        let (root, effort) = (Position::START, Effort::default());
        Self { evaluator, form, table, earlier: None, root, to_the_end: false, effort }
    }

    /// Returns the work of all searches so far.
    pub(crate) fn effort(&self) -> Effort {
        let mistaken = self.table.as_ref().map_or(0, |table| table.mistaken);
        Effort { mistaken, ..self.effort }
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
        (given_alpha, given_beta): (i32, i32),
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
        let (mut alpha, mut beta, mut remembered) = (given_alpha, given_beta, None);
        let table = self.table.as_mut().filter(|_| !is_plain);
        if let Some(known) = table.and_then(|table| table.find(position)) {
            remembered = known.best;
            if known.depth == depth {
                (alpha, beta) = (alpha.max(known.lower), beta.min(known.upper));
                if alpha >= beta {
                    let value = if known.lower >= given_beta { known.lower } else { known.upper };
                    return self.returned(value, (given_alpha, given_beta));
                }
            }
        }
        let (mut best, mut best_square) = (-OPEN, None);
        let mut narrow = alpha;
        for (number, (_, square)) in
            self.ordered(position, state, squares, remembered, depth).into_iter().enumerate()
        {
            let flips = position.flips(square);
            let child = position.after(square, flips);
            // Near the end nobody asks for values.
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

    /// Returns whether a node is near the leaves.
    fn is_plain(&self, depth: u32) -> bool {
        depth <= PLAIN_HEIGHT[usize::from(self.to_the_end)]
    }

    /// Returns the value that a node returns: within its window, if the search fails hard.
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
        for (promise, square) in &mut moves {
            let flips = position.flips(*square);
            let child = position.after(*square, flips);
            *promise = if self.to_the_end && depth < VALUED_HEIGHT {
                -(child.moves().count_ones() as i32)
            } else {
                let known = self.table.as_mut().is_some_and(|table| table.find(&child).is_some());
                self.effort.ordering[0] += 1;
                self.effort.ordering[1] += u64::from(known);
                -self.evaluator.value_after(state, *square, flips, &child).steps()
            };
            match self.form.first {
                First::Remembered if remembered == Some(*square) => *promise += FIRST,
                First::Visited => {
                    let known = self.earlier.as_mut().and_then(|table| table.find(&child));
                    let value = |one: Entry| if one.lower > -OPEN { one.lower } else { one.upper };
                    *promise = known.map_or(*promise, |one| FIRST - value(one));
                }
                _ => (),
            }
        }
        moves.sort_by_key(|&(promise, _)| -promise);
        moves
    }
}

/// Returns the processor time of this thread, which a busy machine does not lengthen; 0 where the
/// system does not tell.
fn processor_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// Plays a game; returns its score for black, and the work.
pub(crate) fn play(evaluator: &impl Evaluate, form: Form, depth: u32, exact: u32) -> (i32, Effort) {
    let (mut middle, mut end) = (Plain::new(evaluator, form), Plain::new(evaluator, form));
    let (mut position, mut sign) = (Position::START, 1);
    while !position.is_over() {
        let is_end = position.empties() <= exact;
        let best = match position.moves() {
            0 => None,
            _ if is_end => end.search(&position, 60).1,
            _ => middle.search(&position, depth).1,
        };
        // A side without a move passes.
        let next = best.and_then(|best| position.play(best));
        (position, sign) = (next.unwrap_or(position.pass()), -sign);
    }
    let mut effort = middle.effort();
    effort.add(end.effort());
    (sign * position.score(), effort)
}

/// Searches positions, each from an empty table; returns their values, and the work.
fn search_all(
    evaluator: &impl Evaluate,
    form: Form,
    problems: &[Problem],
    depth: u32,
) -> (Vec<i32>, Effort) {
    let mut effort = Effort::default();
    let search = |problem: &Problem| {
        let mut plain = Plain::new(evaluator, form);
        let (value, _) = plain.search(&problem.position, depth);
        effort.add(plain.effort());
        value
    };
    (problems.iter().map(search).collect(), effort)
}

/// The comparisons.
pub(crate) const COMPARISONS: [&str; 8] =
    ["windows", "softness", "table", "order", "clusters", "keys", "game", "ages"];

/// Returns the forms that a comparison puts side by side, each with a name.
pub(crate) fn forms(comparison: &str) -> Result<Vec<(String, Form)>, String> {
    const USUAL: Form = Form::USUAL;
    const SMALL: Shape = Shape::SMALL;
    let named = |forms: &[(&str, Form)]| {
        forms.iter().map(|&(name, form)| (name.to_owned(), form)).collect()
    };
    let with = |name: String, shape: Shape| (name, Form { table: Some(shape), ..USUAL });
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
            let shape = |(ways, (name, age_cost))| {
                with(format!("{ways} ways, {name}"), Shape { ways, age_cost, ..SMALL })
            };
            [1, 2, 3, 4].into_iter().flat_map(both).map(shape).collect()
        }
        "ages" => [0, 1, 2, 4, 8, 64]
            .map(|cost| with(format!("{cost} plies"), Shape { age_cost: Some(cost), ..SMALL }))
            .into(),
        "keys" => [Some(8), Some(16), Some(24), Some(32), Some(48), Some(64), None]
            .map(|key_bits| {
                let name = key_bits.map_or("whole boards".into(), |bits| format!("{bits} bits"));
                with(name, Shape { key_bits, ..SMALL })
            })
            .into(),
        other => return Err(format!("`{other}` is none of the comparisons")),
    })
}

fn print_row(name: &str, found: &str, effort: &Effort, first: &Effort) {
    let Effort { inner, leaves, ordering: [ordering, known], mistaken, seconds } = *effort;
    let nodes = (inner + leaves) as f64 / (first.inner + first.leaves) as f64;
    let [inner_ratio, leaf_ratio] = [(inner, first.inner), (leaves, first.leaves)]
        .map(|(own, first)| own as f64 / first as f64);
    let known = 100.0 * known as f64 / ordering.max(1) as f64;
    println!(
        "{name:20} {found:>8}  inner {inner} ({inner_ratio:.2}), leaves {leaves} ({leaf_ratio:.2}), \
         all {nodes:.2}, CPU {seconds:.3} s ({:.2}); {known:.1} % of {ordering} values for \
         ordering known, {mistaken} mistaken",
        seconds / first.seconds.max(1e-9)
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let tables = embedded::tables();
    let mut first = None;
    match words[..] {
        [comparison @ ("game" | "ages"), depth, exact] => {
            for (name, form) in forms(comparison)? {
                let (score, effort) = play(&tables, form, depth.parse()?, exact.parse()?);
                print_row(&name, &format!("{score:+}"), &effort, first.get_or_insert(effort));
            }
        }
        [comparison, file, depth, count] => {
            let problems: Vec<Problem> =
                Lines::open(Path::new(file))?.next_lines(count.parse()?)?;
            let depth = depth.parse()?;
            let (right, _) = search_all(&tables, Form::USUAL, &problems, depth);
            for (name, form) in forms(comparison)? {
                let (values, effort) = search_all(&tables, form, &problems, depth);
                let wrong = values.iter().zip(&right).filter(|(own, right)| own != right).count();
                print_row(&name, &format!("{wrong} wrong"), &effort, first.get_or_insert(effort));
            }
        }
        _ => {
            let usage = "FILE DEPTH COUNT; game and ages take DEPTH EXACT";
            return Err(format!("one of {COMPARISONS:?}, {usage}").into());
        }
    }
    Ok(())
}
