"""Likelihood-ratio tests of a weighted sum of shares: the largest likelihood at which a·p has a given value.

All shares are free but for that: no smoothness is assumed, so that a test holds for every population. Items are merged into cells if there
are many, each with the composition that the estimate finds: reports tell neighbours apart even less than cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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
        self.parts, self.around = parts, 0.99 * p + 0.01 / size
        self.labels = np.arange(size) if size <= _MOST_ITEMS else np.arange(size) * _CELLS // size
        self._problems: dict[bytes, _Problem] = {}

    @cached_property
    def top(self) -> Floats:
        """The most likely shares."""
        problem = self._problem(np.zeros_like(self.around))
        return np.asarray(problem.composition @ problem.top)

    def ratio(self, weights: Floats, value: float) -> float:
        """Twice the log-likelihood that is lost if the weighted sum has this value."""
        problem = self._problem(weights)
        merged = weights @ problem.composition
        start = _tilted(problem.base, merged, value)
        if start is None:
            return math.inf
        _, height = problem.highest(start, np.stack([np.ones_like(merged), merged]))
        return max(0.0, 2 * (problem.height - height))

    def limits(self, weights: Floats, deviate: float) -> tuple[float, float]:
        """The least and the largest value that aren't rejected: those that lose at most the square of the deviate."""
        problem = self._problem(weights)
        merged = weights @ problem.composition
        best, least, most = float(merged @ problem.top), float(merged.min()), float(merged.max())
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

    def _problem(self, weights: Floats) -> _Problem:
        """Cells of which each has a single weight: a cell in which the weight changes is cut there, if it's one of few."""
        labels = np.unique(np.stack([self.labels, weights]), axis=1, return_inverse=True)[1].ravel()
        if labels.max() > 2 * _CELLS and len(labels) > _MOST_ITEMS:
            labels = self.labels
        key = labels.tobytes()
        if key not in self._problems:
            self._problems[key] = _Problem(self.parts, self.around, labels)
        return self._problems[key]


class _Problem:
    """The likelihood of the shares of cells of items."""

    def __init__(self, parts: Sequence[Likelihood], around: Floats, labels: NDArray[np.int64]) -> None:
        self.composition = (labels[:, None] == np.arange(labels.max() + 1)) * around[:, None]
        self.composition /= self.composition.sum(axis=0)
        seen = [part.through(self.composition) for part in parts]
        self.times = np.concatenate([times for times, _ in seen])
        self.chances = np.vstack([chances for _, chances in seen])
        self.n = float(self.times.sum())
        self.base = np.bincount(labels, around) / around.sum()
        self.top, self.height = self.highest(self.base, np.ones((1, len(self.base))))

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
