"""Reads games, positions or openings: python3 records.py FILE

Prints a line for each record, as the .txt files in ../conformance/ have them. A game is printed as
its moves, how many of them were random, the solved position as ply:score, the result, the value of each
move, the plies of moves that deviate from the search, and the result that its source states where the
moves give another or none; a position as the board with X to move, the label and the weight. What is
not there is printed as `-`, a move without a value as `.`; scores and results are black's. A position
with a game is followed by the number of the game and the subset.
"""
import struct, sys

from weights import check, sections, until_the_reader_leaves

ALL, INNER = 2**64 - 1, 0x7E7E7E7E7E7E7E7E  # squares as bits, a1 the lowest; without the a and h files
STEPS = [(1, INNER), (7, INNER), (8, ALL), (9, INNER)]
SQUARES = [file + rank for rank in "12345678" for file in "abcdefgh"]


def runs(start, discs):
    """For each direction, what of `discs` follows `start` without a gap, and the squares behind."""
    for step, inner in STEPS:
        inside = discs & inner
        up, down = inside & start << step, inside & start >> step
        for _ in range(5):
            up |= inside & up << step
            down |= inside & down >> step
        yield up, up << step & ALL
        yield down, down >> step


def legal(player, opponent):
    found = 0
    for _, behind in runs(player, opponent):
        found |= behind
    return found & ~(player | opponent)


def replay(ordinals):
    """The moves of a game as text, and its score for black (None where it was broken off)."""
    player, opponent, black, played = 1 << 28 | 1 << 35, 1 << 27 | 1 << 36, True, []
    moves = legal(player, opponent)
    for ordinal in ordinals:
        check(ordinal < moves.bit_count(), f"move {ordinal} of {moves.bit_count()} legal ones")
        for _ in range(ordinal):
            moves &= moves - 1
        disc = moves & -moves
        turned = sum(run for run, behind in runs(disc, opponent) if behind & player)
        player, opponent, black = opponent ^ turned, player | disc | turned, not black
        moves = legal(player, opponent)
        if not moves and (moves := legal(opponent, player)):
            player, opponent, black = opponent, player, not black
        played.append(SQUARES[disc.bit_length() - 1])
    if moves:
        return "".join(played), None
    lead = player.bit_count() - opponent.bit_count()
    empty = 64 - (player | opponent).bit_count()
    score = lead + empty * ((lead > 0) - (lead < 0))
    return "".join(played), score if black else -score


def games(frame):
    place = 4

    def column(size, form="B"):
        nonlocal place
        bytes = struct.calcsize(f"<{size}{form}")
        check(place + bytes <= len(frame), "a frame shorter than its columns")
        place += bytes
        return struct.unpack_from(f"<{size}{form}", frame, place - bytes)

    (count,) = struct.unpack_from("<I", frame)
    random, lengths, solved = column(count), column(count), column(count)
    scores, flags = column(count, "b"), column(count)
    check(all(flag < 8 for flag in flags), "games with unknown columns")
    ordinals = [column(length) for length in lengths]
    values = [column(length, "b") if flag & 1 else () for length, flag in zip(lengths, flags)]
    deviations = [column(1, "Q")[0] if flag & 2 else 0 for flag in flags]
    stated = [column(1, "b")[0] if flag & 4 else "-" for flag in flags]
    check(place == len(frame), "a frame longer than its columns")
    for game in range(count):
        moves, result = replay(ordinals[game])
        at = "-" if solved[game] == 255 else f"{solved[game]}:{scores[game]}"
        shown = ",".join("." if value == -128 else str(value) for value in values[game])
        check(solved[game] != lengths[game] or result in (None, scores[game]), "a game solved otherwise")
        plies = ",".join(str(ply) for ply in range(60) if deviations[game] >> ply & 1)
        result = "-" if result is None else result
        print(moves or "-", random[game], at, result, shown or "-", plies or "-", stated[game])


def positions(frame):
    for row in rows(frame):
        print(row)


def rows(frame):
    for player, opponent, label, weight in struct.iter_unpack("<QQhH", frame):
        board = "".join("-XO"[(player >> s & 1) + 2 * (opponent >> s & 1)] for s in range(64))
        yield f"{board} {label} {weight}"


def placed(frame):
    count, rest = divmod(len(frame), 29)
    check(rest == 0, "a frame that ends within a position")
    games = struct.unpack_from(f"<{count}Q", frame, 20 * count)
    for row, game, subset in zip(rows(frame[: 20 * count]), games, frame[28 * count :]):
        check(subset in (0, 1, 2, 255), f"subset {subset}")
        print(row, game, "-" if subset == 255 else subset)


KINDS = {b"OTHELLOG": games, b"OTHELLOP": positions, b"OTHELLOO": positions, b"OTHELLOS": placed}


if __name__ == "__main__":
    until_the_reader_leaves()
    magic = open(sys.argv[1], "rb").read(8)
    check(magic in KINDS, f"{sys.argv[1]}: no records: {magic}")
    for name, content in sections(sys.argv[1], magic):
        if name == ("games" if magic == b"OTHELLOG" else "positions"):
            KINDS[magic](content)
