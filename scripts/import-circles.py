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

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
CRATES = {
    "core": "engine/core/src",
    "cli": "engine/cli/src",
    "engine": "engine/src",
    "capi": "engine/capi/src",
    "web": "engine/web/src",
    "testing": "engine/testing/src",
    "kernels": "kernels/src",
    "stand_in": "kernels/stand-in/src",
    "fit": "trainer/fit/src",
    "lab": "trainer/lab/src",
    "trainer": "trainer/src",
    "python": "trainer/python/src",
}
# The first word of the line of arrows between crates.
BETWEEN_CRATES = "crates"
BEFORE_ARROWS = "A room may use those on its left, and no other:"
# Stands for all rooms to the right of an arrow.
ALL = "all"
# The crate of the attribute is below all others and knows none of them.
OTHER_CRATE = re.compile(r"\bothello_(?!macros\b)([a-z_]+)\s*::")
PATH = re.compile(r"\b(?:crate|self|super)(?:::[A-Za-z_][A-Za-z_0-9]*)+(?:::\{|::\*)?")


def without_comments_and_strings(code):
    token = re.compile(
        r"""//[^\n]*|/\*.*?\*/|r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^'\\])'""", re.S
    )
    return token.sub(lambda found: "" if found[0].startswith("/") else '""', code)


def end_of_block(code, begin):
    depth = 0
    for place in range(begin, len(code)):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0 and code[place] == "}":
            return place + 1
    return len(code)


def without_tests(code):
    attribute = re.compile(r"#\[cfg\(test\)\]")
    while found := attribute.search(code):
        rest = re.compile(r"[;{]").search(code, found.end())
        if not rest:
            return code[: found.start()]
        end = rest.end() if rest[0] == ";" else end_of_block(code, rest.start())
        code = code[: found.start()] + code[end:]
    return code


def use_paths(tree, prefix=()):
    """The paths of a use tree such as `a::{b, c::{self, d as e}}`, with the names that they get."""
    tree = tree.strip()
    if "{" in tree:
        before, inside = tree.split("{", 1)
        prefix = prefix + tuple(part.strip() for part in before.split("::") if part.strip())
        inside, depth, piece = inside.rsplit("}", 1)[0], 0, ""
        for letter in inside + ",":
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                if piece.strip():
                    yield from use_paths(piece, prefix)
                piece = ""
            else:
                piece += letter
        return
    path, _, alias = tree.partition(" as ")
    parts = prefix + tuple(part.strip() for part in path.split("::"))
    if parts[-1] == "self":
        parts = parts[:-1]
    yield parts, alias.strip() or parts[-1]


class Crate:
    def __init__(self, root):
        self.root = Path(root)
        self.files = {}
        for file in sorted(self.root.rglob("*.rs")):
            parts = file.relative_to(self.root).with_suffix("").parts
            if parts[-1] in ("mod", "lib"):
                parts = parts[:-1]
            is_test = any(part in ("tests", "testing") for part in parts)
            if is_test or parts == ("main",) or parts[:1] == ("bin",):
                continue
            self.files[parts] = file
        self.imports, self.exports, self.other_crates = {}, {}, {}
        for module, file in self.files.items():
            self.read(module, without_tests(without_comments_and_strings(file.read_text())))

    def read(self, module, code):
        self.imports[module], self.exports[module] = set(), {}
        self.other_crates[module] = set(OTHER_CRATE.findall(code))
        use = re.compile(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]*);")
        for public, tree in use.findall(code):
            for path, name in use_paths(tree):
                target = self.absolute(module, path)
                if target is None:
                    continue
                if public:
                    self.exports[module][name] = target
                else:
                    self.imports[module].add(target)
        for path in PATH.findall(use.sub("", code)):
            target = self.absolute(module, tuple(path.rstrip(":{*").split("::")))
            if target is not None:
                self.imports[module].add(target)

    def absolute(self, module, path):
        """The path from the crate's root; None for one of another crate."""
        if path[0] == "crate":
            return path[1:]
        here = module
        while path and path[0] in ("self", "super"):
            here = here[:-1] if path[0] == "super" else here
            path = path[1:]
        if here != module or not path or here + path[:1] in self.files:
            return here + path
        return None

    def definer(self, path):
        """The module that defines what a path names."""
        for _ in range(20):
            module = path
            while module not in self.files:
                module = module[:-1]
            rest = path[len(module) :]
            exported = self.exports[module].get(rest[0]) if rest else None
            if exported is None:
                return module
            path = exported + rest[1:]
        return module

    def graph(self):
        graph = {module: set() for module in self.files}
        for module, imports in self.imports.items():
            for path in imports:
                target = self.definer(path)
                # A room and what is below it are one unit.
                related = target[: len(module)] == module or module[: len(target)] == target
                if not related:
                    graph[module].add(target)
        return graph

    def name(self, module):
        return str(self.files[module].relative_to(REPOSITORY))


def circles(graph):
    """The strongly connected components of more than one module (Tarjan)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for next_node in sorted(graph[node]):
            if next_node not in number:
                visit(next_node)
                low[node] = min(low[node], low[next_node])
            elif next_node in stack:
                low[node] = min(low[node], number[next_node])
        if low[node] == number[node]:
            component = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(component) > 1:
                found.append(sorted(component))

    sys.setrecursionlimit(10_000)
    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def rooms(graph):
    """The imports between the rooms, the folders at the top: for each room what it uses, each with
    the pairs of modules. The crate's own file is no room."""
    result = {module[0]: {} for module in graph if module}
    for module, targets in sorted(graph.items()):
        for target in sorted(targets):
            if module and target and module[0] != target[0]:
                result[module[0]].setdefault(target[0], []).append((module, target))
    return result


class Arrows:
    """The arrows of one crate, or those between crates: which name may use which directly."""

    def __init__(self):
        self.uses, self.used_by_all = {}, set()

    def add(self, chain):
        """Adds a chain such as `a, b <- c <- d`."""
        steps = [[name.strip() for name in step.split(",")] for step in chain.split("<-")]
        for names in steps:
            for name in names:
                if not re.fullmatch(r"[a-z_]+", name):
                    raise ValueError(f"`{name}` in `{chain.strip()}` is no name of a room")
                if name != ALL:
                    self.uses.setdefault(name, set())
        for left, right in zip(steps, steps[1:]):
            if ALL in left or ALL in right and right != [ALL]:
                raise ValueError(f"`{ALL}` must stand alone at the end of `{chain.strip()}`")
            if right == [ALL]:
                self.used_by_all.update(left)
            for name in right:
                if name != ALL:
                    self.uses[name].update(left)

    def left_of(self, name):
        """What a name may use: all to its left, directly or through others."""
        found, open_names = set(self.used_by_all), [name]
        while open_names:
            for left in self.uses.get(open_names.pop(), ()):
                if left not in found:
                    found.add(left)
                    open_names.append(left)
        return found

    @staticmethod
    def read(text):
        """Reads the block of arrows: `CRATE: chain; chain`, and more chains on the lines below."""
        _, found, below = text.partition(BEFORE_ARROWS)
        block = re.match(r"\s*```text\n(.*?)```", below, re.S)
        if not found or not block:
            raise ValueError(f"there is no block of arrows below `{BEFORE_ARROWS}`")
        crates, current = {}, None
        for line in block[1].splitlines():
            crate, _, chains = line.rpartition(":")
            if crate:
                current = crates.setdefault(crate.strip(), Arrows())
            if current is None:
                raise ValueError(f"`{line}` belongs to no crate")
            for chain in filter(str.strip, chains.split(";")):
                current.add(chain)
        return crates


def against_arrows(arrows, uses, of):
    """Yields what differs between the arrows and the imports: what each name uses, and where."""
    for name in sorted(uses.keys() - arrows.uses.keys()):
        yield f"{of}: no arrow names `{name}`"
    for name in sorted(arrows.uses.keys() - uses.keys()):
        yield f"{of}: an arrow names `{name}`, which is not there"
    for circle in circles(arrows.uses):
        yield f"{of}: the arrows go round in a circle: {', '.join(circle)}"
    for name, targets in sorted(uses.items()):
        for target, places in sorted(targets.items()):
            if target not in arrows.left_of(name):
                yield f"{of}: no arrow leads from `{target}` to `{name}`:\n" + "\n".join(
                    f"  {place}" for place in places
                )
    for name, left in sorted(arrows.uses.items()):
        for target in sorted(left):
            if name in uses and target in uses and target not in uses[name]:
                yield f"{of}: no import needs the arrow `{target} <- {name}`"


def circles_of(crate, graph):
    """Yields the circles between modules, and those between rooms."""
    for circle in circles(graph):
        imports = (
            f"  {crate.name(module)} imports "
            + ", ".join(crate.name(target) for target in sorted(graph[module]) if target in circle)
            for module in circle
        )
        yield "\n".join([f"circle of {len(circle)} modules:", *imports])
    between = rooms(graph)
    for circle in circles(between):
        imports = (
            f"  {crate.name(module)} imports {crate.name(target)}"
            for room in circle
            for target_room, pairs in between[room].items()
            if target_room in circle
            for module, target in pairs
        )
        root = crate.root.relative_to(REPOSITORY)
        yield "\n".join([f"circle of rooms in {root}: {', '.join(circle)}", *imports])


def differences():
    """Yields all that is not as it should be."""
    arrows = Arrows.read((REPOSITORY / "ARCHITECTURE.md").read_text())
    for name in sorted(arrows.keys() ^ {BETWEEN_CRATES, *CRATES}):
        yield f"`{name}:` has arrows, or is a crate, but not both"
    of_crates = {}
    for name, root in CRATES.items():
        crate = Crate(REPOSITORY / root)
        graph = crate.graph()
        yield from circles_of(crate, graph)
        uses = {
            room: {
                target: [f"{crate.name(one)} imports {crate.name(other)}" for one, other in pairs]
                for target, pairs in targets.items()
            }
            for room, targets in rooms(graph).items()
        }
        yield from against_arrows(arrows.get(name, Arrows()), uses, name)
        of_crates[name] = {}
        for module, others in sorted(crate.other_crates.items()):
            for other in others - {name}:
                of_crates[name].setdefault(other, []).append(crate.name(module))
    yield from against_arrows(arrows.get(BETWEEN_CRATES, Arrows()), of_crates, BETWEEN_CRATES)


def main():
    try:
        found = list(differences())
    except ValueError as error:
        found = [f"ARCHITECTURE.md: {error}"]
    for difference in found:
        print(difference, file=sys.stderr)
    print(f"{len(found)} imports or arrows to mend in {', '.join(CRATES.values())}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
