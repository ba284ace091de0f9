//! The generator of `datasets/conformance/`: rewrites the weights files and record files there, and
//! computes the values of the weights for `boards.txt`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use othello_engine::board::notation::board_text;
use othello_engine::board::{Phase, Position, Side, StatedPosition};
use othello_engine::eval::{Mobility, PhaseSection, Tables, Weights};
use othello_engine::file::{Existing, Kind, Provenance, Reader, Section, sha256_of};
use othello_engine::openings::{Settings, write_openings};
use othello_engine::progress::Silent;
use othello_engine::record::{Game, PlacedPosition, PositionReader, Record, ScoredPosition};
use othello_engine::search::Search;
use othello_testing::records;

pub(crate) const WEIGHTS: [(&str, &str); 2] =
    [("conformance.weights", "values.txt"), ("factors.weights", "factors.txt")];

pub(crate) fn write_all(folder: &Path) {
    for (name, values) in WEIGHTS {
        let weights = Weights::read(&shipped(name)).unwrap().weights;
        let path = folder.join(name);
        if weights.factors().is_none() {
            write_whole(&path, &weights);
        } else {
            weights.write(&path, &provenance("factors"), Existing::Replace).unwrap();
        }
        write_again(&path, Kind::Weights);
        let tables = Tables::new(&weights);
        let found = Search::new(&tables).depth(0).values(&boards(), &Silent).unwrap();
        let found: String = found.iter().map(|it| format!("{}\n", it.steps())).collect();
        write(folder, values, &found);
    }
    write_records::<Game>(folder, "conformance.games", Kind::Games);
    write_records::<ScoredPosition>(folder, "conformance.positions", Kind::Positions);
    write_records::<PlacedPosition>(folder, "placed.positions", Kind::Placed);
    let openings = folder.join("conformance.openings");
    let settings = Settings::whole(4, 1);
    write_openings(&openings, &settings, &Mobility, Existing::Replace, &Silent).unwrap();
    write_again(&openings, Kind::Openings);
    let openings = PositionReader::open(&openings).unwrap();
    let openings = openings.map(|row| position_line(&row.unwrap()));
    write(folder, "openings.txt", &openings.collect::<String>());
    write_manifest(folder);
}

pub(crate) const FILES: &str = "\
    boards.txt conformance.games conformance.openings conformance.positions conformance.weights \
    factors.txt factors.weights games.txt openings.txt patterns.toml placed.positions placed.txt \
    positions.txt values.txt";

fn write_manifest(folder: &Path) {
    let line = |name: &str| {
        let made = Some(folder.join(name)).filter(|path| path.exists());
        let bytes = std::fs::read(made.unwrap_or_else(|| shipped(name))).unwrap();
        format!("{}  {name}\n", sha256_of(&bytes))
    };
    write(folder, "SHA256SUMS", &FILES.split(' ').map(line).collect::<String>());
}

pub(crate) fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/conformance").join(name)
}

pub(crate) fn text(name: &str) -> String {
    std::fs::read_to_string(shipped(name)).unwrap()
}

pub(crate) fn boards() -> Vec<Position> {
    let position = |line: &str| line.parse::<StatedPosition>().unwrap().position;
    text("boards.txt").lines().map(position).collect()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

fn provenance(of: &str) -> Provenance {
    Provenance::new("conformance").with("of", of).with("seed", 1)
}

/// Writes all weights of every phase. The program itself writes only the changes from one phase to
/// the next.
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

/// Rewrites a file with the version `any` in its provenance, so that later versions of the program
/// make the same bytes. Also inserts a section with an unknown name after the first section.
fn write_again(path: &Path, kind: Kind) {
    let mut reader = Reader::open(path, kind).unwrap();
    let provenance = reader.provenance().clone().with("version", "any").without("behaviour");
    let mut sections: Vec<Section> = reader.by_ref().map(Result::unwrap).collect();
    let name = "of a later version: skip me".to_owned();
    let content = b"A reader skips sections whose names it does not know.".to_vec();
    sections.insert(1, Section { name, content });
    records::write_sections(path, kind, &provenance, sections);
}

/// Copies the records of the file `datasets/conformance/NAME` to a file in `folder`, in the same
/// frames (compressed blocks).
fn write_records<R: Record>(folder: &Path, name: &str, kind: Kind) {
    let (provenance, frames) = records::frames::<R>(&shipped(name));
    let mut writer = records::begin(&folder.join(name), &provenance);
    writer.write_frames(&frames).unwrap();
    writer.finish().unwrap();
    write_again(&folder.join(name), kind);
}

/// Returns a line with seven fields of a game, `-` for an empty one: moves, number of random moves,
/// solved position (`ply:score`), result, values, plies of moves that the search did not choose,
/// and the result that the imported file stated.
pub(crate) fn game_line(game: &Game) -> String {
    let or_dash = |text: Option<String>| text.filter(|t| !t.is_empty()).unwrap_or("-".into());
    let moves = or_dash(Some(game.squares().iter().map(ToString::to_string).collect()));
    let solved = or_dash(game.solved().map(|s| format!("{}:{}", s.ply, s.black_score)));
    let result = or_dash(game.black_score().map(|score| score.to_string()));
    let value = |value: &Option<i8>| value.map_or(".".into(), |value| value.to_string());
    let values = game.values().map(|v| v.iter().map(value).collect::<Vec<_>>().join(","));
    let deviates = |ply: &usize| game.deviations() >> ply & 1 == 1;
    let plies = (0..60).filter(deviates).map(|ply: usize| ply.to_string()).collect::<Vec<_>>();
    let (values, deviations) = (or_dash(values), or_dash(Some(plies.join(","))));
    let stated = or_dash(game.stated().map(|stated| stated.to_string()));
    let random = game.random_plies();
    format!("{moves} {random} {solved} {result} {values} {deviations} {stated}\n")
}

/// Returns a position as the line `board label weight game subset`, in which `-` means no subset.
pub(crate) fn placed_line(placed: &PlacedPosition) -> String {
    let subset = placed.subset.map_or("-".to_owned(), |subset| subset.to_string());
    format!("{} {} {subset}\n", position_line(&placed.row).trim_end(), placed.game)
}

/// Returns the line `board label weight`: X is the player, the label is in steps of 1/256 disc, and
/// the weight in steps of 1/64 occurrence.
pub(crate) fn position_line(row: &ScoredPosition) -> String {
    let mut line = board_text(&row.position(), Side::Black);
    line.truncate(64);
    let _ = writeln!(line, " {} {}", row.label().steps(), row.weight().steps());
    line
}
