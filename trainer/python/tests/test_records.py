"""Games and positions, compared with the plain readers in Python and with plain arithmetic."""

import hashlib

import numpy as np
import othello_toolkit as othello
import pytest
from conftest import CONFORMANCE, run

SQUARES = [file + rank for rank in "12345678" for file in "abcdefgh"]


def told(batch):
    """The games of a batch as datasets/conformance/games.txt tells them."""
    for row in range(len(batch)):
        length = int(batch.length[row])
        moves = "".join(SQUARES[square] for square in batch.moves[row, :length])
        assert (batch.moves[row, length:] == 255).all()
        solved = "-" if batch.solved_ply[row] == 255 else f"{batch.solved_ply[row]}:{batch.solved_score[row]}"
        result = "-" if batch.result[row] == -128 else batch.result[row]
        values = ",".join("." if value == -128 else str(value) for value in batch.values[row, :length])
        yield [moves or "-", str(batch.random[row]), solved, str(result), values]


def test_games_are_those_of_the_vectors():
    path = CONFORMANCE / "conformance.games"
    stated = [line.split() for line in (CONFORMANCE / "games.txt").read_text().splitlines()]
    for size in (7, 4096):
        batches = list(othello.games(path, batch=size))
        assert all(len(batch) == size for batch in batches[:-1])
        found = [game for batch in batches for game in told(batch)]
        assert len(found) == len(stated)
        for (*found, values), (*expected, all_values, _deviating, _stated) in zip(found, stated):
            # Games without values and those whose moves have none look the same here.
            assert found == expected
            assert values == all_values or set(values) <= set(".,") and all_values == "-"


@pytest.mark.parametrize("kind", ["positions", "openings"])
def test_positions_are_those_of_the_vectors(kind):
    path = CONFORMANCE / f"conformance.{kind}"
    stated = [line.split() for line in (CONFORMANCE / f"{kind}.txt").read_text().splitlines()]
    found = []
    for batch in othello.positions(str(path), batch=13):
        for player, opponent, label, weight in zip(
            batch.player.tolist(), batch.opponent.tolist(), batch.label.tolist(), batch.weight.tolist()
        ):
            board = "".join("-XO"[(player >> s & 1) + 2 * (opponent >> s & 1)] for s in range(64))
            found.append([board, str(round(label * 256)), str(round(weight * 64))])
        if kind == "openings":
            assert (batch.subset == 0).all()
    can_move = [line for line in stated if othello.Board(line[0] + " X").moves]
    assert found == can_move and len(found) > 40


def subset_by_definition(moves, seed):
    """The subset of a game by the hash of its moves (datasets/formats.md has no say in it)."""
    images = []
    for flip in (False, True):
        for turn in range(4):
            image = []
            for square in moves:
                x, y = square % 8, square // 8
                if flip:
                    x = 7 - x
                for _ in range(turn):
                    x, y = y, 7 - x
                image.append(8 * y + x)
            images.append(image)
    key = hashlib.sha256(seed.to_bytes(8, "little") + bytes(min(images))).digest()
    percentile = int.from_bytes(key[:8], "little") * 100 >> 64
    return 1 if percentile < 5 else 2 if percentile < 10 else 0


def test_labels_and_parts_are_by_the_rules_of_a_fit(folder):
    path = folder / "mobility.games"
    games, expected = next(othello.games([path], seed=5, batch=1000)), []
    for row in range(len(games)):
        moves = games.moves[row, : games.length[row]].tolist()
        subset = subset_by_definition(moves, 5)
        assert subset == games.subset[row]
        board, result = othello.Board(), int(games.result[row])
        for ply, square in enumerate(moves[:20]):
            if ply >= games.random[row] and ply >= 10:
                side = 1 if board.side == "X" else -1
                expected.append((board.player, board.opponent, side * result, 2.0, ply, subset))
            board = board.play(SQUARES[square])
    found = []
    for batch in othello.positions(path, labels="all:result*2", phases="10..19", seed=5, batch=999):
        arrays = batch.player, batch.opponent, batch.label, batch.weight, batch.ply, batch.subset
        found += zip(*(array.tolist() for array in arrays))
    assert found[: len(expected)] == expected and len(expected) > 4000
    test = next(othello.positions(path, subset="test", phases="10..19", seed=5, batch=1 << 20))
    assert (test.subset == 2).all() and len(test) == sum(row[5] == 2 for row in found) > 500


def columns(batches):
    rows = [np.stack([b.player, b.opponent, b.ply.astype(np.uint64)], axis=1) for b in batches]
    return np.concatenate(rows)


def test_a_shuffle_is_an_order_of_the_same_positions(folder):
    path = folder / "mobility.games"
    plain = columns(othello.positions(path))
    first, again, other = (
        columns(othello.positions(path, shuffle=seed, buffer=20_000, batch=1000)) for seed in (1, 1, 2)
    )
    assert (first == again).all() and not (first == other).all() and len(first) == len(plain)
    assert (np.sort(first.view("u8,u8,u8"), axis=0) == np.sort(plain.view("u8,u8,u8"), axis=0)).all()
    plies = first[:, 2].astype(int)
    assert (np.diff(plies) == 1).mean() < 0.05 < (np.diff(plain[:, 2].astype(int)) == 1).mean()


def test_export_writes_the_same_arrays(folder):
    run("othello-trainer export mobility.games --format npz --seed 3 --out all.npz --force", folder)
    arrays = np.load(folder / "all.npz")
    batch = next(othello.positions(folder / "mobility.games", seed=3, batch=1 << 30))
    for name in ("player", "opponent", "label", "weight", "ply", "subset"):
        own = getattr(batch, name)
        assert arrays[name].dtype == own.dtype and (arrays[name] == own).all()


def test_what_is_no_data_is_refused(tmp_path):
    games = CONFORMANCE / "conformance.games"
    for work, words in [
        (lambda: othello.positions(games, labels="all:guess"), "guess"),
        (lambda: othello.positions(games, subset="training "), "not a subset"),
        (lambda: othello.positions(games, phases="30..20"), "not a range"),
        (lambda: othello.positions(games, batch=0), "at least 1"),
        (lambda: othello.positions(f"{games}*0"), "weight"),
        (lambda: othello.positions(CONFORMANCE / "conformance.weights"), "weights"),
        (lambda: othello.games(CONFORMANCE / "conformance.positions"), "positions"),
        (lambda: othello.positions(tmp_path), "records.json"),
    ]:
        with pytest.raises(ValueError, match=words):
            work()
    with pytest.raises(FileNotFoundError, match="nowhere"):
        othello.games(["nowhere.games"])
    damaged = tmp_path / "damaged.games"
    content = bytearray(games.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(ValueError, match="damaged.games"):
        list(othello.positions(damaged))
