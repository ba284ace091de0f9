use std::iter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use othello_cli::arguments::number_in;
use othello_cli::{Outcome, Session};
use othello_engine::board::Discs;
use othello_engine::file::{Existing, Provenance, check_output, check_replaceable, plain};
use othello_engine::player::PlayerSpec;
use othello_engine::progress::Progress;
use othello_engine::run::{Run, Shard};
use othello_engine::search::Selectivity;
use serde_json::json;

use super::matches::check_reached;
use crate::arena::{Terms, draw_openings};
use crate::scorecard::{Benchmark, BenchmarkReport, EqualTime, LeftOut, Part, Problems, Subject};

const STRONG: &[&str] = &["datasets/benchmark/strong.test.games"];
const HARD: &[&str] = &["datasets/benchmark/strong-hard.test.obf"];
const SUITE: &[&str] = &["datasets/problems/fforum-1-19.obf", "datasets/problems/fforum-40-42.obf"];
const OPENINGS: &[&str] = &["datasets/openings/balanced-8.txt"];

const SEED: u64 = 1;
const WITHIN: Discs = 10;

#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Players to measure. An evaluation is a weights file, `none` (all values are 0), `mobility`
    /// (counts moves and corners) or `embedded` (the shipped weights). Search settings may follow
    /// after a colon, as in `my.weights:selectivity=87`. An external program is named by its
    /// command line, as in `gtp:COMMAND` or `nboard:COMMAND`
    #[arg(value_name = "PLAYER", required = true)]
    players: Vec<PlayerSpec>,
    #[arg(long, value_name = "PART,...", value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// Games between strong searches, to measure the errors of values at 13 to 30 empty squares
    /// [default: datasets/benchmark/strong.test.games, in the current folder or one above it]
    #[arg(long, value_name = "FILE")]
    strong: Option<PathBuf>,
    /// Positions in OBF with the score of every move, to count the best moves that players find
    /// [default: datasets/benchmark/strong-hard.test.obf, in the current folder or one above it]
    #[arg(long, value_name = "FILE")]
    hard: Option<PathBuf>,
    /// Your own files of positions with exact scores, to measure the errors of values: records, or
    /// lines of a board and its score; may be given several times
    #[arg(long, value_name = "FILE")]
    exact: Vec<PathBuf>,
    /// Problems in OBF to solve; may be given several times [default: the FFO problems in
    /// datasets/problems, in the current folder or one above it]
    #[arg(long, value_name = "FILE")]
    suite: Vec<PathBuf>,
    #[arg(long, value_name = "D,...", value_delimiter = ',', default_values_t = [12, 15])]
    #[arg(value_parser = number_in(1..=60_u32))]
    depth: Vec<u32>,
    #[arg(long, value_name = "PERCENT", default_value = "73")]
    selectivity: Selectivity,
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = number_in(0..=1_000_000_usize))]
    games: usize,
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = number_in(1..=86_400_u64))]
    time: u64,
    /// Reference player, against which the other players play their matches
    #[arg(long, value_name = "PLAYER", default_value = "embedded")]
    against: PlayerSpec,
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = number_in(1..=86_400_u64))]
    timeout: u64,
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[arg(long)]
    force: bool,
}

fn shipped(names: &[&str], flag: &str) -> Result<Vec<PathBuf>, String> {
    let here = std::env::current_dir().unwrap_or_default();
    let above = |steps| iter::repeat_n("..", steps).collect::<PathBuf>();
    let folders = (0..here.ancestors().count()).map(above);
    let of_folder = |folder: PathBuf| names.iter().map(|name| folder.join(name)).collect();
    let found = folders.map(of_folder).find(|all: &Vec<_>| all.iter().all(|path| path.exists()));
    let names = names.join(" and ");
    let missing = format!("{names}: not in this folder or one above it; name a file with {flag}");
    found.ok_or(missing)
}

impl Arguments {
    /// Returns the files that the user named for a part of the benchmark, else the shipped files.
    /// Returns `None` if `--only` excludes the part. If no file is named and no shipped file is
    /// found, returns `None` and adds the reason to `left_out`.
    fn files(
        &self,
        left_out: &mut Vec<LeftOut>,
        (part, flag): (Part, &str),
        named: &[PathBuf],
        names: &[&str],
    ) -> Option<Vec<PathBuf>> {
        if !self.only.is_empty() && !self.only.contains(&part) {
            return None;
        }
        if !named.is_empty() {
            return Some(named.to_vec());
        }
        let found = match names {
            [] => Err(format!("no file is named with {flag}")),
            names => shipped(names, flag),
        };
        found.map_err(|reason| left_out.push(LeftOut::new(part, None, reason))).ok()
    }

    /// Creates the benchmark, with the parts that `--only` selects. Adds each part that cannot be
    /// measured to `left_out`.
    fn benchmark<'a>(
        &self,
        left_out: &mut Vec<LeftOut>,
        progress: &'a dyn Progress,
    ) -> Result<Benchmark<'a>> {
        let mut files = |part, named, names| self.files(left_out, part, named, names);
        let strong = files((Part::Strong, "--strong"), self.strong.as_slice(), STRONG);
        let hard = files((Part::Hard, "--hard"), self.hard.as_slice(), HARD);
        let exact = files((Part::Exact, "--exact"), &self.exact, &[]);
        let suite = files((Part::Suite, "--suite"), &self.suite, SUITE);
        let read = |files: Option<Vec<PathBuf>>| files.map(|files| Problems::read(&files));
        Ok(Benchmark {
            strong: strong.and_then(|mut files| files.pop()),
            hard: read(hard).transpose()?,
            exact: exact.unwrap_or_default(),
            suite: read(suite).transpose()?,
            equal_time: self.equal_time(left_out, progress)?,
            depths: self.depth.clone(),
            selectivity: self.selectivity,
            timeout: Duration::from_secs(self.timeout),
            progress,
        })
    }

    fn equal_time(
        &self,
        left_out: &mut Vec<LeftOut>,
        progress: &dyn Progress,
    ) -> Result<Option<EqualTime>> {
        let Self { games, time, against, players, openings, .. } = self;
        let (part, named) = ((Part::Match, "--openings"), openings.as_slice());
        let files = self.files(left_out, part, named, OPENINGS);
        let Some(file) = files.and_then(|files| files.into_iter().next()) else { return Ok(None) };
        let reason = match games {
            0 => "--games is 0",
            _ if players.iter().any(|player| player != against) => "",
            _ => "the only player is the reference; name another one with --against",
        };
        if !reason.is_empty() {
            left_out.push(LeftOut::new(Part::Match, None, reason));
            return Ok(None);
        }
        let openings = draw_openings(&file, games.div_ceil(2), SEED, WITHIN, progress)?;
        if players.iter().chain([against]).any(PlayerSpec::needs_games) {
            check_reached(&openings)?;
        }
        let against = Subject::load(against, self.terms())?;
        Ok(Some(EqualTime { against, file, openings, seconds: *time }))
    }

    /// Returns the settings for asking an external program for its name. Only the time limit
    /// matters, because no move is asked for.
    fn terms(&self) -> Terms {
        Terms { depth: 1, time: Duration::from_secs(self.timeout), game: None }
    }

    fn inputs(&self) -> impl Iterator<Item = &Path> {
        let single = self.strong.iter().chain(&self.hard).chain(&self.openings);
        let files = single.chain(&self.exact).chain(&self.suite).map(PathBuf::as_path);
        let players = self.players.iter().chain([&self.against]);
        files.chain(players.filter_map(PlayerSpec::file))
    }

    fn check_output(&self) -> Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        check_output(out, self.inputs())?;
        if out.exists() {
            let shown = out.display();
            ensure!(self.force, "{shown} exists; name another --out, or replace it with --force");
            check_replaceable(out)?;
        }
        Ok(Run::check_is_free(out, Shard::WHOLE)?)
    }
}

pub fn run(arguments: &Arguments, session: &Session) -> Result<Outcome> {
    arguments.check_output()?;
    let (progress, mut left_out) = (session.progress(), vec![]);
    let mut benchmark = arguments.benchmark(&mut left_out, progress)?;
    let load = |player| Subject::load(player, arguments.terms());
    let subjects: Vec<Subject> = arguments.players.iter().map(load).collect::<Result<_, _>>()?;
    if arguments.players.iter().any(PlayerSpec::needs_games) {
        // Games that lead to the problems are searched in the files of `--strong` and `--exact`,
        // even if these parts do not run.
        let strong = arguments.strong.clone().map(|file| vec![file]);
        let mut files = strong.or_else(|| shipped(STRONG, "--strong").ok()).unwrap_or_default();
        files.extend_from_slice(&arguments.exact);
        for problems in [&mut benchmark.hard, &mut benchmark.suite].into_iter().flatten() {
            problems.find_games(&files, progress)?;
        }
    }
    let existing = Existing::by_force(arguments.force);
    let begin = |out: &PathBuf| {
        let identity = |subject: &Subject| json!([subject.name, subject.identity]);
        let provenance = Provenance::new("benchmark")
            .with("players", subjects.iter().map(identity).collect::<Vec<_>>())
            .with("data", json!(benchmark.data(&[])?))
            .with("command_line", command_line());
        let (stages, shard) = (benchmark.stages(&subjects), (Shard::WHOLE, existing));
        anyhow::Ok(Run::of_report(out, provenance, stages, shard, progress)?)
    };
    let run = arguments.out.as_ref().map(begin).transpose()?;
    let measure = |number: u64| {
        let subject = &subjects[number as usize];
        let count = subjects.len();
        progress.message(&format!("player {} of {count}: {}", number + 1, subject.name));
        anyhow::Ok(benchmark.measure(subject)?)
    };
    let measured = match &run {
        Some(run) => run.steps(0, measure, progress)?,
        None => (0..subjects.len() as u64).map(measure).collect::<Result<_, _>>()?,
    };
    let mut players = vec![];
    for (stage, (subject, (mut row, reasons))) in (1..).zip(subjects.iter().zip(measured)) {
        benchmark.play(subject, &mut row, run.as_ref().map(|run| (run, stage)))?;
        left_out.extend(reasons);
        players.push(row);
    }
    let report = BenchmarkReport {
        data: benchmark.data(&players)?,
        players,
        left_out,
        version: env!("CARGO_PKG_VERSION"),
        threads: session.threads(),
        command: command_line(),
        seconds: session.seconds(),
    };
    session.print(&report)?;
    if let Some(out) = &arguments.out {
        plain::write(out, format!("{report}\n").as_bytes(), existing)?;
    }
    run.iter().try_for_each(Run::clean)?;
    let mut solved = report.players.iter().filter_map(|row| row.suite.as_ref());
    Ok(Outcome::wrong_if(solved.any(|suite| suite.right < suite.stated)))
}

fn command_line() -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./,:=+@%".contains(letter);
    let quoted = |word: String| match word.chars().all(plain) && !word.is_empty() {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    ["othello-trainer".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}
