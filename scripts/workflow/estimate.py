#!/usr/bin/env python3
"""The time that a recipe takes on paper: its steps, with measured rates, on so many cores.

    scripts/workflow/estimate.py [RECIPE]

Each step takes the core seconds of the rates below, is split as the Snakefile splits it with a
shard a core, and begins when its inputs are there and cores are free. Queues, copies and starts of
programs take no time. The table is in docs/guides/cluster.md.
"""

import argparse
import heapq
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Core seconds a game by depth, of docs/current-figures.md: schedules with up to 45 random moves,
# and, at another rate, exploring games; patterns alone took 0.78 of the time of `scalars`.
PLAIN, EXPLORING, DEEPER, DEEPEST, BEST = 0.00145 / 0.78, 0.00177 / 0.78, 0.013, 0.025, 0.13
# By 32 factors: docs/log/line.md. To depth 2, perfect from 12 or 13; to depth 4
# at 73 %, perfect from 15 or 16; to depth 6, 87 % sure from 20 or 21 on.
SHALLOW, BALANCED, WELL_ENDED = 0.00082, 0.006, 0.033
RELABELLED = 0.008  # To depth 6 at 87 %, exact from 14: 4.5 times as long as a plain game of factors.
SEARCHED = 0.003  # Leaves of searches 1 to 4 plies deep of all positions of a game.
LEAF = 0.000005  # An opening of the last ply to depth 2; twice as long for each further ply.
LEAVES = {5: 322, 8: 67_245, 9: 434_029, 11: 19_786_627}
# Core seconds a game: the layout by phase, and an epoch of a fit without and with factors, so that
# the fits to 3.1 million games of docs/current-figures.md come to 17 and 46 minutes.
LAYOUT, EPOCH, EPOCH_FACTORS = 0.0001, 0.00003, 0.00013
CALIBRATED = {"ordering": 250, "probcut": 215, "realization": 300, "ends": 400}
MATCH_PAIR, MERGED_GAME = 0.01, 0.0000023
# Cores that one process of a step keeps busy at most: assumed. An H200 fits factors as fast as so many cores.
PROCESS, GPU = 16, 30
FIT_PARTS = 12


def read_steps(recipe):
    reader = ["awk", "-v", "seed=1", "-v", "out=", "-v", "revision=", "-f", HERE / "../recipe/steps.awk", recipe]
    lines = subprocess.run(reader, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {line.split("\t")[0]: line.split("\t")[3:] for line in lines}


def flag(arguments, name, default=None):
    return arguments[arguments.index(name) + 1] if name in arguments else default


def games_of(steps, inputs):
    """The games that files hold: those that were played, or those of the file that was relabelled."""
    total = 0
    for name in inputs:
        arguments = steps.get(name, [""])
        total += int(flag(arguments, "--games", 0)) if arguments[0] == "selfplay" else 0
        total += games_of(steps, inputs_of(steps, arguments)[:1]) if arguments[0] == "relabel" else 0
        total += games_of(steps, inputs_of(steps, arguments)) if arguments[0] == "leaves" else 0
    return total


def inputs_of(steps, arguments):
    return [word[1:] for word in arguments if word[1:] in steps]


def core_seconds_of_a_game(arguments):
    """The measured rate of games that are played so."""
    depth = int(flag(arguments, "--depth"))
    if "--ends" in arguments:
        return WELL_ENDED
    if depth == 4:
        return EXPLORING if "--exploration" in arguments else BALANCED if "--openings" in arguments else PLAIN
    return {2: SHALLOW, 6: DEEPER, 8: DEEPEST, 10: BEST}.get(depth, PLAIN)


def tasks_of(steps, arguments, cores, gpus):
    """The stages of a step, one after another: how many parts each has, the core seconds of all of
    them, and how many cores a part may take."""
    command, alone = arguments[0], min(cores, PROCESS)
    if command == "selfplay":
        games = int(flag(arguments, "--games"))
        return [(cores, games * core_seconds_of_a_game(arguments), 1), (1, games * MERGED_GAME, 1)]
    if command == "relabel":
        games = games_of(steps, inputs_of(steps, arguments)[:1])
        return [(cores, games * RELABELLED, 1), (1, games * MERGED_GAME, 1)]
    if command == "leaves":
        return [(1, games_of(steps, inputs_of(steps, arguments)) * SEARCHED, alone)]
    if command == "openings":
        leaves = LEAVES[int(flag(arguments, "--plies"))]
        return [(cores, leaves * LEAF * 2 ** (int(flag(arguments, "--score-depth")) - 2), 1)]
    if command == "match":
        return [(cores, int(flag(arguments, "--pairs")) * MATCH_PAIR, 1)]
    if command == "fit":
        games = games_of(steps, inputs_of(steps, arguments))
        factors = "--init" in arguments or flag(arguments, "--patterns") == "factors"
        epochs = int(flag(arguments, "--epochs", 8 if games > 1_000_000 else 40))
        seconds = games * epochs * (EPOCH_FACTORS if factors else EPOCH)
        fit = (1, seconds / GPU, 1) if gpus else (min(cores, FIT_PARTS), seconds, max(1, min(PROCESS, cores // FIT_PARTS)))
        # The last pass of the layout, taken for half of it, is one thread's work.
        return [(1, games * LAYOUT / 2, alone), (1, games * LAYOUT / 2, 1), fit]
    return [(1, CALIBRATED.get(arguments[1], 1), alone)]


def schedule(steps, cores, gpus=0):
    """The seconds from begin to end, the core seconds, and what those steps took that ended last of
    the inputs of the next: the critical path."""
    ended, before, free, work = {}, {}, [0.0] * cores, 0.0
    path_share = {}
    for name, arguments in steps.items():
        inputs = inputs_of(steps, arguments) + [word[1:-5] for word in arguments if word[1:].endswith(".json")]
        begin = max((ended.get(i, 0.0) for i in inputs), default=0.0)
        before[name] = max(inputs, key=lambda i: ended.get(i, 0.0), default=None)
        first = begin
        for parts, seconds, width in tasks_of(steps, arguments, cores, gpus):
            work += seconds
            done = begin
            for _ in range(parts):
                taken = [heapq.heappop(free) for _ in range(width)]
                end = max(begin, *taken) + seconds / parts / width
                for _ in taken:
                    heapq.heappush(free, end)
                done = max(done, end)
            begin = done
        ended[name] = begin
        path_share[name] = begin - first
    name, path = max(ended, key=ended.get), []
    while name:
        path.append((name, path_share[name]))
        name = before[name]
    return max(ended.values()), work, path[::-1]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = HERE / "../recipe/default.toml"
    arguments.add_argument("recipe", nargs="?", type=Path, default=default, metavar="RECIPE")
    steps = read_steps(arguments.parse_args().recipe)
    for cores, gpus in [(1, 0), (16, 0), (64, 0), (256, 0), (1024, 0), (16, 1), (256, 1)]:
        seconds, work, path = schedule(steps, cores, gpus)
        longest = sorted(path, key=lambda step: -step[1])[:4]
        print(f"{cores} cores, {gpus} GPU: {seconds / 3600:.2f} h, of {work / 3600:.1f} core hours; busy {work / cores / seconds:.0%};", end=" ")
        print("longest on the path:", ", ".join(f"{name} {s / 60:.1f} min" for name, s in longest))


if __name__ == "__main__":
    main()
