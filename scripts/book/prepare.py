#!/usr/bin/env python3
"""Prepares the pages of docs/SUMMARY.md for mdBook: prepare.py KATEX OUT

Pages of docs/ go to the root of OUT, pages of other folders to `repository/`. Formulas become HTML by KaTeX, whose
package lies in the folder KATEX, next to `formulas.mjs`; its style and fonts go into the book, which needs no network
and no script to show them. A link to a file that is not a page of the book becomes the path of this file.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

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


class Formulas:
    """The program that draws formulas."""

    def __init__(self, folder):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(["node", folder / "formulas.mjs"], stdin=pipe, stdout=pipe, text=True)

    def html(self, formula, display):
        """Draws a formula; Markdown must not read anything in the result."""
        print(json.dumps([formula, display]), file=self.process.stdin, flush=True)
        drawn = json.loads(self.process.stdout.readline())
        if "error" in drawn:
            raise ValueError(f"the formula `{formula}`: {drawn['error']}")
        return re.sub(r"[*_|\\`\[\]~\n]", lambda special: f"&#{ord(special[0])};", drawn["html"])


class Page:
    """A page on its way into the book."""

    def __init__(self, file, pages, pictures, formulas):
        self.file, self.pages, self.pictures, self.formulas = file, pages, pictures, formulas
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
        text = DISPLAY.sub(lambda formula: self.keep(f"<div>{self.formulas.html(formula[1], True)}</div>"), text)
        text = INLINE.sub(lambda formula: self.keep(self.formulas.html(formula[1], False)), text)
        while "\x00" in text:
            text = re.sub(r"\x00(\d+)\x00", lambda mark: self.kept[int(mark[1])], text)
        return text


def main():
    katex, out = Path(sys.argv[1]), Path(sys.argv[2])
    formulas = Formulas(katex)
    shutil.rmtree(out, ignore_errors=True)
    summary = (BOOK / "SUMMARY.md").read_text()
    pages = {Path(os.path.normpath(BOOK / link[3])) for link in LINK.finditer(summary)}
    pictures = set()
    contents = LINK.sub(lambda link: f"[{link[2]}]({in_book(Path(os.path.normpath(BOOK / link[3])))})", summary)
    places = {Path("SUMMARY.md"): contents}
    for file in sorted(pages):
        try:
            places[in_book(file)] = Page(file, pages, pictures, formulas).text()
        except ValueError as error:
            sys.exit(f"{file.relative_to(REPOSITORY)}: {error}")
    for place, text in places.items():
        (out / place).parent.mkdir(parents=True, exist_ok=True)
        (out / place).write_text(text)
    for picture in pictures:
        (out / in_book(picture)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, out / in_book(picture))
    style = katex / "node_modules/katex/dist"
    shutil.copytree(style / "fonts", out / "katex/fonts", ignore=lambda _, names: [n for n in names if not n.endswith(".woff2")])
    shutil.copy(style / "katex.min.css", out / "katex")
    shutil.copy(REPOSITORY / "scripts/book/book.css", out)
    print(f"{len(pages)} pages, {len(pictures)} pictures")


main()
