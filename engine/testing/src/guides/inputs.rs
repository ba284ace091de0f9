//! Small input files, which replace the reader's data in the commands of a guide.

use std::fs;
use std::path::Path;
use std::process::Command;

use othello_engine::board::Side;
use othello_engine::board::notation::board_text;
use othello_engine::record::Game;

use super::{BINARIES, repository};
use crate::random_games::random_moves;

const GAMES: u64 = 40;

/// Creates every missing file that the command with these arguments reads.
pub fn make_missing(arguments: &[String]) {
    for (at, argument) in arguments.iter().enumerate().skip(1) {
        let before = arguments[at - 1].as_str();
        // An argument `DATA*WEIGHT` consists of the file name `DATA` and a weight.
        let name = argument.split_once('*').map_or(argument.as_str(), |(name, _)| name);
        let path = Path::new(name);
        let is_output = matches!(before, "--out" | "--repair" | "--book-out" | "--games-out");
        let is_path = !name.starts_with('-') && !name.contains(' ') && !name.contains("://");
        if is_path && !is_output && !path.exists() {
            make(path, before, arguments);
        }
    }
}

fn make(path: &Path, flag: &str, arguments: &[String]) {
    const KINDS: &str = "obf toml txt weights positions openings games";
    let kind = path.extension().and_then(|kind| kind.to_str());
    let is_data = KINDS.split(' ').any(|one| kind == Some(one));
    if let Some(folder) = path.parent().filter(|_| is_data) {
        fs::create_dir_all(folder).expect("a folder");
    }
    let text = |text: &str| write(path, text.as_bytes());
    let shipped = |name: &str| copy(&repository().join(name), path);
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let name = path.to_string_lossy();
    match kind {
        Some("obf") => shipped("datasets/problems/fforum-1-19.obf"),
        Some("toml") if flag == "--settings" => text("ridge = 30.0\n"),
        Some("toml") => shipped("datasets/patterns/small.toml"),
        Some("txt") if flag == "--openings" => text(&transcripts(GAMES, 10)),
        Some("txt") if has("transcripts") => text(&transcripts(GAMES, 60)),
        Some("txt") => text(&boards(GAMES, 30)),
        Some("weights") => shipped("datasets/conformance/conformance.weights"),
        Some("positions") => shipped("datasets/conformance/conformance.positions"),
        Some("openings") => by_engine("openings --plies 4 --score-depth 1", path),
        Some("games") => {
            by_engine("selfplay --games 60 --seed 1 --depth 1 --exact 4", path);
            if name.contains("damaged") {
                let bytes = fs::read(path).expect("just made");
                write(path, &bytes[..bytes.len() - 60]);
            }
        }
        _ => (),
    }
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("a small input can be written");
}

fn copy(from: &Path, to: &Path) {
    write(to, &fs::read(from).expect("a file of the repository"));
}

fn by_engine(arguments: &str, out: &Path) {
    let binaries = std::env::var_os(BINARIES).expect("the folder of the binaries");
    let mut command = Command::new(Path::new(&binaries).join("othello-engine"));
    command.args(arguments.split(' ')).args(["--weights", "mobility", "--out"]).arg(out);
    let output = command.output().expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Returns random games as one transcript per line. Each game ends after at most `moves` moves.
pub fn transcripts(games: u64, moves: usize) -> String {
    let squares = |seed| random_moves(seed).into_iter().take(moves);
    let line = |seed| squares(seed).map(|square| square.to_string()).collect::<String>();
    (0..games).map(|seed| line(seed) + "\n").collect()
}

/// Returns boards, one per line, after `moves` moves of `count` random games, with made-up scores.
pub fn boards(count: u64, moves: usize) -> String {
    let line = |seed| {
        let replay = Game::new(0, &random_moves(seed)).expect("a game").replay();
        let step = replay.steps[moves];
        let score = if step.side == Side::Black { 2 } else { -4 };
        format!("{} {score}\n", board_text(&step.position, step.side))
    };
    (0..count).map(line).collect()
}
