use std::ffi::c_char;

use othello_engine::board::{Position, Side, Square, StatedPosition};

use crate::{Failure, OthelloStatus, call, place, read, text};

/// A pass, where a function accepts or returns the number of a square (0 to 63).
pub const OTHELLO_PASS: i32 = -1;

/// A board: the discs of the player (the side to move) and of the opponent.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OthelloBoard {
    /// The player's discs as a bitboard: bit 0 is a1, bit 1 b1, and so on to bit 63, h8.
    pub player: u64,
    /// The opponent's discs as a bitboard, in the same order of squares as the player's.
    pub opponent: u64,
}

impl From<Position> for OthelloBoard {
    fn from(position: Position) -> Self {
        Self { player: position.player(), opponent: position.opponent() }
    }
}

impl OthelloBoard {
    pub(crate) fn position(&self) -> Result<Position, Failure> {
        let &Self { player, opponent } = self;
        let both = player & opponent;
        let position = Position::new(player, opponent);
        position.filter(|position| position.discs() >= 4).ok_or_else(|| {
            Failure::argument(format!(
                "player {player:#x}, opponent {opponent:#x}: expected at least 4 discs, none of \
                 both sides; {} squares have both",
                both.count_ones()
            ))
        })
    }
}

/// Reads a board from a text: 64 squares and the side to move, OBF, or the moves of a game such as
/// "f5d6c3". Sets `is_white`, which may be null, to true if white is to move, otherwise to false.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_board_parse(
    text: *const c_char,
    board: *mut OthelloBoard,
    is_white: *mut bool,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers.
        let (text, board) = unsafe { (self::text(text, "text")?, place(board, "board")?) };
        let stated: StatedPosition = text.parse().map_err(Failure::argument)?;
        // SAFETY: the caller promises valid pointers.
        if let Some(is_white) = unsafe { is_white.as_mut() } {
            *is_white = stated.side == Side::White;
        }
        board.write(stated.position.into());
        Ok(())
    })
}

/// Finds the player's legal moves as a bitboard: 0 if the player must pass or the game is over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_moves(
    board: *const OthelloBoard,
    moves: *mut u64,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers.
        let (board, moves) = unsafe { (read(board, "board")?, place(moves, "moves")?) };
        moves.write(board.position()?.moves());
        Ok(())
    })
}

/// Plays a move on `square`, or a pass if it is OTHELLO_PASS. The opponent becomes the player of
/// `board`. A pass is legal only if the player has no legal move and the opponent has one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_play(board: *mut OthelloBoard, square: i32) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises a valid pointer, and the board is read before it is written.
        let (position, board) =
            unsafe { (read(board, "board")?.position()?, place(board, "board")?) };
        let next = match square {
            OTHELLO_PASS => (position.moves() == 0 && !position.is_over()).then(|| position.pass()),
            _ => position.play(square_of(square)?),
        };
        let illegal = || Failure::argument(format!("square {square} is not a legal move here"));
        board.write(next.ok_or_else(illegal)?.into());
        Ok(())
    })
}

/// Finds the final score of the player in discs, -64 to 64. The empty squares count for the winner.
/// Fails if the game is not over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn othello_score(
    board: *const OthelloBoard,
    score: *mut i32,
) -> OthelloStatus {
    call(|| {
        // SAFETY: the caller promises valid pointers.
        let (board, score) = unsafe { (read(board, "board")?, place(score, "score")?) };
        let position = board.position()?;
        if !position.is_over() {
            return Err(Failure::argument("the game is not over: a side has a legal move"));
        }
        score.write(position.score());
        Ok(())
    })
}

fn square_of(number: i32) -> Result<Square, Failure> {
    let square = u8::try_from(number).ok().and_then(Square::new);
    square.ok_or_else(|| Failure::argument(format!("square {number}; expected 0 to 63 or -1")))
}
