//! The generator of the conformance vectors in `datasets/conformance/`. Everything is drawn from
//! one seed, so that the files are the same everywhere.

use std::fmt::Write as _;
use std::path::Path;

use othello_engine::board::notation::{BoardLine, board_text};
use othello_engine::board::transcript::Replay;
use othello_engine::board::{Phase, Position, Side, Squares};
use othello_engine::eval::{MAX_FACTOR, MAX_STEPS, Mobility, PhaseSection, Tables, Value, Weights};
use othello_engine::file::{Existing, Kind, Provenance, Reader, Section};
use othello_engine::openings::{Settings, write_openings};
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Silent;
use othello_engine::random::Generator;
use othello_engine::record::{Game, Label, PositionReader, ScoredPosition, Solved, Weight};
use othello_engine::search::Search;
use othello_testing::records;
use sha2::{Digest as _, Sha256};

const SEED: u64 = 1;

/// Writes every file of the vectors into `folder`, and the manifest of their checksums.
pub(crate) fn write_all(folder: &Path) {
    let weights = weights();
    let weights_path = folder.join("conformance.weights");
    write_whole(&weights_path, &weights);
    write_again(&weights_path, Kind::Weights);

    let boards = boards(&Tables::new(&weights));
    let lines = |text: fn(&Board) -> String| boards.iter().map(text).collect::<String>();
    write(folder, "boards.txt", &lines(|board| format!("{}\n", board.text)));
    write(folder, "values.txt", &lines(|board| format!("{}\n", board.value.steps())));

    let weights = weights_with_factors();
    let path = folder.join("factors.weights");
    weights.write(&path, &provenance("factors"), Existing::Replace).unwrap();
    write_again(&path, Kind::Weights);
    let positions: Vec<Position> =
        boards.iter().map(|board| board.text.parse::<BoardLine>().unwrap().position).collect();
    let values = Search::new(&Tables::new(&weights)).values(&positions, &Silent).unwrap();
    let values = values.iter().map(|value| format!("{}\n", value.steps()));
    write(folder, "factors.txt", &values.collect::<String>());

    let games: Vec<Game> = (0..24).map(game).collect();
    write_games(&folder.join("conformance.games"), &games);
    write(folder, "games.txt", &games.iter().map(game_line).collect::<String>());

    let positions = scored_positions();
    write_positions(&folder.join("conformance.positions"), &positions);
    write(folder, "positions.txt", &positions.iter().map(position_line).collect::<String>());

    let openings = folder.join("conformance.openings");
    let settings = Settings::whole(4, 1);
    write_openings(&openings, &settings, &Mobility, Existing::Replace, &Silent).unwrap();
    write_again(&openings, Kind::Openings);
    let openings = PositionReader::open(&openings).unwrap();
    let openings = openings.map(|row| position_line(&row.unwrap()));
    write(folder, "openings.txt", &openings.collect::<String>());
    write_manifest(folder);
}

/// The files in the manifest, in its order.
pub(crate) const FILES: [&str; 12] = [
    "boards.txt",
    "conformance.games",
    "conformance.openings",
    "conformance.positions",
    "conformance.weights",
    "factors.txt",
    "factors.weights",
    "games.txt",
    "openings.txt",
    "patterns.toml",
    "positions.txt",
    "values.txt",
];

fn write_manifest(folder: &Path) {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/conformance");
    let line = |name: &str| {
        let made = Some(folder.join(name)).filter(|path| path.exists());
        let bytes = std::fs::read(made.unwrap_or_else(|| shipped.join(name))).unwrap();
        let digest = hex::encode(Sha256::digest(bytes));
        format!("{digest}  {name}\n")
    };
    write(folder, "SHA256SUMS", &FILES.map(line).concat());
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

fn provenance(of: &str) -> Provenance {
    Provenance::new("conformance").with("of", of).with("seed", SEED)
}

/// Builds weights that repeat after 509 parameters, so that they compress, with one largest and one
/// smallest in each period; every phase has its own period.
fn weights() -> Weights {
    const PERIOD: usize = 509;
    let set = include_str!("../../../datasets/conformance/patterns.toml");
    let mut weights = Weights::zero(PatternSet::from_toml(set).unwrap());
    for phase in Phase::all() {
        let mut random = Generator::split(SEED, phase.index() as u64);
        let mut steps: Vec<i16> = (0..PERIOD).map(|_| random.below(481) as i16 - 240).collect();
        let mut counts: Vec<u32> = (0..PERIOD).map(|_| random.below(1000)).collect();
        for (extreme, count) in [(MAX_STEPS, u32::MAX), (-MAX_STEPS, 0)] {
            let place = random.below(PERIOD as u32) as usize;
            (steps[place], counts[place]) = (extreme, count);
        }
        weights.set_steps(phase, |parameter| steps[parameter % PERIOD]);
        weights.set_counts(phase, |parameter| counts[parameter % PERIOD]);
    }
    weights
}

/// Builds weights of a small set with factors, most of them between ±20 and some as large as
/// possible.
fn weights_with_factors() -> Weights {
    let set = "name = \"factors\"\nscalars = [\"moves_pair\"]\n\
               [factors]\ndimensions = 16\nphases = 25\n\
               [[pattern]]\nsquares = \"a1 b1 c1 a2 b2\"\n\
               [[pattern]]\nsquares = \"c3 d3 e3 f3\"\n\
               [[pattern]]\nsquares = \"d4 e4 d5 e5\"\n";
    let mut weights = Weights::zero(PatternSet::from_toml(set).unwrap());
    let parameters = weights.geometry().parameters();
    let drawn = |stream: u64, count: usize, below: u32| -> Vec<i16> {
        let mut random = Generator::split(SEED, stream);
        let mut number = || random.below(2 * below + 1) as i16 - below as i16;
        (0..count).map(|_| number()).collect()
    };
    for phase in Phase::all() {
        let steps = drawn(100 + phase.index() as u64, parameters, 120);
        weights.set_steps(phase, |parameter| steps[parameter]);
    }
    let factors = weights.factors_mut().unwrap();
    for group in 0..factors.shape().groups() {
        let count = parameters * factors.shape().dimensions();
        let (small, kind) =
            (drawn(200 + group as u64, count, 20), drawn(300 + group as u64, count, 60));
        factors.set_group(group, |place| match kind[place] {
            60 => MAX_FACTOR,
            -60 => -MAX_FACTOR,
            _ => small[place] as i8,
        });
    }
    weights
}

/// Writes weights in sections with all numbers of a phase; the program itself writes the changes.
fn write_whole(path: &Path, weights: &Weights) {
    let content = weights.set().to_toml().into_bytes();
    let set = Section { name: "pattern set".to_owned(), content };
    let phases = Phase::all().flat_map(|phase| {
        let counts = PhaseSection::of_counts(phase, weights.counts(phase));
        [PhaseSection::of_weights(phase, weights.steps(phase)), counts]
    });
    let sections = std::iter::once(set).chain(phases);
    records::write_sections(path, Kind::Weights, &provenance("weights"), sections);
}

/// Writes the file again without the program's version and revision, so that later versions make
/// the same bytes, and with an unknown section after the first one.
fn write_again(path: &Path, kind: Kind) {
    let mut reader = Reader::open(path, kind).unwrap();
    let provenance = reader.provenance().clone().with("version", "any").without("behaviour");
    let mut sections: Vec<Section> = reader.by_ref().map(Result::unwrap).collect();
    let name = "of a later version: skip me".to_owned();
    let content = b"A reader skips sections whose names it does not know.".to_vec();
    sections.insert(1, Section { name, content });
    records::write_sections(path, kind, &provenance, sections);
}

/// A line of `boards.txt` with its value for the side to move.
struct Board {
    text: String,
    value: Value,
}

/// Returns two boards for every phase, then the special cases, 200 in all.
fn boards(tables: &Tables) -> Vec<Board> {
    let mut boards = by_phase();
    let value = |position: &Position| Search::new(tables).find(position).unwrap().value;
    let forced = |position: &Position| position.moves() == 0 && position.pass().moves() != 0;
    let full = |position: &Position| position.empties() == 0;
    let early_end = |position: &Position| position.is_over() && !full(position);
    let middle = |position: &Position| !position.is_over() && position.moves() != 0;
    boards.extend(pick(1, 26, &forced));
    boards.extend(pick(2, 12, &full));
    boards.extend(pick(3, 12, &early_end));
    boards.extend(pick(4, 10, &|p| middle(p) && value(p) == Value::MAX));
    boards.extend(pick(5, 10, &|p| middle(p) && value(p) == Value::MIN));
    boards.extend(pick(6, 4, &|p| forced(p) && [Value::MIN, Value::MAX].contains(&value(p))));
    boards.extend(BY_HAND.map(|text| {
        let BoardLine { position, side, .. } = text.parse().unwrap();
        (position, side)
    }));
    let text = |&(position, side): &(Position, Side)| Board {
        text: board_text(&position, side),
        value: value(&position),
    };
    boards.iter().map(text).collect()
}

/// A wipe-out, a full board of one colour, a draw with empty squares, and scattered discs that no
/// game reaches.
const BY_HAND: [&str; 6] = [
    "XXXX------------------------------------------------------------ X",
    "XXXX------------------------------------------------------------ O",
    "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX O",
    "XX------X-----------------------------------------------O-----OO X",
    "XO-----------------------------------------------------------OX- O",
    "X-O-X-O--------O-X-O-X------------------X-O-X-O--------XO------- O",
];

/// Returns two positions of each phase from games of random moves, one for each side to move: the
/// value does not depend on which side is called black.
fn by_phase() -> Vec<(Position, Side)> {
    let of_phase = |phase| {
        let fits = |board: &Position| Phase::of(board) == Some(phase) && board.moves() != 0;
        let boards = pick(1000 + Phase::index(phase) as u64, 2, &fits);
        boards.into_iter().zip([Side::Black, Side::White]).map(|((board, _), side)| (board, side))
    };
    Phase::all().flat_map(of_phase).collect()
}

/// Returns the first wanted boards of random games, at most one of each game.
fn pick(stream: u64, count: usize, wanted: &dyn Fn(&Position) -> bool) -> Vec<(Position, Side)> {
    let of_game = |n| random_game(stream, n).into_iter().find(|(position, _)| wanted(position));
    (0..).filter_map(of_game).take(count).collect()
}

/// Returns the positions of a game of random moves with their sides to move, those that must pass
/// too.
fn random_game(stream: u64, number: u64) -> Vec<(Position, Side)> {
    let mut random = Generator::split(SEED + stream, number);
    let (mut position, mut side) = (Position::START, Side::Black);
    let mut visited = vec![(position, side)];
    while !position.is_over() {
        position = match position.moves() {
            0 => position.pass(),
            moves => {
                let choice = random.below(moves.count_ones()) as usize;
                position.play(Squares(moves).nth(choice).unwrap()).unwrap()
            }
        };
        side = side.other();
        visited.push((position, side));
    }
    visited
}

/// Draws games of all kinds: without moves, broken off, finished, with and without solved positions
/// and values.
fn game(number: u64) -> Game {
    let mut random = Generator::split(SEED + 7, number);
    let length = match number {
        0 => 0,
        1 => 1,
        n if n % 4 == 2 => 1 + random.below(58) as usize,
        _ => 60,
    };
    let mut replay = Replay::from_start(&[]).unwrap();
    while replay.steps.len() < length && replay.end.moves() != 0 {
        let legal = replay.end.moves();
        let choice = random.below(legal.count_ones()) as usize;
        replay.push(Squares(legal).nth(choice).unwrap()).unwrap();
    }
    let squares: Vec<_> = replay.steps.iter().map(|step| step.square).collect();
    let moves = squares.len() as u32;
    let random_plies = random.below(moves + 1);
    let mut game = Game::new(random_plies as u8, &squares).unwrap();
    if number % 3 != 1 {
        let ply = random.below(moves + 1) as u8;
        let black_score = 2 * random.below(65) as i32 - 64;
        game = game.with_solved(Solved { ply, black_score }).unwrap();
    }
    if number % 2 == 1 {
        let value = |_| (random.below(4) > 0).then(|| (random.below(129) as i32 - 64) as i8);
        game = game.with_values((0..moves).map(value).collect()).unwrap();
    }
    game
}

/// Writes games in three frames, the second of them empty.
fn write_games(path: &Path, games: &[Game]) {
    let mut writer = records::begin(path, &provenance("games"));
    let (first, rest) = games.split_at(9);
    [first, &[], rest].iter().for_each(|frame| writer.write_frame(frame).unwrap());
    writer.finish().unwrap();
    write_again(path, Kind::Games);
}

/// Writes a game as `moves random solved result values`, with `-` for missing parts.
pub(crate) fn game_line(game: &Game) -> String {
    let or_dash = |text: Option<String>| text.filter(|t| !t.is_empty()).unwrap_or("-".into());
    let moves = or_dash(Some(game.squares().iter().map(ToString::to_string).collect()));
    let solved = or_dash(game.solved().map(|s| format!("{}:{}", s.ply, s.black_score)));
    let result = or_dash(game.black_score().map(|score| score.to_string()));
    let value = |value: &Option<i8>| value.map_or(".".into(), |value| value.to_string());
    let values = game.values().map(|v| v.iter().map(value).collect::<Vec<_>>().join(","));
    format!("{moves} {} {solved} {result} {}\n", game.random_plies(), or_dash(values))
}

/// Draws positions with labels and weights up to the ends of their ranges.
fn scored_positions() -> Vec<ScoredPosition> {
    let mut random = Generator::split(SEED + 8, 0);
    let extremes = [(16384, 1), (-16384, 65535), (0, 64), (-1, 63), (1, 32768)];
    let drawn = (0..45).map(|_| (random.below(32769) as i32 - 16384, 1 + random.below(65535)));
    let numbers: Vec<(i32, u32)> = extremes.into_iter().chain(drawn).collect();
    let row = |(index, &(label, weight)): (usize, &(i32, u32))| {
        let game = random_game(9, index as u64);
        let (position, _) = game[index % game.len()];
        let label = Label::new(label as i16).unwrap();
        ScoredPosition::new(position, label, Weight::new(weight as u16).unwrap())
    };
    numbers.iter().enumerate().map(row).collect()
}

fn write_positions(path: &Path, positions: &[ScoredPosition]) {
    let writer = records::begin(path, &provenance("positions"));
    records::finish(writer, positions.iter().copied());
    write_again(path, Kind::Positions);
}

/// Writes a position as `board label weight`: X is the player, and the numbers are those in the
/// file.
pub(crate) fn position_line(row: &ScoredPosition) -> String {
    let mut line = board_text(&row.position(), Side::Black);
    line.truncate(64);
    let _ = writeln!(line, " {} {}", row.label().steps(), row.weight().steps());
    line
}
