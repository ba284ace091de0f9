#!/usr/bin/env python3
"""Finds links to pages, sections and files that are not there.

    scripts/check-links.py [--book FOLDER]

Looks at every Markdown page of the repository: a link names a file, and after `#` a heading of a
page. Pages that sources name by their path from the root (`docs/guides/fit.md`) must exist. In
CONTRIBUTING.md's table of where to add what, each name between backticks must be a file, a folder,
or an item that code defines. In all pages, a path between backticks must exist, and the first row
of a table must be its head. Prints each fault, and then exits with status 1. Does not ask other
sites. --book looks at the links of the built book instead.
"""

import os
import re
import subprocess
import sys
from functools import cache
from html import unescape
from pathlib import Path

CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(\s*([^)\s]+)\s*\)")
BUILT_LINK = re.compile(r'\b(?:href|src)="([^"]*)"')
FOLDERS_OF_PAGES = r"docs/(?:log|concepts|guides|reference)|engine|trainer|datasets|scripts|kernels"
NAMED = re.compile(rf"\b((?:{FOLDERS_OF_PAGES})/[\w./-]+\.md)\b")
ROW = re.compile(r"(?<=\n\n)(\|.*)\n(?!\|[-|]+\|)")
SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[a-z0-9._-]+(?:/[a-z0-9._-]+)+\.(?:rs|md|toml|sh|sha256)")
WHERE = re.compile(r"^## Where to add what$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
NAME_IN_PLACE = re.compile(r"`([^`]+)`(?= in `([^`]+)`|)")
# The folders that paths between backticks start from, next to the folder of their page.
FOLDERS = ["", "engine", "engine/cli", "engine/cli/src", "engine/core/src", "engine/src", "trainer"]
FOLDERS += ["engine/src/search", "trainer/src", "trainer/fit/src", "trainer/lab/src", "scripts"]
SOURCES = ("*.rs", "*.py", "*.sh", "*.toml", "*.awk", "*.cu", "*.yml")


@cache
def listed(*patterns):
    """Names all files of the repository, but those that git ignores."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.check_output(command, text=True).splitlines()
    return [name for name in names if Path(name).is_file()]


def lines_of(pattern, text):
    """Yields the line number of every match, and its group."""
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1]


@cache
def sections(page):
    """Names the sections of a page, or the elements of a built page, that a link may lead to."""
    if page.suffix == ".html":
        return set(map(unescape, re.findall(r'\bid="([^"]*)"', page.read_text())))
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", page.read_text()), re.MULTILINE)
    words = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in words}


def missing(page, link):
    """Returns what a link of a page misses, or nothing."""
    name, _, section = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if re.match(r"[a-z]+:", link):
        return None
    if not target.exists() or target.is_dir() and page.suffix == ".html":
        return "no such file"
    if section and target.suffix == page.suffix and section not in sections(target):
        return "no such section"
    return None


def is_there(name, place):
    """Returns whether a file or folder has a name (NAME stands for any), or code an item."""
    if "/" in name or "." in name:
        pattern = ":(glob)**/" + name.rstrip("/").replace("NAME", "*")
        return bool(listed(pattern, f"{pattern}/**"))
    owner, _, item = name.rpartition("::")
    item = rf"^[^/]*\b(const|enum|fn|mod|static|struct|trait|type) {item}\b"
    options = ["--quiet", "--extended-regexp", "--all-match", "-e", item, "-e", rf"\b{owner}"]
    return subprocess.run(["git", "grep", *options, "--", place or "*.rs"]).returncode == 0


def in_repository():
    """Yields each link, row without a head, path and name: its place, and what it misses."""
    names = NAME_IN_PLACE.findall(WHERE.search(Path("CONTRIBUTING.md").read_text())[1])
    assert len(names) >= 30, "the names of the table of where to add what"
    for name, place in names:
        if not is_there(name, place):
            yield "CONTRIBUTING.md", name, "no such file, or no code defines it"
    for page in map(Path, listed("*.md")):
        text = CODE.sub(lambda code: "\n" * code[0].count("\n"), page.read_text())
        for number, link in lines_of(LINK, text):
            yield f"{page}:{number}", link, missing(page, link)
        for number, row in lines_of(ROW, text):
            yield f"{page}:{number}", row[:60], "a row without a head"
        for number, span in lines_of(SPAN, text):
            is_path = PATH.fullmatch(span) and "docs/log" not in str(page)
            if is_path and not any(Path(it, span).exists() for it in (page.parent, *FOLDERS)):
                yield f"{page}:{number}", span, "no such file"
    for name in listed(*SOURCES):
        for number, named in lines_of(NAMED, Path(name).read_text()):
            yield f"{name}:{number}", named, missing(Path("README.md"), named)


def in_book(folder):
    """Yields each link of the built book: its place, and what it misses."""
    for page in sorted(folder.rglob("*.html")):
        if page.name in ("404.html", "toc.html"):
            continue  # Their links begin at the root of a site.
        for number, link in lines_of(BUILT_LINK, page.read_text()):
            yield f"{page.relative_to(folder)}:{number}", link, missing(page, unescape(link))


book = Path(sys.argv[2]).resolve() if sys.argv[1:2] == ["--book"] else None
os.chdir(Path(__file__).parent.parent)
links = list(in_book(book) if book else in_repository())
lost = [f"{place}: {text}: {why}" for place, text, why in links if why]
print(*lost, f"{len(links)} links, {len(lost)} that lead nowhere", sep="\n")
sys.exit(1 if lost else 0)
