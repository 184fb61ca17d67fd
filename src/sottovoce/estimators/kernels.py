"""The loops of the estimators, compiled."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.kernels import compiled


@compiled
def shares(mu, counts, odds, p):
    """p_y for the multiplier: Newton from below on the convex, falling function Σ_m c_m/(p + r_m) − μ. Returns Σp and its slope in μ."""
    total, slope = 0.0, 0.0
    blocks = counts.shape[0]
    for y in range(counts.shape[1]):
        start, pull = 0.0, 0.0
        for m in range(blocks):
            if counts[m, y] > 0:
                start = max(start, counts[m, y] / mu - odds[m, y])
                pull += counts[m, y] / odds[m, y] if odds[m, y] > 0 else np.inf
        if pull <= mu:
            p[y] = 0.0
            continue
        value = start
        for _ in range(100):
            excess, steep = -mu, 0.0
            for m in range(blocks):
                if counts[m, y] > 0:
                    share = counts[m, y] / (value + odds[m, y])
                    excess += share
                    steep += share / (value + odds[m, y])
            step = excess / steep
            if step <= 1e-16 * value:
                break
            value += step
        p[y] = value
        total += value
        steep = 0.0
        for m in range(blocks):
            if counts[m, y] > 0:
                steep += counts[m, y] / (value + odds[m, y]) ** 2
        slope -= 1.0 / steep
    return total, slope


@compiled
def look_up(records, tables, out):
    """The sum, over the bytes of each record, of the table entry of the byte."""
    for i in range(len(records)):
        total = 0.0
        for b in range(records.shape[1]):
            total += tables[b, records[i, b]]
        out[i] = total


@compiled
def gather(records, first, second, tables):
    """The transpose of `look_up`: add two weights of each record to the entries of its bytes."""
    for i in range(len(records)):
        one, two = first[i], second[i]
        for b in range(records.shape[1]):
            value = records[i, b]
            tables[b, value, 0] += one
            tables[b, value, 1] += two
