"""Boards, moves and searches."""

import random
import signal
import threading
import time

import othello_toolkit as othello
import pytest

# A position of which the README of the project tells the score.
LATE = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


def test_a_board_is_made_of_moves_or_of_squares():
    start = othello.Board()
    assert (start.player, start.opponent, start.side, start.ply) == (0x810000000, 0x1008000000, "X", 0)
    assert start.moves == ["d3", "c4", "f5", "e6"]
    board = start.play("f5").play("d6")
    assert board == othello.Board("f5d6") == othello.Board(str(board))
    assert hash(board) == hash(othello.Board("f5d6")) and board != start
    assert eval(repr(board), {"Board": othello.Board}) == board


def test_a_side_without_a_move_has_passed():
    chance, passes = random.Random(1), 0
    for _ in range(20):
        board, moves = othello.Board(), ""
        while not board.is_over:
            before, move = board, chance.choice(board.moves)
            board, moves = board.play(move), moves + move
            assert board == othello.Board(moves)
            passes += board.side == before.side
            assert board.moves or board.is_over
    assert passes > 5
    wiped_out = othello.Board("f5d6c5f4e7f6g5e6e3")
    assert wiped_out.is_over and wiped_out.moves == [] and abs(wiped_out.score) == 64
    passing = othello.Board("OXXX----" + "-" * 56 + " X")
    assert passing.moves == [] and passing.pass_().moves == ["e1"]


def test_a_search_finds_what_is_known():
    found = othello.search(LATE, 60)
    assert (found.value, found.exact) == (18, True)
    solved = othello.solve(othello.Board(LATE))
    assert (solved.value, solved.exact) == (18, True)
    assert solved.best in othello.Board(LATE).moves
    first = othello.search("f5d6c3", 6, weights="mobility")
    second = othello.search(othello.Board("f5d6c3"), 6, weights="mobility", hash_mb=4)
    assert (first.value, first.best, first.depth, first.exact) == (
        second.value,
        second.best,
        6,
        False,
    )
    sure = othello.search("f5d6c3", 12, selectivity=73)
    assert sure.nodes < othello.search("f5d6c3", 12).nodes and not sure.exact
    weights = othello.Weights.embedded()
    assert othello.search("f5d6c3", 0).value == weights.value("f5d6c3")
    assert othello.search("f5d6c3", 0, exact=60 - 56).best is None


def test_ctrl_c_ends_a_search():
    # A script in the background is started with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    begun = time.monotonic()
    threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        othello.solve("f5d6c3d3c4")  # Years of work.
    signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begun < 60


def test_what_makes_no_sense_is_refused_with_the_message_of_the_programs():
    for work, words in [
        (lambda: othello.Board("hello"), "not a square"),
        (lambda: othello.Board("XO"), "64"),
        (lambda: othello.Board().play("a1"), "legal are d3 c4 f5 e6"),
        (lambda: othello.Board().play("z9"), "z9"),
        (lambda: othello.Board().pass_(), "legal moves are"),
        (lambda: othello.search("f5", 3, selectivity=50), "73, 87"),
        (lambda: othello.search("f5", 3, selectivity=73, weights="mobility"), "calibrate probcut"),
        (lambda: othello.search("f5", 3, weights="nonsense"), "neither a file"),
        (lambda: othello.search("f5", 3, hash_mb=0), "0 MB"),
    ]:
        with pytest.raises(ValueError, match=words):
            work()
    with pytest.raises(FileNotFoundError, match="nowhere.weights"):
        othello.search("f5", 3, weights="nowhere.weights")
    with pytest.raises(OverflowError):
        othello.search("f5", -1)
