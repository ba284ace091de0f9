#!/usr/bin/env python3
"""Counts unclear phrases in pages, comments and messages; finds riddles and long comment lines.

    scripts/plain-docs.py [--lines] [FILE...]

Reads Markdown pages, except those that the programs write from their own help, and comments and
quoted texts of Rust. CONTRIBUTING.md has the rules; plain-docs.toml lists the phrases that they
replace. A phrase can be right where it stands, so the check fails only above the rates in MOST. It
also fails if 20 or more doc comments begin with What, How, Which or the like, or if a line of a
comment is longer than 100 columns (rows of tables excepted). --lines prints each phrase and where.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections import Counter
from itertools import pairwise
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
# The most phrases in a thousand words: lower the bound when the rate falls.
MOST = {"Markdown": 1.0, "Rust": 1.4}
GENERATED = re.compile(r"docs/reference/(?:othello-.*|settings)\.md")
MOST_RIDDLES = 19
COLUMNS = 100

CODE = re.compile(r"^ *```.*?^ *```.*?$", re.MULTILINE | re.DOTALL)
DOC = re.compile(r"\s*//[/!](?!/)\s?(.*)")
RIDDLE = re.compile(r"(What|How|Which|Where|Who|When|Whether|Why)\b")
# A comment, a raw text, a text, or a character, of which only the first three have words.
TOKEN = r"""(?s)//[/!]? ?([^\n]*)|r(#+)"(.*?)"\2|"((?:[^"\\]|\\.)*)"|'(?:[^'\\\n]|\\.)'"""
WORDS_OF_A_TEXT = 3


def prose(path, text):
    """Yields the line number and the text of everything in a file that a person reads."""
    if path.suffix == ".md":
        text = CODE.sub(lambda code: "\n" * code[0].count("\n"), text)
        yield from enumerate(text.splitlines(), 1)
        return
    for token in re.finditer(TOKEN, text):
        comment, _, raw, quoted = token.groups()
        words = (comment or raw or quoted or "").split()
        if comment is not None or len(words) >= WORDS_OF_A_TEXT:
            yield text.count("\n", 0, token.start()) + 1, " ".join(words)


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--lines", action="store_true")
parser.add_argument("files", nargs="*", type=Path)
chosen = parser.parse_args()
listed = ["git", "-C", REPOSITORY, "ls-files", "--cached", "--others", "--exclude-standard"]
listed = subprocess.check_output([*listed, "*.rs", "*.md"], text=True).splitlines()
paths = chosen.files or [REPOSITORY / name for name in listed]
paths = [path for path in paths if path.exists() and not GENERATED.search(str(path))]
phrases = tomllib.loads((REPOSITORY / "scripts/plain-docs.toml").read_text())
phrases = {name: re.compile("|".join(all_of), re.IGNORECASE) for name, all_of in phrases.items()}
comments, riddles, long, found, words = 0, [], [], Counter(), Counter()
for path in paths:
    text = path.read_text()
    for number, line in prose(path, text):
        words[path.suffix] += len(line.split())
        for instead, phrase in phrases.items():
            for match in phrase.finditer(line):
                found[path.suffix] += 1
                if chosen.lines:
                    print(f"{path}:{number}: `{match[0]}`: {instead}: {line.strip()[:100]}")
    lines = text.splitlines() if path.suffix == ".rs" else []
    docs = map(DOC.match, lines)
    for number, (line, (before, doc)) in enumerate(zip(lines, pairwise([None, *docs])), 1):
        comments += bool(doc and not before)
        if doc and not before and RIDDLE.match(doc[1]):
            riddles.append(f"{path}:{number}: {doc[1]}")
        if len(line) > COLUMNS and re.match(r"\s*//(?![/!]? \|)", line):
            long.append(f"{path}:{number}: {len(line)} columns")
failed = len(riddles) > MOST_RIDDLES or bool(long)
for kind, suffix in (("Markdown", ".md"), ("Rust", ".rs")):
    rate = 1000 * found[suffix] / max(words[suffix], 1)
    counts = f"{kind}: {found[suffix]} phrases in {words[suffix]} words"
    print(f"{counts}, {rate:.2f} ‰, at most {MOST[kind]}")
    failed |= not chosen.files and rate > MOST[kind]
end = f"{comments} doc comments, {len(riddles)} riddles, {len(long)} beyond {COLUMNS} columns"
print(*riddles, *long, end, sep="\n")
sys.exit(failed)
