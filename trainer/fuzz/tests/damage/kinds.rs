//! A sound file of every kind, and the reader that the commands use for it.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::sync::Mutex;

use othello_engine::board::notation::BoardLine;
use othello_engine::board::obf::Problem;
use othello_engine::board::transcript::{self, Replay};
use othello_engine::board::{Phase, Position, Side, Square, Squares};
use othello_engine::eval::{Evaluator, Mobility, MoveOrderingWeights, Weights, WeightsChoice};
use othello_engine::file::{Existing, FileError, Provenance};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::{Game, Label, PositionWriter, ScoredPosition, Solved, Weight};
use othello_engine::run::{Opened, Plan, Run, RunError, Shard, Stage};
use othello_engine::search::Strength;
use othello_engine::text::{self, Lines};
use othello_trainer::arena::{Choice, Conditions, KeptMatch, Match, MatchFile};
use othello_trainer::fit::FitSettings;
use othello_trainer::source::egaroucid::EgaroucidBoards;
use othello_trainer::source::ggf::GgfGames;
use othello_trainer::source::wthor::WthorGames;
use othello_trainer::source::{Entries, LabelRules, SourceError, boards, records, transcripts};

use othello_fuzz::trainer::resumed_fit::{self, Resumed, Unfinished, sound};
use othello_testing::mutation::Draws;
use othello_testing::records as written;
use othello_testing::scratch;

/// A kind of file, with a sound example and its reader.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) extension: &'static str,
    /// The letter of its magic number, if it is a container.
    pub(super) magic: Option<u8>,
    /// True if only the sound bytes may be accepted.
    pub(super) checksummed: bool,
    /// True if damaged parts may be cut off and made again; `read` checks that no more than the
    /// sound part is accepted.
    pub(super) cut_back: bool,
    pub(super) bytes: Vec<u8>,
    pub(super) read: fn(&Path) -> Read,
}

/// The result of reading a file.
pub(super) enum Read {
    /// The file is accepted, except for these records.
    Taken(Vec<String>),
    /// The file is refused.
    Refused(String),
}

impl<E: Display> From<Result<Vec<String>, E>> for Read {
    fn from(read: Result<Vec<String>, E>) -> Self {
        read.map_or_else(|error| Self::Refused(format!("{error:#}")), Self::Taken)
    }
}

pub(super) fn all() -> Vec<Kind> {
    let rows = rows();
    let container = |name, extension, magic, bytes, read| {
        let (checksummed, cut_back) = (true, false);
        Kind { name, extension, magic: Some(magic), checksummed, cut_back, bytes, read }
    };
    let text = |name, extension, bytes, read| {
        let (checksummed, cut_back) = (false, false);
        Kind { name, extension, magic: None, checksummed, cut_back, bytes, read }
    };
    let partial = |name, extension, magic, bytes, read| Kind {
        cut_back: true,
        ..container(name, extension, magic, bytes, read)
    };
    let settings = FULL_SETTINGS.as_bytes().to_vec();
    let patterns = PatternSet::shipped("small").unwrap().to_toml().into_bytes();
    vec![
        container("weights", "weights", b'W', weights(), |path| {
            Evaluator::load(&WeightsChoice::File(path.into())).map(|_| vec![]).into()
        }),
        container("games", "games", b'G', games(), read_records),
        container("positions", "positions", b'P', positions(&rows, false), read_records),
        container("openings", "openings", b'O', positions(&rows, true), read_records),
        container("openings of a match", "openings", b'O', positions(&rows, true), read_openings),
        container("match", "match", b'M', kept_match(), |path| {
            MatchFile::read(path).map(|_| vec![]).into()
        }),
        partial(
            "checkpoint",
            "weights.checkpoint.partial",
            b'C',
            sound(Unfinished::Phases),
            |path| {
                let resumed = resumed_fit::of(Unfinished::Phases, path).map(|resumed| {
                    assert!(resumed.as_undisturbed, "weights that the fit does not make");
                    resumed.said
                });
                resumed.into()
            },
        ),
        container(
            "unfinished phase",
            IN_PHASE,
            b'C',
            sound(Unfinished::InsidePhase),
            begin_phase_anew,
        ),
        partial("part of a run", "part", b'R', part(), resume_part),
        text("WTHOR", "wtb", wthor(), |path| read_entries(WthorGames::open(path))),
        text("OBF", "obf", lines(100, obf_line), read_lines::<Problem>),
        text("boards", "txt", lines(100, board_line), read_lines::<BoardLine>),
        text("boards to import", "txt", lines(100, board_line), |path| {
            read_entries(boards::read(path))
        }),
        text("transcripts", "txt", lines(100, transcript), |path| {
            read_entries(transcripts::read(path))
        }),
        text("transcripts, packed", "txt.zst", packed(lines(100, transcript)), |path| {
            read_entries(transcripts::read(path))
        }),
        text("GGF", "ggf", lines(100, ggf), |path| read_entries(GgfGames::open(path))),
        text("Egaroucid's boards", "dat", egaroucid(), |path| {
            read_entries(EgaroucidBoards::open(path))
        }),
        text("openings as text", "txt", lines(100, transcript), read_openings),
        text("settings", "toml", settings, |path| {
            text::read_by(path, FitSettings::from_toml).map(|_| vec![]).into()
        }),
        text("pattern set", "toml", patterns, |path| {
            text::read_by(path, PatternSet::from_toml).map(|_| vec![]).into()
        }),
    ]
}

/// The checkpoint of a fit by Adam, stopped inside phase 4.
const IN_PHASE: &str = "weights.phase-04.checkpoint";

const FULL_SETTINGS: &str = r#"
window = "1,0.5"
ridge = 12.5
patience = 3
seed = 9
validation_percent = 10
test_percent = 20

[least_squares]
epochs = 7
tolerance = 1e-4

[adam]
epochs = 4
batch = 100
learning_rate = 0.5
schedule = "step:2:0.5"

[[labels]]
plies = "solved-1..=solved"
use = "solved"

[[labels]]
plies = "34..=38"
use = "result"
weight = 0.5
"#;

// The readers of the commands.

fn read_records(path: &Path) -> Read {
    let read = records::read_games(path, &LabelRules::default(), &Silent, |_| {}).map(|_| ());
    read.map(|()| vec![]).into()
}

fn read_openings(path: &Path) -> Read {
    Choice { count: 0, seed: 1, within: 64 }.draw(path).map(|_| vec![]).into()
}

fn read_entries<T, E: Entries<T>>(entries: Result<E, SourceError>) -> Read {
    let read = entries.and_then(|entries| {
        let mut rejections = vec![];
        for entry in entries {
            rejections.extend(entry?.err().map(|rejection| rejection.to_string()));
        }
        Ok(rejections)
    });
    read.into()
}

fn read_lines<T: FromStr<Err: Display>>(path: &Path) -> Read {
    let lines = Lines::open(path).and_then(|mut lines| lines.next_lines::<T>(usize::MAX));
    lines.map(|_| vec![]).into()
}

/// Returns the plan of a run with one part.
fn plan() -> Plan {
    let (kind, provenance, growing) = (None, Provenance::new("damage"), None);
    Plan { kind, provenance, stages: vec![Stage::new("damage (parts)", 1, 1)], growing }
}

/// Returns the bytes of the part.
fn part() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let opened = Run::open(&out, plan(), Shard::WHOLE, Existing::Keep, &Silent).unwrap();
    let Opened::Run(run) = opened else { panic!("complete") };
    let made = run.make_parts(0, vec![0], 1, &Silent, |part| {
        part.section("few", b"1, 2, 3")?;
        part.raw_section("many", |out| {
            out.write_all(&[7; 1000]).map_err(FileError::io(Path::new("raw"), "write it"))?;
            Ok::<_, RunError>(())
        })?;
        Ok::<_, RunError>(true)
    });
    assert!(made.unwrap().is_empty());
    fs::read(folder.path().join("out.parts/part-000000")).unwrap()
}

/// Opens a run that has this part. A damaged one must be reported, and is then missing.
fn resume_part(path: &Path) -> Read {
    let folder = path.with_added_extension("parts");
    let open = |progress| Run::open(path, plan(), Shard::WHOLE, Existing::Keep, progress);
    let empty = open(&Silent).unwrap();
    fs::copy(path, folder.join("part-000000")).unwrap();
    drop(empty);
    let said = Said::default();
    let opened = open(&said).map(|run| match run {
        Opened::Run(run) => run.missing(0).is_empty(),
        Opened::Done(_) => panic!("complete"),
    });
    fs::remove_dir_all(folder).unwrap();
    let said = said.0.into_inner().unwrap();
    opened
        .map(|is_whole| {
            assert_eq!(is_whole, said.is_empty(), "{said:?}");
            assert!(!is_whole || fs::read(path).unwrap() == part(), "another part is accepted");
            said
        })
        .into()
}

/// An observer that keeps the messages.
#[derive(Default)]
struct Said(Mutex<Vec<String>>);

impl Progress for Said {
    fn begin(&self, _stage: &str, _done: u64, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn message(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

/// Resumes a fit from a checkpoint. An unusable checkpoint must be reported, and the fit must give
/// the same weights as without it.
fn begin_phase_anew(path: &Path) -> Read {
    match resumed_fit::of(Unfinished::InsidePhase, path) {
        Ok(Resumed { as_undisturbed, said }) => {
            assert!(as_undisturbed, "weights that the fit does not make");
            if said.is_empty() { Read::Taken(vec![]) } else { Read::Refused(said.join("\n")) }
        }
        Err(error) => Read::Refused(error.to_string()),
    }
}

// Sound files.

fn bytes_of(name: &str, write: impl FnOnce(&Path)) -> Vec<u8> {
    let path = scratch::path(name);
    write(&path);
    fs::read(path).unwrap()
}

fn weights() -> Vec<u8> {
    let toml =
        "name = \"t\"\nscalars = [\"player_discs\"]\n[[pattern]]\nsquares = \"a1 b1 c1 b2\"\n";
    let mut weights = Weights::zero(PatternSet::from_toml(toml).unwrap());
    for phase in Phase::all() {
        weights.set_steps(phase, |parameter| (parameter * 7 % 300) as i16 - 150);
        weights.set_counts(phase, |parameter| parameter as u32);
    }
    let light =
        PatternSet::from_toml("name = \"light\"\n[[pattern]]\nname = \"c\"\nsquares = \"a1 b1\"\n");
    let ordering =
        MoveOrderingWeights::new(light.unwrap(), 60, (0..9).map(|n| 7 * n - 30).collect());
    let weights = weights.with_move_ordering(Some(ordering.unwrap()));
    bytes_of("sound.weights", |path| {
        weights.write(path, &Provenance::new("damage"), Existing::Replace).unwrap();
    })
}

/// Returns random games with all optional data of a record; some are broken off.
fn random_games() -> Vec<Game> {
    let mut draws = Draws(2);
    let games = (0..600).map(|number| {
        let mut replay = Replay::from_start(&[]).unwrap();
        while replay.end.moves() != 0 && replay.steps.len() < 30 + number {
            let legal = replay.end.moves();
            let nth = draws.below(legal.count_ones() as usize);
            replay.push(Square::nth(legal, nth).unwrap()).unwrap();
        }
        let squares: Vec<Square> = replay.steps.iter().map(|step| step.square).collect();
        let game = Game::new(8, &squares).unwrap();
        let values = (0..squares.len()).map(|move_| Some((move_ % 100) as i8 - 50)).collect();
        let game = if number % 2 == 0 { game.with_values(values).unwrap() } else { game };
        game.with_solved(Solved { ply: 9, black_score: 4 }).unwrap()
    });
    games.collect()
}

fn games() -> Vec<u8> {
    bytes_of("sound.games", |path| {
        written::finish(written::begin(path, &Provenance::new("damage")), random_games());
    })
}

fn rows() -> Vec<ScoredPosition> {
    let replays = random_games().into_iter().take(100).map(|game| game.replay());
    let rows = replays.flat_map(|replay| replay.steps).map(|step| {
        let label = Label::of_score(step.position.discs() as i32 / 2).unwrap();
        ScoredPosition::new(step.position, label, Weight::ONE)
    });
    rows.collect()
}

fn positions(rows: &[ScoredPosition], openings: bool) -> Vec<u8> {
    let name = if openings { "sound.openings" } else { "sound.positions" };
    bytes_of(name, |path| {
        let begin = if openings { PositionWriter::begin_openings } else { PositionWriter::begin };
        let begun = begin(path, &Provenance::new("damage"), Existing::Replace).unwrap();
        written::finish(written::begun(begun), rows.iter().copied());
    })
}

/// Returns the file of a match of a few pairs.
fn kept_match() -> Vec<u8> {
    let evaluator = Evaluator::from(Mobility);
    let strength = Strength { depth: 1, exact: 2 };
    let players = Match { first: (&evaluator).into(), second: (&evaluator).into(), strength };
    let openings: Vec<Position> = Squares(Position::START.moves())
        .filter_map(|square| Position::START.play(square))
        .collect();
    let conditions = Conditions {
        players: ["one", "other"].map(str::to_owned),
        depth: 1,
        exact: 2,
        budgets: Default::default(),
        sprt: None,
    };
    let kept =
        KeptMatch { players, openings: &openings, shard: Shard::WHOLE, conditions: &conditions };
    bytes_of("sound.match", |path| {
        kept.play(path, &Provenance::new("match"), Existing::Keep, &Silent).unwrap();
    })
}

fn wthor() -> Vec<u8> {
    let games: Vec<Game> = random_games().into_iter().take(50).collect();
    let mut bytes = vec![20, 24, 1, 1];
    bytes.extend((games.len() as u32).to_le_bytes());
    bytes.extend([0, 0, 0xE8, 7, 8, 0, 24, 0]);
    for game in games {
        let mut record = [0; 68];
        record[6..8].copy_from_slice(&[40, 34]);
        for (code, square) in record[8..].iter_mut().zip(game.squares()) {
            *code = (square.index() / 8 * 10 + square.index() % 8 + 11) as u8;
        }
        bytes.extend(record);
    }
    bytes
}

fn lines(count: usize, line: fn(&Game) -> String) -> Vec<u8> {
    let games = random_games();
    let lines: Vec<String> = games.iter().take(count).map(line).collect();
    (lines.join("\n") + "\n").into_bytes()
}

fn transcript(game: &Game) -> String {
    let moves: String = game.squares().iter().map(Square::to_string).collect();
    assert_eq!(transcript::parse(&moves).unwrap(), game.squares());
    moves
}

fn packed(text: Vec<u8>) -> Vec<u8> {
    zstd::bulk::compress(&text, 3).unwrap()
}

fn ggf(game: &Game) -> String {
    let moves = game.replay().steps.into_iter().map(|step| {
        let name = if step.side == Side::Black { "B" } else { "W" };
        format!("{name}[{}/1.5/2]", step.square)
    });
    let board = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------";
    let head = "(;GM[Othello]PC[here]PB[one]PW[other]TY[8]RE[0]";
    format!("1 {head}BO[8 {board} *]{};)", moves.collect::<String>())
}

fn egaroucid() -> Vec<u8> {
    let record = |game: &Game| -> Vec<u8> {
        let position = game.replay().steps[20].position;
        let boards = [position.player(), position.opponent()];
        let boards = boards.map(|board| board.reverse_bits().to_le_bytes());
        [boards.as_flattened(), &[0, 20, 6]].concat()
    };
    random_games().iter().take(100).flat_map(record).collect()
}

fn board_line(game: &Game) -> String {
    let step = game.replay().steps[20];
    format!("{} {}", othello_engine::board::notation::board_text(&step.position, step.side), -6.5)
}

fn obf_line(game: &Game) -> String {
    let step = game.replay().steps[20];
    let board = othello_engine::board::notation::board_text(&step.position, step.side);
    format!("{board}; {}:+12; {}:-4; --:-127;", step.square, step.square)
}
