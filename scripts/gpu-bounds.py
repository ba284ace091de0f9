#!/usr/bin/env python3
"""What the gradient kernels cost on a GPU, counted from their machine code, and the bounds that follow.

    scripts/gpu-bounds.py PTX PTXAS NVDISASM

PTX is a file of the trainer's cache (~/.cache/othello-trainer) for the standard set, PTXAS is NVIDIA's
(`scripts/nvrtc.sh --ptxas` gets it), NVDISASM too (`pip install nvidia-cuda-nvdisasm`). Prints a table,
whose least bounds are in trainer/docs/measured.md. Nothing here was timed: a bound says what cannot be passed, if the figures of
the cards below hold.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

SET = tomllib.load(open(pathlib.Path(__file__).parent.parent / "datasets/patterns/standard.toml", "rb"))
# Every pattern of the standard set has one mirror, so four instances, and about half as many classes as
# configurations. A scalar is a pattern of one instance.
CLASSES = [(3 ** n + 3 ** (n // 2)) // 2 for n in (len(p["squares"].split()) for p in SET["pattern"])]
SCALARS = len(SET["scalars"])
FEATURES = 4 * len(CLASSES) + SCALARS

# name, sm, multiprocessors, GHz, KiB of shared memory a block may have, main memory in TB/s,
# slices of the level-2 cache (one 64-bit reduction a clock each), level-2 reads in TB/s.
CARDS = [
    ("H200", 90, 132, 1.83, 227, 4.8, 96, 5.5),
    ("A100", 80, 108, 1.41, 163, 2.0, 80, 4.5),
    ("4090", 89, 128, 2.52, 99, 1.0, 72, 5.0),
]
ISSUE, HALF = 128, 64  # Lanes a clock and multiprocessor: all instructions, and each of the pipes below.
CONFLICT = 3.53  # The most lanes of 32 random ones that meet in a bank of 32, on average.

# Multiply-adds, and what else does not go through the pipe of additions, comparisons and logic.
FUSED = ("IMAD", "FFMA", "HFMA2", "IDP", "FMUL", "FADD", "HADD2")
MEMORY = ("LD", "ST", "ATOM", "RED")
CONTROL = ("BRA", "EXIT", "BSSY", "BSYNC", "NOP", "BAR", "YIELD", "WARPSYNC", "CALL", "RET", "S2R", "U")


def instructions(sass, kernel):
    """The instructions of a kernel, and the places of its labels."""
    text = sass.split(f".text.{kernel}:", 1)[1].split("//-----", 1)[0]
    found, labels = [], {}
    for line in text.splitlines():
        if label := re.match(r"(\.L_x_\d+):", line):
            labels[label[1]] = len(found)
        elif code := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d\s+)?([A-Z0-9_.]+)(.*);", line):
            found.append((code[1], code[2]))
    return found, labels


def loops(found, labels):
    """Every loop as its first and last instruction, the smallest first."""
    spans = []
    for place, (name, rest) in enumerate(found):
        target = re.search(r"\.L_x_\d+", rest)
        if name.startswith("BRA") and target and labels.get(target[0], place) < place:
            spans.append((labels[target[0]], place + 1))
    return sorted(spans, key=lambda span: span[1] - span[0])


def pipes(part):
    """Instructions in all, of the multiply-add pipe, of the pipe of additions and logic."""
    names = [name for name, _ in part]
    fused = sum(name.startswith(FUSED) for name in names)
    other = sum(name.startswith(MEMORY + CONTROL) for name in names)
    return [len(names), fused, len(names) - fused - other]


def for_each_row(sass, kernel):
    """What a kernel with one loop does for each row."""
    found, labels = instructions(sass, kernel)
    begin, end = loops(found, labels)[-1]
    return pipes(found[begin:end])


def for_each_feature(sass, kernel):
    """What a kernel by tiles does for each feature of a row, and for each row. The way through: its sums are
    carried beyond 32 bits so rarely that this is left out."""
    found, labels = instructions(sass, kernel)
    reads = [place for place, (name, _) in enumerate(found) if name.startswith("LDG.E.U16")]
    with_reads = [span for span in loops(found, labels) if any(span[0] <= r < span[1] for r in reads)]
    (begin, end), (first, last) = with_reads[0], with_reads[-1]
    inner, goes_on_at = [], begin
    for place in range(begin, end):
        name, rest = found[place]
        if place < goes_on_at:
            continue
        inner.append(found[place])
        target = re.search(r"\.L_x_\d+", rest)
        if name.startswith("BRA") and target and labels[target[0]] > place:
            over = [name for name, _ in found[place:labels[target[0]]]]
            # The jump over a reduction alone is taken; that over a feature is not.
            if any(n.startswith("RED") for n in over) and not any(n.startswith("ATOMS") for n in over):
                goes_on_at = labels[target[0]]
    rest_ends = min(place for place in labels.values() if place > max(reads))
    row = found[first:begin] + found[rest_ends:last]
    copies = sum(name.startswith("LDG.E.U16") for name, _ in inner)
    return [count / copies for count in pipes(inner)], pipes(row)


def main():
    ptx, ptxas, nvdisasm = sys.argv[1:]
    text = "\n".join(line for line in open(ptx).read().splitlines() if not line.startswith("//|"))
    text = re.sub(r"\.target sm_\d+", ".target sm_80", text)
    print("| | " + " | ".join(name for name, *_ in CARDS) + " |")
    print("|---" * (1 + len(CARDS)) + "|")
    columns = [bounds(card, text, ptxas, nvdisasm) for card in CARDS]
    for rows in zip(*columns):
        print(f"| {rows[0][0]} | " + " | ".join(value for _, value in rows) + " |")


def bounds(card, ptx, ptxas, nvdisasm):
    name, sm, count, ghz, shared, main_tb, slices, level2_tb = card
    with tempfile.TemporaryDirectory() as folder:
        open(f"{folder}/k.ptx", "w").write(ptx)
        subprocess.run([ptxas, "-arch", f"sm_{sm}", "-o", f"{folder}/k.cubin", f"{folder}/k.ptx"], check=True)
        sass = subprocess.run([nvdisasm, "-c", f"{folder}/k.cubin"], check=True, capture_output=True, text=True).stdout
    simple, classes, weigh = (for_each_row(sass, kernel) for kernel in ("residual_sums", "find_classes", "weigh"))
    # As the launcher does it: half of the shared memory where that is much.
    entries = (shared * 1024 // 2 if shared >= 128 else shared * 1024) // 4
    tiles = [-(-classes // entries) for classes in CLASSES]
    parts = {kernel: for_each_feature(sass, kernel) for kernel in ("add_tiles", "scatter_tiles")}

    def in_all(tiles):
        total = [a + b for a, b in zip(classes, weigh)]
        visits, passes = 4 * sum(tiles) + SCALARS, sum(tiles) + SCALARS
        for feature, row in parts.values():
            total = [t + visits * f + passes * r for t, f, r in zip(total, feature, row)]
        return total

    lanes = count * ghz  # Lanes of one a clock and multiprocessor, in G/s.
    rate = lambda cost: min(lanes * ISSUE / cost[0], lanes * HALF / cost[1], lanes * HALF / cost[2])
    gathers = lanes * 32 / (FEATURES * CONFLICT)
    figure = lambda number: f"{number:.2f} G/s"
    return [
        ("`residual_sums`: instructions (multiply-adds, additions and logic)", "{} ({}, {})".format(*simple)),
        ("`find_classes`, likewise", "{} ({}, {})".format(*classes)),
        ("`add_tiles`, a feature / a row and tile", f"{parts['add_tiles'][0][0]:.1f} / {parts['add_tiles'][1][0]}"),
        ("`scatter_tiles`, a feature / a row and tile", f"{parts['scatter_tiles'][0][0]:.1f} / {parts['scatter_tiles'][1][0]}"),
        ("`weigh`", f"{weigh[0]}"),
        (f"classes that a tile holds; tiles of {len(CLASSES)} patterns", f"{entries}; {sum(tiles)}"),
        ("simple: bound by instructions", figure(rate(simple))),
        ("simple: by gathers of 32-byte sectors from level 2", figure(1000 * level2_tb / (FEATURES * 32))),
        ("simple: by reductions of 64 bits in level 2", figure(slices * ghz / FEATURES)),
        ("fast: bound by instructions, all kernels", figure(rate(in_all(tiles)))),
        ("fast: the same with one tile a pattern", figure(rate(in_all([1] * len(CLASSES))))),
        ("fast: by gathers in shared memory", figure(gathers)),
        ("fast: by reductions in shared memory, two passes each", figure(gathers / 2)),
        ("fast: by level 2, 2 bytes a feature written, and read by both kernels for each tile",
         figure(1000 * level2_tb / (2 * FEATURES + 4 * (4 * sum(tiles) + SCALARS)))),
        ("20 bytes a position from main memory", figure(1000 * main_tb / 20)),
        ("144 bytes, the usual layout; two reductions a feature",
         f"{figure(1000 * main_tb / 144)}; {figure(slices * ghz / (2 * FEATURES))}"),
    ]


main()
