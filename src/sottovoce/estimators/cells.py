"""The likelihood of the shares of cells of items, and where it is largest: freely, or if sums of the shares are given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import Likelihood
from sottovoce.optima.solvers import root_between

#: Rounds of Newton's method, and the nats by which a maximum may be missed.
_ROUNDS, _CLOSE = 80, 2e-3


class Cells:
    """Reports that were seen so many `times`, their `chances` in each cell, and the most likely shares (`top`) with their `height`.

    The `base` is a distribution without zeros, from which the climb starts.
    """

    def __init__(self, times: Floats, chances: Floats, base: Floats) -> None:
        self.times, self.chances, self.base = times, chances, base
        self.n = float(times.sum())
        self.top, self.height = self.highest(base, np.ones((1, len(base))))

    def fixed(self, weights: Floats, value: float) -> tuple[Floats, float] | None:
        """The most likely shares whose weighted sum has this value, and their height. None if there are no such shares."""
        start = tilted(self.base, weights, value)
        return None if start is None else self.highest(start, np.stack([np.ones_like(weights), weights]))

    def highest(self, start: Floats, kept: Floats) -> tuple[Floats, float]:
        """The most likely distribution over the cells that keeps these sums (rows) as they are at the start, and its height.

        Steps towards p > 0, z > 0 with the slope of the mean log-likelihood plus z in the span of the rows and p·z = μ, as μ falls.
        """
        p, z, size = start, np.full(len(start), 0.1), len(start)
        sums, best, found = kept @ start, -math.inf, start
        for _ in range(_ROUNDS):
            mean = self.chances @ p
            height = float(self.times @ np.log(mean)) if mean.min() > 0 else -math.inf
            if height >= best:
                best, found = height, p
            if self.n * float(p @ z) < _CLOSE:
                break
            mu = 0.1 * float(p @ z) / size
            first = self.times / mean / self.n
            scaled = self.chances * np.sqrt(first / mean)[:, None]
            curved = scaled.T @ scaled + np.diag(z / p)
            solved = np.linalg.solve(curved, np.column_stack([first @ self.chances + mu / p, kept.T]))
            inner = kept @ solved
            multipliers = np.linalg.solve(inner[:, 1:], inner[:, 0] - (sums - kept @ p))
            move = np.asarray(solved[:, 0] - solved[:, 1:] @ multipliers, dtype=np.float64)
            turn = np.asarray(mu / p - z - z / p * move)
            if not (np.isfinite(move).all() and np.isfinite(turn).all()):
                break
            p, z = p + _reach(p, move) * move, z + _reach(z, turn) * turn
        return found, best


@dataclass(frozen=True)
class Merged:
    """The cells that items are merged into: `composition` has a column for each, the distribution of its items."""

    composition: Floats
    cells: Cells

    @classmethod
    def of(cls, parts: Sequence[Likelihood], around: Floats, labels: NDArray[np.int64]) -> Merged:
        """Cells by the labels of the items, with items in them as in the shares `around`."""
        composition = (labels[:, None] == np.arange(labels.max() + 1)) * around[:, None]
        composition /= composition.sum(axis=0)
        seen = [part.through(composition) for part in parts]
        times, chances = np.concatenate([times for times, _ in seen]), np.vstack([chances for _, chances in seen])
        return cls(composition, Cells(times, chances, np.bincount(labels, around) / around.sum()))


def _reach(values: Floats, move: Floats) -> float:
    falling = move < 0
    return min(1.0, 0.99 * float((-values[falling] / move[falling]).min())) if falling.any() else 1.0


def tilted(base: Floats, weights: Floats, value: float) -> Floats | None:
    """The distribution base·exp(κ·weights), normalised, whose weighted sum is the value. None if there is none."""
    least, most = float(weights.min()), float(weights.max())
    if not least < value < most:
        return None
    scaled = (weights - least) / (most - least)
    target = (value - least) / (most - least)

    def shares(tilt: float) -> Floats:
        logs = np.log(base) + tilt * scaled
        found = np.exp(logs - logs.max())
        return np.asarray(found / found.sum())

    low, high = -1.0, 1.0
    while float(scaled @ shares(low)) > target and low > -1e9:
        low *= 4
    while float(scaled @ shares(high)) < target and high < 1e9:
        high *= 4
    tilt = root_between(lambda x: float(scaled @ shares(x)) - target, low, high, 1e-12 * (high - low))
    p = shares(tilt)
    return np.maximum(p, 1e-12)
