#!/usr/bin/env python3
"""Prepares the pages of docs/SUMMARY.md for mdBook: prepare.py OUT

Pages of docs/ come to the root of OUT, pages of other folders to `repository/`. Formulas become MathML, which browsers
draw without scripts, fonts or network. A link to a file that is no page of the book becomes its path.
"""

import os
import re
import shutil
import sys
from pathlib import Path

from latex2mathml.converter import convert

REPOSITORY = Path(__file__).resolve().parent.parent.parent
BOOK = REPOSITORY / "docs"
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`]*`")
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
INLINE = re.compile(r"\$([^$\s](?:[^$]*[^$\s])?)\$")


def in_book(file):
    """Returns the place of a file of the repository in the book."""
    name = file.relative_to(REPOSITORY)
    place = name.relative_to("docs") if name.parts[0] == "docs" else Path("repository") / name
    return place.with_name("index.md") if place.name == "README.md" else place


def mathml(formula, display):
    """Converts a formula; Markdown must not read anything in it."""
    markup = convert(" ".join(formula.split()), display=display)
    if unknown := re.search(r">\\[A-Za-z]+", markup):
        raise ValueError(f"the formula `{formula}` has {unknown[0][1:]}, which is not known")
    return re.sub(r"[*_|\\`\[\]~]", lambda special: f"&#{ord(special[0])};", markup)


class Page:
    """A page on its way into the book."""

    def __init__(self, file, pages, pictures):
        self.file, self.pages, self.pictures = file, pages, pictures
        self.kept = []

    def keep(self, text):
        """Puts a mark in place of text that is finished."""
        self.kept.append(text)
        return f"\x00{len(self.kept) - 1}\x00"

    def link(self, match):
        """Rewrites a link to a file of the repository."""
        picture, text, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        name, _, section = target.partition("#")
        file = Path(os.path.normpath(self.file.parent / name))
        if picture:
            self.pictures.add(file)
        elif file not in self.pages:
            return f"{text} (`{file.relative_to(REPOSITORY)}`)" if "`" not in text else text
        place = os.path.relpath(in_book(file), in_book(self.file).parent)
        return f"{picture}[{text}]({place}{'#' + section if section else ''})"

    def text(self):
        """Returns the page with its links rewritten and its formulas converted."""
        text = FENCE.sub(lambda code: self.keep(code[0]), self.file.read_text())
        text = LINK.sub(self.link, text)
        text = SPAN.sub(lambda code: self.keep(code[0]), text)
        text = DISPLAY.sub(lambda formula: self.keep(f'<div class="formula">{mathml(formula[1], "block")}</div>'), text)
        text = INLINE.sub(lambda formula: self.keep(mathml(formula[1], "inline")), text)
        while "\x00" in text:
            text = re.sub(r"\x00(\d+)\x00", lambda mark: self.kept[int(mark[1])], text)
        return text


def main():
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    summary = (BOOK / "SUMMARY.md").read_text()
    pages = {Path(os.path.normpath(BOOK / link[3])) for link in LINK.finditer(summary)}
    pictures = set()
    contents = LINK.sub(lambda link: f"[{link[2]}]({in_book(Path(os.path.normpath(BOOK / link[3])))})", summary)
    places = {Path("SUMMARY.md"): contents}
    for file in sorted(pages):
        try:
            places[in_book(file)] = Page(file, pages, pictures).text()
        except ValueError as error:
            sys.exit(f"{file.relative_to(REPOSITORY)}: {error}")
    for place, text in places.items():
        (out / place).parent.mkdir(parents=True, exist_ok=True)
        (out / place).write_text(text)
    for picture in pictures:
        (out / in_book(picture)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, out / in_book(picture))
    print(f"{len(pages)} pages, {len(pictures)} pictures")


main()
