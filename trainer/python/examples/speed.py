"""Positions a second into NumPy, beside a plain reader in Python: python speed.py GAMES"""

import contextlib
import io
import sys
import time
from pathlib import Path

import othello_toolkit as othello

READERS = Path(__file__).resolve().parents[3] / "datasets" / "readers"


def rate(what, read):
    clock, processor = time.perf_counter(), time.process_time()
    number = read()
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(
        f"{what}: {number} positions, {number / clock:,.0f} a second; "
        f"{number / processor:,.0f} a second of one processor"
    )


def streamed(**settings):
    return sum(len(batch) for batch in othello.positions(sys.argv[1], **settings))


def plain():
    """The moves of all games by datasets/readers/records.py: boards, without labels."""
    sys.path.insert(0, str(READERS))
    import records

    positions = 0
    for name, content in records.sections(sys.argv[1], b"OTHELLOG"):
        if name == "games":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                records.games(content)
            for game in printed.getvalue().splitlines():
                moves, random, *_ = game.split()
                positions += len(moves) // 2 - int(random) if moves != "-" else 0
    return positions


rate("othello_toolkit.positions", streamed)
rate("othello_toolkit.positions, shuffled", lambda: streamed(shuffle=1))
if "--toolkit-only" not in sys.argv:
    rate("datasets/readers/records.py", plain)
