#!/usr/bin/env python3
"""Finds links to pages, sections and files that are not there.

    scripts/check-links.py [--book FOLDER]

Looks at every Markdown page of the repository: a link names a file, and after `#` a heading of a page. Pages that sources
name by their path from the root (`docs/guides/fit.md`) must exist. In CONTRIBUTING.md's table of where to add what, each
name between backticks must be a file, a folder, or an item that code defines. In all pages, a path between backticks must
exist, and the first row of a table must be its head. Prints each fault, and then exits with status 1. Does not ask other
sites. --book looks at the links of the built book instead.
"""

import re
import subprocess
import sys
from functools import cache
from html import unescape
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(\s*([^)\s]+)\s*\)")
NAMED = re.compile(r"\b(?:docs/(?:log|concepts|guides|reference)|engine|trainer|datasets|scripts|kernels)/[\w./-]+\.md\b")
ROW = re.compile(r"(?<=\n\n)\|.*\n(?!\|[-|]+\|)")
SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[a-z0-9._-]+(?:/[a-z0-9._-]+)+\.(?:rs|md|toml|sh|sha256)")
WHERE = re.compile(r"^## Where to add what$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
# The folders that paths between backticks start from, next to the folder of their page.
FOLDERS = (
    "", "engine", "engine/cli", "engine/cli/src", "engine/core/src", "engine/src", "engine/src/search", "trainer", "trainer/src",
    "trainer/fit/src", "trainer/lab/src", "scripts",
)
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


@cache
def code():
    """Returns all Rust sources without their comments, by name."""
    return {name: re.sub(r"^\s*//.*$", "", (REPOSITORY / name).read_text(), flags=re.MULTILINE) for name in listed("*.rs")}


def files(name):
    """Names the files and folders that a name between backticks may mean; NAME in it stands for any name."""
    pattern = re.escape(name).replace("NAME", "[^/]+")
    if "/" in name and not name.startswith("."):
        starts = "|".join(re.escape(folder + "/") if folder else "" for folder in FOLDERS)
        pattern = f"^(?:{starts}){pattern.rstrip('/')}(?:/|$)"
    else:
        pattern += "$"
    return [name for name in listed() if re.search(pattern, name)]


def defines(text, name):
    """Says whether code defines an item; of `Type::item`, it must also name the type."""
    owner, _, item = name.removesuffix("()").rpartition("::")
    keywords = "const|enum|fn|mod|static|struct|trait|type"
    return re.search(rf"\b(?:{keywords})\s+{re.escape(item)}\b", text) and re.search(rf"\b{re.escape(owner)}\b", text)


def missing_names(section):
    """Yields the names of the table of where to add what that are not there."""
    spans = section.split("`")
    for at in range(1, len(spans), 2):
        name = spans[at]
        if "/" in name or "." in name:
            if not files(name):
                yield f"{name}: no such file"
            continue
        places = files(spans[at + 2]) if spans[at + 1] == " in " else code()
        if not any(defines(code().get(place, ""), name) for place in places):
            yield f"{name}: no code defines it"


@cache
def anchors(page):
    """Names the elements of a built page that a link may lead to."""
    return set(map(unescape, re.findall(r'\bid="([^"]*)"', page.read_text())))


def check_book(folder):
    """Prints the dead links of the built book; returns their number."""
    lost, links = 0, 0
    for page in sorted(folder.rglob("*.html")):
        if page.name in ("404.html", "toc.html"):
            continue  # Their links begin at the root of a site.
        for link in re.findall(r'\b(?:href|src)="([^"]*)"', page.read_text()):
            name, _, section = unescape(link).partition("#")
            target = (page.parent / name).resolve() if name else page
            if re.match(r"[a-z]+:", link):
                continue
            links += 1
            if not target.is_file() or section and target.suffix == ".html" and section not in anchors(target):
                print(f"{page.relative_to(folder)}: {link} leads nowhere")
                lost += 1
    print(f"{links} links of the book, {lost} that lead nowhere")
    return lost


def main():
    if sys.argv[1:2] == ["--book"]:
        sys.exit(1 if check_book(Path(sys.argv[2])) else 0)
    lost, links = [], 0
    names = WHERE.search((REPOSITORY / "CONTRIBUTING.md").read_text())[1]
    assert names.count("`") >= 60, "the names of the table of where to add what"
    lost += [f"CONTRIBUTING.md: {lost}" for lost in missing_names(names)]
    for name in listed("*.md"):
        page = REPOSITORY / name
        for number, link in lines_of(LINK, page.read_text(), CODE):
            links += 1
            if why := missing(page, link):
                lost.append(f"{name}:{number}: {link}: {why}")
        for number, row in lines_of(ROW, page.read_text(), CODE):
            lost.append(f"{name}:{number}: {row.strip()[:60]}: a row without a head")
        for number, span in lines_of(SPAN, page.read_text(), CODE):
            own = [page.parent, *(REPOSITORY / folder for folder in FOLDERS)]
            if PATH.fullmatch(span) and "docs/log" not in name and not any((folder / span).exists() for folder in own):
                lost.append(f"{name}:{number}: {span}: no such file")
    for name in listed(*SOURCES):
        for number, named in lines_of(NAMED, (REPOSITORY / name).read_text()):
            links += 1
            if not (REPOSITORY / named).exists():
                lost.append(f"{name}:{number}: {named}: no such file")
    print(*lost, sep="\n", end="\n" if lost else "")
    print(f"{links} links, {len(lost)} that lead nowhere")
    sys.exit(1 if lost else 0)


main()
