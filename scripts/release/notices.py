#!/usr/bin/env python3
"""Lists what is linked: notices with the text of every licence, and a bill of materials.

    scripts/release/notices.py TARGET FOLDER PACKAGE...

FOLDER gets THIRD-PARTY.txt, and bill-of-materials.cdx.json in CycloneDX 1.5.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXTS = re.compile(r"^(licen[cs]e|copying|notice|unlicense)", re.IGNORECASE)
# What is linked besides crates. The C library of Linux is the system's own.
RUNTIME = "The Rust standard library is under MIT or Apache 2.0: https://github.com/rust-lang/rust"
RUNTIME_OF_WINDOWS = """
The start-up code of mingw-w64 is in the public domain or under ZPL 2.1:
https://www.mingw-w64.org; libunwind is under Apache 2.0 with LLVM's exception."""


def cargo(*arguments):
    """Returns what a call of cargo printed."""
    call = [os.environ.get("CARGO", "cargo"), *arguments, "--locked"]
    return subprocess.run(call, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def linked(names, target, edges):
    """Returns all packages that those named need on a target."""
    roots = [f"--package={name}" for name in names]
    flags = ["--target", target, "--edges", edges, "--prefix", "none", "--format", "{p}"]
    lines = filter(None, cargo("tree", *roots, *flags).splitlines())
    needed = {tuple(line.replace(" v", " ", 1).split()[:2]) for line in lines}
    return [one for one in packages if (one["name"], one["version"]) in needed]


def texts(package):
    """Returns the licence texts of a package, and of the sources that it carries (zstd does)."""
    folder = Path(package["manifest_path"]).parent
    files = {path for path in [*folder.glob("*"), *folder.glob("*/*")] if TEXTS.match(path.name)}
    files |= {folder / package["license_file"]} if package["license_file"] else set()
    for path in sorted(files):
        if path.is_file() and path.suffix not in {".rs", ".toml", ".py"}:
            yield path.relative_to(folder).as_posix(), path.read_text(errors="replace").strip()


def notices(names, packages, target):
    """Returns the text of THIRD-PARTY.txt. Texts that are the same are printed once."""
    lines = [f"What is linked into {' and '.join(names)}, besides their own code.", ""]
    lines += [RUNTIME + (RUNTIME_OF_WINDOWS if "windows" in target else ""), ""]
    by_text = {}
    for package in packages:
        title = f"{package['name']} {package['version']}"
        found = list(texts(package))
        authors = ", ".join(package["authors"]) or "its authors"
        without = "" if found else f" (no text in the package; by {authors})"
        lines.append(f"{title}: {package['license']}{without}")
        for name, text in found:
            users = by_text.setdefault(" ".join(text.split()), (text, []))[1]
            users.append(f"{title} ({name})")
    for text, users in by_text.values():
        lines += ["", "=" * 80, *users, "-" * 80, text]
    return "\n".join(lines) + "\n"


def bill(packages, graph, version):
    """Returns the bill of materials."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(one["name"], one["version"]): one.get("checksum") for one in lock}
    reference = {one["id"]: f"pkg:cargo/{one['name']}@{one['version']}" for one in packages}
    components, edges = [], {}
    for one in packages:
        ref, name, number = reference[one["id"]], one["name"], one["version"]
        component = {"type": "library", "bom-ref": ref, "name": name, "version": number}
        licence = one["license"].replace("/", " OR ")
        component |= {"purl": ref, "licenses": [{"expression": licence}]}
        if checksum := sums.get((name, number)):
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
        edges[ref] = sorted(filter(None, map(reference.get, graph[one["id"]])))
    about = {"type": "application", "name": "othello-toolkit", "version": version}
    found = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1}
    found |= {"metadata": {"component": about}, "components": components}
    found["dependencies"] = [{"ref": ref, "dependsOn": on} for ref, on in sorted(edges.items())]
    return json.dumps(found, indent=1) + "\n"


target, folder, *names = sys.argv[1:]
metadata = json.loads(cargo("metadata", "--format-version", "1"))
graph = {node["id"]: node["dependencies"] for node in metadata["resolve"]["nodes"]}
packages = sorted(metadata["packages"], key=lambda one: (one["name"], one["version"]))
version = next(one["version"] for one in packages if one["name"] == names[0])
foreign = [one for one in linked(names, target, "normal") if one["source"]]
needed = linked(names, target, "normal,build")
folder = Path(folder)
folder.mkdir(parents=True, exist_ok=True)
(folder / "THIRD-PARTY.txt").write_text(notices(names, foreign, target))
(folder / "bill-of-materials.cdx.json").write_text(bill(needed, graph, version))
