#!/usr/bin/env python3
"""The inner loop of a fit as scipy does it: X·w and then Xᵀ·r, with X in compressed sparse rows.

    othello-trainer bench --data wthor.games --indices indices.bin
    scripts/sparse-product.py indices.bin 65 320258

The arguments are the file, the features of a position and the parameters of the pattern set. Prints
million positions a second of processor time on one thread, best of five, and the bytes of X.
"""
import sys
import time

import numpy
import scipy.sparse

if len(sys.argv) != 4:
    sys.exit(__doc__)
path, features, parameters = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
indices = numpy.fromfile(path, dtype="<u4").astype(numpy.int32)
positions = len(indices) // features
starts = numpy.arange(positions + 1, dtype=numpy.int32) * features
matrix = scipy.sparse.csr_matrix(
    (numpy.ones(len(indices)), indices, starts), shape=(positions, parameters)
)
weights = numpy.random.default_rng(1).normal(size=parameters)
labels = numpy.zeros(positions)
best = float("inf")
for _ in range(5):
    begun = time.process_time()
    gradient = matrix.T @ (labels - matrix @ weights)
    best = min(best, time.process_time() - begun)
held = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
print(f"scipy {scipy.__version__}: {positions / best / 1e6:.2f} million positions/s")
print(f"matrix: {held / positions:.0f} bytes a position, {held / 1e6:.0f} MB; a row of ours: 20 bytes")
