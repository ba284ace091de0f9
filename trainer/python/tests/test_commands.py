"""The subcommands of the programs as functions."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import othello_toolkit as othello
import pytest
from conftest import EXAMPLES

SELFPLAY = {"depth": 1, "exact": 6, "random_plies": "8..24", "weights": "mobility"}


def test_games_weights_and_a_match_as_functions(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    games = othello.selfplay("a.games", 500, **SELFPLAY)
    assert games["games"] + games["duplicates"] == 500
    fitted = othello.fit("a.games", out=Path("a.weights"), patterns="small", phases="30..31", force=True)
    assert [row["phase"] for row in fitted["phases"] if row["positions"]] == [30, 31]
    assert othello.Weights.load("a.weights").sha256 == fitted["sha256"]
    othello.command("othello-engine", "openings", plies=5, out="openings.txt")
    played = othello.match("a.weights", "none", openings="openings.txt", pairs=5, depth=1)
    assert played["wins"] + played["draws"] + played["losses"] == 10
    # The same call again finds its work done.
    assert othello.selfplay("a.games", 500, **SELFPLAY)["sha256"] == games["sha256"]


def test_errors_of_a_command_have_its_message(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="^nothing.games: cannot open it"):
        othello.fit("nothing.games", out="x.weights")
    with pytest.raises(ValueError, match="unexpected argument '--nonsense'"):
        othello.fit("nothing.games", out="x.weights", nonsense=3)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupted_command_goes_on_with_the_same_call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    whole = othello.selfplay("whole.games", 30000, **SELFPLAY)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            othello.selfplay("stopped.games", 3_000_000, **SELFPLAY)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not Path("stopped.games").exists()
    assert othello.selfplay("stopped.games", 30000, force=True, **SELFPLAY)["sha256"] == whole["sha256"]


def test_the_program_is_named_by_the_first_word():
    code = "import sys, othello_toolkit; sys.argv = sys.argv[1:]; sys.exit(othello_toolkit.main())"
    run = lambda *words: subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert json.loads(run("bin/othello-engine", "perft", "3", "--json").stdout)["leaves"] == 56
    assert run("othello-trainer", "doctor").returncode == 0
    assert "expected `othello-engine` or `othello-trainer`" in run("othello").stderr


def test_the_notebook_of_a_comparison_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in json.loads((EXAMPLES / "compare.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert "better: first, by" in capsys.readouterr().out
