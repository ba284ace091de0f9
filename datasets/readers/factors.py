"""Factors, for weights.py: what patterns say together, as ../formats.md defines it."""


def factors(pattern_set, named, size):
    """What parameters are worth together, as a function of phase and parameters, in steps of 1/32 disc."""
    if "factors" not in pattern_set:
        return lambda phase, parameters: 0
    dimensions, phases = (pattern_set["factors"][key] for key in ("dimensions", "phases"))
    groups = [named[f"factors {group:02}"] for group in range(-(-60 // phases))]
    if {dimensions * size} != {*map(len, groups)}:
        raise SystemExit(f"expected {dimensions} factors for each of {size} parameters")

    def together(phase, parameters):
        group, squares = groups[phase // phases], 0
        for n in range(dimensions):
            found = (group[parameter * dimensions + n] for parameter in parameters)
            total = sum((byte ^ 128) - 128 for byte in found)
            squares += total * total * (1 if 2 * n < dimensions else -1)
        return (squares + 128) // 256

    return together
