"""The best bits: parameters of unary mechanisms that minimise the worst-case squared error of inversion.

n·E‖p̂ − p‖² = Σ_j b_j(1 − b_j)/(a_j − b_j)² + Σ_j p_j·(1 − 2b_j)/(a_j − b_j) − ‖p‖². The worst p is the distribution nearest to half of the
factors of p in the second sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.optima.odds import other_bit
from sottovoce.optima.solvers import least_between, minimize

#: The least distance of the two bits of a budget from each other, in log-odds.
_LEAST = 1e-6
#: The loss of bits that say nothing.
_HOPELESS = 1e300


def unary_loss(a: Floats, b: Floats, counts: Floats, p: Floats | None = None) -> float:
    """n·E‖p̂ − p‖² for items in classes of equal bits, `counts` of each: at the worst p, or where each class has the share p."""
    if not (a > b).all():
        return _HOPELESS
    noise, tilt = b * (1 - b) / (a - b) ** 2, (1 - 2 * b) / (a - b)
    if p is None:
        p = counts * _projected(tilt / 2, counts)
    return float((counts * noise).sum() + (p * tilt).sum() - (p**2 / counts).sum())


def _projected(values: Floats, counts: Floats) -> Floats:
    """The projection of values on the simplex when each stands for several items: the share of one item of each class."""
    values = values - values.max()  # which changes nothing, and keeps the digits of differences
    order = np.argsort(-values)
    sums, room = np.cumsum((counts * values)[order]), np.cumsum(counts[order])
    taus = (sums - 1) / room
    kept = int(np.flatnonzero(values[order] > taus)[-1:].sum())
    return np.maximum(0.0, values - taus[kept])


def urap_theta(sensitive: int, free: int, epsilon: float, share: float | None = None) -> float:
    """The θ that makes uRAP best at the worst p, or for a given total share of the sensitive items.

    The ULDP paper left this question open. The loss was unimodal in every case tried, and a grid brackets the minimum in any case.
    """
    counts = np.array([sensitive, free], dtype=np.float64) if free else np.array([sensitive], dtype=np.float64)
    growth = math.exp(epsilon)

    def loss(theta: float) -> float:
        a, b = np.array([theta, -theta * math.expm1(-epsilon)]), np.array([other_bit(theta, growth), 0.0])
        shares = None if share is None else np.array([share, 1 - share])[: len(counts)]
        return unary_loss(a[: len(counts)], b[: len(counts)], counts, shares)

    grid = 1 / (1 + np.exp(-np.linspace(-epsilon - 3, epsilon + 3, 201)))
    best = int(np.argmin([loss(theta) for theta in grid]))
    low, high = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
    return float(least_between(loss, low, high, 1e-12)[0])


@dataclass(frozen=True)
class BitProblem:
    """The best bits for classes of items with equal budgets, `counts` items in each, and `free` items without a budget.

    A free item sets its bit with probability 1 − d. In α_i = log(a_i/b_i), β_i = log((1 − b_i)/(1 − a_i)) and log d, guarantees are linear:
    α_i + β_j ≤ `limits[i][j]` for every two items (how far a report may raise i against j). Reports without a free item must protect
    against those too, so α_i − log d ≤ ε_i and β_i + log d ≤ ε_i.
    """

    budgets: Floats
    counts: Floats
    limits: Floats
    free: int

    @classmethod
    def of(cls, budgets: Sequence[float], counts: Sequence[int], free: int = 0, *, smaller: bool = True) -> BitProblem:
        """Bounds for every two items: the smaller of their budgets, or each raised against the other by at most its own."""
        classes = np.asarray(budgets, dtype=np.float64)
        limits = np.minimum.outer(classes, classes) if smaller else np.repeat(classes[:, None], len(classes), axis=1)
        return cls(classes, np.asarray(counts, dtype=np.float64), limits, free)

    def bits(self, model: str) -> list[tuple[Floats, Floats]]:
        """(a, b) for each class, and for the free items: a + b = 1 ("opt1"), a = 1/2 ("opt2"), or several candidates for the best ("opt0").

        (Input-discriminative unary encoding, Gu et al. 2020.) The candidates include the other two, so the best of them is never worse.
        """
        least = float(self.limits.min())
        symmetric = self._solved(lambda x: (x, x), np.full(len(self.budgets), least / 2))
        one_half = self._solved(lambda x: (x, np.log(2 - np.exp(-x))), np.full(len(self.budgets), math.log((math.exp(least) + 1) / 2)))
        if model != "opt0":
            return [self._bits(*(symmetric if model == "opt1" else one_half))]
        even = np.concatenate([self.limits.min(axis=1) - least / 2, np.full(len(self.budgets), least / 2)])
        starts = [*(np.concatenate([own, other]) for own, other, _ in (symmetric, one_half)), even]
        full = [self._solved(lambda x: (x[: len(self.budgets)], x[len(self.budgets) :]), start) for start in starts]
        return [self._bits(*found) for found in (symmetric, one_half, min(full, key=lambda each: self._loss(*each)))]

    def loss(self, a: Floats, b: Floats) -> float:
        """The worst-case n·l2 of bits."""
        return unary_loss(a, b, np.append(self.counts, self.free) if self.free else self.counts)

    def _solved(self, family: Callable[[Floats], tuple[Floats, Floats]], start: Floats) -> tuple[Floats, Floats, float]:
        """The best α, β and log d of a family, from a start that satisfies the constraints."""

        def split(x: Floats) -> tuple[Floats, Floats, float]:
            own, other = family(x[:-1] if self.free else x)
            return own, other, float(x[-1]) if self.free else 0.0

        def slopes(x: Floats) -> Floats:
            """The slopes of the slacks, which are linear in what the family gives: a family's own slope is diagonal, or the identity."""
            step = 1e-7
            shifted, here = family(x[: len(start)] + step), family(x[: len(start)])
            size = len(self.budgets)
            parts = np.zeros((2 * size, len(start)))
            rows, places = np.arange(2 * size), np.arange(2 * size) % size if len(start) == size else np.arange(2 * size)
            parts[rows, places] = (np.concatenate(shifted) - np.concatenate(here)) / step
            table = self._table[:, : 2 * size] @ parts
            return np.hstack([table, self._table[:, 2 * size :]]) if self.free else table

        x = np.append(start, self._least_hidden(family(start)[0])) if self.free else start
        bounds = [(_LEAST, 90.0)] * len(start) + [(-90.0, -_LEAST)] * bool(self.free)
        found = _minimum(lambda x: self._loss(*split(x)), x, lambda x: self._slacks(*split(x)), slopes, bounds)
        own, other, hidden = split(found)
        return own, other, max(hidden, self._least_hidden(own)) if self.free else 0.0

    def _least_hidden(self, own: Floats) -> float:
        """The least log d that satisfies the constraints."""
        return float((own - self.budgets).max())

    def _bits(self, own: Floats, other: Floats, log_hidden: float) -> tuple[Floats, Floats]:
        b = np.expm1(other) / np.expm1(own + other)
        a = np.exp(own) * b
        return (np.append(a, -math.expm1(log_hidden)), np.append(b, 0.0)) if self.free else (a, b)

    def _loss(self, own: Floats, other: Floats, log_hidden: float) -> float:
        return self.loss(*self._bits(own, other, log_hidden))

    @cached_property
    def _table(self) -> Floats:
        """The slopes of the slacks in (α, β, log d)."""
        size = len(self.budgets)
        first, second = np.nonzero(self._apart)
        unit, none = np.eye(size), np.zeros((size, size))
        pairs = np.hstack([-unit[first], -unit[second], np.zeros((len(first), 1))])
        if not self.free:
            return pairs
        one = np.ones((size, 1))
        return np.concatenate([pairs, np.hstack([-unit, none, one]), np.hstack([none, -unit, -one])])

    @cached_property
    def _apart(self) -> NDArray[np.bool_]:
        """Which pairs of classes have two different items."""
        return ~np.eye(len(self.budgets), dtype=np.bool_) | (self.counts > 1)

    def _slacks(self, own: Floats, other: Floats, log_hidden: float) -> Floats:
        pairs = (self.limits - np.add.outer(own, other))[self._apart]
        return np.concatenate([pairs, log_hidden + self.budgets - own, self.budgets - other - log_hidden]) if self.free else pairs


def _minimum(
    loss: Callable[[Floats], float],
    start: Floats,
    slacks: Callable[[Floats], Floats],
    slopes: Callable[[Floats], Floats],
    bounds: Sequence[tuple[float, float | None]],
) -> Floats:
    """A constrained minimum by sequential quadratic programming, or the start if nothing feasible is better."""
    scale = loss(start)
    constraint, options = {"type": "ineq", "fun": slacks, "jac": slopes}, {"maxiter": 500, "ftol": 1e-12}
    found = minimize(lambda x: loss(x) / scale, start, method="SLSQP", bounds=bounds, constraints=constraint, options=options)
    feasible = bool((slacks(found.x) > -1e-7).all())
    return np.asarray(found.x if feasible and np.isfinite(found.fun) and found.fun <= 1 else start)
