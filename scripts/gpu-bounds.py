#!/usr/bin/env python3
"""What the kernels of gradients and of exact scores cost on a GPU, counted from their machine code, and the
bounds that follow.

    scripts/gpu-bounds.py PTX PTXAS NVDISASM

PTX is a file of the trainer's cache (~/.cache/othello-trainer) for the standard set, PTXAS is NVIDIA's
(`scripts/nvrtc.sh --ptxas` gets it), NVDISASM too (`pip install nvidia-cuda-nvdisasm`). Prints a table;
trainer/docs/measured.md has its bounds beside what was measured. A bound says what cannot be passed, if the
figures of the cards below hold.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

SET = tomllib.load(open(pathlib.Path(__file__).parent.parent / "datasets/patterns/standard.toml", "rb"))
# Every pattern of the standard set has one mirror, so four instances.
FEATURES = 4 * len(SET["pattern"]) + len(SET["scalars"])

# name, sm, multiprocessors, GHz, main memory in TB/s, slices of the level-2 cache (one 64-bit reduction a
# clock each), level-2 reads in TB/s.
CARDS = [
    ("H200", 90, 132, 1.83, 4.8, 96, 5.5),
    ("A100", 80, 108, 1.41, 2.0, 80, 4.5),
    ("4090", 89, 128, 2.52, 1.0, 72, 5.0),
]
ISSUE, HALF = 128, 64  # Lanes a clock and multiprocessor: all instructions, and each of the pipes below.

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


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    ptx, ptxas, nvdisasm = sys.argv[1:]
    text = "\n".join(line for line in open(ptx).read().splitlines() if not line.startswith("//|"))
    text = re.sub(r"\.target sm_\d+", ".target sm_80", text)
    print("| | " + " | ".join(name for name, *_ in CARDS) + " |")
    print("|---" * (1 + len(CARDS)) + "|")
    columns = [bounds(card, text, ptxas, nvdisasm) for card in CARDS]
    for rows in zip(*columns):
        print(f"| {rows[0][0]} | " + " | ".join(value for _, value in rows) + " |")


def bounds(card, ptx, ptxas, nvdisasm):
    _, sm, count, ghz, main_tb, slices, level2_tb = card
    with tempfile.TemporaryDirectory() as folder:
        open(f"{folder}/k.ptx", "w").write(ptx)
        subprocess.run([ptxas, "-arch", f"sm_{sm}", "-o", f"{folder}/k.cubin", f"{folder}/k.ptx"], check=True)
        sass = subprocess.run([nvdisasm, "-c", f"{folder}/k.cubin"], check=True, capture_output=True, text=True).stdout
    cost = for_each_row(sass, "residual_sums")
    lanes = count * ghz  # Lanes of one a clock and multiprocessor, in G/s.
    bound = lambda cost: min(lanes * ISSUE / cost[0], lanes * HALF / cost[1], lanes * HALF / cost[2])
    step = for_each_row(sass, "solve")
    figure = lambda number: f"{number:.2f} G/s"
    return [
        ("`residual_sums`: instructions (multiply-adds, additions and logic)", "{} ({}, {})".format(*cost)),
        ("bound by instructions", figure(bound(cost))),
        ("by gathers of 32-byte sectors from level 2", figure(1000 * level2_tb / (FEATURES * 32))),
        ("by reductions of 64 bits in level 2", figure(slices * ghz / FEATURES)),
        ("20 bytes a position from main memory", figure(1000 * main_tb / 20)),
        ("144 bytes, the usual layout; two reductions a feature",
         f"{figure(1000 * main_tb / 144)}; {figure(slices * ghz / (2 * FEATURES))}"),
        ("`solve`: instructions of a step, if every branch is taken", "{} ({}, {})".format(*step)),
        ("bound of steps by instructions", figure(bound(step))),
    ]


main()
