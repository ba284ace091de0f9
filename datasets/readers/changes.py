"""Sections that say what changes from phase to phase, for weights.py, as ../formats.md defines them."""
import struct


def weights_by_phase(named):
    """The weights of each phase as bytes, from sections with the weights or with what changes in them."""
    phases, before = [], None
    for phase in range(60):
        if (weights := named.get(f"weights {phase:02}")) is None:
            planes = named[f"weight changes {phase:02}"]
            words = [low | high << 8 for low, high in zip(planes, planes[len(planes) // 2:])]
            changes = [word >> 1 ^ -(word & 1) for word in words]
            before = struct.unpack(f"<{len(words)}h", before) if phase else [0] * len(words)
            weights = struct.pack(f"<{len(words)}h", *map(int.__add__, before, changes))
        phases.append(before := weights)
    return phases
