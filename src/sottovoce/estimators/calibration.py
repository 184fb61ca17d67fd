"""How the signed root of a likelihood ratio scatters if a value is right.

With many reports and no share near zero it is a standard normal deviate. Shares can't be negative, though. What is kept above zero in empty
places adds up, so that with few people the root is shifted (by −0.8 for the upper quartile of an exponential population, ε = 4 and 300
people), and if reports say little about single shares, it scatters less than a normal deviate (0.8 times with ε = 0.5). Its mean and its
standard deviation are those of simulated reports of smooth shares at which the value is right (hybrid resampling, Chuang and Lai 2000).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.estimators.cells import Cells

#: Simulations, and the weight of the belief against shares near zero in the sum that nearly follows the root.
_RUNS, _BELIEF = 32, 2.0
#: Shares below this are taken for it there.
_LEAST = 1e-4
#: More reports and cells than these are merged with their neighbours in simulations.
_MOST_REPORTS, _MOST_CELLS = 256, 64


@dataclass(frozen=True)
class Null:
    """The mean of the root and how far it scatters, known as from a sample with so many degrees of freedom."""

    shift: float = 0.0
    scale: float = 1.0
    freedom: float = math.inf

    def most(self, deviate: float, side: int) -> float:
        """How large the root may be on one side (±1) if the normal deviate may be so large: by Student's t, to the first order.

        >>> Null().most(1.96, 1)
        1.96
        """
        student = deviate + (deviate**3 + deviate) / (4 * self.freedom)
        return max(0.0, side * self.shift + self.scale * student)


@dataclass(frozen=True)
class Chance:
    """The `chances` in each cell of everything that `n` people may report."""

    n: int
    chances: Floats

    def through(self, composition: Floats) -> Chance:
        """In cells that are made of these."""
        return Chance(self.n, self.chances @ composition)

    def fewer(self) -> Chance:
        """With neighbouring reports merged if they are many."""
        count = len(self.chances)
        if count <= _MOST_REPORTS:
            return self
        starts = np.unique(np.arange(_MOST_REPORTS) * count // _MOST_REPORTS)
        return Chance(self.n, np.add.reduceat(self.chances, starts, axis=0))


def simulated(chances: Sequence[Chance], p: Floats, weights: Floats, seed: Sequence[int] = ()) -> Null:
    """How the root of the weighted sum's true value scatters if the cells have the shares p.

    The root nearly follows a sum over the reports whose mean and variance are known, so that few simulations suffice: with a correlation
    of ρ, the mean has the variance (1 − ρ²)/runs, and the variance is known as from runs/(1 − ρ⁴) roots.
    """
    composition, p, weights = _fewer(p, weights)
    random, known = np.random.default_rng(seed), [each.through(composition).fewer() for each in chances]
    reported = [each.chances @ p for each in known]
    reported = [each / each.sum() for each in reported]
    people = [each.n for each in known]
    matrix, base, value = np.vstack([each.chances for each in known]), 0.99 * p + 0.01 / len(p), float(weights @ p)
    along = _along(matrix, np.concatenate([n * q for n, q in zip(people, reported, strict=True)]), p, weights)
    parts = np.split(along, np.cumsum([len(q) for q in reported])[:-1])
    mean = sum(n * float(q @ part) for n, q, part in zip(people, reported, parts, strict=True))
    variance = sum(n * float(q @ (part - q @ part) ** 2) for n, q, part in zip(people, reported, parts, strict=True))
    roots, sums = np.empty(_RUNS), np.empty(_RUNS)
    for run in range(_RUNS):
        times = np.concatenate([random.multinomial(n, q) for n, q in zip(people, reported, strict=True)]).astype(np.float64)
        root = signed_root(Cells(times[times > 0], matrix[times > 0], base), weights, value)
        if root is None:
            return Null()
        roots[run], sums[run] = root, float(times @ along) - mean
    return _moments(roots, sums, variance)


def _fewer(p: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Fewer cells if they are many, each made of neighbours with the same weight: of what they consist, their shares and weights."""
    size = len(p)
    if size <= _MOST_CELLS + 1:  # one may be cut in two
        return np.eye(size), p, weights
    pairs, labels = np.unique(np.stack([np.arange(size) * _MOST_CELLS // size, weights]), axis=1, return_inverse=True)
    composition = (labels.reshape(-1, 1) == np.arange(pairs.shape[1])) * np.maximum(p, _LEAST / size)[:, None]
    return composition / composition.sum(axis=0), np.bincount(labels.ravel(), p).astype(np.float64), np.asarray(pairs[1])


def _along(matrix: Floats, expected: Floats, p: Floats, weights: Floats) -> Floats:
    """What each report adds to a sum that nearly follows the root.

    It's how the weighted sum moves in a step of Newton's method for the likelihood with a belief against shares near zero.
    """
    chances = matrix @ p
    curved = (matrix.T * (expected / chances**2)) @ matrix + np.diag(_BELIEF / np.maximum(p, _LEAST))
    moved, shifted = np.linalg.solve(curved, np.column_stack([weights, np.ones_like(p)])).T
    return np.asarray(matrix @ (moved - shifted * (moved.sum() / shifted.sum())) / chances)


def _moments(roots: Floats, sums: Floats, variance: float) -> Null:
    """The moments of roots, with the help of sums that have the mean 0 and a known variance."""
    runs, spread = len(roots), float(sums @ sums) - float(sums.sum()) ** 2 / len(sums)
    slope = float((sums - sums.mean()) @ roots) / spread if spread > 0 and variance > 0 else 0.0
    rest = roots - slope * sums
    left, explained = float(np.var(rest, ddof=2)), slope**2 * variance
    if not left + explained > 0:
        return Null()
    part = explained / (left + explained)
    return Null(float(rest.mean()), math.sqrt(left * (1 + 1 / runs) + explained), runs / max(1 - part**2, 1e-9))


def signed_root(cells: Cells, weights: Floats, value: float) -> float | None:
    """The root of twice the log-likelihood that a value costs, positive if the value lies below the most likely one."""
    found = cells.fixed(weights, value)
    if found is None:
        return None
    return math.copysign(math.sqrt(max(0.0, 2 * (cells.height - found[1]))), float(weights @ cells.top) - value)
