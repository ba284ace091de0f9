use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use othello_engine::board::{Phase, Position};
use othello_engine::eval::{Evaluate as _, Evaluator, Identified as _};
use othello_engine::file::sha256_of_file;
use othello_engine::player::{ExternalEngine, PlayerSpec, Protocol, SearchSpec, WeightsSpec};
use othello_engine::progress::{Progress, Silent};
use othello_engine::run::{Run, Stage};
use othello_engine::search::{EndgameSchedule, Plan, Pruning, Selectivity, Strength};
use othello_engine::text::Invalid;
use othello_fit::metrics::Trained;
use othello_fit::model::Phases;

use super::choices::{BestMoves, Problems, Solved, ValueErrors};
use super::table::{Data, LeftOut, Part, Row};
use crate::Result;
use crate::arena::{
    Budget, Conditions, Contestant, KeptMatch, Match, MatchReport, Terms, match_stage,
};

/// A player that a benchmark measures: an evaluation, used by our search, or an external program.
#[derive(Debug)]
pub struct Subject {
    /// The text by which the user specified the player.
    pub name: String,
    /// The checksum of the weights, or the name and version that a program reports, if any.
    pub identity: Option<String>,
    /// The search settings that the user stated; all unset for an external program.
    search: SearchSpec,
    /// The training data that the weights' provenance states, if any.
    trained: Option<Trained>,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Evaluation(Box<Evaluator>),
    Program(ExternalEngine),
}

impl Subject {
    /// Loads the weights, or starts the external program once to ask for its name.
    pub fn load(choice: &PlayerSpec, terms: Terms) -> Result<Self> {
        let name = choice.to_string();
        let (identity, trained, search, engine) = match choice {
            PlayerSpec::Weights(WeightsSpec { weights, search }) => {
                let evaluator = Evaluator::prepared(weights)?;
                let identity = Some(evaluator.identity().to_owned());
                let engine = Engine::Evaluation(evaluator.into());
                (identity, Trained::of(weights)?, search.clone(), engine)
            }
            PlayerSpec::Program(engine) => {
                let said = terms.introduction(engine);
                let refused = |misconduct| Invalid(format!("player {name}: it {misconduct}"));
                let engine = Engine::Program(engine.clone());
                (said.map_err(refused)?, None, SearchSpec::default(), engine)
            }
        };
        Ok(Self { name, identity, search, trained, engine })
    }

    /// Returns the kind of the player: `weights`, `gtp` or `nboard`.
    pub fn kind(&self) -> String {
        match &self.engine {
            Engine::Evaluation(_) => "weights".to_owned(),
            Engine::Program(engine) => engine.protocol.to_string(),
        }
    }

    fn is(&self, other: &Self) -> bool {
        match (&self.engine, &other.engine) {
            (Engine::Evaluation(one), Engine::Evaluation(two)) => {
                one.identity() == two.identity() && self.search == other.search
            }
            _ => self.name == other.name,
        }
    }
}

/// The test data and settings of a benchmark. Parts of the benchmark without data are omitted.
pub struct Benchmark<'a> {
    /// Games between strong searches, to measure the errors of values at 13 to 30 empty squares.
    pub strong: Option<PathBuf>,
    /// Positions in which searches rarely find the best move, with the score of each move.
    pub hard: Option<Problems>,
    /// Files of positions with exact scores, to measure the errors of static and search values.
    pub exact: Vec<PathBuf>,
    /// Endgame problems to solve.
    pub suite: Option<Problems>,
    /// The settings of each player's match against the reference player.
    pub equal_time: Option<EqualTime>,
    /// The depths of the searches of hard positions, in plies.
    pub depths: Vec<u32>,
    /// The default ProbCut confidence. Weights without a ProbCut model are searched at full width.
    pub selectivity: Selectivity,
    /// The time limit for each answer of an external program.
    pub timeout: Duration,
    /// The display of the progress.
    pub progress: &'a dyn Progress,
}

/// The settings of the matches in equal time.
#[derive(Debug)]
pub struct EqualTime {
    /// The reference player, which every other player meets.
    pub against: Subject,
    /// The file of the openings.
    pub file: PathBuf,
    /// The openings. Each one is played as a pair of games.
    pub openings: Vec<Position>,
    /// Each player's time for all moves of a game, in seconds.
    pub seconds: u64,
}

const VALUE_DEPTHS: [u32; 2] = [0, 4];
const STRONG_EMPTIES: RangeInclusive<usize> = 13..=30;
/// The default search settings in matches. They let the time, not the depth, end a search.
const AS_TIME_ALLOWS: Plan =
    Plan { depth: 40, selectivity: Selectivity::Full, ends: EndgameSchedule::NONE, exact: 20 };

const NO_VALUES: &str = "a program does not report values";
const NO_GAMES: &str =
    "GTP needs the moves to a position, which files of --strong and --exact do not contain";

impl Benchmark<'_> {
    /// Returns the files on which the players of `rows` were measured.
    pub fn data(&self, rows: &[Row]) -> Result<Vec<Data>> {
        let strong = rows.iter().flat_map(|row| &row.strong).map(|errors| (Part::Strong, errors));
        let exact = rows.iter().flat_map(|row| &row.exact).map(|errors| (Part::Exact, errors));
        let values = strong.chain(exact);
        let file = |(part, of): (_, &ValueErrors)| Data::new(part, of.file.as_ref(), &of.sha256);
        let mut data: Vec<Data> = values.map(file).collect();
        for (part, problems) in [(Part::Hard, &self.hard), (Part::Suite, &self.suite)] {
            let files = problems.iter().flat_map(|problems| &problems.files);
            data.extend(files.map(|(file, sha256)| Data::new(part, file, sha256)));
        }
        if let Some(EqualTime { file, .. }) = &self.equal_time {
            data.push(Data::new(Part::Match, file, &sha256_of_file(file, &Silent)?));
        }
        // Each depth and each player repeats the files, so duplicates are removed.
        let mut known = HashSet::new();
        data.retain(|one| known.insert(one.clone()));
        Ok(data)
    }

    /// Returns the run's stages: one for the measurements of all players, then one for each match.
    pub fn stages(&self, subjects: &[Subject]) -> Vec<Stage> {
        let players = Stage::new("benchmark (players)", subjects.len() as u64, 1);
        let played = self.equal_time.iter().flat_map(|EqualTime { openings, seconds, .. }| {
            let stage = |number| {
                let name = format!("match of player {number} (pairs)");
                match_stage(&name, openings.len() as u64, 4.0 * *seconds as f64, None)
            };
            (1..=subjects.len()).map(stage)
        });
        std::iter::once(players).chain(played).collect()
    }

    /// Returns a player's results in all parts of the benchmark except the match, and the parts
    /// that are omitted.
    pub fn measure(&self, subject: &Subject) -> Result<(Row, Vec<LeftOut>)> {
        let begun = Instant::now();
        let (player, identity) = (subject.name.clone(), subject.identity.clone());
        let mut row = Row { player, kind: subject.kind(), identity, ..Row::default() };
        let mut reasons = vec![];
        match &subject.engine {
            Engine::Evaluation(evaluator) => self.search(subject, evaluator, &mut row)?,
            Engine::Program(engine) => reasons = self.ask(engine, &mut row),
        }
        let values = row.strong.iter().chain(&row.exact).filter(|values| values.depth == 0);
        let trained = |it: &&ValueErrors| subject.trained.iter().any(|data| data.knows(&it.sha256));
        row.fitted_to = values.filter(trained).map(|values| values.file.clone()).collect();
        if self.equal_time.as_ref().is_some_and(|equal_time| subject.is(&equal_time.against)) {
            reasons.push((Part::Match, "it is the reference itself"));
        }
        let of_player = |(part, reason)| LeftOut::new(part, Some(&subject.name), reason);
        let left_out = reasons.into_iter().map(of_player).collect();
        row.seconds = begun.elapsed().as_secs_f64();
        Ok((row, left_out))
    }

    fn search(&self, subject: &Subject, evaluator: &Evaluator, row: &mut Row) -> Result<()> {
        let progress = self.progress;
        let values = |path: &Path, phases: &RangeInclusive<Phase>| {
            let to =
                |depth| ValueErrors::measure(evaluator, (path, depth), phases.clone(), progress);
            VALUE_DEPTHS.into_iter().map(to).collect::<Result<Vec<_>>>()
        };
        if let Some(strong) = &self.strong {
            row.strong = values(strong, &Phases::with_empties(STRONG_EMPTIES).0)?;
        }
        for path in &self.exact {
            row.exact.extend(values(path, &Phases::default().0)?);
        }
        if let Some(hard) = &self.hard {
            // A player that states a depth or a level itself is measured only with that.
            let own = subject.search.depth.is_some() || subject.search.level.is_some();
            for &depth in self.depths.iter().take(if own { 1 } else { self.depths.len() }) {
                let (strength, pruning) = self.search_of(subject, Plan::to_depth(depth))?;
                let search = (strength, pruning, subject.search.nodes);
                row.hard.push(BestMoves::by_search(evaluator, search, hard, progress)?);
            }
        }
        if let Some(suite) = &self.suite {
            row.suite = Some(Solved::by_search(evaluator, suite, progress)?);
        }
        Ok(())
    }

    /// Returns a player's search settings. Settings that the player does not state come from
    /// `usual`, except the ProbCut confidence: it is the benchmark's for weights with a ProbCut
    /// model, and 100 % (no pruning) for other weights.
    fn search_of(&self, subject: &Subject, usual: Plan) -> Result<(Strength, Pruning)> {
        let Engine::Evaluation(evaluator) = &subject.engine else {
            return Ok((usual.strength(), Pruning::default()));
        };
        let learned = evaluator.models().probcut.is_some();
        let selectivity = if learned { self.selectivity } else { Selectivity::Full };
        let search = subject.search.search(Plan { selectivity, ..usual }, &**evaluator);
        search.map_err(|error| Invalid(format!("player {}: {error}", subject.name)).into())
    }

    fn ask(&self, engine: &ExternalEngine, row: &mut Row) -> Vec<(Part, &'static str)> {
        let mut reasons = vec![];
        let valued = [(Part::Strong, self.strong.is_some()), (Part::Exact, !self.exact.is_empty())];
        reasons.extend(valued.iter().filter(|part| part.1).map(|part| (part.0, NO_VALUES)));
        let choose = |depth: u32, problems: &Problems| {
            let terms = Terms { depth, time: self.timeout, game: None };
            BestMoves::by_program(engine, terms, problems, self.progress)
        };
        if let Some(hard) = &self.hard {
            // GTP cannot set a depth, so a GTP program is measured only once.
            let many = if engine.protocol == Protocol::Gtp { 1 } else { self.depths.len() };
            let depths = self.depths.iter().take(many);
            row.hard = depths.filter_map(|&depth| choose(depth, hard)).collect();
            if row.hard.is_empty() {
                reasons.push((Part::Hard, NO_GAMES));
            }
        }
        if let Some(suite) = &self.suite {
            row.suite_moves = choose(AS_TIME_ALLOWS.depth, suite);
            if row.suite_moves.is_none() {
                reasons.push((Part::Suite, NO_GAMES));
            }
        }
        reasons
    }

    /// Plays the player's match against the reference player, if there is one, and puts the report
    /// into `row`. `stage` is the run that stores the games, and the index of the match among the
    /// run's stages; `None` stores no games.
    pub fn play(
        &self,
        subject: &Subject,
        row: &mut Row,
        stage: Option<(&Run, usize)>,
    ) -> Result<()> {
        let (begun, progress) = (Instant::now(), self.progress);
        let played = self.equal_time.as_ref().filter(|it| !subject.is(&it.against));
        let Some(EqualTime { against, openings, seconds, .. }) = played else { return Ok(()) };
        let game = Some(Duration::from_secs(*seconds));
        let terms = Terms { depth: AS_TIME_ALLOWS.depth, time: self.timeout, game };
        let players = [subject, against];
        let budgets = players
            .map(|player| Budget { seconds_a_game: Some(*seconds), ..Budget::of(&player.search) });
        let searches =
            [self.search_of(subject, AS_TIME_ALLOWS)?, self.search_of(against, AS_TIME_ALLOWS)?];
        let contestant = |number: usize| match &players[number].engine {
            Engine::Evaluation(evaluator) => {
                let (strength, pruning) = &searches[number];
                Contestant::Evaluation(evaluator, *strength, budgets[number], Some(pruning))
            }
            Engine::Program(engine) => Contestant::External(engine, terms, AS_TIME_ALLOWS.exact),
        };
        let players_of_match = Match { first: contestant(0), second: contestant(1) };
        let conditions = Conditions {
            players: players.map(|player| player.name.clone()),
            depth: AS_TIME_ALLOWS.depth,
            exact: AS_TIME_ALLOWS.exact,
            budgets,
            sprt: None,
        };
        let result = match stage {
            None => players_of_match.play(openings, progress)?,
            Some((run, stage)) => {
                let (players, conditions) = (&[players_of_match], &conditions);
                KeptMatch { players, openings, conditions, progress }.play_stage(run, stage)?
            }
        };
        row.played = Some(MatchReport::new(&conditions, result, begun));
        row.seconds += begun.elapsed().as_secs_f64();
        Ok(())
    }
}
