"""What the tests share: the repository, and games that the engine played.

The programs are looked for in $OTHELLO_PROGRAMS, and else in target/release and target/debug.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
CONFORMANCE = REPOSITORY / "datasets" / "conformance"
EXAMPLES = REPOSITORY / "trainer" / "python" / "examples"
sys.path.insert(0, str(REPOSITORY / "datasets" / "readers"))


def programs():
    folders = [os.environ.get("OTHELLO_PROGRAMS"), REPOSITORY / "target/release", REPOSITORY / "target/debug"]
    for folder in filter(None, folders):
        if (Path(folder) / "othello-engine").exists():
            return Path(folder).resolve()
    return None


def run(command, cwd):
    """Runs a command of the toolkit's programs, and returns what it printed."""
    folder = programs()
    if folder is None:
        pytest.skip("the programs are not built: set OTHELLO_PROGRAMS")
    name, *arguments = command.split()
    done = subprocess.run(
        [folder / name, *arguments], cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with games of the engine, as the guide has them made."""
    folder = tmp_path_factory.mktemp("guide")
    guide = (REPOSITORY / "trainer/python/README.md").read_text()
    commands = [line for line in guide.splitlines() if line.startswith("othello-engine")]
    assert len(commands) == 1
    run(commands[0], folder)
    return folder
