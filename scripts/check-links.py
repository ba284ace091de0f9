#!/usr/bin/env python3
"""Finds links to pages, sections and files that are not there.

    scripts/check-links.py

Looks at every Markdown page of the repository: a link names a file, and after `#` a heading of a page. Sources that name a
page by its path from the root (`trainer/docs/fit.md`) are looked at, too. Prints each that leads nowhere, and then exits
with status 1. Addresses of other sites are not asked.
"""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(\s*([^)\s]+)\s*\)")
NAMED = re.compile(r"\b(?:docs/(?:log|concepts|reference)|engine|trainer|datasets|scripts|kernels)/[\w./-]+\.md\b")
SOURCES = ("*.rs", "*.py", "*.sh", "*.toml", "*.awk", "*.cu", "*.yml")


def listed(*patterns):
    """Names all files of the repository, but those that git ignores."""
    names = subprocess.run(
        ["git", "-C", REPOSITORY, "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    return [name for name in names if (REPOSITORY / name).is_file()]


def lines_of(pattern, text, skipped=None):
    """Yields the line number of every match, and its first group or all of it."""
    if skipped:
        text = skipped.sub(lambda code: "\n" * code[0].count("\n"), text)
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[pattern.groups and 1]


@cache
def sections(page):
    """Names the sections of a page as its links do."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", page.read_text()), re.MULTILINE)
    words = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in words}


def missing(page, link):
    """Says what a link of a page misses, or nothing."""
    if re.match(r"[a-z]+:", link):
        return None
    name, _, section = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists():
        return "no such file"
    if section and target.suffix == ".md" and section not in sections(target):
        return "no such section"
    return None


def main():
    lost, links = [], 0
    for name in listed("*.md"):
        page = REPOSITORY / name
        for number, link in lines_of(LINK, page.read_text(), CODE):
            links += 1
            if why := missing(page, link):
                lost.append(f"{name}:{number}: {link}: {why}")
    for name in listed(*SOURCES):
        for number, named in lines_of(NAMED, (REPOSITORY / name).read_text()):
            links += 1
            if not (REPOSITORY / named).exists():
                lost.append(f"{name}:{number}: {named}: no such file")
    print(*lost, sep="\n", end="\n" if lost else "")
    print(f"{links} links, {len(lost)} that lead nowhere")
    sys.exit(1 if lost else 0)


main()
