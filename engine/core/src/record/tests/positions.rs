//! Tests of files of positions.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::board::Position;
use crate::file::{Existing, Kind, Provenance, Writer};
use crate::record::{
    Label, POSITIONS_PER_FRAME, PlacedPosition, PlacedReader, PositionReader, PositionWriter,
    ROW_BYTES, Record as _, RecordWriter, ScoredPosition, Weight,
};

fn any_position() -> impl Strategy<Value = ScoredPosition> {
    let numbers = (any::<u64>(), any::<u64>(), -16384..=16384i16, 1..=u16::MAX);
    numbers.prop_map(|(player, opponent, label, weight)| {
        let position = Position::new(player | 0xF, opponent & !player & !0xF).unwrap();
        ScoredPosition::new(position, Label::new(label).unwrap(), Weight::new(weight).unwrap())
    })
}

fn begin(path: &Path) -> PositionWriter {
    let begun = PositionWriter::begin(path, &Provenance::new("test"), Existing::Keep);
    begun.unwrap().writer().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn positions_are_read_as_they_were_written(positions in vec(any_position(), 0..50)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("any.positions");
        let mut writer = begin(&path);
        positions.iter().for_each(|&position| writer.push(position).unwrap());
        let sha256 = writer.finish().unwrap().sha256;
        let mut reader = PositionReader::open(&path).unwrap();
        let there: Vec<_> = reader.by_ref().map(|position| position.unwrap()).collect();
        prop_assert_eq!(there, positions);
        prop_assert_eq!(reader.sha256(), Some(sha256.as_str()));
        prop_assert!(!reader.is_enumerated());
    }
}

#[test]
fn frames_hold_4096_positions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.positions");
    let row = |n: u64| {
        let position = Position::new(0xF | n << 8, 0).unwrap();
        ScoredPosition::new(position, Label::new((n % 4096) as i16).unwrap(), Weight::ONE)
    };
    let mut writer = begin(&path);
    (0..140_000).for_each(|n| writer.push(row(n)).unwrap());
    assert_eq!(writer.finish().unwrap().sections, 140_000_usize.div_ceil(POSITIONS_PER_FRAME));
    let there = PositionReader::open(&path).unwrap().map(|position| position.unwrap());
    assert!(there.eq((0..140_000).map(row)));
}

#[test]
fn openings_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.openings");
    let provenance = Provenance::new("openings");
    let begun = Writer::begin(&path, Kind::Openings, &provenance, Existing::Keep);
    begun.unwrap().writer().unwrap().finish().unwrap();
    assert!(PositionReader::open(&path).unwrap().is_enumerated());
    let path = folder.path().join("marked.positions");
    let marked = provenance.with("enumerated", true);
    let begun = PositionWriter::begin(&path, &marked, Existing::Keep);
    begun.unwrap().writer().unwrap().finish().unwrap();
    assert!(PositionReader::open(&path).unwrap().is_enumerated());
}

#[test]
fn a_bad_row_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.positions");
    let begun = Writer::begin(&path, Kind::Positions, &Provenance::new("test"), Existing::Keep);
    let mut writer = begun.unwrap().writer().unwrap();
    writer.section(ScoredPosition::PLURAL, &[0; 3 * ROW_BYTES]).unwrap();
    writer.finish().unwrap();
    let error = PositionReader::open(&path).unwrap().next().unwrap().unwrap_err().to_string();
    assert!(error.contains("bad.positions: position 1: 0 discs"), "{error}");
}

#[test]
fn games_and_subsets_come_back_and_an_unknown_subset_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("placed.positions");
    let row = ScoredPosition::new(Position::START, Label::new(3).unwrap(), Weight::ONE);
    let placed = |game, subset| PlacedPosition { row, game, subset };
    let all = [placed(7, Some(2)), placed(u64::MAX, None), placed(0, Some(0))];
    let begun = RecordWriter::begin(&path, &Provenance::new("test"), Existing::Keep);
    let mut writer = begun.unwrap().writer().unwrap();
    all.iter().for_each(|&placed| writer.push(placed).unwrap());
    writer.finish().unwrap();
    let there: Vec<_> = PlacedReader::open(&path).unwrap().map(|placed| placed.unwrap()).collect();
    assert_eq!(there, all);
    // A program that reads only positions must not lose their games.
    let error = PositionReader::open(&path).err().unwrap().to_string();
    assert!(error.contains("a file of positions with games"), "{error}");
    let mut frame = PlacedPosition::encode_frame(&all);
    assert!(PlacedPosition::decode_frame(&frame[1..]).is_err());
    *frame.last_mut().unwrap() = 3;
    assert_eq!(PlacedPosition::decode_frame(&frame).unwrap_err().index, Some(2));
}
