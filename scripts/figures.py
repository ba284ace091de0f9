#!/usr/bin/env python3
"""Figures as records: docs/current-figures.toml and docs/log/published-claims.toml.

    scripts/figures.py page [--check]
    scripts/figures.py run [--quick | --all | --only NAME]... [--data FOLDER] [--record] [BINARIES]

`page` writes docs/current-figures.md from docs/current-figures.md.in, and docs/log/published-claims.md from its records.
With --check, it only compares the pages with the records, and ends with exit status 1 if they differ. Both end with exit
status 1 if a table of README.md has a number that docs/current-figures.md has not.

`run` runs the commands, and compares each figure with its record: counts, nodes and errors exactly, ratios of times and
intervals within a tolerance. The default are commands of at most a minute; --quick takes those of at most 2.5 seconds
and compares exact figures alone, so that any build will do; --all also takes longer ones, --only those with these
names. --record writes new figures into the records. BINARIES (default: target/release) has the programs; FOLDER has
data that are not shipped. A command whose data or programs are absent is reported as not checked. The exit status is 1
if a figure differs from its record.
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
WIDTH = 120

# A figure in a text: {COMMAND.NAME} or {COMMAND.NAME:FORMAT}; {COMMAND.NAME:FORMAT| } makes the cells of a table of a list.
FIGURE = re.compile(r"\{([\w-]+)\.(\w+)(?::([^}]*))?\}")


class Wrong(Exception):
    """The records are not what they should be."""


def read_records(path):
    """Reads a file of records, and refuses wrong ones."""
    with open(path, "rb") as file:
        records = tomllib.load(file)
    commands = records["command"]
    for name, command in commands.items():
        for key, figure in command.get("figures", {}).items():
            if not {"get", "value"} <= figure.keys() or figure.keys() - {"get", "value", "within"}:
                raise Wrong(f"command {name}, figure {key}: expected get, value and perhaps within")
    for text in records.get("text", []):
        for claim in text["claims"]:
            check_claim(claim, records["verdicts"])
    return records


def check_claim(claim, verdicts):
    """Refuses a claim with a verdict that is not defined."""
    if claim["verdict"] not in verdicts:
        raise Wrong(f"{claim['claim']}: `{claim['verdict']}` is not a verdict; expected one of {', '.join(verdicts)}")


# The pages


def filled(text, commands):
    """Replaces each figure of a text by its recorded value."""
    def value(match):
        command, name, form = match.groups()
        try:
            recorded = commands[command]["figures"][name]["value"]
        except KeyError:
            raise Wrong(f"there is no figure {command}.{name}") from None
        values = recorded if isinstance(recorded, list) else [recorded]
        form, cells, _ = (form or "").partition("|")
        return (" | " if cells else ", ").join(format(value, form) for value in values).replace("-", "−")
    return FIGURE.sub(value, text)


def wrapped(text):
    """Breaks the lines of a paragraph."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def page_of_claims(records):
    """Returns the page of published claims."""
    commands = records["command"]
    parts = ["# Published claims and our figures", wrapped(records["head"])]
    meanings = [f"- **{name}**: {meaning}" for name, meaning in records["verdicts"].items()]
    parts += ["\n".join(meanings), wrapped(filled(records["notes"], commands))]
    for text in records["text"]:
        parts.append(f"{'#' * text.get('level', 2)} {text['title']}")
        if "source" in text:
            parts.append(wrapped(text["source"]))
        if not text["claims"]:
            continue
        rows = ["| claim | ours |", "|---|---|"]
        for claim in text["claims"]:
            ours = filled(claim.get("ours", ""), commands)
            runs = "".join(f" [{number}]" for number in claim.get("run", []))
            ours = f": {ours}{runs}" if ours or runs else ""
            rows.append(f"| {claim['claim']} | **{claim['verdict']}**{ours} |")
        parts.append("\n".join(rows))
    parts.append("## Commands")
    parts.append(wrapped(records["commands_head"]))
    rows = ["| | command | figures |", "|---|---|---|"]
    for number, command in commands.items():
        state = command.get("hand") or ("checked" if command.get("figures") else "runs")
        shown = command["command"].replace("|", "\\|")
        rows.append(f"| {number} | `{shown}` | {state} |")
    parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def pages(all_records):
    """Returns the path and the text of each page."""
    for path, records in all_records.items():
        template = path.with_suffix(".md.in")
        text = filled(template.read_text(), records["command"]) if template.exists() else page_of_claims(records)
        yield path.with_suffix(".md"), text


def unknown_numbers(text, page):
    """Returns the numbers in the tables of a text that a page does not have."""
    numbers = re.compile(r"[+−]?\d[\d.,]*\b")
    rows = [re.sub(r"\[.*?\]\(.*?\)", "", line) for line in text.splitlines() if line.startswith("|")]
    return [number for row in rows for number in numbers.findall(row) if number not in numbers.findall(page)]


# The runs


def chosen(command, arguments):
    """Returns whether a command belongs to this run."""
    if arguments.only:
        return True
    if "hand" in command:
        return False
    if arguments.all:
        return True
    return command["seconds"] <= (2.5 if arguments.quick else 60)


def missing(command, binaries, data):
    """Returns the programs and the data of a command that are not there."""
    programs = [name for name in command.get("needs", []) if not shutil.which(name, path=f"{binaries}:{os.environ['PATH']}")]
    return programs + [name for name in command.get("data", []) if not (data and (data / name).exists())]


def output_of(command, binaries, data):
    """Runs a command in a folder of its own that has the datasets; returns what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "datasets", f"{folder}/datasets")
        if data:
            os.symlink(data.resolve(), f"{folder}/data")
        environment = os.environ | {"PATH": f"{binaries}:{os.environ['PATH']}"}
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode != 0:
        raise Wrong(f"exit status {run.returncode}: {run.stderr.strip().partition(chr(10))[0]}")
    return run.stdout


def names(text):
    """Returns the names that the expressions of figures may use, for what a command printed."""
    all_of = [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def row(name, at=-1):
        """Returns a row of `ablate`."""
        return next(row for row in all_of[at]["rows"] if row["without"] == name)

    def numbers(beginning):
        """Returns the numbers in the first line with this beginning, after it."""
        line = next(line for line in text.splitlines() if re.match(re.escape(beginning) + r"(\s|:)", line))
        return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", line[len(beginning):])]

    return {"it": all_of[-1] if all_of else None, "all_of": all_of, "text": text, "row": row, "numbers": numbers}


def is_as_recorded(found, recorded, within):
    """Compares a figure with its record: equal, or each number within a share of the record."""
    if isinstance(recorded, list) and isinstance(found, list):
        return len(found) == len(recorded) and all(map(is_as_recorded, found, recorded, [within] * len(found)))
    if isinstance(recorded, (int, float)) and isinstance(found, (int, float)):
        return abs(found - recorded) <= max(within * abs(recorded), 1e-9)
    return found == recorded


def rounded(value):
    """Returns a figure as it is recorded: with six digits."""
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def compared(figure, known, is_quick):
    """Returns the state of a figure, and what its command printed now."""
    if is_quick and "within" in figure:
        return "not checked", None
    try:
        found = rounded(eval(figure["get"], known))
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    is_same = is_as_recorded(found, figure["value"], figure.get("within", 1e-5))
    return "as recorded" if is_same else "another", found


def run(all_records, arguments):
    """Runs the chosen commands, and compares their figures."""
    binaries = Path(arguments.binaries).resolve()
    counts = {"as recorded": 0, "another": 0, "not checked": 0}
    begun, changed = time.monotonic(), {}
    commands = [(path, *row) for path, records in all_records.items() for row in records["command"].items()]
    for path, key, command in commands:
        if arguments.only and key not in arguments.only:
            continue
        figures = command.get("figures", {})
        absent = missing(command, binaries, arguments.data)
        if absent or not chosen(command, arguments):
            counts["not checked"] += max(len(figures), 1)
            if absent:
                print(f"[{key}] not checked: {', '.join(absent)} is absent")
            continue
        before = time.monotonic()
        try:
            known = names(output_of(command["command"], binaries, arguments.data))
        except Wrong as error:
            counts["another"] += max(len(figures), 1)
            print(f"[{key}] FAILED: {command['command']}: {error}")
            continue
        wrong = []
        for name, figure in figures.items():
            state, found = compared(figure, known, arguments.quick)
            counts[state] += 1
            if state == "another":
                wrong.append(f"      {name}: recorded {figure['value']}, now {found}\n")
                changed.setdefault(path, {})[key, name] = found
        print(f"[{key}] {'another' if wrong else 'as recorded'}, {time.monotonic() - before:.1f} s: {command['command']}")
        print("".join(wrong), end="", flush=True)
    if arguments.record:
        for path, figures in changed.items():
            record(path, figures)
    print(f"{', '.join(f'{count} {name}' for name, count in counts.items())}; {time.monotonic() - begun:.0f} s")
    return 1 if counts["another"] else 0


def record(path, changed):
    """Writes new values into the lines of their figures."""
    key, lines = None, path.read_text().split("\n")
    for at, line in enumerate(lines):
        if head := re.match(r"\[command\.([\w-]+)", line):
            key = head[1]
        name = line.split(" = ")[0]
        if (key, name) in changed:
            lines[at] = re.sub(r"(, value = )(\[.*?\]|\"[^\"]*\"|[^,} ]+)", lambda m: m[1] + json.dumps(changed[key, name]), line)
    path.write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("page").add_argument("--check", action="store_true")
    runs = actions.add_parser("run")
    runs.add_argument("--quick", action="store_true")
    runs.add_argument("--all", action="store_true")
    runs.add_argument("--only", action="append", default=[])
    runs.add_argument("--data", type=Path)
    runs.add_argument("--record", action="store_true")
    runs.add_argument("binaries", nargs="?", default=ROOT / "target/release")
    arguments = parser.parse_args()
    try:
        all_records = {path: read_records(path) for path in RECORDS}
        if arguments.action == "run":
            sys.exit(run(all_records, arguments))
        for path, text in pages(all_records):
            if not arguments.check:
                path.write_text(text)
            elif path.read_text() != text:
                sys.exit(f"{path}: differs from what the records make; run scripts/figures.py page")
        page = (ROOT / "docs/current-figures.md").read_text()
        if wrong := unknown_numbers((ROOT / "README.md").read_text(), page):
            sys.exit(f"README.md: docs/current-figures.md does not have {', '.join(wrong)}")
    except (Wrong, KeyError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
