#!/usr/bin/env python3
"""Finds imports that are not as ARCHITECTURE.md says, and circles of them, and fails on any.

A module is a file. It imports another where a `use` or a path in its code names something that
the other defines; what a room re-exports (`pub use`) counts for the file that defines it. Tests are
left out. A room's own file (mod.rs) and the files below it may know each other: they are one unit,
and a child that implements a part of its parent's type is no circle.

A room is a file or folder at the top of a crate. The block of arrows in ARCHITECTURE.md says what
it may use: the rooms to its left, directly or through others. A room that the arrows do not name,
an arrow of a room that is not there, and one that no import needs fail, too.

    scripts/import-circles.py
"""

import graphlib
import os
import re
import subprocess
import sys
from itertools import chain, pairwise
from pathlib import Path

# The crate of the attribute is below all others and knows none of them; none knows that of fuzzing.
APART = [":!engine/macros", ":!trainer/fuzz"]
# The first word of the line of arrows between crates.
BETWEEN_CRATES = "crates"
BEFORE_ARROWS = "A room may use those on its left, and no other:"
# Stands for all rooms to the right of an arrow.
ALL = "all"

# A comment, a text, or a character.
TOKEN = r"""(?s)//[^\n]*|/\*.*?\*/|r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^'\\])'"""
# An item of tests. rustfmt indents the end of a block like its beginning.
TEST = r"(?ms)^( *)#\[cfg\(test\)\][^;{]*(?:;|\{[^{}]*\}|\{.*?^\1\})"
USE = re.compile(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]*);")
BRACES = re.compile(r"([\w:]*)\{([^{}]*)\}")
PATH = re.compile(r"\b(?:crate|self|super)(?:::[A-Za-z_]\w*)+")
OTHER_CRATE = re.compile(r"\bothello_(?!macros\b)([a-z_]+)\s*::")


def use_paths(tree):
    """Yields the paths of a tree such as `a::{b, c::{self, d as e}}`, with the names they get."""
    tree = re.sub(r"\s*(::|[{},])\s*", r"\1", tree)
    while "{" in tree:
        tree = BRACES.sub(lambda it: ",".join(it[1] + x for x in it[2].split(",") if x), tree)
    for path in tree.split(","):
        path, _, alias = path.partition(" as ")
        parts = tuple(path.strip().removesuffix("::self").split("::"))
        yield parts, alias.strip() or parts[-1]


class Crate:
    """The modules of a crate: what each imports and re-exports, and which crates it names."""

    def __init__(self, root):
        self.files, self.imports, self.exports, self.other_crates = {}, {}, {}, {}
        for file in sorted(root.rglob("*.rs")):
            parts = file.relative_to(root).with_suffix("").parts
            if not {"tests", "testing", "bin"}.intersection(parts) and parts != ("main",):
                self.files[parts[:-1] if parts[-1] in ("mod", "lib") else parts] = file
        for module, file in self.files.items():
            code = re.sub(TOKEN, lambda it: "" if it[0].startswith("/") else '""', file.read_text())
            code = re.sub(TEST, "", code)
            self.imports[module], self.exports[module] = set(), {}
            self.other_crates[module] = set(OTHER_CRATE.findall(code))
            paths = [("", path) for path in PATH.findall(USE.sub("", code))]
            for public, tree in USE.findall(code) + paths:
                for path, name in use_paths(tree):
                    target = self.absolute(module, path)
                    if target is not None and public:
                        self.exports[module][name] = target
                    elif target is not None:
                        self.imports[module].add(target)

    def absolute(self, module, path):
        """Returns the path from the crate's root; None for one of another crate."""
        if path[0] == "crate":
            return path[1:]
        here = module
        while path and path[0] in ("self", "super"):
            here = here[:-1] if path[0] == "super" else here
            path = path[1:]
        is_here = here != module or not path or here + path[:1] in self.files
        return here + path if is_here else None

    def definer(self, path):
        """Returns the module that defines what a path names."""
        for _ in range(20):
            module = path
            while module not in self.files:
                module = module[:-1]
            rest = path[len(module) :]
            if not rest or rest[0] not in self.exports[module]:
                break
            path = self.exports[module][rest[0]] + rest[1:]
        return module

    def uses(self):
        """Returns which modules each module imports, except above and below it, and where."""
        uses = {module: {} for module in self.files}
        for module, imports in self.imports.items():
            for target in sorted(set(map(self.definer, imports))):
                length = min(len(module), len(target))
                if module[:length] != target[:length]:
                    uses[module][target] = [f"{self.files[module]} imports {self.files[target]}"]
        return uses


def rooms(modules):
    """Returns which rooms each room imports, and where. The crate's own file is no room."""
    uses = {module[0]: {} for module in modules if module}
    for module, targets in modules.items():
        for target, places in targets.items():
            if module and target and module[0] != target[0]:
                uses[module[0]].setdefault(target[0], []).extend(places)
    return uses


def read_arrows():
    """Reads the block of arrows: `CRATE: chain; chain`, and more chains on the lines below.

    Returns for each crate which rooms each room may use directly, and what says so.
    """
    text = Path("ARCHITECTURE.md").read_text()
    block = re.search(re.escape(BEFORE_ARROWS) + r"\s*```text\n(.*?)```", text, re.DOTALL)
    assert block, f"ARCHITECTURE.md has no block of arrows below `{BEFORE_ARROWS}`"
    crates, crate = {}, None
    for line in block[1].splitlines():
        head, _, chains = line.rpartition(":")
        crate = head.strip() or crate
        uses = crates.setdefault(crate, {})
        for arrow in filter(str.strip, chains.split(";")):
            steps = [[name.strip() for name in step.split(",")] for step in arrow.split("<-")]
            for name in chain(*steps):
                uses.setdefault(name, {})
            for left, right in pairwise(steps):
                for name in right:
                    uses[name] |= {other: [f"`{other} <- {name}`"] for other in left}
    return crates


def left_of(arrows, name):
    """Returns what a room may use: all to its left, directly or through others."""
    found, new = set(), {name, ALL}
    while new:
        new = {left for right in new for left in arrows.get(right, ())} - found
        found |= new
    return found


def circle(uses, of):
    """Yields a circle among those that use each other, if there is one."""
    try:
        graphlib.TopologicalSorter(uses).prepare()
    except graphlib.CycleError as error:
        places = (place for left, name in pairwise(error.args[1]) for place in uses[name][left])
        yield "\n  ".join([f"{of}: a circle:", *places])


def against_arrows(arrows, uses, of):
    """Yields what differs between the arrows and the imports."""
    for name in sorted(uses.keys() - arrows.keys()):
        yield f"{of}: no arrow names `{name}`"
    for name in sorted(arrows.keys() - uses.keys() - {ALL}):
        yield f"{of}: an arrow names `{name}`, which is not there"
    yield from circle(arrows, of)
    for name, targets in sorted(uses.items()):
        for target in sorted(targets.keys() - left_of(arrows, name)):
            head = f"{of}: no arrow leads from `{target}` to `{name}`:"
            yield "\n  ".join([head, *targets[target]])
        for target in sorted(arrows.get(name, {}).keys() - targets.keys()):
            yield f"{of}: no import needs the arrow `{target} <- {name}`"


def differences():
    """Yields all that is not as it should be."""
    arrows = read_arrows()
    listed = subprocess.check_output(["git", "ls-files", "*src/lib.rs", *APART], text=True).split()
    sources = {Path(lib).parts[-3].replace("-", "_"): Path(lib).parent for lib in listed}
    for name in sorted(arrows.keys() ^ {BETWEEN_CRATES, *sources}, key=str):
        yield f"`{name}:` has arrows, or is a crate, but not both"
    between = {}
    for name, root in sorted(sources.items()):
        crate = Crate(root)
        modules = crate.uses()
        yield from circle(modules, name)
        yield from against_arrows(arrows.get(name, {}), rooms(modules), name)
        between[name] = {}
        for module, others in sorted(crate.other_crates.items()):
            for other in others - {name}:
                between[name].setdefault(other, []).append(str(crate.files[module]))
    yield from against_arrows(arrows.get(BETWEEN_CRATES, {}), between, BETWEEN_CRATES)


if __name__ == "__main__":
    os.chdir(Path(__file__).parent.parent)
    found = list(differences())
    print(*found, f"{len(found)} imports or arrows to mend", sep="\n")
    sys.exit(1 if found else 0)
