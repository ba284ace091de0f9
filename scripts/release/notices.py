#!/usr/bin/env python3
"""Lists what is linked: notices with the text of every licence, and a bill of materials.

    scripts/release/notices.py --out FOLDER [--target TRIPLE]... [--package NAME]...

By default what both programs are made of, for this machine.

FOLDER gets THIRD-PARTY.txt, and bill-of-materials.cdx.json in CycloneDX 1.5.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("othello-engine", "othello-trainer")
TEXTS = re.compile(r"^(licen[cs]e|copying|notice|unlicense)", re.IGNORECASE)
# What is linked besides crates. The C library of Linux is the system's own.
RUNTIMES = {
    "linux": "The Rust standard library is under MIT or Apache 2.0: https://github.com/rust-lang/rust",
    "windows": "The Rust standard library is under MIT or Apache 2.0: https://github.com/rust-lang/rust\n"
    "The start-up code of mingw-w64 is in the public domain or under ZPL 2.1:\n"
    "https://www.mingw-w64.org; libunwind is under Apache 2.0 with LLVM's exception.",
}


def cargo(*arguments):
    """Returns what a call of cargo printed."""
    call = [os.environ.get("CARGO", "cargo"), *arguments, "--locked"]
    return subprocess.run(call, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def linked(names, targets, edges):
    """Returns name and version of all packages that those named need on any of the targets."""
    found = set()
    for target in targets:
        on = ["--target", target] if target else []
        packages = [word for name in names for word in ("--package", name)]
        tree = cargo("tree", *packages, *on, "--edges", edges, "--prefix", "none", "--format", "{p}")
        found |= {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    return {(name, version.removeprefix("v")) for name, version in found}


def texts(package):
    """Returns the licence texts of a package, and of the sources that it carries (zstd does)."""
    folder = Path(package["manifest_path"]).parent
    files = [*folder.glob("*"), *folder.glob("*/*")]
    files = [path for path in files if path.is_file() and TEXTS.match(path.name)]
    written = [folder / package["license_file"]] if package["license_file"] else []
    files = sorted(path for path in {*files, *written} if path.suffix not in {".rs", ".toml", ".py"})
    return [(path.relative_to(folder).as_posix(), path.read_text(errors="replace").strip()) for path in files]


def notices(names, packages, targets):
    """Returns the text of THIRD-PARTY.txt. Texts that are the same are printed once."""
    lines = [f"What is linked into {' and '.join(names)}, besides their own code.", ""]
    systems = {"windows" if target and "windows" in target else "linux" for target in targets}
    lines += [RUNTIMES[system] for system in sorted(systems)] + [""]
    by_text = {}
    for package in packages:
        title = f"{package['name']} {package['version']}"
        found = texts(package)
        names = ", ".join(package["authors"]) or "its authors"
        lines.append(f"{title}: {package['license']}" + ("" if found else f" (no text in the package; by {names})"))
        for name, text in found:
            by_text.setdefault(" ".join(text.split()), (text, []))[1].append(f"{title} ({name})")
    for text, users in by_text.values():
        lines += ["", "=" * 80, *users, "-" * 80, text]
    return "\n".join(lines) + "\n"


def bill(packages, graph, version):
    """Returns the bill of materials."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(one["name"], one["version"]): one.get("checksum") for one in lock}
    reference = {one["id"]: f"pkg:cargo/{one['name']}@{one['version']}" for one in packages}
    components = []
    for one in packages:
        component = {
            "type": "library",
            "bom-ref": reference[one["id"]],
            "name": one["name"],
            "version": one["version"],
            "purl": reference[one["id"]],
            "licenses": [{"expression": one["license"].replace("/", " OR ")}],
        }
        if checksum := sums.get((one["name"], one["version"])):
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
    edges = [
        {"ref": reference[node["id"]], "dependsOn": sorted(reference[it] for it in node["dependencies"] if it in reference)}
        for node in graph
        if node["id"] in reference
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "othello-toolkit", "version": version}},
        "components": components,
        "dependencies": sorted(edges, key=lambda edge: edge["ref"]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--target", action="append")
    parser.add_argument("--package", action="append")
    arguments = parser.parse_args()
    targets, names = arguments.target or [None], arguments.package or PROGRAMS
    metadata = json.loads(cargo("metadata", "--format-version", "1"))
    needed = linked(names, targets, "normal,build")
    packages = [one for one in metadata["packages"] if (one["name"], one["version"]) in needed]
    packages.sort(key=lambda one: (one["name"], one["version"]))
    arguments.out.mkdir(parents=True, exist_ok=True)
    shipped = linked(names, targets, "normal")
    others = [one for one in packages if (one["name"], one["version"]) in shipped and one["source"]]
    (arguments.out / "THIRD-PARTY.txt").write_text(notices(names, others, targets))
    version = next(one["version"] for one in packages if one["name"] == names[0])
    found = bill(packages, metadata["resolve"]["nodes"], version)
    (arguments.out / "bill-of-materials.cdx.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
