#!/usr/bin/env python3
"""Trains a small network that evaluates positions without patterns. It has 128 inputs (for each square, whether the
player has a disc there, and whether the opponent has), two hidden layers of 32 rectified units, and one output, the
value. Adam fits it to positions of a few plies.

    othello-trainer export GAMES --format npz --labels "34..38:solved" --out train.npz
    othello-trainer export TEST --format npz --labels all:exact --out test.npz
    docs/log/studies/small-network.py train.npz test.npz 20

The arguments are the training positions, the test positions, and the number of epochs. In every epoch, each batch of
positions is shown in one of the eight images of the board. After each epoch, the program prints the MSE in discs², the
MAE in discs, and the processor time in seconds.
"""
import sys
import time

import numpy

WIDTHS = [128, 32, 32, 1]
BATCH, RATE = 1024, 0.002


def read(path):
    """Returns the discs of both sides, as 2 x 8 x 8 numbers (0 or 1) for each position, and the labels in discs."""
    arrays = numpy.load(path)
    sides = numpy.stack([arrays["player"], arrays["opponent"]], axis=1)
    bits = numpy.unpackbits(sides.view(numpy.uint8), axis=1, bitorder="little")
    return bits.reshape(-1, 2, 8, 8), arrays["label"]


def image(boards, number):
    """Returns the boards under one of the eight symmetries."""
    boards = numpy.rot90(boards, number % 4, axes=(2, 3))
    return boards[:, :, ::-1] if number >= 4 else boards


def forward(layers, inputs):
    """Returns the inputs of each layer, and the values of the positions."""
    taken = []
    for number, (weights, bias) in enumerate(layers):
        taken.append(inputs)
        inputs = inputs @ weights + bias
        if number + 1 < len(layers):
            inputs = numpy.maximum(inputs, 0)
    return taken, inputs[:, 0]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    (boards, labels), (test, expected) = read(sys.argv[1]), read(sys.argv[2])
    random = numpy.random.default_rng(1)
    layers = [
        [random.normal(size=(a, b), scale=(2 / a) ** 0.5).astype("f"), numpy.zeros(b, "f")]
        for a, b in zip(WIDTHS, WIDTHS[1:])
    ]
    moments = [[[numpy.zeros_like(one) for one in layer] for layer in layers] for _ in range(2)]
    epochs, steps, begun = int(sys.argv[3]), 0, time.process_time()
    total = epochs * (len(labels) // BATCH)
    for epoch in range(1, epochs + 1):
        order, squares, turn = random.permutation(len(labels)), 0.0, random.integers(8)
        for start in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            inputs = image(boards[chosen], (start // BATCH + turn) % 8).reshape(BATCH, -1).astype("f")
            taken, values = forward(layers, inputs)
            error = (values - labels[chosen] / 16)[:, None]
            squares += float((error**2).sum()) * 256
            steps += 1
            rate = RATE * 0.5 * (1 + numpy.cos(numpy.pi * steps / total))
            for number in reversed(range(len(layers))):
                gradients = [taken[number].T @ error / BATCH, error.mean(axis=0)]
                error = (error @ layers[number][0].T) * (taken[number] > 0)
                for place, gradient in enumerate(gradients):
                    first, second = moments[0][number][place], moments[1][number][place]
                    first += 0.1 * (gradient - first)
                    second += 0.001 * (gradient**2 - second)
                    step = first / (1 - 0.9**steps) / (numpy.sqrt(second / (1 - 0.999**steps)) + 1e-8)
                    layers[number][place] -= (rate * step).astype("f")
        values = [forward(layers, image(test, n).reshape(len(test), -1).astype("f"))[1] for n in range(8)]
        one, mean = values[0] * 16 - expected, sum(values) * 2 - expected
        print(
            f"epoch {epoch}: training MSE {squares / start:.1f}, test MSE {(one**2).mean():.1f}, MAE {abs(one).mean():.2f};"
            f" mean of eight images MAE {abs(mean).mean():.2f}; {time.process_time() - begun:.0f} s", flush=True)


main()
