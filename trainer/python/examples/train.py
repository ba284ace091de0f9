"""Trains a model of one's own in PyTorch on games, and exports it: python train.py GAMES WEIGHTS

Each class of the pattern set has a number in every phase, and one that six neighbouring phases
share: the sum of both is a table again, so that the engine plays it.
"""

import argparse

import torch
from torch import nn

import othello_toolkit as othello

PHASES, SHARED = 60, 6


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.own = nn.EmbeddingBag(PHASES * size, 1, mode="sum")
        self.shared = nn.EmbeddingBag(PHASES // SHARED * size, 1, mode="sum")
        nn.init.zeros_(self.own.weight)
        nn.init.zeros_(self.shared.weight)

    def forward(self, ply, classes):
        own = self.own(ply[:, None] * self.size + classes)
        shared = self.shared(ply[:, None] // SHARED * self.size + classes)
        return (own + shared)[:, 0]

    def tables(self):
        own = self.own.weight.detach().reshape(PHASES, self.size)
        shared = self.shared.weight.detach().reshape(-1, self.size)
        return (own + shared.repeat_interleave(SHARED, dim=0)).numpy()


def batches(games, pattern_set, subset, shuffle=None):
    """Batches of positions as tensors: ply, classes, label and weight."""
    for batch in othello.positions(games, subset=subset, shuffle=shuffle, batch=4096):
        classes = pattern_set.classes(batch.player, batch.opponent)
        arrays = batch.ply, classes, batch.label, batch.weight
        ply, classes, label, weight = map(torch.from_numpy, arrays)
        yield ply.long(), classes.long(), label, weight


def error(model, games, pattern_set, subset):
    """The mean absolute error in discs."""
    with torch.no_grad():
        errors = [
            (model(ply, classes) - label).abs()
            for ply, classes, label, _ in batches(games, pattern_set, subset)
        ]
    return torch.cat(errors).mean().item()


def train(games, pattern_set, epochs, rate):
    torch.manual_seed(1)
    model = Model(pattern_set.size)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for epoch in range(epochs + 1):
        mae = error(model, games, pattern_set, "validation")
        print(f"{epoch} epochs: validation error {mae:.2f} discs", flush=True)
        if epoch == epochs:
            return model
        for ply, classes, label, weight in batches(games, pattern_set, "training", epoch):
            loss = (weight * (model(ply, classes) - label) ** 2).sum() / weight.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games")
    parser.add_argument("weights")
    parser.add_argument("--patterns", default="small")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=0.05)
    arguments = parser.parse_args()
    pattern_set = othello.PatternSet.load(arguments.patterns)
    model = train(arguments.games, pattern_set, arguments.epochs, arguments.rate)
    # The tables hold ±128 discs.
    tables = model.tables().clip(-127, 127)
    weights = othello.Weights.from_arrays(pattern_set, tables, note="examples/train.py")
    print("sha256", weights.save(arguments.weights, force=True))
