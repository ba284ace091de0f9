#!/usr/bin/env python3
"""Finds doc comments that begin with a riddle, and lines of comments that are too long.

    scripts/plain-docs.py [--samples N]

A doc comment begins with a noun (a type) or a verb (a function); one that begins with What, How, Which, Where or the like
makes its reader guess. Prints each, and exits with status 1 where there are 20 or more, or where a line of a comment is longer
than 100 columns (rows of tables excepted). --samples N prints N doc comments drawn by chance instead, to be read.
"""

import argparse
import random
import re
import subprocess
import sys
from pathlib import Path

MOST_RIDDLES = 19
COLUMNS = 100
DOC = re.compile(r"\s*(//[/!])(?!/)\s?(.*)")
RIDDLE = re.compile(r"(What|How|Which|Where|Who|When|Whether|Why)\b")


def doc_comments(lines):
    """Yields the line number and the lines of each doc comment."""
    comment, begun = [], 0
    for number, line in enumerate([*lines, ""], 1):
        doc = DOC.match(line)
        if doc and not comment:
            begun = number
        if doc:
            comment.append(doc[2])
        elif comment:
            yield begun, comment
            comment = []


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--samples", type=int, metavar="N", default=0)
    samples = arguments.parse_args().samples
    repository = Path(__file__).resolve().parent.parent
    listed = subprocess.run(
        ["git", "-C", repository, "ls-files", "--cached", "--others", "--exclude-standard", "*.rs"],
        check=True, capture_output=True, text=True,
    )
    comments, riddles, long = [], [], []
    for name in listed.stdout.splitlines():
        if not (repository / name).exists():
            continue
        lines = (repository / name).read_text().splitlines()
        for number, comment in doc_comments(lines):
            comments.append((name, number, comment))
            if RIDDLE.match(comment[0]):
                riddles.append(f"{name}:{number}: {comment[0]}")
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS and re.match(r"\s*//(?![/!]? \|)", line):
                long.append(f"{name}:{number}: {len(line)} columns")
    if samples:
        for name, number, comment in random.sample(comments, min(samples, len(comments))):
            print(f"{name}:{number}\n    " + "\n    ".join(comment))
        return 0
    print(*riddles, *long, sep="\n")
    print(f"{len(comments)} doc comments, {len(riddles)} that begin with a riddle, {len(long)} lines beyond {COLUMNS} columns")
    return int(len(riddles) > MOST_RIDDLES or bool(long))


if __name__ == "__main__":
    sys.exit(main())
