//! Reads positions from an `.npz` file. `datasets/formats.md` describes its NumPy arrays.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use othello_engine::board::Position;
use othello_engine::file::{FileError, open_ordinary, unreadable};
use othello_engine::record::{Label, PlacedPosition, ScoredPosition, Weight};
use othello_engine::text::excerpt;
use zip::ZipArchive;

use super::{DataError, Entries, Result, labelled};

const ARRAYS: [&str; 6] = ["player", "opponent", "label", "weight", "game", "subset"];
const REQUIRED: usize = 3;
/// Further arrays of exported positions, which an import does not need and does not read.
const DERIVED: [&str; 2] = ["ply", "provenance"];
const MAX_HEADER_BYTES: u16 = 1 << 14;
const MAX_ROWS_AHEAD: usize = 1 << 14;

type Row = Result<PlacedPosition, String>;

/// Reads the positions of a file. A thread reads all arrays at the same time, although the file
/// stores them one after another. So even a file of many positions takes little memory.
pub fn read(path: &Path) -> Result<Entries<PlacedPosition>> {
    let bytes = open_ordinary(path)?.metadata().map_err(FileError::io(path, "read it"))?.len();
    let (sender, receiver) = sync_channel(MAX_ROWS_AHEAD);
    let file = path.to_owned();
    thread::spawn(move || {
        if let Err(reason) = send_all(&file, &sender) {
            // If this fails, the import has ended, and needs no error.
            let _ = sender.send(Err(reason));
        }
    });
    let (path, mut rows) = (path.to_owned(), receiver.into_iter());
    Ok(Entries::new("position", move |at| {
        let row = rows.next();
        at.number += 1;
        // Bytes are counted only at the end, because each array has its own position in the file.
        at.bytes_read = if row.is_none() { bytes } else { 0 };
        let wrong = |reason| DataError::not(&path, "positions as NumPy arrays (.npz)", reason);
        row.transpose().map_err(wrong)
    }))
}

fn send_all(path: &Path, sender: &SyncSender<Result<Row, String>>) -> Result<(), String> {
    fn text(error: impl Display) -> String {
        error.to_string()
    }
    let open = || {
        let mut file = BufReader::new(open_ordinary(path).map_err(text)?);
        let begin = file.fill_buf().map_err(text)?;
        // An .npz file is a zip archive.
        if let Some(reason) = unreadable(begin).filter(|_| !begin.starts_with(b"PK")) {
            return Err(format!("it {reason}"));
        }
        ZipArchive::new(file).map_err(text)
    };
    let names: BTreeSet<String> = open()?.file_names().map(str::to_owned).collect();
    let has = |name: &str| names.contains(&format!("{name}.npy"));
    if let Some(missing) = ARRAYS[..REQUIRED].iter().find(|name| !has(name)) {
        return Err(format!("it has no array `{missing}`"));
    }
    let known = ARRAYS.iter().chain(&DERIVED).map(|name| format!("{name}.npy"));
    if let Some(other) = names.difference(&known.collect()).next() {
        let (other, names) = (excerpt(other.trim_end_matches(".npy")), ARRAYS.join("`, `"));
        return Err(format!("array `{other}` is unknown; expected `{names}`"));
    }
    let archives = ARRAYS.into_iter().filter(|name| has(name)).map(|name| Ok((name, open()?)));
    let mut archives = archives.collect::<Result<Vec<_>, String>>()?;
    let (mut columns, mut length): (Vec<NpyReader<'_>>, _) = (vec![], None);
    for (name, archive) in &mut archives {
        let array = archive.by_name(&format!("{name}.npy"));
        let array = array.map_err(|error| format!("array `{name}`: {error}"))?;
        let column = NpyReader::begin(name, array, matches!(*name, "label" | "weight"))?;
        let shape = &column.shape;
        let [own] = shape[..] else {
            return Err(format!("array `{name}` has the shape {shape:?}; expected one axis"));
        };
        let first = *length.get_or_insert(own);
        if own != first {
            return Err(format!("array `{name}` has {own} numbers, `player` has {first}"));
        }
        columns.push(column);
    }
    for index in 0..length.unwrap_or(0) {
        if sender.send(Ok(row(&mut columns, index)?)).is_err() {
            return Ok(());
        }
    }
    columns.iter_mut().try_for_each(NpyReader::end)
}

/// Reads the next position. An `Err` in [`Row`] refuses this position, an outer `Err` the file.
fn row(columns: &mut [NpyReader<'_>], index: u64) -> Result<Row, String> {
    let mut numbers = [None; ARRAYS.len()];
    for column in columns {
        let at = ARRAYS.iter().position(|name| *name == column.name);
        numbers[at.unwrap_or(0)] = Some(column.next()?);
    }
    let wrong = |at: usize, expected: &str| {
        let found = numbers[at].map_or(String::new(), |number| number.to_string());
        format!("array `{}`, element {index}: {found}; expected {expected}", ARRAYS[at])
    };
    let whole = |at: usize, most: u64, expected: &str| match numbers[at] {
        None => Ok(None),
        Some(Number::Whole(found)) if (0..=most.into()).contains(&found) => Ok(Some(found as u64)),
        Some(_) => Err(wrong(at, expected)),
    };
    let real = |at: usize| numbers[at].map_or(1.0, Number::real);
    let board = |at| whole(at, u64::MAX, "a board of 64 bits").map(Option::unwrap_or_default);
    let boards: [u64; 2] = [board(0)?, board(1)?];
    let position = Position::new(boards[0], boards[1]).filter(|position| position.discs() >= 4);
    let position = position.ok_or_else(|| {
        let [player, opponent] = boards.map(u64::count_ones);
        let squares = (boards[0] | boards[1]).count_ones();
        format!(
            "`player`, `opponent`, element {index}: {player} and {opponent} discs on {squares} \
             squares; expected 4 or more, each on its own square"
        )
    })?;
    let label = Label::of_discs(real(2)).ok_or_else(|| wrong(2, "-64 to 64 discs"))?;
    let weight = Weight::of_occurrences(real(3)).filter(|_| Weight::check(real(3)).is_ok());
    let range =
        "1/64 to 1023, close to a multiple of 1/64; scale all weights, or omit the position";
    let weight = weight.ok_or_else(|| wrong(3, range))?;
    let game = whole(4, u64::MAX, "0 to 2^64 - 1")?;
    let subset = whole(5, 2, "0 training, 1 validation or 2 test")?;
    Ok(labelled(position, label).map(|row| PlacedPosition {
        row: ScoredPosition::new(row.position(), row.label(), weight),
        game: game.unwrap_or_else(|| PlacedPosition::number_alone(&position)),
        subset: subset.map(|subset| subset as u8),
    }))
}

#[derive(Clone, Copy, derive_more::Display)]
pub(crate) enum Number {
    Whole(i128),
    Real(f64),
}

impl Number {
    pub(crate) fn real(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Real(number) => number,
        }
    }
}

pub(crate) struct NpyReader<'a> {
    name: &'a str,
    pub(crate) shape: Vec<u64>,
    pub(crate) is_fortran: bool,
    /// NumPy's letter for the type: `u` unsigned integer, `i` signed integer, `f` floating point.
    kind: u8,
    bytes: usize,
    array: Box<dyn Read + 'a>,
}

impl<'a> NpyReader<'a> {
    pub(crate) fn begin(
        name: &'a str,
        array: impl Read + 'a,
        allows_reals: bool,
    ) -> Result<Self, String> {
        let mut array = Box::new(BufReader::new(array));
        let wrong = |reason: &str| format!("array `{name}` {reason}");
        let mut take = |bytes: u16| {
            let mut taken = vec![0; usize::from(bytes)];
            let read = array.read_exact(&mut taken);
            read.map_err(|error| wrong(&format!("has no header: {error}"))).map(|()| taken)
        };
        let head = take(8)?;
        // From version 2 on, the length of the header has four bytes.
        let length = take(if head[6] > 1 { 4 } else { 2 })?;
        let bytes = u16::from_le_bytes([length[0], length[1]]);
        let is_long = bytes > MAX_HEADER_BYTES || length[2..].iter().any(|&byte| byte != 0);
        if !head.starts_with(b"\x93NUMPY") || is_long {
            return Err(wrong("is not an array of NumPy (.npy)"));
        }
        let header = String::from_utf8_lossy(&take(bytes)?).into_owned();
        let field =
            |key: &str| header.split_once(&format!("'{key}':")).map_or("", |(_, rest)| rest);
        let shape = field("shape").split(['(', ')']).nth(1).unwrap_or_default();
        let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty());
        let axes = axes.map(str::parse).collect::<Result<_, _>>();
        let axes = axes.map_err(|_| wrong(&format!("has the shape ({})", excerpt(shape))))?;
        let is_fortran = field("fortran_order").trim_start().starts_with("True");
        let descr = field("descr").split('\'').nth(1).unwrap_or_default();
        let (kind, bytes) = match descr.as_bytes() {
            [b'<' | b'|', kind, size @ b'1'..=b'8'] => (*kind, usize::from(size - b'0')),
            _ => (0, 0),
        };
        let is_known = match kind {
            b'u' | b'i' => matches!(bytes, 1 | 2 | 4 | 8),
            b'f' => allows_reals && matches!(bytes, 4 | 8),
            _ => false,
        };
        if is_known {
            return Ok(Self { name, shape: axes, is_fortran, kind, bytes, array });
        }
        let expected = match name {
            "player" | "opponent" => "uint64",
            _ if allows_reals => "float32, float64 or whole numbers",
            _ => "whole numbers",
        };
        Err(wrong(&format!("has the type `{}`; expected {expected}", excerpt(descr))))
    }

    pub(crate) fn next(&mut self) -> Result<Number, String> {
        let mut bytes = [0; 8];
        let read = self.array.read_exact(&mut bytes[..self.bytes]);
        read.map_err(|error| format!("array `{}` is short or damaged: {error}", self.name))?;
        let (bits, above) = (u64::from_le_bytes(bytes), 64 - 8 * self.bytes);
        Ok(match (self.kind, self.bytes) {
            (b'f', 4) => Number::Real(f32::from_bits(bits as u32).into()),
            (b'f', _) => Number::Real(f64::from_bits(bits)),
            (b'i', _) => Number::Whole((((bits << above) as i64) >> above).into()),
            _ => Number::Whole(bits.into()),
        })
    }

    /// Checks that the array ends after the numbers read so far, and verifies its checksum.
    pub(crate) fn end(&mut self) -> Result<(), String> {
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

    use super::*;
    use crate::source::tests::entries_of;

    type Arrays = NpzWriter<Cursor<Vec<u8>>>;

    fn file_with(boards: usize, add: impl FnOnce(&mut Arrays)) -> Vec<u8> {
        let mut arrays = NpzWriter::new(Cursor::new(vec![]));
        if boards > 0 {
            let all = |discs| Array1::<u64>::from_elem(boards, discs);
            arrays.add_array("player", &all(Position::START.player())).unwrap();
            arrays.add_array("opponent", &all(Position::START.opponent())).unwrap();
        }
        add(&mut arrays);
        arrays.finish().unwrap().into_inner()
    }

    fn read_with(
        boards: usize,
        add: impl FnOnce(&mut Arrays),
    ) -> Result<Vec<PlacedPosition>, String> {
        read_bytes(&file_with(boards, add))
    }

    fn read_bytes(bytes: &[u8]) -> Result<Vec<PlacedPosition>, String> {
        let rows = entries_of("a.npz", bytes, read).map_err(|error| error.to_string())?;
        rows.into_iter().collect()
    }

    fn labels(arrays: &mut Arrays, labels: &[f64]) {
        arrays.add_array("label", &Array1::from(labels.to_vec())).unwrap();
    }

    #[test]
    fn missing_columns_have_their_defaults_and_many_positions_come_in_order() {
        let count = 3 * MAX_ROWS_AHEAD + 7;
        let label = |number: usize| ((number % 129) as i8).clamp(-64, 64);
        let all: Vec<i8> = (0..count).map(label).collect();
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
                        arrays.add_array(name, &Array1::from(values).mapv(|it| it as i64)).unwrap();
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
            (two_axes, "array `label` has the shape [2, 1]; expected one axis"),
            (label_of(f64::NAN), "array `label`, element 1: NaN; expected -64 to 64 discs"),
            (label_of(64.5), "array `label`, element 1: 64.5; expected -64 to 64"),
            (column("weight", 0.0), "array `weight`, element 1: 0; expected 1/64 to 1023"),
            (column("weight", f64::NAN), "array `weight`, element 1: NaN"),
            (column("weight", 0.02), "array `weight`, element 1: 0.02; expected 1/64 to 1023"),
            (column("weight", 1e9), "array `weight`, element 1: 1000000000; expected 1/64 to"),
            (column("weight", f64::INFINITY), "array `weight`, element 1: inf; expected 1/64 to"),
            (column("subset", 3.0), "array `subset`, element 1: 3; expected 0 training"),
            (column("game", -1.0), "array `game`, element 1: -1; expected 0 to 2^64 - 1"),
            (column("wait", 1.0), "array `wait` is unknown; expected `player`"),
            (boards([start, 3], [other, 6]), "element 1: 2 and 2 discs on 3 squares; expected"),
            (boards([start, 3], [other, 4]), "element 1: 2 and 1 discs on 3 squares; expected"),
            (
                read_with(2, |arrays| {
                    arrays.add_array("label", &all([0, 1]).mapv(|it| it > 0)).unwrap();
                }),
                "array `label` has the type `|b1`; expected float32",
            ),
            (read_bytes(b"no zip"), "a.npz: not positions as NumPy arrays (.npz)"),
            (read_bytes(b"BZh and more"), "it is compressed by bzip2; unpack it first"),
        ];
        for (read, expected) in cases {
            let error = read.unwrap_err();
            assert!(error.contains(expected), "{error}\n{expected}");
        }
    }

    #[test]
    fn damage_is_noticed() {
        let bytes = file_with(3, |arrays| labels(arrays, &[1.0, 2.0, 3.0]));
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
