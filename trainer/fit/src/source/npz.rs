//! Reads positions as NumPy arrays (`.npz`), as `export` writes them or a Python program.
//! `datasets/formats.md` lists the arrays.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{IntoIter, SyncSender, sync_channel};
use std::thread;

use othello_engine::board::Position;
use othello_engine::file::open_ordinary;
use othello_engine::record::{Label, PlacedPosition, ScoredPosition, Weight};
use othello_engine::text::excerpt;
use zip::ZipArchive;

use super::{Entries, Rejection, SourceError, labelled};

/// The arrays that are read; the first three are required.
const ARRAYS: [&str; 6] = ["player", "opponent", "label", "weight", "game", "subset"];
const REQUIRED: usize = 3;
/// Further arrays of exported positions. They follow from the others, so they are not read.
const DERIVED: [&str; 2] = ["ply", "provenance"];
const SUBSETS: u8 = 3;
const MAX_HEADER_BYTES: u16 = 1 << 14;
/// The number of positions that a batch has, and the number of batches read ahead.
const BATCH: usize = 4096;
const BATCHES: usize = 4;

type Row = Result<PlacedPosition, String>;
type Rows = SyncSender<Result<Vec<Row>, String>>;

/// Opens a file and checks the names, the types and the lengths of its arrays.
pub fn read(path: &Path) -> Result<Npz, SourceError> {
    let bytes = open_ordinary(path)?.metadata().map_err(SourceError::io(path, "read it"))?.len();
    let (sender, receiver) = sync_channel(BATCHES);
    let file = path.to_owned();
    // The arrays lie one after another. A thread reads them side by side, so any number of
    // positions takes little memory.
    thread::spawn(move || {
        if let Err(reason) = send_all(&file, &sender) {
            // Without a receiver, the import has ended.
            let _ = sender.send(Err(reason));
        }
    });
    let (batches, batch) = (receiver.into_iter(), vec![].into_iter());
    Ok(Npz { path: path.to_owned(), batches, batch, number: 0, bytes, is_over: false })
}

/// The positions of a file.
pub struct Npz {
    path: PathBuf,
    batches: IntoIter<Result<Vec<Row>, String>>,
    batch: std::vec::IntoIter<Row>,
    number: u64,
    bytes: u64,
    is_over: bool,
}

impl Iterator for Npz {
    type Item = Result<Result<PlacedPosition, Rejection>, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.batch.next() {
                self.number += 1;
                let (path, place) = (self.path.clone(), self.place());
                return Some(Ok(row.map_err(|reason| Rejection { path, place, reason })));
            }
            match self.batches.next() {
                Some(Ok(batch)) => self.batch = batch.into_iter(),
                Some(Err(reason)) => {
                    let expected = "positions as NumPy arrays (.npz)";
                    let path = self.path.clone();
                    return Some(Err(SourceError::Format { path, expected, reason }));
                }
                None => {
                    self.is_over = true;
                    return None;
                }
            }
        }
    }
}

impl Entries<PlacedPosition> for Npz {
    fn bytes_read(&self) -> u64 {
        // The arrays are read at several places at once.
        if self.is_over { self.bytes } else { 0 }
    }

    fn place(&self) -> String {
        format!("position {}", self.number)
    }
}

/// Reads all arrays and passes their positions on in batches.
fn send_all(path: &Path, sender: &Rows) -> Result<(), String> {
    let open = || -> Result<ZipArchive<BufReader<File>>, String> {
        let file = open_ordinary(path).map_err(|error| error.to_string())?;
        ZipArchive::new(BufReader::new(file)).map_err(|error| error.to_string())
    };
    let first = open()?;
    let names: BTreeSet<String> = first.file_names().map(str::to_owned).collect();
    let has = |name: &str| names.contains(&format!("{name}.npy"));
    if let Some(missing) = ARRAYS[..REQUIRED].iter().find(|name| !has(name)) {
        return Err(format!("it has no array `{missing}`"));
    }
    let known = |file: &&String| {
        let own = file.strip_suffix(".npy");
        own.is_some_and(|own| ARRAYS.iter().chain(&DERIVED).any(|&name| name == own))
    };
    if let Some(other) = names.iter().find(|name| !known(name)) {
        let (other, names) = (excerpt(other.trim_end_matches(".npy")), ARRAYS.join("`, `"));
        return Err(format!("array `{other}` is unknown; expected `{names}`"));
    }
    let mut archives = ARRAYS.map(|name| has(name).then(&open).transpose());
    let mut columns = vec![];
    for (name, archive) in ARRAYS.into_iter().zip(&mut archives) {
        let archive = archive.as_mut().map_err(|error| error.clone())?;
        let column = archive.as_mut().map(|archive| {
            let array = archive.by_name(&format!("{name}.npy"));
            let array = array.map_err(|error| format!("array `{name}`: {error}"))?;
            Column::begin(name, Box::new(BufReader::new(array)))
        });
        columns.push(column.transpose()?);
    }
    let length = columns[0].as_ref().map_or(0, |column| column.length);
    for column in columns.iter().flatten() {
        if column.length != length {
            let Column { name, length: own, .. } = column;
            return Err(format!("array `{name}` has {own} numbers, `player` has {length}"));
        }
    }
    let mut rest = length;
    while rest > 0 {
        let count = rest.min(BATCH as u64);
        let first = length - rest;
        let rows = (first..first + count).map(|index| row(&mut columns, index));
        if sender.send(Ok(rows.collect::<Result<_, _>>()?)).is_err() {
            return Ok(());
        }
        rest -= count;
    }
    columns.iter_mut().flatten().try_for_each(Column::end)
}

/// Reads the numbers of one position. A position after the end of its game is refused alone.
fn row(columns: &mut [Option<Column<'_>>], index: u64) -> Result<Row, String> {
    let mut numbers = [None; ARRAYS.len()];
    for (number, column) in numbers.iter_mut().zip(columns) {
        *number = column.as_mut().map(Column::next).transpose()?;
    }
    let wrong = |name: &str, found: Number, expected: &str| {
        format!("array `{name}`, element {index}: {found}; expected {expected}")
    };
    let whole = |at: usize, expected: &str, fits: fn(&i128) -> bool| {
        numbers[at]
            .map(|number| {
                let whole = number.whole().filter(fits);
                whole.ok_or_else(|| wrong(ARRAYS[at], number, expected))
            })
            .transpose()
    };
    let board = |at| whole(at, "a board of 64 bits", |bits| u64::try_from(*bits).is_ok());
    let [player, opponent] = [board(0)?, board(1)?].map(|bits| bits.unwrap_or(0) as u64);
    let both = player & opponent;
    let position = Position::new(player, opponent).ok_or_else(|| {
        format!("`player` and `opponent`, element {index}: both have a disc at {both:#x}")
    })?;
    if position.discs() < 4 {
        let discs = position.discs();
        return Err(format!(
            "`player` and `opponent`, element {index}: {discs} discs; expected 4 to 64"
        ));
    }
    let [label, weight] =
        [numbers[2].unwrap_or(Number::Whole(0)), numbers[3].unwrap_or(Number::Whole(1))];
    let label =
        Label::of_discs(label.real()).ok_or_else(|| wrong("label", label, "-64 to 64 discs"))?;
    let weight = Some(weight.real())
        .filter(|weight| (1.0 / 128.0..1024.0).contains(weight))
        .and_then(Weight::of_occurrences)
        .ok_or_else(|| {
            wrong(
                "weight",
                weight,
                "1/64 to 1023 occurrences; scale all weights, or omit the position",
            )
        })?;
    let game = whole(4, "0 to 2^64 - 1", |game| u64::try_from(*game).is_ok())?;
    let subset = whole(5, "0 training, 1 validation or 2 test", |subset| {
        (0..i128::from(SUBSETS)).contains(subset)
    })?;
    Ok(labelled(position, label).map(|row| PlacedPosition {
        row: ScoredPosition::new(row.position(), row.label(), weight),
        game: game.map_or_else(|| PlacedPosition::number_alone(&position), |game| game as u64),
        subset: subset.map(|subset| subset as u8),
    }))
}

/// A number of an array.
#[derive(Clone, Copy, derive_more::Display)]
enum Number {
    Whole(i128),
    Real(f64),
}

impl Number {
    fn whole(self) -> Option<i128> {
        match self {
            Self::Whole(number) => Some(number),
            Self::Real(_) => None,
        }
    }

    fn real(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Real(number) => number,
        }
    }
}

/// The numbers of an array, one after another.
struct Column<'a> {
    name: &'static str,
    length: u64,
    bytes: usize,
    number: fn(u64) -> Number,
    array: Box<dyn Read + 'a>,
}

impl<'a> Column<'a> {
    /// Reads the header of an array, as the format `.npy` describes it.
    fn begin(name: &'static str, mut array: Box<dyn Read + 'a>) -> Result<Self, String> {
        let wrong = |reason: &str| format!("array `{name}` {reason}");
        let mut take = |bytes: u16| {
            let mut taken = vec![0; usize::from(bytes)];
            let read = array.read_exact(&mut taken);
            read.map_err(|error| wrong(&format!("has no header: {error}"))).map(|()| taken)
        };
        let head = take(8)?;
        if !head.starts_with(b"\x93NUMPY") {
            return Err(wrong("is not an array of NumPy (.npy)"));
        }
        let wide = head[6] > 1;
        let length = take(if wide { 4 } else { 2 })?;
        let bytes = u16::from_le_bytes([length[0], length[1]]);
        if bytes > MAX_HEADER_BYTES || length[2..].iter().any(|&byte| byte != 0) {
            return Err(wrong("has a header that is too long"));
        }
        let header = take(bytes)?;
        let header = String::from_utf8_lossy(&header);
        let field =
            |key: &str| header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim());
        let text = |rest: &str| rest.split('\'').nth(1).unwrap_or_default().to_owned();
        let descr = field("descr").map(text).unwrap_or_default();
        let shape = field("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
        let shape = shape.map_or("", |(shape, _)| shape).trim();
        let length = shape.strip_suffix(',').and_then(|length| length.trim().parse().ok());
        let length = length.ok_or_else(|| {
            wrong(&format!("has the shape ({}); expected one axis", excerpt(shape)))
        })?;
        let is_real = matches!(name, "label" | "weight");
        let known: Option<(usize, fn(u64) -> Number)> = match &*descr {
            "|u1" => Some((1, |bits| Number::Whole(i128::from(bits)))),
            "<u2" => Some((2, |bits| Number::Whole(i128::from(bits)))),
            "<u4" => Some((4, |bits| Number::Whole(i128::from(bits)))),
            "<u8" => Some((8, |bits| Number::Whole(i128::from(bits)))),
            "|i1" => Some((1, |bits| Number::Whole(i128::from(bits as i8)))),
            "<i2" => Some((2, |bits| Number::Whole(i128::from(bits as i16)))),
            "<i4" => Some((4, |bits| Number::Whole(i128::from(bits as i32)))),
            "<i8" => Some((8, |bits| Number::Whole(i128::from(bits as i64)))),
            "<f4" if is_real => Some((4, |bits| Number::Real(f32::from_bits(bits as u32).into()))),
            "<f8" if is_real => Some((8, |bits| Number::Real(f64::from_bits(bits)))),
            _ => None,
        };
        let (bytes, number) = known.ok_or_else(|| {
            let expected = match name {
                "player" | "opponent" => "uint64",
                "label" | "weight" => "float32, float64 or whole numbers",
                _ => "whole numbers",
            };
            wrong(&format!("has the type `{}`; expected {expected}", excerpt(&descr)))
        })?;
        Ok(Self { name, length, bytes, number, array })
    }

    fn next(&mut self) -> Result<Number, String> {
        let mut bytes = [0; 8];
        let read = self.array.read_exact(&mut bytes[..self.bytes]);
        read.map_err(|error| {
            format!("array `{}` ends too soon or is damaged: {error}", self.name)
        })?;
        Ok((self.number)(u64::from_le_bytes(bytes)))
    }

    /// Checks that the array ends, and with that its checksum.
    fn end(&mut self) -> Result<(), String> {
        match self.array.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(format!("array `{}` has more bytes than its shape", self.name)),
            Err(error) => Err(format!("array `{}` is damaged: {error}", self.name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use ndarray::{Array1, Array2};
    use ndarray_npy::NpzWriter;
    use othello_testing::scratch;

    use super::*;

    type Arrays = NpzWriter<Cursor<Vec<u8>>>;

    /// Reads the arrays that `add` writes, in addition to `boards` start positions.
    fn read_with(
        boards: usize,
        add: impl FnOnce(&mut Arrays),
    ) -> Result<Vec<PlacedPosition>, String> {
        let mut arrays = NpzWriter::new(Cursor::new(vec![]));
        if boards > 0 {
            let all = |discs| Array1::<u64>::from_elem(boards, discs);
            arrays.add_array("player", &all(Position::START.player())).unwrap();
            arrays.add_array("opponent", &all(Position::START.opponent())).unwrap();
        }
        add(&mut arrays);
        let bytes = arrays.finish().unwrap().into_inner();
        read_bytes(&bytes)
    }

    fn read_bytes(bytes: &[u8]) -> Result<Vec<PlacedPosition>, String> {
        scratch::with_file("a.npz", bytes, |path| {
            let rows = read(path).unwrap().map(|row| match row {
                Ok(row) => row.map_err(|rejection| rejection.to_string()),
                Err(error) => Err(error.to_string()),
            });
            rows.collect()
        })
    }

    fn labels(arrays: &mut Arrays, labels: &[f64]) {
        arrays.add_array("label", &Array1::from(labels.to_vec())).unwrap();
    }

    #[test]
    fn missing_columns_have_their_defaults_and_many_positions_come_in_order() {
        let count = 3 * BATCH + 7;
        let all: Vec<i8> =
            (0..count).map(|number| (number % 129) as i8).map(|it| it.max(-64)).collect();
        let all: Vec<i8> = all.into_iter().map(|it| it.min(64)).collect();
        let rows = read_with(count, |arrays| {
            arrays.add_array("label", &Array1::from(all.clone())).unwrap();
        });
        let rows = rows.unwrap();
        assert!(rows.iter().map(|it| it.row.label().discs()).eq(all.into_iter().map(f64::from)));
        assert!(rows.iter().all(|it| (it.row.weight(), it.subset) == (Weight::ONE, None)));
        assert_eq!(rows[0].game, PlacedPosition::number_alone(&Position::START));
        let rows = read_with(2, |arrays| {
            labels(arrays, &[-1.5, 2.001]);
            arrays.add_array("weight", &Array1::from(vec![0.5_f32, 3.0])).unwrap();
            arrays.add_array("game", &Array1::from(vec![7_i64, 9])).unwrap();
            arrays.add_array("subset", &Array1::from(vec![2_i64, 0])).unwrap();
            arrays.add_array("ply", &Array1::from(vec![0_u8, 0])).unwrap();
        });
        let of = |it: &PlacedPosition| {
            (it.row.label().steps(), it.row.weight().steps(), it.game, it.subset)
        };
        let found: Vec<_> = rows.unwrap().iter().map(of).collect();
        assert_eq!(found, [(-384, 32, 7, Some(2)), (512, 192, 9, Some(0))]);
    }

    #[test]
    fn a_wrong_file_is_refused_by_its_array_and_element() {
        let all = |discs: [u64; 2]| Array1::from(discs.to_vec());
        let [start, other] = [Position::START.player(), Position::START.opponent()];
        let label_of = |label: f64| read_with(2, |arrays| labels(arrays, &[0.0, label]));
        let column = |name: &'static str, value: f64| {
            read_with(2, move |arrays| {
                labels(arrays, &[0.0, 0.0]);
                let values = vec![if name == "weight" { 1.0 } else { 0.0 }, value];
                match name {
                    "weight" => arrays.add_array(name, &Array1::from(values)).unwrap(),
                    _ => {
                        arrays.add_array(name, &Array1::from(values).mapv(|it| it as i64)).unwrap()
                    }
                }
            })
        };
        let boards = |player: [u64; 2], opponent: [u64; 2]| {
            read_with(0, |arrays| {
                arrays.add_array("player", &all(player)).unwrap();
                arrays.add_array("opponent", &all(opponent)).unwrap();
                labels(arrays, &[0.0, 0.0]);
            })
        };
        let two_axes = read_with(2, |arrays| {
            arrays.add_array("label", &Array2::<f32>::zeros((2, 1))).unwrap();
        });
        let cases = [
            (read_with(2, |_| ()), "it has no array `label`"),
            (
                read_with(2, |arrays| labels(arrays, &[0.0])),
                "`label` has 1 numbers, `player` has 2",
            ),
            (two_axes, "array `label` has the shape (2, 1); expected one axis"),
            (label_of(f64::NAN), "array `label`, element 1: NaN; expected -64 to 64 discs"),
            (label_of(64.5), "array `label`, element 1: 64.5; expected -64 to 64"),
            (column("weight", 0.0), "array `weight`, element 1: 0; expected 1/64 to 1023"),
            (column("weight", f64::NAN), "array `weight`, element 1: NaN"),
            (column("subset", 3.0), "array `subset`, element 1: 3; expected 0 training"),
            (column("game", -1.0), "array `game`, element 1: -1; expected 0 to 2^64 - 1"),
            (column("wait", 1.0), "array `wait` is unknown; expected `player`"),
            (boards([start, 3], [other, 6]), "element 1: both have a disc at 0x2"),
            (boards([start, 3], [other, 4]), "element 1: 3 discs; expected 4 to 64"),
            (
                read_with(2, |arrays| {
                    arrays.add_array("label", &all([0, 1]).mapv(|it| it > 0)).unwrap()
                }),
                "array `label` has the type `|b1`; expected float32",
            ),
            (read_bytes(b"no zip"), "a.npz: not positions as NumPy arrays (.npz)"),
        ];
        for (read, expected) in cases {
            let error = read.unwrap_err();
            assert!(error.contains(expected), "{error}\n{expected}");
        }
    }

    /// Every damaged byte of a file is noticed, or does not change the positions.
    #[test]
    fn damage_is_noticed() {
        let mut arrays = NpzWriter::new(Cursor::new(vec![]));
        for name in ["player", "opponent"] {
            let discs = if name == "player" {
                Position::START.player()
            } else {
                Position::START.opponent()
            };
            arrays.add_array(name, &Array1::from(vec![discs; 3])).unwrap();
        }
        labels(&mut arrays, &[1.0, 2.0, 3.0]);
        let bytes = arrays.finish().unwrap().into_inner();
        let whole = read_bytes(&bytes).unwrap();
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x11;
            assert!(
                read_bytes(&bytes).is_ok_and(|rows| rows == whole) || read_bytes(&bytes).is_err()
            );
        }
        assert!((0..bytes.len()).all(|end| read_bytes(&bytes[..end]).is_err()));
    }
}
