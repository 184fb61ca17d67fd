"""Likelihood-ratio tests of a weighted sum of shares: the largest likelihood at which a·p has a given value.

All shares are free but for that: no smoothness is assumed, so that a test holds for every population. Items are merged into cells if there
are many, each with the composition that the estimate finds: reports tell neighbours apart even less than cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import Likelihood
from sottovoce.optima.solvers import root_between

#: More items than the first number are merged into so many cells as the second says.
_MOST_ITEMS, _CELLS = 128, 64
#: Rounds of Newton's method, and the nats by which a maximum may be missed.
_ROUNDS, _CLOSE = 80, 2e-3
#: A part of the range of the weights: values nearer to its ends than this are not told from them.
_EDGE = 1e-6


class Profile:
    """The likelihood of reports that are counted, as a function of weighted sums of the shares."""

    def __init__(self, parts: Sequence[Likelihood], p: Floats) -> None:
        size = len(p)
        cells = np.arange(size) if size <= _MOST_ITEMS else np.arange(size) * _CELLS // size
        around = 0.99 * p + 0.01 / size
        self.composition = (cells[:, None] == np.arange(cells[-1] + 1)) * around[:, None]
        self.composition /= self.composition.sum(axis=0)
        seen = [part.through(self.composition) for part in parts]
        self.times = np.concatenate([times for times, _ in seen])
        self.chances = np.vstack([chances for _, chances in seen])
        self.n = float(self.times.sum())
        self.base = np.bincount(cells, around) / around.sum()
        self.top, self.height = self._highest(self.base, np.ones((1, len(self.base))))

    def value(self, weights: Floats) -> float:
        """The most likely value of the weighted sum."""
        return float(self._merged(weights) @ self.top)

    def ratio(self, weights: Floats, value: float) -> float:
        """Twice the log-likelihood that is lost if the weighted sum has this value."""
        merged = self._merged(weights)
        start = _tilted(self.base, merged, value)
        if start is None:
            return math.inf
        _, height = self._highest(start, np.stack([np.ones_like(merged), merged]))
        return max(0.0, 2 * (self.height - height))

    def limits(self, weights: Floats, deviate: float) -> tuple[float, float]:
        """The least and the largest value that aren't rejected: those that lose at most the square of the deviate."""
        merged, best = self._merged(weights), self.value(weights)
        least, most = float(merged.min()), float(merged.max())
        edge = _EDGE * (most - least)

        def excess(value: float) -> float:
            return math.sqrt(self.ratio(weights, value)) - deviate

        found = []
        for end in (least + edge, most - edge):
            if not edge < abs(best - end) or not excess(end) > 0:
                found.append(least if end < (least + most) / 2 else most)
                continue
            found.append(root_between(excess, end, best, 1e-3 * abs(best - end)))
        return min(found[0], best), max(found[1], best)

    def _merged(self, weights: Floats) -> Floats:
        return np.asarray(weights @ self.composition)

    def _highest(self, start: Floats, kept: Floats) -> tuple[Floats, float]:
        """The most likely distribution over the cells that keeps these sums (rows) as they are at the start, and its height.

        Steps towards p > 0, z > 0 with the slope of the mean log-likelihood plus z in the span of the rows and p·z = μ, as μ falls.
        """
        p, z, size = start, np.full(len(start), 0.1), len(start)
        sums, best = kept @ start, -math.inf
        for _ in range(_ROUNDS):
            mean = self.chances @ p
            height = float(self.times @ np.log(mean)) if mean.min() > 0 else -math.inf
            best, found = (height, p) if height >= best else (best, found)
            if self.n * float(p @ z) < _CLOSE:
                break
            mu = 0.1 * float(p @ z) / size
            first = self.times / mean / self.n
            scaled = self.chances * np.sqrt(first / mean)[:, None]
            curved = scaled.T @ scaled + np.diag(z / p)
            solved = np.linalg.solve(curved, np.column_stack([first @ self.chances + mu / p, kept.T]))
            inner = kept @ solved
            multipliers = np.linalg.solve(inner[:, 1:], inner[:, 0] - (sums - kept @ p))
            move = solved[:, 0] - solved[:, 1:] @ multipliers
            turn = mu / p - z - z / p * move
            if not (np.isfinite(move).all() and np.isfinite(turn).all()):
                break
            p, z = p + _reach(p, move) * move, z + _reach(z, turn) * turn
        return found, best


def _reach(values: Floats, move: Floats) -> float:
    falling = move < 0
    return min(1.0, 0.99 * float((-values[falling] / move[falling]).min())) if falling.any() else 1.0


def _tilted(base: Floats, weights: Floats, value: float) -> Floats | None:
    """The distribution base·exp(κ·weights), normalised, whose weighted sum is the value; None if there is none."""
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
