//! Fuzz targets for the readers of containers, records and weights.

use std::path::Path;

use othello_engine::board::{Phase, Position, Square, Symmetry};
use othello_engine::eval::{Evaluate as _, MAX_STEPS, Tables, Value, Weights};
use othello_engine::file::{self, Kind, Reader, Summary};
use othello_engine::pattern::{Geometry, PatternSet};
use othello_engine::record::{
    Game, GameReader, PlacedReader, PositionReader, RecordError, ScoredPosition,
};

use crate::container::{self, KINDS, Section, VERSION};
use othello_testing::{records, scratch};

use super::texts::image;
use super::{check_names, checked_at};

/// Checks the reader of containers. The first byte of `data` selects what the other bytes are: a
/// whole file, the provenance, the frames after a valid header, or a section's stated length and
/// stored bytes.
pub(super) fn container(data: &[u8]) {
    let Some((&mode, rest)) = data.split_first() else { return };
    let kind = KINDS[usize::from(mode >> 2) % KINDS.len()];
    let bytes = match mode & 3 {
        0 => rest.to_vec(),
        1 => container::file(kind, VERSION, rest, &[]),
        2 => [container::header(kind, VERSION, b"{}"), rest.to_vec()].concat(),
        _ => {
            let Some((&length, stored)) = rest.split_first_chunk::<4>() else { return };
            let mut section = Section::stored("games", b"", stored.to_vec());
            section.stated_content = u32::from_le_bytes(length).into();
            container::partial(container::header(kind, VERSION, b"{}"), &[section])
        }
    };
    scratch::with_file("container", &bytes, |path| {
        let Some(kind) = checked_at(path, file::kind_of(path)) else { return };
        assert_eq!(read(path, kind).is_some(), read_as(path, kind));
    });
}

fn read(path: &Path, kind: Kind) -> Option<Summary> {
    let mut reader = checked_at(path, Reader::open(path, kind))?;
    for section in reader.by_ref() {
        checked_at(path, section)?;
    }
    let summary = reader.summary().cloned().expect("no error, so an end");
    assert_eq!(summary.bytes, reader.bytes());
    assert_eq!(Some(summary.sha256.as_str()), reader.sha256());
    Some(summary)
}

/// Returns true if the container `path` is undamaged. Panics if it is damaged, but the reader for
/// files of this kind accepts it.
fn read_as(path: &Path, kind: Kind) -> bool {
    let whole = read(path, kind).is_some();
    let taken = match kind {
        Kind::Weights => Weights::read(path).is_ok(),
        Kind::Games => GameReader::open(path).is_ok_and(is_whole),
        Kind::Positions | Kind::Openings => PositionReader::open(path).is_ok_and(is_whole),
        Kind::Placed => PlacedReader::open(path).is_ok_and(is_whole),
        // For matches and parts, the target checks only the container, not the content.
        Kind::Match | Kind::Part => whole,
    };
    assert!(whole || !taken, "damaged, and taken for good");
    whole
}

fn is_whole<T>(mut records: impl Iterator<Item = Result<T, RecordError>>) -> bool {
    records.all(|record| record.is_ok())
}

pub(super) fn games(data: &[u8]) {
    let bytes = container::file(b'G', VERSION, b"{}", &[Section::new("games", data)]);
    let games = scratch::with_file("games", &bytes, |path| {
        let games = GameReader::open(path).and_then(Iterator::collect::<Result<Vec<Game>, _>>);
        checked_at(path, games)
    });
    let Some(games) = games else { return };
    for game in &games {
        let replay = game.replay();
        assert_eq!(replay.steps.len(), game.squares().len());
        assert_eq!(replay.black_score(), game.black_score());
        assert!(game.positions() <= game.squares().len());
        assert!(game.values().is_none_or(|values| values.len() == game.squares().len()));
    }
    assert_eq!(written_and_read(&games), games);
}

fn written_and_read(games: &[Game]) -> Vec<Game> {
    let path = scratch::path("written.games");
    records::write(&path, games.iter().cloned());
    let read = GameReader::open(&path).expect("just written");
    read.map(|game| game.expect("just written")).collect()
}

pub(super) fn positions(data: &[u8]) {
    for (kind, name) in [(b'P', "positions"), (b'O', "openings")] {
        let bytes = container::file(kind, VERSION, b"{}", &[Section::new("positions", data)]);
        let rows = scratch::with_file(name, &bytes, |path| {
            let rows = PositionReader::open(path);
            let rows = rows.and_then(Iterator::collect::<Result<Vec<ScoredPosition>, _>>);
            checked_at(path, rows)
        });
        let Some(rows) = rows else { return };
        assert_eq!(rows.iter().flat_map(ScoredPosition::to_bytes).collect::<Vec<_>>(), data);
        for row in rows {
            assert!(row.label().discs().abs() <= 64.0 && row.weight().occurrences() > 0.0);
            assert!((4..=64).contains(&row.position().discs()));
            assert_eq!(row.canonical().canonical(), row.canonical());
        }
    }
}

/// Checks the reader of weights files with a file of zero weights whose sections [`change`] has
/// altered. `data` is a pattern set in TOML ([`SMALL`] if empty), a zero byte, and the changes to
/// the sections, as [`change`] reads them.
pub(super) fn weights(data: &[u8]) {
    let mut parts = data.splitn(2, |&byte| byte == 0);
    let toml = parts.next().filter(|toml| !toml.is_empty()).unwrap_or(SMALL.as_bytes());
    let mut sections = sections(toml);
    change(&mut sections, parts.next().unwrap_or_default());
    let bytes = container::file(b'W', VERSION, b"{}", &sections);
    scratch::with_file("weights", &bytes, |path| match Weights::read(path) {
        Ok(file) => check_weights(&file.weights),
        Err(error) => {
            assert!(!data.is_empty(), "nothing was changed: {error}");
            check_names(&error, path);
        }
    });
}

/// The greatest number of parameters (weights of a phase) with which the target also evaluates a
/// position. With more, this would take too long.
const MANY: usize = 10_000;

const SMALL: &str =
    "name = \"s\"\nscalars = [\"player_discs\"]\n[[pattern]]\nsquares = \"a1 b2\"\n";

const ORDERING: &str = "name = \"o\"\n[[pattern]]\nsquares = \"a1 b2\"\n";

/// Returns the sections of a weights file for a pattern set; the weights of all phases are 0. If
/// the set is invalid or has a pattern of more than 6 squares, which would make the file large,
/// each phase has 3 weights.
fn sections(toml: &[u8]) -> Vec<Section> {
    let set = str::from_utf8(toml).ok().and_then(|toml| PatternSet::from_toml(toml).ok());
    let small = |set: &PatternSet| set.patterns().iter().all(|p| p.squares().len() <= 6);
    let parameters = set.filter(small).map_or(3, |set| Geometry::new(&set).parameters());
    let (steps, counts) = (vec![0; 2 * parameters], vec![0; 4 * parameters]);
    let (steps, counts) = (Section::new("", &steps), Section::new("", &counts));
    let named = |name: String, section: &Section| Section { name: name.into(), ..section.clone() };
    let phases = (0..60).flat_map(|phase| {
        [named(format!("weights {phase:02}"), &steps), named(format!("counts {phase:02}"), &counts)]
    });
    let ordering = PatternSet::from_toml(ORDERING).expect("a pattern set");
    // The strength of the move ordering and a weight for each class, in two bytes each.
    let ordering = vec![1; 2 * (1 + Geometry::new(&ordering).parameters())];
    let ordering = [
        Section::new("ordering pattern set", ORDERING.as_bytes()),
        Section::new("ordering weights", &ordering),
    ];
    std::iter::once(Section::new("pattern set", toml)).chain(phases).chain(ordering).collect()
}

fn change(sections: &mut Vec<Section>, mut operations: &[u8]) {
    while let Some((&[what, which, amount], rest)) = operations.split_first_chunk::<3>() {
        operations = rest;
        let (count, amount) = (sections.len().max(1), usize::from(amount));
        let (one, other) = (usize::from(which) % count, amount % count);
        let Some(section) = sections.get(one).cloned() else { return };
        match what % 6 {
            0 => drop(sections.remove(one)),
            1 => sections.insert(other, section),
            2 => sections.swap(one, other),
            3 => {
                let (content, rest) = operations.split_at(amount.min(operations.len()));
                operations = rest;
                let name = String::from_utf8_lossy(&section.name);
                sections[one] = Section::new(&name, content);
            }
            4 => sections[one].name = sections[other].name.clone(),
            _ => {
                let mut content = section.content;
                let at = amount % content.len().max(1);
                content.iter_mut().skip(at).take(2).for_each(|byte| *byte = what);
                sections[one] = Section::new(&String::from_utf8_lossy(&section.name), &content);
            }
        }
    }
}

fn check_weights(weights: &Weights) {
    let limits = -MAX_STEPS..=MAX_STEPS;
    assert!(Phase::all().all(|p| weights.steps(p).iter().all(|step| limits.contains(step))));
    if weights.geometry().parameters() > MANY {
        return;
    }
    if let Some(ordering) = &weights.ordering {
        assert!(ordering.strength() >= 0 && ordering.steps().iter().all(|s| limits.contains(s)));
    }
    let evaluator = Tables::new(weights);
    let square = Square::lowest(Position::START.moves()).expect("there are first moves");
    let position = Position::START.play(square).expect("legal");
    let value = |position: &Position| evaluator.value(&evaluator.state(position), position);
    assert!((Value::MIN..=Value::MAX).contains(&value(&position)));
    for symmetry in Symmetry::all() {
        assert_eq!(value(&image(&position, symmetry)), value(&position));
    }
}
