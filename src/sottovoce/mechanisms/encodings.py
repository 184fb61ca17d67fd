"""The best parameters of unary and hashed mechanisms when the prior is known, by the error that the full posterior leaves."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.hashed import bucket_table, public_seeds
from sottovoce.optima.odds import lip_odds_in_doubles, other_bit
from sottovoce.optima.posterior import explained_by_bits, explained_by_tables
from sottovoce.optima.solvers import least_between

#: Items up to which plans search for the best parameters.
MOST_SEARCHED = 2000
#: The largest log-odds of a bit that are tried: beyond, 1 − a has no digits left.
_STEEPEST = 24.0
#: The most buckets that are tried, and the hashes that are made for each number of them: of many items, by fewer functions.
_MOST_BUCKETS, _HASHES = 256, 1 << 19


def ue_theta(prior: Floats, odds: float) -> float:
    """The θ = a with b = θ/((1 − θ)·odds + θ), the same for all items, that leaves the least error of the histogram."""

    def left(logit: float) -> float:
        theta = 1 / (1 + math.exp(-logit))
        b = other_bit(theta, odds)
        return -float(explained_by_bits(prior, np.full(len(prior), theta), np.full(len(prior), b)).sum())

    reach = min(math.log(odds) + 3, _STEEPEST)
    grid = np.linspace(-reach, reach, 25)
    best = int(np.argmin([left(x) for x in grid]))
    ends = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
    found, _ = least_between(left, *ends, 1e-6)
    return 1 / (1 + math.exp(-found))


def lip_buckets(prior: Floats, epsilon: float, functions: int) -> int:
    """The number of buckets with which LH-LIP leaves the least error of the histogram, averaged over (some of) its public functions."""
    seeds = public_seeds(min(functions, max(32, 1 << int(math.log2(_HASHES / len(prior))))))

    def left(g: int) -> float:
        table = bucket_table(len(prior), g, seeds).astype(np.int64)
        weights: Floats = np.stack([np.bincount(row, prior, minlength=g) for row in table])
        odds = lip_odds_in_doubles(weights, epsilon)
        s = 1 / (1 + odds.sum(axis=1))
        return -float(explained_by_tables(prior, table, s, s[:, None] * odds).sum())

    return _least(left, 2, _MOST_BUCKETS)


def _least(loss: Callable[[int], float], low: int, high: int) -> int:
    """The integer with the least loss: a coarse grid, refined around its best until no integer is skipped."""
    known: dict[int, float] = {}
    ratio = 1.5
    candidates = sorted({min(high, max(low, round(low * ratio**k))) for k in range(math.ceil(math.log(high / low, ratio)) + 1)} | {high})
    while True:
        for each in candidates:
            known.setdefault(each, loss(each))
        tried = sorted(known)
        place = tried.index(min(tried, key=known.__getitem__))
        below, above = tried[max(0, place - 1)], tried[min(len(tried) - 1, place + 1)]
        fresh = sorted({round(below + (above - below) * k / 6) for k in range(1, 6)} - set(tried))
        if not fresh:
            return tried[place]
        candidates = fresh
