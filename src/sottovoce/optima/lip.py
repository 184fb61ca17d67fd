"""The best channel under local information privacy with a known prior: a linear programme over the corners of the privacy polytope.

Write each column of a channel as Q(y|x) = λ_y·ρ_yx with Σ_x P_x·ρ_yx = 1. Then λ_y is the probability of the report y, ε-LIP says
e^{−ε} ≤ ρ ≤ e^ε, and rows sum to 1 where Σ_y λ_y·ρ_y = 1. What a report tells, Var(E[f(X) | Y]), is Σ_y λ_y·φ(ρ_y) − const with a convex φ,
so that the best ρ_y are corners: at most one entry strictly between the bounds. Corners are all listed for few items, and generated for
many: for dual prices u the best new corner maximises φ(ρ) − u·ρ, and an upper bound on that maximum bounds what is still missing, since
Σ_y λ_y = 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Floats = NDArray[np.float64]

#: Corners are listed up to this many items.
LISTED = 12
#: A corner that promises less than this is not worth a round.
_WORTH = 1e-10
_AT_ONCE, _ROUNDS = 20, 150
#: A gap of this share of the value ends the search.
_CLOSE = 1e-6


@dataclass(frozen=True)
class Optimum:
    """The probabilities of the reports, their columns ρ (a row each), Σ λ·φ, and a bound on what is missing to the best."""

    chances: Floats
    columns: Floats
    value: float
    gap: float


class Goal(Protocol):
    """What a report should tell: φ of a column, and good corners for φ(ρ) − u·ρ with an upper bound on its maximum."""

    def worth(self, columns: Floats) -> Floats: ...

    def best_corners(self, prices: Floats, prior: Floats, low: float, most: float) -> tuple[Floats, float]: ...


@dataclass(frozen=True)
class Histogram:
    """φ(ρ) = Σ_k P_k²·ρ_k²: all entries of the histogram together."""

    prior: Floats

    def worth(self, columns: Floats) -> Floats:
        return np.asarray(((self.prior * columns) ** 2).sum(axis=-1))

    def best_corners(self, prices: Floats, prior: Floats, low: float, most: float) -> tuple[Floats, float]:
        """A knapsack that must be full: raising item k from low to high gains f_k(high) − f_k(low) at the weight P_k·(high − low).

        With the chord of f_k in place of f_k, which is convex, filling by gain per weight gives the upper bound. The corners tried are
        those in which the best few items are high, the others low, and any one item makes the sum right.
        """
        high = np.minimum(most, (1 - low * (1 - prior)) / prior)  # more than that, and the others would be below their bounds
        weight, room = prior * (high - low), 1 - low
        gain = prior**2 * (high**2 - low**2) - prices * (high - low)
        order = np.argsort(-gain / weight)
        base = float((prior**2).sum() * low**2 - prices.sum() * low)
        used = np.concatenate([[0.0], np.cumsum(weight[order])])
        full = min(int(np.searchsorted(used, room, side="right")) - 1, len(order) - 1)
        left = room - used[full]
        bound = base + float(gain[order[:full]].sum() + gain[order[full]] * left / weight[order[full]])
        return low + (high - low) * _prefixes(order, weight, room), bound


@dataclass(frozen=True)
class Total:
    """φ(ρ) = (Σ_k P_k·a_k·ρ_k)²: the sum of the numbers a."""

    prior: Floats
    values: Floats

    def worth(self, columns: Floats) -> Floats:
        return np.asarray((columns @ (self.prior * self.values)) ** 2)

    def best_corners(self, prices: Floats, prior: Floats, low: float, most: float) -> tuple[Floats, float]:
        """c² = max_θ 2θc − θ²; for each θ the best column is a filling by 2θ·a − u/P, whose order changes at finitely many θ."""
        ratio, high = prices / prior, most
        first, second = np.triu_indices(len(prior), 1)
        apart = self.values[first] != self.values[second]
        first, second = first[apart], second[apart]
        crossings = (ratio[first] - ratio[second]) / (2 * (self.values[first] - self.values[second]))
        reach = 1 + float(np.abs(self.values).max()) * high
        edges = np.concatenate([[-reach], np.unique(crossings[np.abs(crossings) <= reach]), [reach]])
        weight, room = prior * (high - low), 1 - low
        scores = 2 * ((edges[:-1] + edges[1:]) / 2)[:, None] * self.values - ratio
        orders = np.argsort(-scores, axis=1)
        used = np.cumsum(weight[orders], axis=1)
        shares = np.clip((room - (used - weight[orders])) / weight[orders], 0.0, 1.0)
        columns = np.empty_like(shares)
        np.put_along_axis(columns, orders, shares, axis=1)
        columns = low + (high - low) * columns
        promise = self.worth(columns) - columns @ prices
        beside = np.concatenate([[-math.inf], promise, [-math.inf]])
        peaks = (promise >= beside[:-2]) & (promise > beside[2:])  # neighbours differ in two items only: the peaks say all
        return columns[peaks], float(promise.max())


def _prefixes(order: NDArray[np.intp], weight: Floats, room: float) -> Floats:
    """Fillings in which the first few of the order are full, and one other item takes what is left."""
    found = []
    for free in range(len(order)):
        others = order[order != free]
        left = room - np.concatenate([[0.0], np.cumsum(weight[others])])
        for count in np.flatnonzero((left >= 0) & (left <= weight[free])):
            share = np.zeros(len(order))
            share[others[:count]] = 1.0
            share[free] = left[count] / weight[free]
            found.append(share)
    return np.array(found)


def corners(prior: Floats, low: float, high: float) -> Floats:
    """All corners of {Σ P·ρ = 1, low ≤ ρ ≤ high}: a choice of bounds for all items but one, and the one that makes the sum right."""
    size = len(prior)
    found = []
    for free in range(size):
        others = [k for k in range(size) if k != free]
        bounds = np.array(list(product((low, high), repeat=size - 1)))
        with np.errstate(over="ignore"):
            rest = (1 - bounds @ prior[others]) / prior[free]
        fits = (rest >= low - 1e-12) & (rest <= high + 1e-12)
        columns = np.empty((int(fits.sum()), size))
        columns[:, others] = bounds[fits]
        columns[:, free] = np.clip(rest[fits], low, high)
        found.append(columns)
    return np.unique(np.concatenate(found).round(13), axis=0)


def best_columns(prior: Floats, epsilon: float, goal: Goal, start: Floats) -> Optimum:
    """Maximise Σ λ·φ(ρ) over all channels with e^{−ε} ≤ ρ ≤ e^ε; `start` holds columns (rows of it) that make a channel."""
    low, high = math.exp(-epsilon), math.exp(epsilon)
    if len(prior) <= LISTED:
        columns = np.concatenate([start, corners(prior, low, high)])
        chances, value, _ = _programme(columns, goal)
        return _used(chances, columns, value, 0.0)
    columns, most = start, math.inf
    for _ in range(_ROUNDS):
        chances, value, prices = _programme(columns, goal)
        candidates, bound = goal.best_corners(prices, prior, low, high)
        most = min(most, value + max(0.0, bound))
        promise = goal.worth(candidates) - candidates @ prices
        best = np.argsort(-promise)[:_AT_ONCE]
        if promise[best[0]] <= _WORTH or most - value <= _CLOSE * value:
            break
        columns = np.concatenate([columns, candidates[best[promise[best] > _WORTH]]])
    else:
        chances, value, _ = _programme(columns, goal)
    return _used(chances, columns, value, max(0.0, most - value))


def _programme(columns: Floats, goal: Goal) -> tuple[Floats, float, Floats]:
    """The best λ for given columns, the value, and the dual price of each item's row."""
    size = columns.shape[1]
    solved = linprog(-goal.worth(columns), A_eq=columns.T, b_eq=np.ones(size), bounds=(0, None), method="highs")
    return solved.x, -float(solved.fun), -solved.eqlin.marginals


def _used(chances: Floats, columns: Floats, value: float, gap: float) -> Optimum:
    kept = chances > 1e-12
    return Optimum(chances[kept], columns[kept], value, gap)
