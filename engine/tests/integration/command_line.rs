//! Tests of the command line as a whole. The cases in `tests/cmd` test most commands.

use othello_testing::program::{message, printed};
use othello_testing::skip;

use crate::folder;

const POSITIONS: &str = "\
--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X
-XXXXXX---XOOOOO--XOOXXO-OXOXXOOOXXOXXOOOXXXOXOO-OXOXXXX-OO-XX-- X
----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X
";

#[cfg(target_os = "linux")]
#[test]
fn a_table_that_no_memory_is_left_for_is_refused_with_its_size() {
    let folder = folder();
    folder.write("problems", POSITIONS);
    for command in ["solve", "ablate", "evaluate --depth 1"] {
        let arguments = format!("{command} problems --hash-mb 100000");
        let output = folder.limited("-v 16000000", &arguments).output().unwrap();
        let message = message(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("error: --hash-mb"), "{message}");
        let size = "not enough memory for a transposition table of 100000 MB";
        assert!(message.contains(size), "{message}");
    }
}

#[test]
fn values_do_not_depend_on_the_threads() {
    let folder = folder();
    let start = "---------------------------OX------XO---------------------------";
    folder.write("boards.txt", format!("{start} X\n{start} O\n").repeat(1500));
    let evaluate = "evaluate boards.txt --weights mobility --depth 3 --threads";
    let [one, three] = [1, 3].map(|n| folder.json(&format!("{evaluate} {n}"))["values"].clone());
    assert_eq!(one.as_array().unwrap().len(), 3000);
    assert_eq!(one, three);
}

/// Each solving thread has its own transposition table: three threads must exceed the memory limit.
#[cfg(target_os = "linux")]
#[test]
fn solve_searches_as_many_positions_at_a_time_as_it_has_threads() {
    let folder = folder();
    folder.write("boards.txt", POSITIONS);
    let solve = |threads: u32| {
        let arguments = format!("solve boards.txt --hash-mb 512 --threads {threads}");
        folder.limited("-v 1300000", &arguments).output().unwrap()
    };
    let one = solve(1);
    assert!(one.status.success(), "{one:?}");
    let three = solve(3);
    let message = message(&three);
    assert_eq!(three.status.code(), Some(2), "{message}");
    assert!(message.contains("--hash-mb, the size of the table of each thread"), "{message}");
}

#[test]
fn the_embedded_weights_are_inspected_without_counts() {
    let folder = folder();
    let inspect = |file: &str| {
        let mut command = folder.command(&format!("weights {file} --json --inspect"));
        printed(&command.args(["a1 b1 c1 a2 b2 c2 a3 b3 c3", "XO-OO----"]).output().unwrap())
    };
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/weights/default.weights");
    let (embedded, file) = (inspect(""), inspect(shipped));
    if embedded["sha256"] != file["sha256"] {
        skip!("the binary was built with other weights");
    }
    assert_eq!(embedded["inspect"]["weights"], file["inspect"]["weights"]);
    assert_eq!(embedded["inspect"]["parameter"], file["inspect"]["parameter"]);
    assert!(file["inspect"]["counts"].is_array());
    for absent in [&embedded["inspect"]["counts"], &embedded["counts"]] {
        assert!(absent.is_null(), "{absent}");
    }
}
