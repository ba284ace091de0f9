//! Tests of the C header, of programs in C and C++, and of calls with wrong arguments.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, ptr};

use othello::*;
use othello_engine::analysis::best_line;
use othello_engine::board::{Position, StatedPosition};
use othello_engine::eval::{Evaluate as _, Evaluator, WeightsChoice};
use othello_engine::search::{Limits, Search, Strength};
use othello_testing::skip;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn conformance(name: &str) -> PathBuf {
    here("../../datasets/conformance").join(name)
}

fn boards() -> Vec<Position> {
    let text = fs::read_to_string(conformance("boards.txt")).unwrap();
    text.lines().map(|line| line.parse::<StatedPosition>().unwrap().position).collect()
}

fn error() -> String {
    // SAFETY: the text is valid until the next failed call.
    unsafe { CStr::from_ptr(othello_error()) }.to_str().unwrap().to_owned()
}

fn load(name: &str) -> *mut OthelloWeights {
    let path = CString::new(conformance(name).to_str().unwrap()).unwrap();
    let mut weights = ptr::null_mut();
    // SAFETY: both pointers are valid.
    let status = unsafe { othello_weights_load(path.as_ptr(), &mut weights) };
    assert_eq!(status, OthelloStatus::Ok, "{}", error());
    weights
}

#[test]
fn the_header_is_the_one_that_the_functions_give() {
    let config = cbindgen::Config::from_file(here("cbindgen.toml")).unwrap();
    let bindings = cbindgen::generate_with_config(here(""), config).unwrap();
    let generated = Path::new(env!("CARGO_TARGET_TMPDIR")).join("othello.h");
    bindings.write_to_file(&generated);
    let [committed, generated] =
        [here("include/othello.h"), generated].map(|path| (fs::read_to_string(&path), path));
    let hint = format!("copy {} to {}", generated.1.display(), committed.1.display());
    assert!(committed.0.is_ok_and(|text| text == generated.0.unwrap()), "{hint}");
}

fn run(compiler: &str, source: &str, weights: &str) -> Option<String> {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let program = tempfile::tempdir().unwrap();
    let program = program.path().join("program");
    let compile = |source: &Path| {
        let mut command = Command::new(compiler);
        command.args(["-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]);
        command.arg(source).arg("-I").arg(here("include")).arg("-L").arg(&folder);
        command.args(["-lothello", "-pthread", "-o"]).arg(&program).output()
    };
    let probe = program.with_extension(if compiler == "cc" { "c" } else { "cpp" });
    fs::write(&probe, "int main(void) { return 0; }\n").unwrap();
    if !compile(&probe).is_ok_and(|output| output.status.success()) {
        return None;
    }
    let output = compile(&here(source)).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut command = Command::new(&program);
    command.args([conformance(weights), conformance("boards.txt")]);
    let output = command.env("LD_LIBRARY_PATH", &folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_program_in_c_finds_what_the_engine_finds() {
    let Some(printed) = run("cc", "examples/engine.c", "conformance.weights") else {
        skip!("no C compiler with sanitizers");
    };
    let choice = WeightsChoice::File(conformance("conformance.weights"));
    let evaluator = Evaluator::load(&choice).unwrap();
    let mut searcher = Search::new(&evaluator).searcher().unwrap();
    let strength = Strength { depth: 6, exact: 12 };
    let expected = boards().into_iter().map(|position| {
        let found = searcher.search(&position, strength);
        let line = best_line(&mut searcher, &position, &found, &Limits::default());
        let line: String = line.iter().map(|square| format!(" {square}")).collect();
        let (value, depth) = (evaluator.value_of(&position), found.depth);
        format!("static {value:+.2}, depth {depth} {:+.2}, line{line}\n", found.value)
    });
    assert_eq!(printed, expected.collect::<String>());
}

#[test]
fn threads_share_weights_and_stop_searches() {
    let Some(printed) = run("c++", "examples/threads.cpp", "factors.weights") else {
        skip!("no C++ compiler with sanitizers");
    };
    let count = boards().len();
    assert_eq!(printed, format!("{count} boards, stopped before depth 60: 1\n"));
}

#[test]
fn the_parts_of_a_value_sum_to_it() {
    for name in ["conformance.weights", "factors.weights"] {
        let weights = load(name);
        let mut taken = 0;
        for position in boards().into_iter().filter(|position| position.moves() != 0) {
            let board = OthelloBoard { player: position.player(), opponent: position.opponent() };
            let none = OthelloPart { kind: OthelloPartKind::Factors, steps: 0, squares: 0 };
            let (mut parts, mut count, mut value) = ([none; 256], 0, 0);
            // SAFETY: all addresses are valid.
            unsafe {
                let status = othello_parts(weights, &board, parts.as_mut_ptr(), 256, &mut count);
                assert_eq!(status, OthelloStatus::Ok);
                assert_eq!(othello_evaluate(weights, &board, 1, &mut value), OthelloStatus::Ok);
            }
            let sum: i32 = parts[..count].iter().map(|part| part.steps).sum();
            assert_eq!(sum.clamp(-64 * OTHELLO_STEPS_PER_DISC, 64 * OTHELLO_STEPS_PER_DISC), value);
            taken += 1;
        }
        assert!(taken > 100);
        // SAFETY: nobody uses the weights any more.
        unsafe { othello_weights_free(weights) };
    }
}

#[test]
fn wrong_arguments_are_refused_with_what_was_expected() {
    let board = OthelloBoard { player: 1, opponent: 3 };
    let start = OthelloBoard { player: 0x8_1000_0000, opponent: 0x10_0800_0000 };
    let (mut moves, mut score, mut search) = (0, 0, ptr::null_mut());
    let mut weights = load("conformance.weights");
    let failed = |status: OthelloStatus, expected: &str| {
        assert_ne!(status, OthelloStatus::Ok, "{expected}");
        assert!(error().contains(expected), "{}", error());
    };
    // SAFETY: each pointer is valid or null, and the functions allow null.
    unsafe {
        failed(othello_moves(&board, &mut moves), "1 squares have both");
        failed(othello_moves(ptr::null(), &mut moves), "board is null");
        failed(othello_play(&mut start.clone(), 0), "square 0 is not a legal move");
        failed(othello_play(&mut start.clone(), 64), "expected 0 to 63 or -1");
        failed(othello_play(&mut start.clone(), OTHELLO_PASS), "-1 is not a legal move");
        failed(othello_score(&start, &mut score), "the game is not over");
        let parse = |text: &CStr, board: *mut OthelloBoard| {
            othello_board_parse(text.as_ptr(), board, ptr::null_mut())
        };
        let mut parsed = board;
        failed(parse(c"f5d6zz", &mut parsed), "zz");
        assert_eq!(parsed, board);
        failed(
            othello_weights_load(c"/no/such.weights".as_ptr(), &mut weights),
            "/no/such.weights",
        );
        failed(othello_weights_read([1, 2, 3].as_ptr(), 3, &mut weights), "memory");
        let new = |settings: *const c_char, threads, search| {
            othello_search_new(weights, settings, 1, threads, search)
        };
        failed(new(c"dpeth=3".as_ptr(), 1, &mut search), "`dpeth` is not a key");
        failed(new(c"depth=3".as_ptr(), 0, &mut search), "expected 1 to 1024");
        failed(new(ptr::null(), 1, &mut search), "settings is null");
        failed(new(c"depth=3".as_ptr(), 1, ptr::null_mut()), "search is null");
        assert_eq!(new(c"level=3".as_ptr(), 1, &mut search), OthelloStatus::Ok);
        failed(othello_search_set(search, c"ms=0".as_ptr()), "from 1 to");
        othello_search_free(search);
        othello_weights_free(weights);
        othello_weights_free(ptr::null_mut());
    }
}
