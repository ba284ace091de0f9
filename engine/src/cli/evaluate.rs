//! `othello-engine evaluate`: the value of each board of a file.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use othello_cli::arguments::number_in;
use serde::Serialize;

use super::arguments::{POSITION, Positions, SearchArguments, without_clock};
use super::{Outcome, Session};
use crate::board::transcript::Form;
use crate::board::{Position, Square, StatedPosition};
use crate::eval::{Evaluator, Value};
use crate::openings::Book;
use crate::player::{SearchBy, SearchSpec, WeightsSpec};
use crate::progress::{Progress as _, Silent};
use crate::search::{Limits, Plan, Search, Strength};
use crate::test_suite::{Agreement, AgreementReport};

/// Arguments of `evaluate`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// File of positions, one a line, `-` for standard input, or a single position: 64 characters
    /// (optionally with the side to move and a score), OBF, or a transcript. Stated scores are
    /// compared with the values, and stated scores of moves (OBF) with the best moves
    #[arg(allow_hyphen_values = true)]
    file: Positions,
    #[arg(long, value_name = "D", value_parser = number_in(0..=60_u32))]
    depth: Option<u32>,
    #[arg(long, value_name = "E", value_parser = number_in(0..=60_u32))]
    exact: Option<u32>,
    #[command(flatten)]
    searching: SearchArguments,
    #[arg(long, value_name = "WAY", value_enum)]
    search: Option<SearchBy>,
    #[arg(long, value_name = "M", value_parser = number_in(1..=1_usize << 20))]
    hash_mb: Option<usize>,
    #[arg(long, value_name = "PLAYER", default_value = "embedded")]
    weights: WeightsSpec,
    #[arg(long, value_name = "F")]
    book: Option<PathBuf>,
}

impl Arguments {
    /// Returns the search that the flags select, and true unless it is only a static evaluation.
    fn search<'a>(
        &self,
        evaluator: &'a Evaluator,
    ) -> anyhow::Result<(Search<'a, Evaluator>, bool)> {
        let flags = self.searching.spec(self.depth, self.exact);
        let flags = SearchSpec { search: self.search, ..flags };
        let spec = self.weights.search.clone().or(&flags);
        without_clock(&spec)?;
        let (strength, pruning) = spec.search(Plan::to_depth(0), evaluator)?;
        let limits = Limits { nodes: spec.nodes, ..Limits::default() };
        let search = Search::new(evaluator).strength(strength).pruning(pruning).limits(limits);
        let search = self.hash_mb.into_iter().fold(search, Search::hash_mb);
        Ok((search, strength != Strength::from(0)))
    }
}

#[derive(Default, Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Evaluation {
    /// The value of each board in discs, for the side to move.
    values: Vec<f64>,
    /// The number of positions whose value is from the opening book.
    from_book: usize,
    #[serde(flatten)]
    agreement: AgreementReport,
    /// The wall time of the evaluation.
    seconds: f64,
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for value in &self.values {
            writeln!(f, "{value:+.2}")?;
        }
        write!(f, "{} positions, {:.2} s", self.values.len(), self.seconds)?;
        if self.from_book > 0 {
            write!(f, ", {} from the book", self.from_book)?;
        }
        write!(f, "{}", self.agreement)
    }
}

/// Evaluates all positions of the input, and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::load(&arguments.weights.weights)?;
    let (search, looks_ahead) = arguments.search(&evaluator)?;
    // The progress is updated after each chunk; static values are fast, so their chunks are larger.
    let lines_at_once = if looks_ahead { 1 << 10 } else { 1 << 16 };
    let book = arguments.book.as_deref().map(Book::read).transpose()?;
    let begun = Instant::now();
    let mut lines = arguments.file.lines()?;
    let mut evaluation = Evaluation::default();
    let (mut agreement, mut forms) = (Agreement::default(), vec![]);
    session.progress().begin("evaluate (bytes)", 0, lines.source().bytes());
    loop {
        let bytes_before = lines.source().bytes_read();
        let boards: Vec<StatedPosition> = lines.next_lines(lines_at_once)?;
        if boards.is_empty() {
            break;
        }
        forms.extend(boards.iter().map(|board| board.form));
        let known = boards.iter().map(|StatedPosition { position, .. }| {
            let book = book.as_ref()?;
            Some((book.value(position)?, book.best_move(position).map(|(square, _)| square)))
        });
        let known: Vec<Option<(Value, Option<Square>)>> = known.collect();
        let unknown = boards.iter().zip(&known).filter(|(_, known)| known.is_none());
        let unknown: Vec<Position> = unknown.map(|(board, _)| board.position).collect();
        evaluation.from_book += boards.len() - unknown.len();
        let searched = search.find_all(&unknown, &Silent);
        let searched = searched.context("--hash-mb, the size of the table of each thread")?;
        let mut searched = searched.into_iter().map(|found| (found.value, found.best));
        let found = known.into_iter().filter_map(|known| known.or_else(|| searched.next()));
        for (board, (value, best)) in boards.iter().zip(found) {
            agreement.add(board, value, best);
            evaluation.values.push(value.discs());
        }
        session.progress().advance(lines.source().bytes_read() - bytes_before);
    }
    if evaluation.values.is_empty() {
        return Err(lines.ended_without(POSITION).into());
    }
    Form::report(forms, session.progress());
    evaluation.agreement = agreement.report();
    evaluation.seconds = begun.elapsed().as_secs_f64();
    session.print(&evaluation)
}
