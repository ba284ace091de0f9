//! Tests of the readers in Python and C: values, records, and the refusal of damaged files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::progress::Silent;
use othello_engine::random::Generator;
use othello_engine::search::Search;
use othello_testing::{program, skip};

use crate::vectors::{boards, shipped as vectors, text};

const NO_PYTHON: &str = "no Python 3.11 with zstandard (or 3.14); set PYTHON";
const NO_C: &str = "no C compiler with libzstd (libzstd-dev)";

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn python() -> Option<Command> {
    program::python(
        "import sys\nassert sys.version_info >= (3, 11)\n\
        try:\n import zstandard\nexcept ImportError:\n import compression.zstd",
    )
}

fn c_reader(folder: &Path, flags: &[&str]) -> Option<Command> {
    let binary = folder.join("weights");
    let compile = |source: &Path| {
        let mut compiler = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
        compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror"]).args(flags).arg(source);
        compiler.args(["-lzstd", "-o"]).arg(&binary).output()
    };
    let probe = folder.join("probe.c");
    let main = "int main(void) { return !ZSTD_versionNumber(); }";
    std::fs::write(&probe, format!("#include <zstd.h>\n{main}\n")).unwrap();
    if !compile(&probe).is_ok_and(|output| output.status.success()) {
        return None;
    }
    let compiled = compile(&repository("datasets/readers/weights.c")).unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    Some(Command::new(binary))
}

fn output(mut command: Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{command:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// Asserts that a reader prints the right values for the conformance files and the shipped weights.
/// The reader must ignore the unknown sections and the search models in these files.
fn agrees(reader: &Command) {
    let values = |weights: &Path| {
        let mut command = Command::new(reader.get_program());
        command.args(reader.get_args()).arg(weights).arg(vectors("boards.txt"));
        output(command)
    };
    assert_eq!(values(&vectors("conformance.weights")), text("values.txt"));
    assert_eq!(values(&vectors("factors.weights")), text("factors.txt"));
    let shipped = repository("engine/weights/default.weights");
    let evaluator = Evaluator::load(&WeightsChoice::File(shipped.clone())).unwrap();
    let ours = Search::new(&evaluator).depth(0).values(&boards(), &Silent).unwrap();
    let ours: String = ours.iter().map(|value| format!("{}\n", value.steps())).collect();
    assert_eq!(values(&shipped), ours);
}

#[test]
fn python_gives_the_same_values() {
    let Some(mut reader) = python() else { skip!("{NO_PYTHON}") };
    agrees(reader.arg(repository("datasets/readers/weights.py")));
}

#[test]
fn python_reads_the_same_records() {
    for [records, lines] in [
        ["conformance.games", "games.txt"],
        ["conformance.positions", "positions.txt"],
        ["conformance.openings", "openings.txt"],
        ["placed.positions", "placed.txt"],
    ] {
        let Some(mut command) = python() else { skip!("{NO_PYTHON}") };
        command.arg(repository("datasets/readers/records.py"));
        command.arg(vectors(records));
        assert_eq!(output(command), text(lines), "{records}");
    }
}

#[cfg(unix)]
#[test]
fn python_says_nothing_where_nobody_reads_on() {
    let readers = [
        ("weights.py", vec!["conformance.weights", "boards.txt"]),
        ("records.py", vec!["conformance.games"]),
    ];
    for (reader, arguments) in readers {
        let Some(mut command) = python() else { skip!("{NO_PYTHON}") };
        command.arg("-u").arg(repository("datasets/readers").join(reader));
        command.args(arguments.into_iter().map(vectors));
        let (closed, writer) = std::io::pipe().unwrap();
        drop(closed);
        let output = command.stdout(writer).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{reader}");
    }
}

#[test]
fn c_gives_the_same_values() {
    let folder = tempfile::tempdir().unwrap();
    let Some(reader) = c_reader(folder.path(), &["-O2"]) else { skip!("{NO_C}") };
    agrees(&reader);
}

#[test]
fn both_readers_take_documented_board_lines_and_refuse_others_by_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let (board, boards) = ("-".repeat(26) + "XXX----XOO-----X" + &"-".repeat(22), "boards.txt");
    let dots = board.replace('-', ".").replace('X', "*");
    let good = format!("{board}\n\n{dots} O +3.5\r\n{dots} *\n{board} X -2\n{board} 7");
    let file = folder.path().join(boards);
    let cases = [
        ("", good),
        ("line 2, column 64", format!("{board}\n{}\n", &board[1..])),
        ("line 1, column 65", format!("{board}- X\n")),
        ("line 1, column 66", format!("{board} Z\n")),
        ("line 1, column 66", format!("{board} X5\n")),
        ("line 1, column 7", format!("------Q{}\n", &board[7..])),
        ("line 1, column 1", format!("{} X\n", "-".repeat(64))),
    ];
    let (Some(mut c), Some(mut python)) = (c_reader(folder.path(), &["-O1"]), python()) else {
        skip!("{NO_C}, or {NO_PYTHON}")
    };
    python.arg(repository("datasets/readers/weights.py"));
    for reader in [&mut c, &mut python] {
        reader.arg(vectors("conformance.weights")).arg(&file);
        for (place, text) in &cases {
            std::fs::write(&file, text).unwrap();
            let output = reader.output().unwrap();
            let [out, err] =
                [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
            let refused = !place.is_empty();
            assert!(output.status.success() != refused && err.contains(place), "{reader:?}: {err}");
            // The second line has the other side to move; the others state the same position.
            let values: Vec<&str> = out.lines().collect();
            let same = |&line: &usize| values[line] == values[0];
            assert!(refused || (values.len() == 5 && [2, 3, 4].iter().all(same)), "{values:?}");
        }
    }
}

#[test]
fn c_refuses_damaged_files_without_harm() {
    let folder = tempfile::tempdir().unwrap();
    let flags = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let Some(reader) = c_reader(folder.path(), &flags) else { skip!("{NO_C}, or no sanitizers") };
    let run = |weights: &Path| {
        let mut command = Command::new(reader.get_program());
        command.arg(weights).arg(vectors("boards.txt")).output().unwrap()
    };
    let whole = run(&vectors("conformance.weights"));
    assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
    let bytes = std::fs::read(vectors("conformance.weights")).unwrap();
    let damaged = folder.path().join("damaged.weights");
    let mut random = Generator::new(4);
    for number in 0..60 {
        let mut copy = bytes.clone();
        // Half of the files are damaged in their first kilobytes, where most fields are.
        let range = if number % 2 == 0 { 3000 } else { copy.len() as u32 };
        let place = random.below(range) as usize;
        match number % 3 {
            0 => copy.truncate(place),
            1 => copy[place] ^= 1 << random.below(8),
            _ => copy.insert(place, 7),
        }
        std::fs::write(&damaged, &copy).unwrap();
        let refused = run(&damaged);
        let stderr = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "case {number}: {stderr}");
        assert!(stderr.starts_with("near byte "), "case {number}: {stderr}");
    }
}
