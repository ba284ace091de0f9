#!/usr/bin/env python3
"""Finds circles of imports between the modules of each crate, and fails on any.

A module is a file. It imports another where a `use` or a path in its code names something that the
other defines; what a room re-exports (`pub use`) counts for the file that defines it. Tests are left
out. A room's own file (mod.rs) and the files below it may know each other: they are one unit, and a
child that implements a part of its parent's type is no circle.

    scripts/import-circles.py [CRATE/src ...]
"""

import re
import sys
from pathlib import Path

CRATES = ["engine/core/src", "engine/src", "trainer/src", "kernels/src"]
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
            if parts == ("main",) or any(part in ("tests", "testing") for part in parts):
                continue
            self.files[parts] = file
        self.imports, self.exports, self.named = {}, {}, {}
        for module, file in self.files.items():
            self.read(module, without_tests(without_comments_and_strings(file.read_text())))

    def read(self, module, code):
        self.imports[module], self.exports[module] = set(), {}
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
        return str(self.files[module])


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
    """The same graph between the rooms, the folders at the top."""
    result = {}
    for module, targets in graph.items():
        own = result.setdefault(module[:1], set())
        own.update(target[:1] for target in targets if target[:1] != module[:1])
    for targets in list(result.values()):
        for target in targets:
            result.setdefault(target, set())
    return result


def main(roots):
    count = 0
    for root in roots:
        crate = Crate(root)
        graph = crate.graph()
        for circle in circles(graph):
            count += 1
            print(f"circle of {len(circle)} modules:", file=sys.stderr)
            for module in circle:
                to = ", ".join(crate.name(target) for target in sorted(graph[module]) if target in circle)
                print(f"  {crate.name(module)} imports {to}", file=sys.stderr)
        between = rooms(graph)
        for circle in circles(between):
            count += 1
            names = ", ".join("/".join(room) or "the crate's root" for room in circle)
            print(f"circle of rooms in {root}: {names}", file=sys.stderr)
            for module, targets in sorted(graph.items()):
                for target in sorted(targets):
                    if module[:1] != target[:1] and module[:1] in circle and target[:1] in circle:
                        print(f"  {crate.name(module)} imports {crate.name(target)}", file=sys.stderr)
    print(f"{count} circles of imports in {', '.join(roots)}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or CRATES))
