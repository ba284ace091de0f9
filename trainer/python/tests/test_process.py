"""Types of boards, child processes made by fork, and interrupts."""

import multiprocessing
import os
import re
import signal
import sys
import threading
import time

import numpy as np
import othello_toolkit as othello
import pytest

PLAYER = (1 << 56) | (1 << 1) | (1 << 2) | (1 << 3)
OPPONENT = (1 << 57) | (1 << 4) | (1 << 9)
START = othello.Board()


def test_boards_of_any_integer_type_that_fits_have_the_same_values():
    weights = othello.Weights.embedded()
    expected = weights.values(np.array([PLAYER], np.uint64), np.array([OPPONENT], np.uint64))
    for form in (
        lambda number: np.array([number], np.int64),
        lambda number: np.array([number], ">u8"),
        lambda number: np.array([number, 0], object)[:1],
        lambda number: [number],
        lambda number: (np.uint64(number),),
    ):
        assert weights.values(form(PLAYER), form(OPPONENT)) == expected
        assert weights.pattern_set.classes(form(PLAYER), form(OPPONENT)).shape[0] == 1
    small = weights.values(np.array([15], np.uint8), np.array([240], np.uint8))
    assert small == weights.values([15], [240])
    both = weights.values([1 << 63 | 3, 15], [240, 240])
    assert both[1] == small[0]


@pytest.mark.parametrize(
    "boards",
    [
        np.array([15.0]),
        np.array([np.nan]),
        np.array([15], np.float32),
        np.array([15j]),
        np.array([True]),
        np.array(["15"]),
        np.array([-(2**62)]),
        np.array([-1], np.int8),
        np.array([15.0], object),
        [15.0],
        [-1],
        [2**64],
        ["15"],
        [True],
        [None],
        np.array([[15]], np.uint64),
        np.uint64(15),
    ],
)
def test_other_numbers_than_boards_are_refused_with_a_message(boards):
    """A past fault: each was cast to uint64 without a word."""
    weights = othello.Weights.embedded()
    for work in (weights.values, weights.pattern_set.classes):
        for arguments in ((boards, [240]), ([240], boards)):
            with pytest.raises((TypeError, ValueError), match="expected|is not an integer"):
                work(*arguments)


def of_child():
    weights = othello.Weights.load("embedded")
    player, opponent = np.full(5000, START.player, np.uint64), np.full(5000, START.opponent, np.uint64)
    weights.pattern_set.classes(player, opponent)
    assert weights.values(player, opponent, depth=2)[0] == othello.search("", 2).value
    assert othello.solve("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X").value == 18


FORMS = "? b B h H i I l L q Q e f d F D U3 S3 O M8[s] m8[s] >u8 >i8 <u4 >f8".split()


@pytest.mark.parametrize("seed", [1, 2])
def test_arrays_of_any_form_are_boards_with_the_right_value_or_refused(seed):
    weights, draws = othello.Weights.embedded(), np.random.default_rng(seed)
    done = 0
    for _ in range(400):
        form, count = FORMS[draws.integers(len(FORMS))], int(draws.integers(1, 9))
        numbers = draws.integers(-1 if draws.integers(4) == 0 else 0, 100, count)
        boards = numbers.astype(np.int64).astype(form)
        view = draws.integers(4)
        boards = [boards, boards[::-1], np.repeat(boards, 2)[::2], boards.reshape(1, -1)][view]
        opponents = np.full(count, 0xF000000000000000, np.uint64)
        try:
            values = weights.values(boards, opponents)
        except (TypeError, ValueError) as refused:
            assert re.search("expected|is not an integer|both sides have a disc", str(refused))
            is_wrong = view == 3 or np.dtype(form).kind not in "iuO" or (numbers < 0).any()
            assert is_wrong, (form, view, numbers, refused)
            continue
        assert np.dtype(form).kind in "iuO" and view != 3, (form, view)
        done += 1
        exact = [int(number) for number in boards]
        for player, value in zip(exact, values):
            assert value == weights.values([player], [0xF000000000000000])[0], (form, view, player)
    assert done > 50


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_child_works_and_so_does_its_own_child():
    """A past fault: it waited forever for the threads of its parent."""
    of_child()

    def child():
        of_child()
        grandchild = multiprocessing.get_context("fork").Process(target=of_child)
        grandchild.start()
        grandchild.join(30)
        sys.exit(grandchild.exitcode)

    children = [multiprocessing.get_context("fork").Process(target=child) for _ in range(2)]
    for process in children:
        process.start()
    for process in children:
        process.join(60)
        hangs = process.is_alive()
        process.kill()
        assert not hangs and process.exitcode == 0
    of_child()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_values_of_many_boards():
    """A past fault: Ctrl-C ended it only when all was done, 216 s later."""
    weights, count = othello.Weights.embedded(), 50_000
    player, opponent = np.full(count, START.player, np.uint64), np.full(count, START.opponent, np.uint64)
    # A shell starts its background jobs with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begun = time.time()
    try:
        with pytest.raises(KeyboardInterrupt):
            weights.values(player, opponent, depth=8)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.time() - begun < 10
