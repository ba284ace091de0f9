"""Weights and pattern sets, compared with the conformance vectors."""

import numpy as np
import othello_toolkit as othello
import pytest
from conftest import CONFORMANCE

VECTORS = [("conformance.weights", "values.txt"), ("factors.weights", "factors.txt")]


def lines(name):
    return (CONFORMANCE / name).read_text().splitlines()


def boards():
    """The boards of the vectors, for the side to move."""
    player, opponent = [], []
    for line in lines("boards.txt"):
        own = line[65]
        other = "O" if own == "X" else "X"
        player.append(sum(1 << square for square in range(64) if line[square] == own))
        opponent.append(sum(1 << square for square in range(64) if line[square] == other))
    return np.array(player, np.uint64), np.array(opponent, np.uint64)


@pytest.mark.parametrize("name, values", VECTORS)
def test_values_are_those_of_the_vectors(name, values):
    weights = othello.Weights.load(CONFORMANCE / name)
    stated = np.array([int(value) / 32 for value in lines(values)], np.float32)
    found = weights.values(*boards())
    assert found.dtype == np.float32 and (found == stated).all()
    first = lines("boards.txt")[0]
    assert weights.value(first) == weights.value(othello.Board(first)) == stated[0]


@pytest.mark.parametrize("name, values", VECTORS)
def test_a_value_is_the_sum_of_its_parts_and_of_its_classes(name, values):
    weights = othello.Weights.load(CONFORMANCE / name)
    pattern_set = weights.pattern_set
    player, opponent = boards()
    classes = pattern_set.classes(player, opponent)
    assert classes.shape == (200, pattern_set.features) and classes.dtype == np.int32
    arrays = weights.to_arrays()
    for row in range(0, 120, 7):  # Boards whose side to move can move.
        board = lines("boards.txt")[row]
        parts = weights.parts(board)
        ply = othello.Board(board).ply
        discs = [part.discs for part in parts[: pattern_set.features]]
        assert discs == [float(arrays["weights"][ply, number]) for number in classes[row]]
        assert np.clip(sum(part.discs for part in parts), -64, 64) == weights.value(board)
    with pytest.raises(ValueError, match="no legal move"):
        weights.parts(lines("boards.txt")[120])


@pytest.mark.parametrize("name, values", VECTORS)
def test_arrays_make_the_same_weights_again(name, values, tmp_path):
    weights = othello.Weights.load(CONFORMANCE / name)
    arrays = weights.to_arrays()
    again = othello.Weights.from_arrays(weights.pattern_set, **arrays, note="again")
    path = tmp_path / "again.weights"
    sha256 = again.save(path)
    assert len(sha256) == 64 and again.save(path) == sha256
    read = othello.Weights.load(str(path))
    assert read.sha256 == sha256 and '"note":"again"' in read.provenance
    assert (read.values(*boards()) == weights.values(*boards())).all()
    for name, array in read.to_arrays().items():
        assert array.dtype == arrays[name].dtype and (array == arrays[name]).all()
    # Other numbers are another file.
    arrays["weights"] = arrays["weights"] / 2
    other = othello.Weights.from_arrays(weights.pattern_set, **arrays, note="again")
    with pytest.raises(ValueError, match="force"):
        other.save(path)
    assert other.save(path, force=True) != sha256


def test_a_pattern_has_a_weight_for_every_configuration():
    weights = othello.Weights.load(CONFORMANCE / "conformance.weights")
    pattern_set = weights.pattern_set
    table = weights.to_arrays()["weights"]
    assert sum(pattern.classes for pattern in pattern_set.patterns) + 65 * len(
        pattern_set.scalars
    ) == pattern_set.size
    for pattern in pattern_set.patterns:
        class_of = pattern_set.class_of(pattern.name)
        assert len(class_of) == 3 ** len(pattern.squares.split())
        assert class_of.max() == pattern.classes - 1
        own = table[30, pattern.first : pattern.first + pattern.classes]
        assert (weights.pattern(30, pattern.name) == own[class_of]).all()
    scalars = [weights.scalar(59, name) for name in pattern_set.scalars]
    assert (np.concatenate(scalars) == table[59, -65 * len(scalars) :]).all()


def test_a_set_is_read_as_it_is_written():
    small = othello.PatternSet.load("small")
    again = othello.PatternSet.from_toml(small.to_toml())
    assert (again.name, again.size, again.features) == ("small", small.size, small.features)
    assert small.factors is None and othello.PatternSet.load("factors").factors == (6, 32)
    # The opponent's view is another class; a symmetry of the board permutes the classes.
    player, opponent = boards()
    shared = small.classes(player[:120], opponent[:120])
    mirrored = [
        np.array([int(f"{int(board):064b}"[::-1], 2) for board in side[:120]], np.uint64)
        for side in (player, opponent)
    ]
    assert (np.sort(small.classes(*mirrored)) == np.sort(shared)).all()


def test_arrays_of_other_types_are_taken():
    weights = othello.Weights.load(CONFORMANCE / "conformance.weights")
    player, opponent = boards()
    below = (player < 1 << 63) & (opponent < 1 << 63)
    signed = player[below].view(np.int64), opponent[below].view(np.int64)
    assert (weights.values(*signed) == weights.values(player[below], opponent[below])).all()
    with pytest.raises(ValueError, match="is not an integer from 0"):
        weights.values(player.view(np.int64), opponent.view(np.int64))
    listed = player.tolist(), opponent.tolist()
    assert (weights.values(*listed) == weights.values(player, opponent)).all()
    every_second = weights.values(player[::2], opponent[::2])
    assert (every_second == weights.values(player, opponent)[::2]).all()


def test_what_cannot_be_held_is_refused():
    small = othello.PatternSet.load("small")
    good = np.zeros((60, small.size))
    embedded = othello.Weights.embedded()
    for work, words in [
        (lambda: othello.Weights.from_arrays(small, good[:, :3]), r"expected \[60, "),
        (lambda: othello.Weights.from_arrays(small, good + 128), "4096 steps"),
        (lambda: othello.Weights.from_arrays(small, good * np.nan), "NaN"),
        (lambda: othello.Weights.from_arrays(small, good, counts=good - 1), "count of phase 0"),
        (lambda: othello.Weights.from_arrays(small, good, factors=good), "three axes"),
        (lambda: othello.Weights.from_arrays(small, good, factors=np.zeros((1, 1, 1))), "none"),
        (lambda: othello.Weights.load(CONFORMANCE / "conformance.games"), "games"),
        (lambda: embedded.pattern(60, "edge with X"), "not a phase"),
        (lambda: embedded.pattern(3, "nonsense"), "edge with X"),
        (lambda: embedded.scalar(3, "nonsense"), "nonsense"),
        (lambda: embedded.values([1], [1]), "board 0: both"),
        (lambda: embedded.values([1], [2]), "board 0 has 2 discs"),
        (lambda: embedded.values([1, 2], [2]), "expected equal numbers"),
        (lambda: othello.PatternSet.load("smal"), "neither a file"),
        (lambda: othello.PatternSet.from_toml("name = 3"), "pattern set"),
    ]:
        with pytest.raises(ValueError, match=words):
            work()
    with pytest.raises(FileNotFoundError, match="nowhere"):
        othello.Weights.load("nowhere/x.weights")
