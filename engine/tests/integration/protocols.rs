//! Tests of whole games by GTP and NBoard, including passes, against a client with its own board.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use othello_engine::board::notation::BoardLine;
use othello_engine::board::{Position, Side, Square, Squares, ggf};
use othello_engine::eval::{Mobility, Zero};
use othello_engine::protocol::gtp::Gtp;
use othello_engine::protocol::nboard::Nboard;
use othello_engine::protocol::{Player, Reply, Server};
use othello_engine::random::Generator;
use othello_engine::search::{Level, Limits, Search};

use crate::{folder, protocol_commands};

pub(crate) fn player(level: u32) -> Player<'static, Zero> {
    Player::new(&Search::new(&Zero).hash_mb(1), Level::new(level).unwrap()).unwrap()
}

fn gtp() -> Gtp<'static, Zero> {
    Gtp::new(player(1))
}

/// Returns the answer to a GTP command, without `= ` and the empty line.
fn ask(server: &mut Gtp<'_, Zero>, command: &str) -> String {
    protocol_commands::ask(server, command).expect(command)
}

fn turns(position: &Position) -> Vec<Option<Square>> {
    match position.moves() {
        0 => vec![None],
        moves => Squares(moves).map(Some).collect(),
    }
}

fn after(position: &Position, turn: Option<Square>) -> Position {
    turn.map_or(position.pass(), |square| position.play(square).unwrap())
}

/// Plays games between the engine and a client that moves at random, or so that the engine must
/// pass often. `choose` asks the engine for its turn, and `tell` sends it a turn; both receive all
/// turns of the game so far. Returns the number of passes of the client and of the engine.
fn play_games(
    games: u64,
    mut choose: impl FnMut(&[Option<Square>], &Position, Side) -> Option<Square>,
    mut tell: impl FnMut(&[Option<Square>], &Position, Side),
) -> [usize; 2] {
    let mut passes = [0; 2];
    for game in 0..games {
        let mut random = Generator::split(11, game);
        let engine = if game % 2 == 0 { Side::Black } else { Side::White };
        let (mut position, mut side, mut played) = (Position::START, Side::Black, vec![]);
        tell(&played, &position, side);
        while !position.is_over() {
            let legal = turns(&position);
            let turn = if side == engine {
                let turn = choose(&played, &position, side);
                assert!(legal.contains(&turn), "{turn:?} in {position:?}");
                turn
            } else if game % 4 < 2 {
                legal[random.below(legal.len() as u32) as usize]
            } else {
                // Leave the engine as few moves as possible, so that it must also pass.
                let replies = |turn: &Option<Square>| after(&position, *turn).moves().count_ones();
                legal.into_iter().min_by_key(|turn| (replies(turn), random.below(100))).unwrap()
            };
            passes[usize::from(side == engine)] += usize::from(turn.is_none());
            (position, side) = (after(&position, turn), side.other());
            played.push(turn);
            tell(&played, &position, side);
        }
    }
    passes
}

#[test]
fn gtp_plays_whole_games_with_passes() {
    let server = std::cell::RefCell::new(gtp());
    let own = std::cell::Cell::new(false);
    let passes = play_games(
        60,
        |_, position, side| {
            let mut server = server.borrow_mut();
            assert_eq!(ask(&mut server, "gogui-rules_side_to_move"), side.to_string());
            let legal = ask(&mut server, "gogui-rules_legal_moves");
            let expected: Vec<String> = turns(position)
                .iter()
                .map(|turn| turn.map_or("pass".into(), |s| s.to_string()))
                .collect();
            assert_eq!(legal.split(' ').collect::<Vec<_>>(), expected);
            let suggested = ask(&mut server, &format!("reg_genmove {side}"));
            let turn = ask(&mut server, &format!("genmove {side}"));
            if position.empties() <= 4 {
                assert_eq!(suggested == "pass", turn == "pass");
            }
            own.set(true);
            if turn == "pass" { None } else { Some(turn.parse().unwrap()) }
        },
        |played, position, side| {
            let mut server = server.borrow_mut();
            match played.last() {
                None => assert_eq!(ask(&mut server, "clear_board"), ""),
                Some(_) if own.get() => {}
                Some(turn) => {
                    let turn = turn.map_or("pass".to_owned(), |square| square.to_string());
                    ask(&mut server, &format!("play {} {turn}", side.other()));
                }
            }
            own.set(false);
            // The engine's board must be the client's.
            let board: String = ask(&mut server, "showboard");
            let squares: String = board
                .lines()
                .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
                .flat_map(|line| line[2..].chars().filter(|c| *c != ' '))
                .collect();
            let side_letter = if side == Side::Black { 'X' } else { 'O' };
            let line: BoardLine = format!("{squares} {side_letter}").parse().unwrap();
            assert_eq!(line.position, *position);
            if position.is_over() {
                let score = position.score() * side.sign();
                let expected = match score {
                    0 => "0".to_owned(),
                    1.. => format!("B+{score}"),
                    _ => format!("W+{}", -score),
                };
                assert_eq!(ask(&mut server, "final_score"), expected);
                assert_eq!(ask(&mut server, "gogui-rules_legal_moves"), "");
                assert_eq!(ask(&mut server, "genmove white"), "pass");
            }
        },
    );
    assert!(passes[0] > 3 && passes[1] > 3, "{passes:?}");
}

#[test]
fn nboard_plays_whole_games_with_passes() {
    let server = std::cell::RefCell::new(Nboard::new(player(1)));
    let silent = |reply: Reply| assert_eq!(reply, Reply::default());
    let passes = play_games(
        60,
        |_, position, _| {
            let mut server = server.borrow_mut();
            let said = server.answer("go").text;
            let line = said.lines().last().unwrap().strip_prefix("=== ").unwrap();
            let turn = ggf::read_turn(line).unwrap();
            if turn.is_some() {
                let value: f64 = line.split('/').nth(1).unwrap().parse().unwrap();
                let found = Search::new(&Zero).depth(1).exact(2).hash_mb(1).find(position).unwrap();
                assert!((value - found.value.discs()).abs() < 0.01);
            }
            // The engine does not play its move unless the client sends it.
            assert_eq!(
                server.answer("go").text.lines().last().map(|l| &l[..6]),
                Some(&said.lines().last().unwrap()[..6])
            );
            turn
        },
        |played, _, _| {
            let mut server = server.borrow_mut();
            // Some turns are sent one by one, others with the whole game.
            match played.split_last() {
                Some((turn, before)) if before.len() % 3 != 0 => {
                    let turn = turn.map_or("PA".to_owned(), |square| square.to_string());
                    silent(server.answer(&format!("move {turn}/1.5/0.1")));
                }
                _ => {
                    let game = ggf::game(&Position::START, Side::Black, played);
                    silent(server.answer(&format!("set game {game}")));
                }
            }
            assert_eq!(server.answer("ping 7").text, "pong 7\n");
        },
    );
    assert!(passes[0] > 3 && passes[1] > 3, "{passes:?}");
}

/// No game is lost on time. A search at level 60 does not end by itself: the clock ends the search
/// for a move, and the next command ends pondering.
#[test]
fn a_game_is_served_while_the_engine_ponders() {
    let folder = folder();
    let mut engine =
        folder.command("gtp --ponder --level 60 --weights mobility --hash-mb 1 --threads 2");
    let mut engine = engine.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = engine.stdin.take().unwrap();
    let mut output = BufReader::new(engine.stdout.take().unwrap()).lines();
    let mut ask = |command: String| {
        writeln!(input, "{command}").unwrap();
        let answer = output.next().unwrap().unwrap();
        assert_eq!(output.next().unwrap().unwrap(), "");
        answer.strip_prefix('=').unwrap_or_else(|| panic!("{command}: {answer}")).trim().to_owned()
    };
    ask("time_settings 1 0 0".to_owned());
    let (mut position, mut side) = (Position::START, Side::Black);
    let mut random = Generator::new(12);
    while !position.is_over() {
        let legal = turns(&position);
        let turn = if side == Side::White {
            let said = ask("genmove white".to_owned());
            if said == "pass" { None } else { Some(said.parse().unwrap()) }
        } else {
            let turn = legal[random.below(legal.len() as u32) as usize];
            ask(format!("play b {}", turn.map_or("pass".to_owned(), |square| square.to_string())));
            turn
        };
        assert!(legal.contains(&turn), "{turn:?} in {position:?}");
        (position, side) = (after(&position, turn), side.other());
    }
    assert_ne!(ask("final_score".to_owned()), "");
    ask("quit".to_owned());
    assert!(engine.wait().unwrap().success());
}

/// A regression: `set game`, which NBoard sends before every move of the engine, emptied the table.
/// The searches must visit the same nodes as by GTP, where each turn is sent once.
#[test]
fn nboard_forgot_its_searches_before_every_move() {
    let player = || {
        let search = Search::new(&Mobility).hash_mb(1);
        Player::new(&search, Level::new(7).unwrap()).unwrap()
    };
    let (mut server, mut gtp) = (Nboard::new(player()), Gtp::new(player()));
    let (mut game, mut position, mut nodes) = (vec![], Position::START, [0, 0]);
    let mut warm = player();
    for _ in 0..8 {
        server.answer(&format!("set game {}", ggf::game(&Position::START, Side::Black, &game)));
        let said = server.answer("go").text;
        let visited: u64 = said.split_whitespace().nth(1).unwrap().parse().unwrap();
        let chosen = warm.choose(&position, &Limits::default());
        assert_eq!(visited, chosen.nodes);
        let square = gtp.answer("genmove black").text;
        assert_eq!(square.trim_start_matches("= ").trim(), chosen.square.unwrap().to_string());
        nodes[0] += visited;
        nodes[1] += player().choose(&position, &Limits::default()).nodes;

        let after_chosen = after(&position, chosen.square);
        let reply = turns(&after_chosen)[0];
        gtp.answer(&format!("play white {}", reply.unwrap()));
        game.extend([chosen.square, reply]);
        position = after(&after_chosen, reply);
    }
    assert!(nodes[0] < nodes[1], "{nodes:?}");
}

/// A client sends `move` after one turn, `set game` after two. Both keep what was pondered.
#[test]
fn nboard_goes_on_from_what_was_pondered() {
    let opening = [Some("f5".parse().unwrap()), Some("d6".parse().unwrap())];
    for ponders in [false, true] {
        let mut server = Nboard::new(player(5).with_pondering(ponders));
        server.answer(&format!("set game {}", ggf::game(&Position::START, Side::Black, &opening)));
        let said = server.answer("go").text;
        let chosen = ggf::read_turn(said.lines().last().unwrap().strip_prefix("=== ").unwrap());
        if server.has_to_ponder() {
            server.ponder(&Limits::default());
        }
        let position =
            opening.iter().fold(Position::START, |position, turn| after(&position, *turn));
        let reply = turns(&after(&position, chosen.clone().unwrap())).pop().unwrap();
        let game = [&opening[..], &[chosen.unwrap(), reply]].concat();
        server.answer(&format!("set game {}", ggf::game(&Position::START, Side::Black, &game)));
        let is_found = server.answer("go").text.starts_with("nodestats 1 ");
        assert_eq!(is_found, ponders);
    }
}
