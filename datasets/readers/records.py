"""Reads games, positions or openings: python3 records.py FILE

Prints a line for each record, as the .txt files in ../conformance/ have them. A game is printed as
its moves, how many of them were random, the solved position as ply:score, the result, and the value
of each move; a position as the board with X to move, the label and the weight. What is not there is
printed as `-`, a move without a value as `.`; scores and results are black's.
"""
import struct, sys

from weights import OTHER_SIDE, check, sections

START = "---------------------------OX------XO---------------------------"  # X is the player
STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]


def flips(board, square):
    """The squares of the O discs that X turns over with a disc on an empty square."""
    turned = []
    for x, y in STEPS:
        file, rank, run = square % 8 + x, square // 8 + y, []
        while 0 <= file < 8 and 0 <= rank < 8 and board[8 * rank + file] == "O":
            run.append(8 * rank + file)
            file, rank = file + x, rank + y
        if 0 <= file < 8 and 0 <= rank < 8 and board[8 * rank + file] == "X":
            turned += run
    return turned


def legal(board):
    return [square for square in range(64) if board[square] == "-" and flips(board, square)]


def replay(ordinals):
    """The moves of a game as text, and its score for black (None where it was broken off)."""
    board, black, moves = START, True, ""
    for ordinal in ordinals:
        squares = legal(board)
        check(ordinal < len(squares), f"move number {ordinal} of {len(squares)} legal ones")
        square = squares[ordinal]
        changed = {square, *flips(board, square)}
        board = "".join("X" if s in changed else disc for s, disc in enumerate(board))
        board, black = board.translate(OTHER_SIDE), not black
        if not legal(board) and legal(board.translate(OTHER_SIDE)):
            board, black = board.translate(OTHER_SIDE), not black
        moves += "abcdefgh"[square % 8] + str(square // 8 + 1)
    if legal(board):
        return moves, None
    player, opponent, empty = map(board.count, "XO-")
    score = player - opponent + empty * ((player > opponent) - (player < opponent))
    return moves, score if black else -score


def games(frame):
    place = 4

    def column(size, form="B"):
        nonlocal place
        check(place + size <= len(frame), "a frame shorter than its columns")
        place += size
        return struct.unpack_from(f"{size}{form}", frame, place - size)

    (count,) = struct.unpack_from("<I", frame)
    random, lengths, solved = column(count), column(count), column(count)
    scores, valued = column(count, "b"), column(count)
    ordinals = [column(length) for length in lengths]
    values = [column(length, "b") if has else () for length, has in zip(lengths, valued)]
    check(place == len(frame), "a frame longer than its columns")
    for game in range(count):
        moves, result = replay(ordinals[game])
        at = "-" if solved[game] == 255 else f"{solved[game]}:{scores[game]}"
        shown = ",".join("." if value == -128 else str(value) for value in values[game])
        print(moves or "-", random[game], at, "-" if result is None else result, shown or "-")


def positions(frame):
    for player, opponent, label, weight in struct.iter_unpack("<QQhH", frame):
        board = "".join("-XO"[(player >> s & 1) + 2 * (opponent >> s & 1)] for s in range(64))
        print(board, label, weight)


if __name__ == "__main__":
    magic = open(sys.argv[1], "rb").read(8)
    print_frame = games if magic == b"OTHELLOG" else positions
    check(magic in (b"OTHELLOG", b"OTHELLOP", b"OTHELLOO"), f"{sys.argv[1]}: no records: {magic}")
    for name, content in sections(sys.argv[1], magic):
        if name == ("games" if print_frame is games else "positions"):
            print_frame(content)
