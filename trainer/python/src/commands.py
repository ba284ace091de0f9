"""The subcommands of both programs, each in a process of its own."""

import json
import signal
import subprocess
import sys
import tempfile

_CHILD = "import sys, othello_toolkit; sys.argv.pop(0); sys.exit(othello_toolkit.main())"


def _words(flags):
    for name, value in flags.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                yield flag
            elif one is not None and one is not False:
                yield from (flag, str(one))


def command(program, subcommand, *arguments, **flags):
    """Run a subcommand of `othello-engine` or `othello-trainer`, and return its JSON object.

    Keyword arguments are flags: `random_plies="8..24"` is `--random-plies 8..24`; `True` is a flag
    without a value, a list repeats the flag, and `except_` is `--except`, which Python reserves.
    Progress is written to `sys.stderr`. Ctrl-C stops the subcommand; the same call continues its
    work. Raises `ValueError` for wrong arguments or files, `OSError` if a retry may succeed.
    """
    words = [*subcommand.split(), *(str(one) for one in arguments), *_words(flags), "--json"]
    messages = []
    interrupt = None
    with tempfile.TemporaryFile("w+", encoding="utf-8") as answer:
        with subprocess.Popen(
            [sys.executable, "-c", _CHILD, program, *words],
            stdout=answer,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            # A Ctrl-C on the terminal reaches this process alone, which passes it on.
            start_new_session=True,
        ) as child:
            while True:
                try:
                    for line in child.stderr:
                        print(line, end="", file=sys.stderr, flush=True)
                        messages.append(line)
                    break
                except KeyboardInterrupt as error:
                    interrupt = error
                    child.send_signal(signal.SIGINT)
        if interrupt:
            raise interrupt
        answer.seek(0)
        text = answer.read()
    # The status 1 says that the work found something wrong, which the object states.
    if child.returncode in (0, 1) and text:
        return json.loads(text)
    error = {2: ValueError, 75: OSError}.get(child.returncode, RuntimeError)
    raise error("".join(messages).rpartition("error: ")[2].strip() or f"exit status {child.returncode}")


def selfplay(out, games, *, seed=1, **flags):
    """Play games of an evaluation against itself: `othello-engine selfplay`."""
    return command("othello-engine", "selfplay", out=out, games=games, seed=seed, **flags)


def fit(*data, out, **flags):
    """Fit the weights of 60 phases to records: `othello-trainer fit`."""
    return command("othello-trainer", "fit", *data, out=out, **flags)


def match(first, second, **flags):
    """Play paired games between two players: `othello-trainer match`."""
    return command("othello-trainer", "match", first, second, **flags)


def compare(first, second, *, test, out, **flags):
    """Compare two recipes by errors and a match: `othello-trainer compare`."""
    return command("othello-trainer", "compare", first, second, test=test, out=out, **flags)
