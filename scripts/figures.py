#!/usr/bin/env python3
"""Figures as records: docs/current-figures.toml and docs/log/published-claims.toml.

    scripts/figures.py page [--check]
    scripts/figures.py run [--quick | --all | --only NAME]... [--data FOLDER] [--record] [BINARIES]

`page` writes the page of each file of records from its template, NAME.md.in; with --check, it only
compares them. It fails if they differ, if a claim has a verdict that its page does not define, if
a table has a figure that is not in the records, or one of README.md a number that is not in
docs/current-figures.md.

`run` runs the commands of at most a minute, and compares each figure with its record: exactly, or
within its tolerance. It fails if one differs. --quick takes commands of at most 2.5 seconds and
compares exact figures only, so that any build will do; --all also takes longer ones, --only those
with these names. --record writes new figures into the records. BINARIES (default: target/release)
has the programs, FOLDER unshipped data. A command that lacks data or programs is "not checked".
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDS = [ROOT / "docs/current-figures.toml", ROOT / "docs/log/published-claims.toml"]

# A figure in a text is {RECORD.NAME} or {RECORD.NAME:FORMAT}; {RECORD.NAME:FORMAT| } makes the cells
# of a table of a list, and {RECORD.NAME.0} is the first of a list.
FIGURE = re.compile(r"\{([\w-]+)\.([\w.-]+)(?::([^}]*))?\}")

# What a row of a table, after its first cell, may only state by a record: numbers with decimals, a
# sign, or a unit of a result. Other numbers are conditions: `at depth 4`, or a confidence of 73 %.
RESULT = re.compile(
    r"(?<!t = )(?<!p = )(?<![\d.,])(?:[+−±]\d[\d,]*|\d[\d,]*(?:\.\d|·10)"
    r"|(?!73|87|95|99)\d+ %|\d[\d,]* (?:s|ns|µs|[MG]B|times|Elo|discs|best moves|M nodes|won|lost)\b)"
)


class Wrong(Exception):
    """The records are not what they should be."""


def read_records(path):
    """Returns the commands of a file of records, and refuses wrong records."""
    commands = tomllib.loads(path.read_text())["command"]
    for name, command in commands.items():
        if "program" in command and not {"condition", "date"} <= command.keys():
            raise Wrong(f"command {name}: a figure of another program needs condition and date")
        for key, figure in command.get("figures", {}).items():
            if not {"get", "value"} <= figure.keys() <= {"get", "value", "within"}:
                raise Wrong(f"command {name}, figure {key}: expected get, value and perhaps within")
    return commands


def recorded_values(path, commands):
    """Returns the values of a file of records by name: those of commands, and those measured once."""
    known = {
        name: {key: figure["value"] for key, figure in command.get("figures", {}).items()}
        for name, command in commands.items()
    }
    for name, once in tomllib.loads(path.read_text())["once"].items():
        if once.keys() != {"how", "recorded", "values"} or name in known:
            raise Wrong(f"once {name}: expected a new name with how, recorded and values")
        known[name] = once["values"]
    return known


def filled(text, known):
    """Replaces each figure of a text by its recorded value."""

    def value(match):
        record, names, form = match.groups()
        try:
            recorded = known[record]
            for name in names.split("."):
                recorded = recorded[int(name) if isinstance(recorded, list) else name]
        except (KeyError, ValueError, IndexError):
            raise Wrong(f"there is no figure {record}.{names}") from None
        form, cells, _ = (form or "").partition("|")
        texts = [
            value if isinstance(value, str) and not form else format(value, form).replace("-", "−")
            for value in (recorded if isinstance(recorded, list) else [recorded])
        ]
        return (" | " if cells else ", ").join(texts)

    return FIGURE.sub(value, text)


def evidence(text, commands):
    """Counts the rows of claims by their evidence, for the figures {rows.KIND} of their page."""
    signs = {"command": r"\[\d+\]", "once": r"\*trial\*|\(\[log\]", "none": ""}
    counts = dict.fromkeys(("exact", "within", *signs), 0)
    for row in re.findall(r"^\|.*\| \*\*.*\|$", text, re.MULTILINE):
        names = [(name, key) for name, key, _ in FIGURE.findall(row) if name in commands]
        figures = (commands[name]["figures"][key] for name, key in names)
        kinds = ["within" if "within" in figure else "exact" for figure in figures]
        kinds += [kind for kind, sign in signs.items() if re.search(sign, row)]
        counts["exact" if "exact" in kinds else kinds[0]] += 1
    return counts


def table(commands):
    """Returns the rows of a table of commands, and what becomes of their figures."""
    rows = ""
    for number, command in commands.items():
        state = command.get("hand") or ("checked" if command.get("figures") else "runs")
        rows += f"| {number} | `{command['command'].replace('|', chr(92) + '|')}` | {state} |\n"
    return rows.rstrip()


def programs(commands):
    """Returns the rows of a table of other programs, with the records that need them."""
    rows = {}
    for name, command in commands.items():
        if "program" in command:
            rows.setdefault(command["program"], []).append(f"`{name}`")
    return "\n".join(f"| {program} | {', '.join(names)} |" for program, names in rows.items())


def pages(all_records, is_check):
    """Writes the pages, or compares them with the records."""
    for path, commands in all_records.items():
        template, page = path.with_suffix(".md.in").read_text(), path.with_suffix(".md")
        rows = re.sub(r"^\|.*\n\|[-|]+$", "", template, flags=re.MULTILINE)
        rows = re.sub(r"\{[^}]*\}|`[^`]*`|\]\(\S*\)", "", rows)
        for row in re.findall(r"^\|[^|]*\|(.*)$", rows, re.MULTILINE):
            if found := RESULT.search(row):
                raise Wrong(f"{path}: has no record of `{found[0]}` in the row {row.strip()}")
        known = recorded_values(path, commands) | {"rows": evidence(template, commands)}
        text = filled(template, known)
        text = text.replace("{commands}", table(commands)).replace("{programs}", programs(commands))
        if not is_check:
            page.write_text(text)
        elif page.read_text() != text:
            raise Wrong(f"{page}: differs from what the records make; run scripts/figures.py page")
    verdicts = set(re.findall(r"^\|.*\| \*\*(.*?)\*\*.* \|$", text, re.MULTILINE))
    for verdict in verdicts - set(re.findall(r"^- \*\*(.*?)\*\*:", text, re.MULTILINE)):
        raise Wrong(f"{page}: `{verdict}` is not one of the verdicts at its top")
    number, current = re.compile(r"[+−]?\d[\d.,]*\b"), ROOT / "docs/current-figures.md"
    rows = re.findall(r"^\|.*", (ROOT / "README.md").read_text(), re.MULTILINE)
    found = set(number.findall(re.sub(r"\[.*?\]\(.*?\)", "", "\n".join(rows))))
    if unknown := found - set(number.findall(current.read_text())):
        raise Wrong(f"README.md: docs/current-figures.md does not have {', '.join(unknown)}")


def output_of(command, path, data):
    """Runs a command in a folder of its own that has the datasets; returns what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "datasets", f"{folder}/datasets")
        if data:
            os.symlink(data.resolve(), f"{folder}/data")
        run = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command], cwd=folder, stdin=subprocess.DEVNULL,
            env=os.environ | {"PATH": path}, capture_output=True, text=True,
        )
    if run.returncode != 0:
        raise Wrong(f"exit status {run.returncode}: {run.stderr.strip().partition(chr(10))[0]}")
    return run.stdout


def names(text):
    """Returns the names that published-claims.toml explains, for what a command printed."""
    all_of = [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def row(name, at=-1):
        return next(row for row in all_of[at]["rows"] if row["without"] == name)

    def numbers(beginning):
        line = re.search(rf"^{re.escape(beginning)}(?=[\s:])(.*)$", text, re.MULTILINE)
        return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", line[1])]

    # A time is a line of its own, ours before that of another program.
    times = [float(line) for line in re.findall(r"^\d+\.\d+$", text, re.MULTILINE)]
    ratios = [ours / theirs for ours, theirs in zip(times[::2], times[1::2])]
    it = all_of[-1] if all_of else None
    return locals()


def is_as_recorded(found, recorded, within):
    """Compares a figure with its record: equal, or each number within a share of the record."""
    if isinstance(found, list) and isinstance(recorded, list) and len(found) == len(recorded):
        return all(map(is_as_recorded, found, recorded, [within] * len(found)))
    if isinstance(found, (int, float)) and isinstance(recorded, (int, float)):
        return abs(found - recorded) <= max(within * abs(recorded), 1e-9)
    return found == recorded


def figure_of(get, known):
    """Returns a figure as it is recorded, with six digits; or the error of its expression."""
    try:
        found = json.dumps(eval(get, known))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return json.loads(found, parse_float=lambda digits: float(f"{float(digits):.6g}"))


def run(path, key, command, counts, arguments):
    """Runs a command; prints, counts and perhaps records what its figures are."""
    seconds = 2.5 if arguments.quick else float("inf") if arguments.all else 60
    chosen = arguments.only or "hand" not in command and command["seconds"] <= seconds
    figures, data = command.get("figures", {}), arguments.data
    search = f"{Path(arguments.binaries).resolve()}:{os.environ['PATH']}"
    absent = [name for name in command.get("needs", []) if not shutil.which(name, path=search)]
    absent += [name for name in command.get("data", []) if not (data and (data / name).exists())]
    if absent or not chosen:
        counts["not checked"] += max(len(figures), 1)
        if absent:
            print(f"[{key}] not checked: {', '.join(absent)} is absent")
        return
    before, changed = time.monotonic(), {}
    try:
        known = names(output_of(command["command"], search, data))
    except Wrong as error:
        counts["another"] += max(len(figures), 1)
        print(f"[{key}] FAILED: {command['command']}: {error}")
        return
    for name, figure in figures.items():
        if arguments.quick and "within" in figure:
            counts["not checked"] += 1
            continue
        found = figure_of(figure["get"], known)
        if not is_as_recorded(found, figure["value"], figure.get("within", 1e-5)):
            changed[name] = figure["value"], found
        counts["another" if name in changed else "as recorded"] += 1
    state = "another" if changed else "as recorded"
    print(f"[{key}] {state}, {time.monotonic() - before:.1f} s: {command['command']}")
    for name, (recorded, found) in changed.items():
        print(f"      {name}: recorded {recorded}, now {found}", flush=True)
        if arguments.record:
            record(path, key, name, recorded, found)


def record(path, key, name, old, new):
    """Writes a new value into the line of its figure."""
    text = path.read_text()
    line = text.index(f"\n{name} = ", text.index(f"[command.{key}.figures]"))
    before, after = (f"value = {json.dumps(value)}" for value in (old, new))
    path.write_text(text[:line] + text[line:].replace(before, after, 1))


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.description = __doc__
    parser.add_argument("action", choices=["page", "run"])
    for flag in ("--check", "--quick", "--all", "--record"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--data", type=Path)
    parser.add_argument("binaries", nargs="?", default=ROOT / "target/release")
    arguments = parser.parse_intermixed_args()
    try:
        all_records = {path: read_records(path) for path in RECORDS}
        if arguments.action == "page":
            sys.exit(pages(all_records, arguments.check))
        begun, counts = time.monotonic(), {"as recorded": 0, "another": 0, "not checked": 0}
        for path, commands in all_records.items():
            for key, command in commands.items():
                if not arguments.only or key in arguments.only:
                    run(path, key, command, counts, arguments)
    except (Wrong, KeyError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    counted = ", ".join(f"{count} {name}" for name, count in counts.items())
    print(f"{counted}; {time.monotonic() - begun:.0f} s")
    sys.exit(1 if counts["another"] else 0)


if __name__ == "__main__":
    main()
