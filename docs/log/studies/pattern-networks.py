#!/usr/bin/env python3
"""Makes tables of patterns by networks. Each pattern has a small network, whose inputs are the contents of the
pattern's squares and whose output is a weight. Its outputs for all configurations are the pattern's table. For
comparison, least squares fits tables directly, starting from 0, and starting from the tables of the networks.

    othello-trainer export GAMES --format npz --labels "34..38:lambda0.7" --out games.npz
    docs/log/studies/pattern-networks.py engine/core/patterns/egaroucid.toml games.npz 15000 16

The arguments are the pattern set, the positions, the number of training positions to use, and the number of units of
each of the two hidden layers. Each fit keeps the tables that have the least error on the validation positions. The
program prints their errors on the test positions: MSE in discs², MAE in discs.
"""
import sys
import time
import tomllib

import numpy

BATCH, RATE, STEPS, SLOPE = 2048, 0.004, 1500, 0.01


class Pattern:
    """A pattern: its instances, the class of each configuration, and the inputs of its network for each class."""

    def __init__(self, squares):
        instances, orders = {}, set()
        for image in images(squares):
            instances.setdefault(frozenset(image), image)
            if set(image) == set(squares):
                orders.add(tuple(squares.index(square) for square in image))
        self.instances = list(instances.values())
        powers = 3 ** numpy.arange(len(squares))
        digits = numpy.arange(3 ** len(squares))[:, None] // powers % 3
        smallest = numpy.minimum.reduce([digits @ powers[list(order)] for order in orders])
        kept, self.class_of = numpy.unique(smallest, return_inverse=True)
        self.inputs = numpy.hstack([digits[kept] == 1, digits[kept] == 2]).astype("f")

    def classes(self, cells):
        """Returns the class of the configuration on each instance (a row) in each position (a column)."""
        powers = 3 ** numpy.arange(len(self.instances[0]))
        return numpy.stack([self.class_of[cells[:, image] @ powers] for image in self.instances])


def images(squares):
    """Yields the squares under the eight symmetries."""
    for mirrored in range(2):
        for turns in range(4):
            image = numpy.array([divmod(square, 8) for square in squares])
            image[:, 1] = abs(image[:, 1] - 7 * mirrored)
            for _ in range(turns):
                image = numpy.stack([7 - image[:, 1], image[:, 0]], axis=1)
            yield tuple(int(row * 8 + column) for row, column in image)


class Network:
    """A network with two hidden layers of leaky rectified units and one output, fitted by Adam."""

    def __init__(self, random, inputs, units):
        widths = [inputs, units, units, 1]
        self.layers = [
            [random.normal(size=(a, b), scale=(2 / a) ** 0.5).astype("f"), numpy.zeros(b, "f")]
            for a, b in zip(widths, widths[1:])
        ]
        self.layers[2][0] /= 8
        self.moments = [[[numpy.zeros_like(one) for one in layer] for layer in self.layers] for _ in range(2)]

    def forward(self, inputs):
        """Returns the inputs of each layer, and the outputs."""
        taken = []
        for weights, bias in self.layers:
            if taken:
                inputs = numpy.where(inputs > 0, inputs, SLOPE * inputs)
            taken.append(inputs)
            inputs = inputs @ weights + bias
        return taken, inputs[:, 0]

    def learn(self, taken, error, rate, step):
        """Updates the weights by one step of Adam, given the error of each output."""
        error = error[:, None].astype("f")
        for number in reversed(range(3)):
            gradients = [taken[number].T @ error, error.sum(axis=0)]
            error = (error @ self.layers[number][0].T) * numpy.where(taken[number] > 0, 1, SLOPE).astype("f")
            for place, gradient in enumerate(gradients):
                first, second = self.moments[0][number][place], self.moments[1][number][place]
                first += 0.1 * (gradient - first)
                second += 0.001 * (gradient**2 - second)
                move = first / (1 - 0.9**step) / (numpy.sqrt(second / (1 - 0.999**step)) + 1e-8)
                self.layers[number][place] -= (rate * move).astype("f")


def predict(tables, rows):
    """Returns the values of positions; `rows` has the classes of each pattern in them."""
    return sum(table[one].astype("d") for table, row in zip(tables, rows) for one in row)


def slopes(sizes, rows, error):
    """Returns, for each pattern, the sum of the errors of the positions in which each class occurs."""
    return [numpy.bincount(row.ravel(), numpy.tile(error, len(row)), size) for row, size in zip(rows, sizes)]


def squares_of(values, labels):
    """Returns the mean squared error."""
    return ((values - labels) ** 2).mean()


def least_squares(start, fitted, checked):
    """Fits tables by conjugate gradients from `start`. Returns those of the pass with the least error on `checked`."""
    (rows, labels), (other, expected) = fitted, checked
    tables, sizes = [table.astype("d") for table in start], [len(table) for table in start]
    residual = labels - predict(tables, rows)
    slope = slopes(sizes, rows, residual)
    direction, length = slope, sum((one**2).sum() for one in slope)
    best, kept, since = squares_of(predict(tables, other), expected), tables, 0
    while since < 5:
        product = predict(direction, rows)
        step = length / (product**2).sum()
        tables = [table + step * one for table, one in zip(tables, direction)]
        residual -= step * product
        slope = slopes(sizes, rows, residual)
        before, length = length, sum((one**2).sum() for one in slope)
        direction = [one + length / before * two for one, two in zip(slope, direction)]
        error = squares_of(predict(tables, other), expected)
        since += 1
        if error < best:
            best, kept, since = error, tables, 0
    return kept


def networks(patterns, units, fitted, checked):
    """Fits networks. Returns their tables at the step with the least error on `checked`, and the number of parameters."""
    (rows, labels), (other, expected) = fitted, checked
    random = numpy.random.default_rng(1)
    all_networks = [Network(random, pattern.inputs.shape[1], units) for pattern in patterns]
    best, kept = numpy.inf, None
    for step in range(1, STEPS + 1):
        chosen = random.integers(len(labels), size=BATCH)
        error, memory = -labels[chosen] / 16, []
        for pattern, network, row in zip(patterns, all_networks, rows):
            met, places = numpy.unique(row[:, chosen], return_inverse=True)
            taken, values = network.forward(pattern.inputs[met])
            error += values[places.reshape(len(row), -1)].sum(axis=0)
            memory.append((taken, places.ravel(), len(row), len(met)))
        rate = RATE * 0.5 * (1 + numpy.cos(numpy.pi * step / STEPS))
        for network, (taken, places, instances, size) in zip(all_networks, memory):
            network.learn(taken, numpy.bincount(places, numpy.tile(error, instances), size) / BATCH, rate, step)
        if step % 100 == 0:
            tables = [16 * network.forward(pattern.inputs)[1] for pattern, network in zip(patterns, all_networks)]
            found = squares_of(predict(tables, other), expected)
            if found < best:
                best, kept = found, tables
    parameters = sum(one.size for network in all_networks for layer in network.layers for one in layer)
    return kept, parameters


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        described = tomllib.load(file)["pattern"]
    arrays, count, units = numpy.load(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    patterns = [
        Pattern(tuple(8 * (int(name[1]) - 1) + ord(name[0]) - ord("a") for name in one["squares"].split()))
        for one in described
    ]
    parts = []
    for subset in range(3):
        chosen = numpy.flatnonzero(arrays["subset"] == subset)[: count if subset == 0 else None]
        sides = [arrays[side][chosen][:, None].view("u1") for side in ("player", "opponent")]
        player, opponent = [numpy.unpackbits(side, axis=1, bitorder="little") for side in sides]
        rows = [pattern.classes(player + 2 * opponent) for pattern in patterns]
        parts.append((rows, arrays["label"][chosen].astype("d")))
    fitted, checked, (rows, labels) = parts

    def tell(name, tables, parameters):
        values = predict(tables, rows)
        errors = f"MSE {squares_of(values, labels):.1f}, MAE {abs(values - labels).mean():.2f}"
        print(f"{count} positions, {name}: {errors}, {parameters} numbers, {time.process_time():.0f} s", flush=True)

    zero = [numpy.zeros(len(pattern.inputs)) for pattern in patterns]
    sizes = sum(map(len, zero))
    tell("tables", least_squares(zero, fitted, checked), sizes)
    made, parameters = networks(patterns, units, fitted, checked)
    tell("networks", made, parameters)
    tell("tables from networks", least_squares(made, fitted, checked), sizes)


main()
