use super::{FrameError, GAMES_PER_FRAME, Game, Record, Solved};
use crate::board::Square;
use crate::board::transcript::Replay;
use crate::file::Kind;
use crate::text::Invalid;

/// The greatest number of games in a frame (a block decoded as a whole), to limit the memory.
const MAX_GAMES: usize = 1 << 16;

const NOT_SOLVED: u8 = u8::MAX;
const NO_VALUE: i8 = i8::MIN;
const VALUES: u8 = 1;
const DEVIATIONS: u8 = 2;
const STATED: u8 = 4;

impl Record for Game {
    const NAME: &str = "game";
    const PLURAL: &str = "games";
    const PER_FRAME: usize = GAMES_PER_FRAME;
    const KINDS: &[Kind] = &[Kind::Games];

    /// Encodes games column by column (the random plies of all games, then their numbers of moves,
    /// and so on), as `datasets/formats.md` describes.
    fn encode_frame(games: &[Self]) -> Vec<u8> {
        debug_assert!(games.len() <= MAX_GAMES, "a frame that no reader takes");
        let mut bytes = (games.len() as u32).to_le_bytes().to_vec();
        bytes.extend(games.iter().map(Game::random_plies));
        bytes.extend(games.iter().map(|game| game.squares().len() as u8));
        bytes.extend(games.iter().map(|game| game.solved().map_or(NOT_SOLVED, |it| it.ply)));
        let score = |game: &Game| game.solved().map_or(0, |solved| solved.black_score as i8) as u8;
        bytes.extend(games.iter().map(score));
        bytes.extend(games.iter().map(flags));
        for game in games {
            bytes.extend(game.replay().steps.iter().map(|s| ordinal(s.position.moves(), s.square)));
        }
        let values = games.iter().filter_map(Game::values).flatten();
        bytes.extend(values.map(|value| value.unwrap_or(NO_VALUE) as u8));
        let deviations = games.iter().map(Game::deviations).filter(|&deviations| deviations != 0);
        bytes.extend(deviations.flat_map(u64::to_le_bytes));
        bytes.extend(games.iter().filter_map(Game::stated).map(|stated| stated as i8 as u8));
        bytes
    }

    fn decode_frame(bytes: &[u8]) -> Result<Vec<Self>, FrameError> {
        let of_game = FrameError::of_record;
        let (count, mut rest) = counted(bytes)?;
        let random_plies = rest.take(count)?;
        let moves = rest.take(count)?;
        let solved_plies = rest.take(count)?;
        let scores: Vec<i32> = rest.take(count)?.iter().map(|&s| i32::from(s as i8)).collect();
        let flags = rest.take(count)?;
        if flags.iter().any(|&flags| flags & !(VALUES | DEVIATIONS | STATED) != 0) {
            let reason = "has games with columns that this program does not know";
            let remedy = "use the program that wrote it, or a later one";
            return Err(FrameError::of_frame(format!("{reason}; {remedy}")));
        }
        let mut games = Vec::with_capacity(count);
        for index in 0..count {
            let ordinals = rest.take(usize::from(moves[index]))?;
            let game = replay(ordinals).and_then(|replay| {
                let game = Game::of_replay(random_plies[index], &replay)?;
                match solved_plies[index] {
                    NOT_SOLVED if scores[index] == 0 => Ok(game),
                    NOT_SOLVED => Err(Game::no_score(scores[index])),
                    ply => game.with_solved(Solved { ply, black_score: scores[index] }),
                }
            });
            games.push(game.map_err(of_game(index))?);
        }
        let with = |flag: u8| move |&(index, _): &(usize, &mut Game)| flags[index] & flag != 0;
        for (index, game) in games.iter_mut().enumerate().filter(with(VALUES)) {
            let value = |&byte: &u8| Some(byte as i8).filter(|&value| value != NO_VALUE);
            let values = rest.take(usize::from(moves[index]))?.iter().map(value).collect();
            *game = game.clone().with_values(values).map_err(of_game(index))?;
        }
        for (index, game) in games.iter_mut().enumerate().filter(with(DEVIATIONS)) {
            let deviations = u64::from_le_bytes(rest.take_chunk()?);
            if deviations == 0 {
                let reason = "marks a game for deviations from the search, but lists none";
                return Err(FrameError::of_frame(reason));
            }
            *game = game.clone().with_deviations(deviations).map_err(of_game(index))?;
        }
        for (index, game) in games.iter_mut().enumerate().filter(with(STATED)) {
            let stated = i32::from(i8::from_le_bytes(rest.take_chunk()?));
            *game = game.clone().with_stated(stated).map_err(of_game(index))?;
            if game.stated().is_none() {
                let reason = format!("states {stated}, the result of its moves");
                return Err(of_game(index)(Invalid(reason)));
            }
        }
        let is_whole = rest.0.is_empty().then_some(games);
        is_whole.ok_or_else(|| FrameError::of_frame("has more bytes than its games take"))
    }

    fn count_in_frame(bytes: &[u8]) -> Result<u64, FrameError> {
        counted(bytes).map(|(count, _)| count as u64)
    }
}

fn flags(game: &Game) -> u8 {
    let flag = |there: bool, flag: u8| if there { flag } else { 0 };
    let (values, stated) = (game.values().is_some(), game.stated().is_some());
    flag(values, VALUES) | flag(game.deviations() != 0, DEVIATIONS) | flag(stated, STATED)
}

fn counted(bytes: &[u8]) -> Result<(usize, Columns<'_>), FrameError> {
    let mut rest = Columns(bytes);
    let count = u32::from_le_bytes(rest.take_chunk()?) as usize;
    if count > MAX_GAMES {
        return Err(FrameError::of_frame("has more than 65536 games"));
    }
    Ok((count, rest))
}

fn ordinal(legal: u64, square: Square) -> u8 {
    (legal & (square.bit() - 1)).count_ones() as u8
}

fn replay(ordinals: &[u8]) -> Result<Replay, Invalid> {
    let mut replay = Replay::from_start(&[])?;
    for (index, &ordinal) in ordinals.iter().enumerate() {
        let legal = replay.end.moves();
        let no_such_move = || {
            let (number, legal) = (index + 1, legal.count_ones());
            let place = format!("number {ordinal} of {legal} legal moves, counted from 0");
            Invalid(format!("move {number} is stated to be {place}"))
        };
        replay.push(Square::nth(legal, usize::from(ordinal)).ok_or_else(no_such_move)?)?;
    }
    Ok(replay)
}

struct Columns<'a>(&'a [u8]);

impl<'a> Columns<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], FrameError> {
        let too_short = || FrameError::of_frame("is shorter than its columns");
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or_else(too_short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn take_chunk<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], FrameError> {
        Ok(self.take(BYTES)?.first_chunk().copied().unwrap_or([0; BYTES]))
    }
}
