use proptest::collection::vec;
use proptest::prelude::*;

use crate::board::Position;
use crate::file::{Existing, Kind, Provenance};
use crate::record::{
    Label, PlacedPosition, PositionReader, PositionWriter, ROW_BYTES, Record as _, ScoredPosition,
    Weight,
};
use crate::tests::{Folder, read_back, section, write, write_records};

fn any_position() -> impl Strategy<Value = ScoredPosition> {
    let numbers = (any::<u64>(), any::<u64>(), -16384..=16384i16, 1..=u16::MAX);
    numbers.prop_map(|(player, opponent, label, weight)| {
        let position = Position::new(player | 0xF, opponent & !player & !0xF).unwrap();
        ScoredPosition::new(position, Label::new(label).unwrap(), Weight::new(weight).unwrap())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn positions_are_read_as_they_were_written(positions in vec(any_position(), 0..50)) {
        prop_assert_eq!(read_back(&positions), positions);
    }
}

#[test]
fn frames_hold_4096_positions() {
    let (_folder, path) = Folder::with("some.positions");
    let row = |n: u64| {
        let position = Position::new(0xF | n << 8, 0).unwrap();
        ScoredPosition::new(position, Label::new((n % 4096) as i16).unwrap(), Weight::ONE)
    };
    let sections = write_records(&path, (0..140_000).map(row)).sections;
    assert_eq!(sections, 140_000_usize.div_ceil(ScoredPosition::PER_FRAME));
    let mut reader = PositionReader::open(&path).unwrap();
    assert!(!reader.is_enumerated());
    assert!(reader.by_ref().map(Result::unwrap).eq((0..140_000).map(row)));
}

#[test]
fn openings_are_marked() {
    let (folder, all) = Folder::with("all.openings");
    write(&all, Kind::Openings, &[]);
    let marked = folder.path("marked.positions");
    let enumerated = Provenance::new("test").with("enumerated", true);
    let begun = PositionWriter::begin(&marked, &enumerated, Existing::Keep);
    begun.unwrap().finish().unwrap();
    assert!([all, marked].iter().all(|path| PositionReader::open(path).unwrap().is_enumerated()));
}

#[test]
fn a_bad_row_is_named() {
    let (_folder, path) = Folder::with("bad.positions");
    write(&path, Kind::Positions, &[section(ScoredPosition::PLURAL, &[0; 3 * ROW_BYTES])]);
    let error = PositionReader::open(&path).unwrap().next().unwrap().unwrap_err().to_string();
    assert!(error.contains("bad.positions: position 1: 0 discs"), "{error}");
}

#[test]
fn games_and_subsets_come_back_and_an_unknown_subset_is_refused() {
    let (_folder, path) = Folder::with("placed.positions");
    let row = ScoredPosition::new(Position::START, Label::new(3).unwrap(), Weight::ONE);
    let placed = |game, subset| PlacedPosition { row, game, subset };
    let all = [placed(7, Some(2)), placed(u64::MAX, None), placed(0, Some(0))];
    assert_eq!(read_back(&all), all);
    write_records(&path, all);
    // A reader of plain positions must refuse the file, since it would lose the game numbers.
    let error = PositionReader::open(&path).err().unwrap().to_string();
    assert!(error.contains("a file of positions with games"), "{error}");
    let mut frame = PlacedPosition::encode_frame(&all);
    assert!(PlacedPosition::decode_frame(&frame[1..]).is_err());
    *frame.last_mut().unwrap() = 3;
    assert_eq!(PlacedPosition::decode_frame(&frame).unwrap_err().index, Some(2));
}
