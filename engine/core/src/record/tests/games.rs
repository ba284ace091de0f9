use proptest::collection::vec;
use proptest::prelude::*;

use crate::file::{Existing, Kind};
use crate::random;
use crate::record::{
    Game, GameReader, GameWriter, PositionReader, Record as _, ScoredPosition, Solved,
};
use crate::tests::{Folder, provenance, read_back, section, write, write_records};

fn random_game(seed: u64, moves: usize) -> Game {
    let replay = random::random_game(seed, 0, moves);
    let random_plies = seed as usize % (replay.steps.len() + 1);
    Game::of_replay(random_plies as u8, &replay).unwrap()
}

fn any_game() -> impl Strategy<Value = Game> {
    let score = any::<Option<(u8, i8)>>();
    let stated = any::<Option<i8>>();
    (any::<u64>(), 0..61usize, score, any::<bool>(), any::<u64>(), stated).prop_map(
        |(seed, moves, solved, values, deviations, stated)| {
            let mut game = random_game(seed, moves);
            if let Some(stated) = stated {
                game = game.with_stated(i32::from(stated) / 2).unwrap();
            }
            let count = game.squares().len();
            if let Some((ply, score)) = solved {
                let ply = ply % (count as u8 + 1);
                let at_its_end = game.black_score().filter(|_| usize::from(ply) == count);
                let black_score = at_its_end.unwrap_or(i32::from(score) / 4 * 2);
                game = game.with_solved(Solved { ply, black_score }).unwrap();
            }
            if values {
                let value = |n: usize| (!n.is_multiple_of(3)).then_some((n * 2) as i8 - 64);
                game = game.with_values((0..count).map(value).collect()).unwrap();
            }
            if deviations & 3 != 0 {
                let played = (1 << count) - 1;
                game = game.with_deviations(deviations & played).unwrap();
            }
            game
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn games_are_read_as_they_were_written(games in vec(any_game(), 0..20)) {
        prop_assert_eq!(read_back(&games), games);
    }

    #[test]
    fn any_frame_is_read_or_refused(bytes in vec(any::<u8>(), 0..300), count in 0..5u8) {
        let bytes = [&[count, 0, 0, 0], &bytes[..]].concat();
        if let Ok(games) = Game::decode_frame(&bytes) {
            prop_assert_eq!(games.len(), usize::from(count));
        }
    }
}

#[test]
fn a_frame_read_is_a_frame_written() {
    let mut games: Vec<Game> = (0..30).map(|seed| random_game(seed, 60)).collect();
    games.push(random_game(30, 40).with_stated(-26).unwrap());
    let bytes = Game::encode_frame(&games);
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1;
        if let Ok(read) = Game::decode_frame(&other) {
            assert!(read != games, "byte {at} says nothing");
        }
    }
    for length in 0..bytes.len() {
        assert!(Game::decode_frame(&bytes[..length]).is_err());
    }
}

#[test]
fn an_impossible_move_is_named() {
    let (_folder, path) = Folder::with("bad.games");
    let mut bytes = Game::encode_frame(&[random_game(1, 60), random_game(2, 10)]);
    let last = bytes.len() - 1;
    bytes[last] = 99;
    let newer = section("something newer", b"ignored");
    write(&path, Kind::Games, &[newer, section(Game::PLURAL, &bytes)]);
    let error = GameReader::open(&path).unwrap().last().unwrap().unwrap_err().to_string();
    assert!(error.contains("bad.games: game 2: move 10 is stated to be number 99"), "{error}");
}

#[test]
fn games_that_are_not_there_are_not_counted() {
    let frame = |games: u32| {
        let columns = [0, 0, 255, 0, 0].map(|column| vec![column; games as usize]).concat();
        [&games.to_le_bytes()[..], &columns].concat()
    };
    assert_eq!(Game::decode_frame(&frame(65_536)).unwrap().len(), 65_536);
    for bytes in [frame(65_537), [60_000_u16; 40].map(u16::to_le_bytes).concat()] {
        let (_folder, path) = Folder::with("a.games");
        write(&path, Kind::Games, &[section(Game::PLURAL, &bytes)]);
        let opened = || GameReader::open(&path).unwrap();
        let read = opened().next().unwrap().map(|_| 0);
        let passed = opened().pass_by_frame().map(|_| 0);
        for refused in [read, passed, opened().pass_by(u64::MAX)] {
            let error = refused.unwrap_err().to_string();
            assert!(
                error.contains("section 1 at byte ") && error.contains("has more than 65536 games"),
                "{error}"
            );
        }
    }
}

#[test]
fn frames_may_be_the_callers_own() {
    let (_folder, path) = Folder::with("some.games");
    let begun = GameWriter::begin(&path, &provenance(), Existing::Keep);
    let mut writer = begun.unwrap().writer().unwrap();
    writer.write_frames(&[vec![], vec![random_game(1, 60)]]).unwrap();
    assert_eq!(writer.finish().unwrap().sections, 2);
    assert_eq!(GameReader::open(&path).unwrap().count(), 1);
}

#[test]
fn a_stated_result_is_kept_and_that_of_the_moves_is_no_stated_one() {
    let cut = random_game(3, 40).with_stated(26).unwrap();
    let whole = random_game(4, 60);
    let frame = Game::encode_frame(&[cut.clone(), whole.clone()]);
    assert_eq!(Game::decode_frame(&frame).unwrap(), [cut, whole.clone()]);
    // The flags are the last byte before the moves.
    let mut damaged = Game::encode_frame(std::slice::from_ref(&whole));
    damaged[4 + 4] |= 4;
    damaged.push(whole.black_score().unwrap() as u8);
    let error = Game::decode_frame(&damaged).unwrap_err().reason.to_string();
    assert!(error.contains("the result of its moves"), "{error}");
    damaged[4 + 4] |= 8;
    let error = Game::decode_frame(&damaged).unwrap_err().reason.to_string();
    assert!(error.contains("columns that this program does not know"), "{error}");
}

/// Random games are the worst case for the size of a file, because nothing in them repeats.
#[test]
fn a_game_takes_at_most_50_bytes() {
    let (_folder, path) = Folder::with("random.games");
    let games = (0..2_000).map(|seed| {
        let game = random_game(seed, 60);
        let black_score = game.black_score().unwrap();
        let ply = game.squares().len().min(48) as u8;
        game.with_solved(Solved { ply, black_score }).unwrap()
    });
    let bytes = write_records(&path, games).bytes;
    println!("{:.2} bytes a game", bytes as f64 / 2_000.0);
    assert!(bytes <= 50 * 2_000);
}

#[test]
fn a_frame_without_records_has_no_more_bytes() {
    let (_folder, path) = Folder::with("file");
    for (bytes, is_sound) in [(&[0; 4][..], true), (&[0; 9], false)] {
        write(&path, Kind::Games, &[section(Game::PLURAL, bytes)]);
        let passed = GameReader::open(&path).unwrap().pass_by_frame();
        assert_eq!(passed.ok(), is_sound.then_some(Some(0)));
    }
    write(&path, Kind::Positions, &[section(ScoredPosition::PLURAL, &[0; 9])]);
    PositionReader::open(&path).unwrap().pass_by(1).unwrap_err();
}
