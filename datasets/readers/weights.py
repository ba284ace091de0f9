"""Reads a weights file and values boards: python3 weights.py FILE.weights BOARDS

Prints one whole number for each board line: the value for the side to move, in steps of 1/32 disc.
A reader to learn from, written from ../formats.md. Python 3.11 or later, and zstd.
"""
import hashlib, io, re, signal, struct, sys, tomllib, zlib

try:
    from compression import zstd  # from Python 3.14 on
except ImportError:
    try:
        import zstandard as zstd
    except ImportError:
        sys.exit("zstd is missing: pip install zstandard, or use Python 3.14")

from changes import weights_by_phase
from factors import factors
from scalars import OTHER_SIDE, SCALARS, moves


def check(condition, problem):
    if not condition:
        sys.exit(problem)


def until_the_reader_leaves():  # nobody reads what is printed any more: `| head` is no error
    signal.signal(getattr(signal, "SIGPIPE", signal.SIGINT), signal.SIG_DFL)


def sections(path, magic):
    """The container: a list of (name, content), after checking every byte of the file."""
    data, place = open(path, "rb").read(), 0

    def take(form):  # the fields of the next part of the file, after which its checksum stands
        nonlocal place
        begin, place = place, place + struct.calcsize(form) + 4
        check(place <= len(data), f"{path}: cut short at byte {len(data)}")
        *fields, crc = struct.unpack_from(form + "I", data, begin)
        check(crc == zlib.crc32(data[begin:place - 4]), f"{path}: damaged after byte {begin}")
        return fields

    check(data[:12] == magic + b"\1\0\0\0", f"{path}: is {data[:12]}, not {magic} of version 1")
    take(f"<16s{int.from_bytes(data[12:16], 'little')}s")
    found, sha256 = [], hashlib.sha256()
    while data[place:place + 4] == b"SECT":
        name_length = int.from_bytes(data[place + 4:place + 8], "little")
        _, stored_length, length, name = take(f"<8sQQ{name_length}s")
        check(max(stored_length, length) < 1 << 31, f"{path}: {name} states {length} bytes")
        content = zstd.open(io.BytesIO(*take(f"<{stored_length}s"))).read(length + 1)
        check(len(content) == length, f"{path}: {name} does not unpack to {length} bytes")
        found.append((name.decode(), content))
        sha256.update(struct.pack("<Q", len(name)) + name + struct.pack("<Q", length) + content)
    end = take("<4sQ32s")
    good = end == [b"END.", len(found), sha256.digest()] and place == len(data)
    check(good, f"{path}: its end does not fit the rest")
    return found


def images(squares):
    """What the eight symmetries of the board make of a list of squares."""
    for kind in range(8):
        mirrored = [s ^ (7 if kind & 1 else 0) ^ (56 if kind & 2 else 0) for s in squares]
        yield [s % 8 * 8 + s // 8 if kind & 4 else s for s in mirrored]


def classes(squares):
    """The class of each configuration, from the smallest configuration to the largest."""
    tables = []  # for each symmetry of the pattern: what it makes of every configuration
    for image in filter(lambda image: set(image) == set(squares), images(squares)):
        table = [0]
        for power in [3 ** squares.index(square) for square in image]:
            table = [rest + digit * power for digit in range(3) for rest in table]
        tables.append(table)
    numbers = {}  # the smallest configuration of each class -> the number of the class
    return [numbers.setdefault(min(tied), len(numbers)) for tied in zip(*tables)]


class Weights:
    def __init__(self, path):
        named = dict(sections(path, b"OTHELLOW"))
        pattern_set = tomllib.loads(named["pattern set"].decode())
        self.instances, size = [], 0  # squares, classes, first parameter of the pattern
        for pattern in pattern_set.get("pattern", []):
            squares = [ord(s[0]) - ord("a") + 8 * int(s[1]) - 8 for s in pattern["squares"].split()]
            class_of = classes(squares)
            distinct = {frozenset(image): image for image in images(squares)}.values()
            self.instances += [(image, class_of, size) for image in distinct]
            size += max(class_of) + 1
        scalars = pattern_set.get("scalars", [])
        check(set(scalars) <= set(SCALARS), f"{path}: unknown scalar features in {scalars}")
        self.scalars = [(SCALARS[name], size + 65 * n) for n, name in enumerate(scalars)]
        size += 65 * len(scalars)
        self.phases = weights_by_phase(named)
        check({2 * size} == {*map(len, self.phases)}, f"{path}: expected {size} weights a phase")
        self.together = factors(pattern_set, named, size)

    def value(self, board):
        """For the player. A board is 64 characters: X the player's, O the opponent's, - empty."""
        if not moves(board):
            if moves(passed := board.translate(OTHER_SIDE)):
                return -self.value(passed)
            player, opponent, empty = map(board.count, "XO-")
            return 32 * (player - opponent + empty * ((player > opponent) - (player < opponent)))
        parameters = [first + count(board) for count, first in self.scalars]
        for squares, class_of, first in self.instances:
            digits = ("O-X".index(board[square]) * 3**n for n, square in enumerate(squares))
            parameters.append(first + class_of[sum(digits)])
        phase = 60 - board.count("-")
        weights = self.phases[phase]
        total = sum(struct.unpack_from("<h", weights, 2 * number)[0] for number in parameters)
        return max(-2048, min(2048, total + self.together(phase, parameters)))


LINE = re.compile(r"([X*O.-]{0,64})(?:(?<=[X*O.-]{64})(?:\s+([XO*]))?(?:\s+[+-]?[\d.]+)?\s*$)?")


def read_board(path, number, line):
    """The board for its player: 64 squares, then perhaps the side to move (else X) and a score."""
    found = LINE.match(line)
    rest = line[found.end():].lstrip() if len(found[1]) == 64 else line[found.end():]
    expected = "64 squares (X or *, O, - or .), then perhaps the side to move (X or O) and a score"
    whole = not rest and len(found[1]) == 64
    check(whole, f"{path}, line {number}, column {len(line) - len(rest) + 1}: expected {expected}")
    board = found[1].replace("*", "X").replace(".", "-")
    check(board.count("-") <= 60, f"{path}, line {number}, column 1: expected at least four discs")
    return board.translate(OTHER_SIDE) if found[2] == "O" else board


if __name__ == "__main__":
    until_the_reader_leaves()
    weights = Weights(sys.argv[1])
    for number, line in enumerate(open(sys.argv[2]), 1):
        if line.strip():
            print(weights.value(read_board(sys.argv[2], number, line.rstrip())))
