//! Tests of matches against external programs: processes of this test binary ([`engine_process`]).
//! They must play like our own players, and forfeit only the games in which they misbehave.

use std::fs::OpenOptions;
use std::io::{Write as _, stdin, stdout};
use std::time::Duration;

use othello_engine::board::{Position, Squares};
use othello_engine::eval::{Evaluator, Zero};
use othello_engine::player::{ExternalEngine, Protocol};
use othello_engine::progress::Silent;
use othello_engine::protocol::gtp::Gtp;
use othello_engine::protocol::nboard::Nboard;
use othello_engine::protocol::{Player, Reply, Server, serve};
use othello_engine::random::Generator;
use othello_engine::search::{Level, Limits, Search, Strength};
use othello_trainer::arena::{Contestant, Match, MatchResult, Terms};

const STRENGTH: Strength = Strength { depth: 1, exact: 2 };

const MANNERS: [&str; 6] = ["good", "crash", "hang", "illegal", "flood", "refuse"];

struct Mannered<S> {
    server: S,
    manners: String,
    random: Generator,
}

impl<S: Server> Server for Mannered<S> {
    fn answer_within(&mut self, line: &str, limits: &Limits) -> Reply {
        let asked = line == "go" || line.contains("genmove");
        // One of 60 requests fails, so that in about every other game the program misbehaves.
        let manners = match self.manners.as_str() {
            "mixed" if self.random.below(60) == 0 => {
                MANNERS[1 + self.random.below(5) as usize].to_owned()
            }
            "mixed" => "good".to_owned(),
            other => other.to_owned(),
        };
        if let Some(log) = std::env::var_os("OTHELLO_TEST_LOG") {
            let log = OpenOptions::new().append(true).create(true).open(log);
            writeln!(log.unwrap(), "{line}").unwrap();
        }
        if asked && manners == "slow" {
            std::thread::sleep(Duration::from_millis(1_100));
        }
        if !asked || matches!(manners.as_str(), "good" | "slow") {
            return self.server.answer_within(line, limits);
        }
        let number = line.split(' ').next().filter(|_| line != "go").map(str::to_owned);
        match (manners.as_str(), number) {
            ("crash", _) => std::process::exit(7),
            ("hang", _) => loop {
                std::thread::sleep(Duration::from_secs(60));
            },
            ("flood", _) => loop {
                let _ = stdout().write_all(&[b'x'; 1000]);
            },
            ("refuse", Some(number)) => Reply { text: format!("?{number} no\n\n"), quits: false },
            (_, Some(number)) => Reply { text: format!("={number} a1\n\n"), quits: false },
            (_, None) => Reply { text: "=== A1/0.0/0.0\n".to_owned(), quits: false },
        }
    }
}

/// Not a test, but the external engine: the other tests start this function as a process.
#[test]
#[ignore = "an engine for the other tests"]
fn engine_process() {
    let Ok(manners) = std::env::var("OTHELLO_TEST_MANNERS") else { return };
    let player = Player::new(&Search::new(&Zero).hash_mb(1), Level::new(1).unwrap()).unwrap();
    let random = Generator::new(std::process::id().into());
    // The test runner has printed the test's name without a line end, so this ends the line.
    println!();
    let (input, output) = (stdin(), stdout().lock());
    if std::env::var_os("OTHELLO_TEST_NBOARD").is_some() {
        let server = Nboard::new(player);
        serve(&mut Mannered { server, manners, random }, input, output).unwrap();
    } else {
        let server = Gtp::new(player);
        serve(&mut Mannered { server, manners, random }, input, output).unwrap();
    }
    std::process::exit(0);
}

pub(crate) fn command(protocol: Protocol, manners: &str) -> String {
    let program = std::env::current_exe().unwrap();
    let nboard = if protocol == Protocol::Nboard { "OTHELLO_TEST_NBOARD=yes " } else { "" };
    format!(
        "OTHELLO_TEST_MANNERS={manners} {nboard}'{}' external::engine_process --exact --ignored --nocapture",
        program.display()
    )
}

fn engine(protocol: Protocol, manners: &str) -> ExternalEngine {
    ExternalEngine { protocol, command: command(protocol, manners) }
}

fn openings(count: usize) -> Vec<Position> {
    let children = |p: Position| Squares(p.moves()).filter_map(move |square| p.play(square));
    let all: Vec<Position> =
        children(Position::START).flat_map(children).flat_map(children).collect();
    all.into_iter().step_by(3).take(count).collect()
}

fn play(engine: &ExternalEngine, openings: &[Position], milliseconds: u64) -> MatchResult {
    let terms = Terms { depth: 1, time: Duration::from_millis(milliseconds), game: None };
    play_by(engine, openings, terms)
}

fn play_by(engine: &ExternalEngine, openings: &[Position], terms: Terms) -> MatchResult {
    let first = Evaluator::from(Zero);
    let played = Match {
        first: Contestant::new(&first, STRENGTH),
        second: Contestant::External(engine, terms, STRENGTH.exact),
    };
    played.play(openings, &Silent).unwrap()
}

/// Checks that each game counts once, and that a player's forfeit gives all discs to the opponent.
fn check_accounts(result: &MatchResult, openings: usize) {
    let statistics = result.statistics();
    assert_eq!(result.pairs.len(), openings);
    assert_eq!(statistics.wins + statistics.draws + statistics.losses, 2 * openings);
    for forfeit in &result.forfeits {
        assert_eq!(forfeit.player, 2, "{forfeit:?}");
        assert_eq!(result.pairs[forfeit.pair - 1].0[forfeit.game - 1], 64, "{forfeit:?}");
    }
}

#[test]
fn an_engine_that_behaves_plays_the_games_that_it_plays_among_ourselves() {
    let openings = openings(6);
    let zero = Evaluator::from(Zero);
    let first = Contestant::new(&zero, STRENGTH);
    let among_us = Match { first, second: first };
    let among_us = among_us.play(&openings, &Silent).unwrap();
    let gtp = play(&engine(Protocol::Gtp, "good"), &openings, 60_000);
    assert_eq!(gtp.forfeits, []);
    assert_eq!(gtp.distinct_games, among_us.distinct_games);
    let nboard = play(&engine(Protocol::Nboard, "good"), &openings, 60_000);
    assert_eq!(nboard.forfeits, []);
    check_accounts(&nboard, openings.len());
    // The nodes of an external engine are unknown, but its time is known.
    assert_eq!((gtp.efforts[0].nodes, gtp.efforts[1].nodes), (among_us.efforts[0].nodes, 0));
    assert!(gtp.efforts.iter().all(|effort| effort.seconds > 0.0), "{:?}", gtp.efforts);
}

#[test]
fn every_kind_of_misconduct_forfeits_the_game_by_its_name() {
    let openings = openings(2);
    for protocol in [Protocol::Gtp, Protocol::Nboard] {
        for (manners, said) in [
            ("crash", "ended before it sent"),
            ("hang", "did not send"),
            ("illegal", "played `"),
            ("flood", "sent more than 1048576 bytes"),
        ] {
            let milliseconds = if manners == "hang" { 1_000 } else { 60_000 };
            let result = play(&engine(protocol, manners), &openings, milliseconds);
            check_accounts(&result, openings.len());
            assert_eq!(result.forfeits.len(), 2 * openings.len(), "{protocol:?} {manners}");
            for forfeit in &result.forfeits {
                assert!(forfeit.reason.contains(said), "{protocol:?} {manners}: {forfeit:?}");
            }
        }
    }
    let refused = play(&engine(Protocol::Gtp, "refuse"), &openings, 60_000);
    assert!(refused.forfeits[0].reason.contains("refused `genmove "), "{:?}", refused.forfeits);
}

#[test]
fn an_engine_that_misbehaves_now_and_then_plays_on_in_the_next_game() {
    let openings = openings(12);
    for protocol in [Protocol::Gtp, Protocol::Nboard] {
        let result = play(&engine(protocol, "mixed"), &openings, 2_000);
        check_accounts(&result, openings.len());
        let forfeits = result.forfeits.len();
        assert!(0 < forfeits && forfeits < 2 * openings.len(), "{forfeits}");
    }
}

#[test]
fn programs_are_told_their_time_and_forfeit_where_they_use_it_up() {
    let folder = tempfile::tempdir().unwrap();
    let terms = |seconds| Terms {
        depth: 1,
        time: Duration::from_secs(60),
        game: Some(Duration::from_secs(seconds)),
    };
    let told = |protocol| {
        let log = folder.path().join(format!("{protocol:?}"));
        let engine = ExternalEngine {
            protocol,
            command: format!("OTHELLO_TEST_LOG='{}' {}", log.display(), command(protocol, "good")),
        };
        assert_eq!(play_by(&engine, &openings(1), terms(3_600)).forfeits, []);
        std::fs::read_to_string(log).unwrap()
    };
    let gtp = told(Protocol::Gtp);
    assert_eq!(gtp.matches(" time_settings 3600 0 0\n").count(), 2, "{gtp}");
    // The remaining time must be sent before each request for a move, and never grow within a game.
    let lines: Vec<&str> = gtp.lines().collect();
    let mut left = 3_600;
    for pair in lines.windows(2) {
        if pair[1].contains("time_settings") {
            left = 3_600;
        }
        if pair[1].contains(" genmove ") {
            let [_, said, side, now, "0"] = pair[0].split(' ').collect::<Vec<_>>()[..] else {
                panic!("{pair:?}")
            };
            let now: u64 = now.parse().unwrap();
            assert!(said == "time_left" && pair[1].ends_with(side) && now <= left, "{pair:?}");
            left = now;
        }
    }
    let nboard = told(Protocol::Nboard);
    let games: Vec<&str> = nboard.lines().filter(|line| line.starts_with("set game")).collect();
    assert!(games.iter().all(|game| game.contains("TI[60:00]")), "{nboard}");
    assert!(games.last().unwrap().contains("//"), "no move took any time: {nboard}");

    for protocol in [Protocol::Gtp, Protocol::Nboard] {
        let late = play_by(&engine(protocol, "slow"), &openings(1), terms(1));
        let reasons: Vec<&str> = late.forfeits.iter().map(|forfeit| &*forfeit.reason).collect();
        assert_eq!(reasons, ["used up its 1 s for the game"; 2], "{protocol:?}");
    }
}
