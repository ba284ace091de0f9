//! Tests of whole games by GTP and NBoard. The files in `tests/cmd` test the single commands.

use std::io::Write as _;

use othello_engine::board::{Position, Side, Square, Squares, StatedPosition, ggf};
use othello_engine::eval::{Handwritten, Zero};
use othello_engine::protocol::gtp::Gtp;
use othello_engine::protocol::nboard::Nboard;
use othello_engine::protocol::{Player, Reply, Server};
use othello_engine::random::Generator;
use othello_engine::search::{Level, Limits, Search, Strength};

use crate::levels::server;

fn player(level: u32) -> Player<'static, Handwritten> {
    Player::new(&Search::new(&Zero).hash_mb(1), Level::new(level).unwrap()).unwrap()
}

fn ask(server: &mut Gtp<'_, Handwritten>, command: &str) -> String {
    let text = server.answer(command).text;
    let body = text.strip_prefix('=').and_then(|rest| rest.strip_suffix("\n\n"));
    body.unwrap_or_else(|| panic!("{command}: {text}")).trim_start_matches(' ').to_owned()
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

fn named(turn: Option<Square>, pass: &str) -> String {
    turn.map_or(pass.to_owned(), |square| square.to_string())
}

/// Plays games between the engine and a client. The client moves at random in half of the games; in
/// the other half, it leaves the engine the fewest legal moves. `choose` asks the engine for a turn
/// (`None`: pass). `tell` updates the engine's board after each turn; its arguments are all turns,
/// and true if the engine made the last. Returns the numbers of passes of client and engine.
fn play_games<E>(
    games: u64,
    server: &mut E,
    choose: impl Fn(&mut E, &Position, Side) -> Option<Square>,
    tell: impl Fn(&mut E, &[Option<Square>], bool, &Position, Side),
) -> [usize; 2] {
    let mut passes = [0; 2];
    for game in 0..games {
        let mut random = Generator::split(11, game);
        let engine = if game % 2 == 0 { Side::Black } else { Side::White };
        let (mut position, mut side, mut played) = (Position::START, Side::Black, vec![]);
        tell(server, &played, false, &position, side);
        while !position.is_over() {
            let legal = turns(&position);
            let is_own = side == engine;
            let turn = if is_own {
                let turn = choose(server, &position, side);
                assert!(legal.contains(&turn), "{turn:?} in {position:?}");
                turn
            } else if game % 4 < 2 {
                legal[random.below(legal.len() as u32) as usize]
            } else {
                // Leaves the engine as few moves as possible, so that it must pass at times.
                let replies = |turn: &Option<Square>| after(&position, *turn).moves().count_ones();
                legal.into_iter().min_by_key(|turn| (replies(turn), random.below(100))).unwrap()
            };
            passes[usize::from(is_own)] += usize::from(turn.is_none());
            (position, side) = (after(&position, turn), side.other());
            played.push(turn);
            tell(server, &played, is_own, &position, side);
        }
    }
    passes
}

#[test]
fn gtp_plays_whole_games_with_passes() {
    let passes = play_games(
        60,
        &mut Gtp::new(player(1)),
        |server, position, side| {
            assert_eq!(ask(server, "gogui-rules_side_to_move"), side.to_string());
            let legal = ask(server, "gogui-rules_legal_moves");
            let expected = turns(position).into_iter().map(|turn| named(turn, "pass"));
            assert!(legal.split(' ').eq(expected), "{legal}");
            let suggested = ask(server, &format!("reg_genmove {side}"));
            let turn = ask(server, &format!("genmove {side}"));
            if position.empties() <= 4 {
                assert_eq!(suggested == "pass", turn == "pass");
            }
            (turn != "pass").then(|| turn.parse().unwrap())
        },
        |server, played, is_own, position, side| {
            match played.last() {
                None => assert_eq!(ask(server, "clear_board"), ""),
                Some(_) if is_own => {}
                Some(&turn) => {
                    ask(server, &format!("play {} {}", side.other(), named(turn, "pass")));
                }
            }
            // The engine must have the same board as the client.
            let board: String = ask(server, "showboard");
            let squares: String = board
                .lines()
                .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
                .flat_map(|line| line[2..].chars().filter(|c| *c != ' '))
                .collect();
            let side_letter = if side == Side::Black { 'X' } else { 'O' };
            let line: StatedPosition = format!("{squares} {side_letter}").parse().unwrap();
            assert_eq!(line.position, *position);
            if position.is_over() {
                let score = position.score() * side.sign();
                let expected = match score {
                    0 => "0".to_owned(),
                    1.. => format!("B+{score}"),
                    _ => format!("W+{}", -score),
                };
                assert_eq!(ask(server, "final_score"), expected);
                assert_eq!(ask(server, "gogui-rules_legal_moves"), "");
                assert_eq!(ask(server, "genmove white"), "pass");
            }
        },
    );
    assert!(passes[0] > 3 && passes[1] > 3, "{passes:?}");
}

#[test]
fn nboard_plays_whole_games_with_passes() {
    let silent = |reply: Reply| assert_eq!(reply, Reply::default());
    let passes = play_games(
        60,
        &mut Nboard::new(player(1)),
        |server, position, _| {
            let said = server.answer("go").text;
            let line = said.lines().last().unwrap().strip_prefix("=== ").unwrap();
            let turn = ggf::read_turn(line).unwrap();
            if turn.is_some() {
                let value: f64 = line.split('/').nth(1).unwrap().parse().unwrap();
                let search =
                    Search::new(&Zero).strength(Strength { depth: 1, exact: 2 }).hash_mb(1);
                let found = search.find(position).unwrap();
                assert!((value - found.value.discs()).abs() < 0.01);
            }
            // `go` must not play the move: a second `go` must have the same answer.
            assert_eq!(
                server.answer("go").text.lines().last().map(|l| &l[..6]),
                Some(&said.lines().last().unwrap()[..6])
            );
            turn
        },
        |server, played, _, _, _| {
            // The client sends some turns alone, and others as a part of the whole game.
            match played.split_last() {
                Some((&turn, before)) if before.len() % 3 != 0 => {
                    silent(server.answer(&format!("move {}/1.5/0.1", named(turn, "PA"))));
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

/// Formerly, NBoard mode played an anti game (the side with fewer discs wins) by the usual rules.
#[test]
fn nboard_refuses_a_game_of_other_rules() {
    let game = ggf::game(&Position::START, Side::Black, &[]);
    let answer = |game: &str| Nboard::new(player(1)).answer(&format!("set game {game}"));
    assert_eq!(answer(&game), Reply::default());
    let anti = answer(&game.replacen("(;", "(;TY[8a]", 1)).text;
    assert!(anti.starts_with("status set game: an anti game"), "{anti}");
}

/// Formerly, the answer repeated control characters, which a terminal obeys.
#[test]
fn nboard_answers_a_ping_without_control_characters() {
    let pong = Nboard::new(player(1)).answer("ping 7\x1b[2J\x0eb f5").text;
    assert_eq!(pong, "pong 7\\u{1b}[2J\\u{e}b f5\n");
}

/// A search at level 60 ends only by the clock or, while pondering, by the next command.
#[test]
fn a_game_is_served_while_the_engine_ponders() {
    let (mut engine, mut input, mut output) =
        server("gtp --ponder --level 60 --weights mobility --hash-mb 1 --threads 2");
    let mut ask = |command: String| {
        writeln!(input, "{command}").unwrap();
        let answer = output.next().unwrap();
        assert_eq!(output.next().unwrap(), "");
        answer.strip_prefix('=').unwrap_or_else(|| panic!("{command}: {answer}")).trim().to_owned()
    };
    ask("time_settings 1 0 0".to_owned());
    play_games(
        1,
        &mut ask,
        |ask, _, side| {
            let turn = ask(format!("genmove {side}"));
            (turn != "pass").then(|| turn.parse().unwrap())
        },
        |ask, played, is_own, _, side| {
            if let (Some(&turn), false) = (played.last(), is_own) {
                ask(format!("play {} {}", side.other(), named(turn, "pass")));
            }
        },
    );
    assert_ne!(ask("final_score".to_owned()), "");
    ask("quit".to_owned());
    assert!(engine.wait().unwrap().success());
}

/// Formerly, NBoard's `set game`, sent before each engine move, cleared the transposition table.
#[test]
fn nboard_goes_on_from_what_was_pondered() {
    let opening = [Some("f5".parse().unwrap()), Some("d6".parse().unwrap())];
    for ponders in [false, true] {
        let mut player = player(5);
        player.ponders = ponders;
        let mut server = Nboard::new(player);
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
