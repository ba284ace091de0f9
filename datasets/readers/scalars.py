"""The scalar features of a board, as ../formats.md defines them: X is the player, O the opponent."""
import re

# The rows, columns and diagonals: the squares on which one of four numbers is the same.
KEYS = [lambda x, y: x, lambda x, y: y, lambda x, y: x + y, lambda x, y: x - y]
LINES = [[s for s in range(64) if key(s % 8, s // 8) == n] for key in KEYS for n in range(-7, 15)]
OTHER_SIDE = str.maketrans("XO", "OX")


def moves(board):
    """The legal moves of X: empty squares on a line on which only O lies between it and an X."""
    found = set()
    for line in LINES:
        text = "".join(board[square] for square in line)
        found |= {line[match.start()] for match in re.finditer("-(?=O+X)", text)}
        found |= {line[match.end() - 1] for match in re.finditer("(?<=X)O+-", text)}
    return found


def range_of(number):
    return sum(number > end for end in (0, 1, 2, 4, 6, 9, 13))


def potential_moves(board):
    """How many empty squares are next to an O."""
    def near(s, t):
        return max(abs(s % 8 - t % 8), abs(s // 8 - t // 8)) == 1

    discs = [square for square in range(64) if board[square] == "O"]
    return sum(board[s] == "-" and any(near(s, disc) for disc in discs) for s in range(64))


def odd_quadrants(board):
    def empty(left, below):
        rows = range(below, below + 4)
        return sum(board[8 * y + x] == "-" for y in rows for x in range(left, left + 4))

    odd = tuple(empty(left, below) % 2 for below in (0, 4) for left in (0, 4))
    across = odd in ((1, 0, 0, 1), (0, 1, 1, 0))
    return {0: 0, 1: 1, 2: 3 if across else 2, 3: 4, 4: 5}[sum(odd)]


def other(count):
    return lambda board: count(board.translate(OTHER_SIDE))


def number_of_moves(board):
    return len(moves(board))


def both_at(squares):
    def at(board):
        return len(moves(board) & set(squares))

    return lambda board: 5 * at(board) + other(at)(board)


SCALARS = {
    "player_discs": lambda board: board.count("X"),
    "player_moves": number_of_moves,
    "opponent_moves": other(number_of_moves),
    "moves_pair": lambda b: 8 * range_of(number_of_moves(b)) + range_of(other(number_of_moves)(b)),
    "player_potential_moves": potential_moves,
    "opponent_potential_moves": other(potential_moves),
    "odd_quadrants": odd_quadrants,
    "corner_moves": both_at([0, 7, 56, 63]),
    "x_square_moves": both_at([9, 14, 49, 54]),
}
