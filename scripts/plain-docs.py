#!/usr/bin/env python3
"""Counts unclear phrases in pages, comments and messages, and finds riddles and long lines of comments.

    scripts/plain-docs.py [--lines | --samples N] [FILE...]

Reads Markdown pages, except those that the programs write from their own help, and comments and quoted texts of Rust. CONTRIBUTING.md has the rules; PHRASES
below lists what they replace. A phrase can be right where it stands, so the check fails only above the rates in MOST.
It also fails if 20 or more doc comments begin with What, How, Which or the like, or if a line of a comment is longer than
100 columns (rows of tables excepted). --lines prints each phrase with its place; --samples N prints N doc comments drawn
at random, to be read.
"""

import argparse
import random
import re
import subprocess
import sys
from pathlib import Path

# The most phrases in a thousand words: lower the bound when the rate falls. The aim for Rust is 1.5.
MOST = {"Markdown": 1.0, "Rust": 1.4}
GENERATED = re.compile(r"docs/reference/(?:othello-.*|settings)\.md")
MOST_RIDDLES = 19
COLUMNS = 100

# Each phrase with the words to use instead.
PHRASES = {
    "a noun": r"\b(?:what|how) (?:ships|holds|plays|stands|is left|was|is|it|they|a|the|came|makes|decides|differs)\b",
    "if, when": r"\bwhere (?:there|it|they|an?|the|no|nothing|games|weights|positions|files|patterns|searches|memory"
    r"|\w+ (?:is|are|has|have|do|does))\b",
    "print, report, store": r"\b(?:says|tells|knows|said by|is told|are told|is said)\b",
    "depth-4 games, to depth 4": r"\b(?:games?|search(?:es)?|values?) (?:to depth|of (?:two|four|\d+) plies)\b"
    r"|\blooks? \w+ moves ahead\b",
    "solved at ≤ 16": r"\b(?:perfect|exact) from\b|\bfrom (?:\d+|N|here|there)(?: \w+)? on\b",
    "prune, omit": r"\b(?:leaves?|left|leaving) (?:\w+ ){0,3}out\b",
    "MAE, bias, error": r"\berr(?:s|ed)?\b",
    "also": r", too\b",
    "next to, compared with": r"\bbeside\b",
    "at random": r"\bby chance\b|\bgames of chance\b",
    "is not a": r"\b(?:is|are) no(?:ne of)? [a-z]+\b",
    "reaches, uses": r"\b(?:comes?|came) to \w+|\b(?:goes?|went) by\b",
    "human games, strong games": r"\bof people\b|\b(?:good|weak|better|best) play\b",
    "fitted to, trained on": r"\b(?:fitted|fits) on\b|\bon from\b",
    "confidence": r"\b(?:as|how|less) sure\b",
    "the number of, this": r"\bso many\b|\bthereby\b|\btherein\b",
}
COMPILED = {words: re.compile(phrase, re.IGNORECASE) for words, phrase in PHRASES.items()}
DOC = re.compile(r"\s*(//[/!])(?!/)\s?(.*)")
RIDDLE = re.compile(r"(What|How|Which|Where|Who|When|Whether|Why)\b")
# A comment, a raw text, a text, or a character, of which only the first three have words.
TOKEN = re.compile(r"""//[/!]? ?([^\n]*)|r(#+)"(.*?)"\2|"((?:[^"\\]|\\.)*)"|'(?:[^'\\\n]|\\.)'""", re.DOTALL)
WORDS_OF_A_TEXT = 3


def prose(path):
    """Yields the line number and the text of everything in a file that a person reads."""
    text = path.read_text()
    if path.suffix == ".md":
        is_code = False
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith("```"):
                is_code = not is_code
            elif not is_code:
                yield number, line
        return
    for token in TOKEN.finditer(text):
        comment, _, raw, quoted = token.groups()
        words = next((part for part in (comment, raw, quoted) if part is not None), "")
        if comment is not None or len(words.split()) >= WORDS_OF_A_TEXT:
            yield text.count("\n", 0, token.start()) + 1, " ".join(words.split())


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


def phrases(paths, lists):
    """Returns the number of phrases and of words of files; prints the phrases if they are to be listed."""
    found, words = 0, 0
    for path in paths:
        for number, text in prose(path):
            words += len(text.split())
            for instead, phrase in COMPILED.items():
                for match in phrase.finditer(text):
                    found += 1
                    if lists:
                        print(f"{path}:{number}: `{match[0]}`: {instead}: {text.strip()[:100]}")
    return found, words


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--lines", action="store_true")
    arguments.add_argument("--samples", type=int, metavar="N", default=0)
    arguments.add_argument("files", nargs="*", type=Path)
    chosen = arguments.parse_args()
    repository = Path(__file__).resolve().parent.parent
    listed = subprocess.run(
        ["git", "-C", repository, "ls-files", "--cached", "--others", "--exclude-standard", "*.rs", "*.md"],
        check=True, capture_output=True, text=True,
    )
    paths = chosen.files or [repository / name for name in listed.stdout.splitlines()]
    pages = [path for path in paths if path.suffix == ".md" and path.exists() and not GENERATED.search(str(path))]
    sources = [path for path in paths if path.suffix == ".rs" and path.exists()]
    comments, riddles, long = [], [], []
    for path in sources:
        lines = path.read_text().splitlines()
        for number, comment in doc_comments(lines):
            comments.append(f"{path}:{number}\n    " + "\n    ".join(comment))
            if RIDDLE.match(comment[0]):
                riddles.append(f"{path}:{number}: {comment[0]}")
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS and re.match(r"\s*//(?![/!]? \|)", line):
                long.append(f"{path}:{number}: {len(line)} columns")
    if chosen.samples:
        print(*random.sample(comments, min(chosen.samples, len(comments))), sep="\n")
        return 0
    failed = len(riddles) > MOST_RIDDLES or bool(long)
    for kind, files in (("Markdown", pages), ("Rust", sources)):
        found, words = phrases(files, chosen.lines)
        rate = 1000 * found / max(words, 1)
        print(f"{kind}: {found} phrases in {words} words, {rate:.2f} in a thousand, at most {MOST[kind]}")
        failed |= not chosen.files and rate > MOST[kind]
    print(*riddles, *long, sep="\n", end="\n" if riddles or long else "")
    print(f"{len(comments)} doc comments, {len(riddles)} riddles, {len(long)} lines beyond {COLUMNS} columns")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
