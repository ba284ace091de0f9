"""A model of one's own in PyTorch, trained on games, exported and played."""

import json
import subprocess
import sys

import othello_toolkit as othello
import pytest
from conftest import EXAMPLES, REPOSITORY, run


def test_a_model_is_trained_exported_and_played(folder):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    command = [sys.executable, EXAMPLES / "train.py", "mobility.games", "own.weights"]
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    errors = [float(line.split()[4]) for line in done.stdout.splitlines() if "epoch" in line]
    # The first is that of a model that says 0 of everything.
    assert len(errors) == 3 and errors[2] < 0.9 * errors[0], done.stdout
    weights = othello.Weights.load(folder / "own.weights")
    assert f"sha256 {weights.sha256}" in done.stdout
    openings = REPOSITORY / "datasets/openings/balanced-8.txt"
    result = run(
        f"othello-trainer match own.weights none --openings {openings} --pairs 50 --depth 2 --json", folder
    )
    assert json.loads(result)["mean_discs"] > 0, result
