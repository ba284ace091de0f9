use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::time::Duration;

use othello_engine::board::{Position, Side, Square, ggf, transcript};
use othello_testing::program::ended_within;

use crate::folder;

pub(crate) fn server(arguments: &str) -> (Child, ChildStdin, impl Iterator<Item = String> + use<>) {
    let folder = folder();
    let mut command = folder.command(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary runs");
    let input = child.stdin.take().expect("a pipe");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    (child, input, lines.map(|line| line.expect("text")))
}

const GAMES: [&str; 3] =
    ["f5d6c3d3c4", "f5d6c3d3c4f4f6g5e6c5f3", "f5d6c3d3c4f4f6g5e6c5f3b5b4a3c7e3g4g6c6h3c2f7"];

#[test]
fn every_door_gives_the_same_move_for_the_same_level() {
    let (folder, mut values) = (folder(), 0);
    for (game, level, weights) in
        [(0, 3, "embedded"), (1, 6, "embedded"), (2, 6, "mobility"), (2, 9, "embedded")]
    {
        let game = GAMES[game];
        let squares = transcript::parse(game).unwrap();
        let side = if squares.len().is_multiple_of(2) { Side::Black } else { Side::White };
        let with =
            |command: &str| format!("{command} --level {level} --threads 1 --weights {weights}");

        let moves = squares.iter().zip([Side::Black, Side::White].into_iter().cycle());
        let lines: String =
            moves.map(|(square, mover)| format!("play {mover} {square}\n")).collect();
        let by_gtp = folder.answers(&with("gtp"), &format!("{lines}genmove {side}\nquit\n"));
        assert!(!by_gtp.contains('?'), "{by_gtp}");
        let mut answers = by_gtp.lines().filter_map(|line| line.strip_prefix("= "));
        let by_gtp: Square = answers.next_back().unwrap().parse().unwrap();

        let turns: Vec<Option<Square>> = squares.iter().copied().map(Some).collect();
        let told = ggf::game(&Position::START, Side::Black, &turns);
        let by_nboard = folder.answers(&with("nboard"), &format!("set game {told}\ngo\nquit\n"));
        let by_nboard = by_nboard.lines().last().unwrap().strip_prefix("=== ").unwrap();
        let mut parts = by_nboard.split('/');
        assert_eq!(parts.next().unwrap().to_ascii_lowercase(), by_gtp.to_string());
        let value: f64 = parts.next().unwrap().parse().unwrap();

        let evaluated = folder.json(&with(&format!("evaluate {game}")));
        assert!((evaluated["values"][0].as_f64().unwrap() - value).abs() < 0.006, "{evaluated}");

        // `hint` searches each move separately, so with pruning its values may differ.
        let hints = folder.json(&with(&format!("hint {game}")));
        let moves = hints["moves"].as_array().unwrap();
        let own = moves.iter().find(|hint| hint["move"] == by_gtp.to_string()).unwrap();
        if weights == "mobility" {
            assert_eq!(own["value"], moves[0]["value"]);
            assert!((own["value"].as_f64().unwrap() - value).abs() < 0.006, "{hints}");
            values += 1;
        }
        assert!((own["value"].as_f64().unwrap() - value).abs() < 4.0, "{own} {value}");
    }
    assert!(values > 0);
}

#[test]
fn what_comes_later_ends_a_search() {
    let check = |protocol: &str, question: &str, end: Option<&str>| {
        let (mut child, mut input, mut lines) =
            server(&format!("{protocol} --level 60 --hash-mb 4"));
        // The first answer shows that the process has started.
        let (hello, answer) =
            if protocol == "gtp" { ("name", "= othello-engine") } else { ("ping 1", "pong 1") };
        writeln!(input, "{hello}").unwrap();
        assert_eq!(lines.next().unwrap(), answer);
        writeln!(input, "{question}").unwrap();
        std::thread::sleep(Duration::from_millis(500));
        assert!(child.try_wait().unwrap().is_none());
        input.write_all(end.unwrap_or_default().as_bytes()).unwrap();
        drop(input);
        // `None` is a client that died: its end of the output is closed.
        let lines = end.map(|_| lines);
        let ended = ended_within(&mut child, Duration::from_secs(30));
        assert!(ended.is_some_and(|it| it.success()), "{protocol} {question} {end:?}");
        lines.map(|lines| lines.collect::<Vec<_>>().join("\n"))
    };
    std::thread::scope(|scope| {
        for (protocol, question, mark) in [
            ("gtp", "genmove black", "= "),
            ("nboard", "go", "=== "),
            ("nboard", "hint 3", "search "),
        ] {
            for end in [Some("quit\n"), Some(""), None] {
                scope.spawn(move || {
                    let answered = check(protocol, question, end);
                    assert!(answered.is_none_or(|it| it.contains(mark)), "{question} {end:?}");
                });
            }
        }
    });
}
