"""The best channel for a known prior: the one whose reports leave the least error while it keeps its guarantee.

Write each column of a channel as Q(y|x) = λ_y·ρ_yx with Σ_x P_x·ρ_yx = 1. Then λ_y is the probability of the report y, rows sum to 1 if Σ_y
λ_y·ρ_y = 1, and every guarantee about odds (LIP, also with a latent secret or for several priors, Pufferfish) means that each ρ_y is in one
polytope. The information of a report, Var(E[f(X) | Y]), is Σ_y λ_y·φ(ρ_y) − const with a convex φ, which is a linear program over the
polytope's corners.

Corners are generated, not listed: for prices u, the best new corner maximises φ(ρ) − u·ρ, found by branch and bound with chords in place of
φ. For *any* prices, Σ u + max(φ(ρ) − u·ρ) bounds the best value, since Σ_y λ_y = 1, so the remaining gap is always known.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.optima.polytopes import Polytope, UnsolvedError
from sottovoce.optima.solvers import linprog

#: Beyond so many items a gap of this share ends the search: of the value reached, or of what is missing to the largest if that is less.
_FEW, _NEAR = 20, 1e-3
#: What is left untold counts as at least this share of everything.
_LEFT = 1e-3
#: Rounds without end, corners added in one of them, and corners that are kept at all.
_ROUNDS, _AT_ONCE, _KEPT = 200, 64, 2000
#: Rounds after which the gap must have become less (or as many as there are items).
_PATIENCE = 15
#: How much of the best prices so far is in the prices asked.
_CALM = 0.7
#: The share of the bound that a corner must promise to end a search early.
_GOOD = 0.25
#: Corners from which a search sets out, besides the best of the whole polytope.
_STARTS = 64


@dataclass(frozen=True)
class Optimum:
    """The probabilities of the reports, their columns ρ (a row each), Σ λ·φ, and a bound on the gap to the best."""

    chances: Floats
    columns: Floats
    value: float
    gap: float


class Goal(Protocol):
    """The objective: φ of a column, its slope, and corners with a large φ(ρ) − u·ρ together with a bound on its maximum."""

    @property
    def prior(self) -> Floats: ...

    @property
    def whole(self) -> float:
        """The largest possible value: Σ λ·φ of reports that are the answers."""
        ...

    def worth(self, columns: Floats) -> Floats: ...

    def slope(self, column: Floats) -> Floats: ...

    def chords(self, polytope: Polytope) -> tuple[Floats, float]:
        """The slope of the chords of φ over the whole polytope, as prices, and their bound on Σ λ·φ. No channel reaches more, and one comes
        close if most entries of its columns can be at the ends of their bounds.
        """
        ...

    def search(self, polytope: Polytope, prices: Floats, enough: float, turn: int = 0) -> tuple[list[Floats], float]: ...


@dataclass(frozen=True)
class Histogram:
    """φ(ρ) = Σ_k P_k²·(ρ_k − 1)²: the sum over all entries of the histogram, less what is known without a report."""

    prior: Floats

    @property
    def whole(self) -> float:
        return 1 - float(self.prior @ self.prior)

    def worth(self, columns: Floats) -> Floats:
        return np.asarray(((self.prior * (columns - 1)) ** 2).sum(axis=-1))

    def slope(self, column: Floats) -> Floats:
        return 2 * self.prior**2 * (column - 1)

    def chords(self, polytope: Polytope) -> tuple[Floats, float]:
        square, below, above = self.prior**2, *(bounds[: len(self.prior)] - 1 for bounds in (polytope.low, polytope.high))
        return square * (below + above), -float(square @ (below * above))

    def search(self, polytope: Polytope, prices: Floats, enough: float, turn: int = 0) -> tuple[list[Floats], float]:
        """Branch and bound: within a box, (ρ − 1)² is below its chord (l + h − 2)·ρ − l·h + 1, and the two agree at the ends.

        The box with the largest bound is split at the entry with the largest error. The search ends when no box can reach more than
        `enough`, when a corner is good compared with the remaining bounds, or when too many boxes were opened.
        """
        square, size = self.prior**2, len(self.prior)

        def relaxed(low: Floats, high: Floats) -> tuple[float, Floats] | None:
            objective = square * (low + high - 2)[:size] - prices
            point = polytope.best(objective, low, high)
            return None if point is None else (float(objective @ point[:size] - square @ (low * high - 1)[:size]), point)

        found: list[Floats] = []
        most = -math.inf

        def offer(column: Floats) -> None:
            nonlocal most
            corner = climbed(self, polytope, prices, column)
            found.append(corner)
            most = max(most, float(self.worth(corner) - prices @ corner))

        first = relaxed(polytope.low, polytope.high)
        if first is None:
            return [], -math.inf
        for column in (first[1][:size], *_spikes(polytope, self.chords(polytope)[0] - prices, turn)):
            offer(column)
        heap, count = [(-first[0], 0, polytope.low, polytope.high, first[1])], 0
        while heap and count < polytope.effort:
            bound = -heap[0][0]
            if bound <= max(enough, most) or most > max(enough, _GOOD * bound):
                break
            _, _, low, high, point = heapq.heappop(heap)
            column = point[:size]
            for bounds in polytope.parts(low, high, point, square * (column - low[:size]) * (high[:size] - column)):
                inner = relaxed(*bounds)
                if inner is not None and inner[0] > max(enough, most):
                    count += 1
                    if self.worth(inner[1][:size]) - prices @ inner[1][:size] > most:
                        offer(inner[1][:size])
                    heapq.heappush(heap, (-inner[0], count, *bounds, inner[1]))
        return found, max(most, enough if not heap else max(enough, -heap[0][0]))


@dataclass(frozen=True)
class Total:
    """φ(ρ) = (Σ_k P_k·a_k·ρ_k)²: the sum of the numbers a."""

    prior: Floats
    values: Floats

    @property
    def whole(self) -> float:
        return float(self.prior @ self.values**2)

    def worth(self, columns: Floats) -> Floats:
        return np.asarray((columns @ (self.prior * self.values)) ** 2)

    def slope(self, column: Floats) -> Floats:
        weights = self.prior * self.values
        return 2 * float(column @ weights) * weights

    def chords(self, polytope: Polytope) -> tuple[Floats, float]:
        weights = self.prior * self.values
        below, above = (float(weights @ _best(polytope, sign * weights)) for sign in (-1, 1))
        return weights * (below + above), float(weights.sum()) * (below + above) - below * above

    def search(self, polytope: Polytope, prices: Floats, enough: float, turn: int = 0) -> tuple[list[Floats], float]:
        """With z = Σ P·a·ρ the polytope's shadow on the plane of (z, −u·ρ) has z² − u·ρ largest at a corner of its upper edge.

        Between two known corners of the edge, a linear program finds the furthest one. Nothing beyond it is above the parallel through it,
        which bounds what a stretch can still give.
        """
        weights = self.prior * self.values

        def point(objective: Floats) -> tuple[float, float, Floats]:
            column = _best(polytope, objective)
            return float(weights @ column), -float(prices @ column), column

        ends = point(-weights), point(weights)
        found = [end[2] for end in ends]
        most = max(z * z + v for z, v, _ in ends)
        bound, stretches = most, [ends]
        while stretches:
            (z, v, _), (w, u, _) = one, two = stretches.pop()
            if w - z <= 1e-12 * (abs(w) + abs(z)):
                continue
            tilt = (u - v) / (w - z)
            furthest = point(-prices - tilt * weights)
            rise = furthest[1] - tilt * furthest[0]
            reach = max(z * z + tilt * z, w * w + tilt * w) + rise
            if reach <= max(most, enough) or rise - (v - tilt * z) <= 1e-12 * (abs(v) + abs(tilt * z)):
                bound = max(bound, min(reach, max(most, enough)))
                continue
            found.append(furthest[2])
            most = max(most, furthest[0] ** 2 + furthest[1])
            stretches += [(one, furthest), (furthest, two)]
        return found, max(bound, most)


def _spikes(polytope: Polytope, objective: Floats, turn: int) -> Iterable[Floats]:
    """Corners at which one item has its largest value and the others are good, for some items spread over the domain, others each time."""
    size = len(polytope.prior)
    step = -(-size // _STARTS)
    most = 10 * float(np.abs(objective / polytope.prior).max()) or 1.0
    for item in range(turn % step, size, step):
        yield _best(polytope, objective + most * np.eye(size)[item])


def _best(polytope: Polytope, objective: Floats) -> Floats:
    """The best corner of the whole polytope. There always is one, because the polytope contains the column of an uninformative report."""
    column = polytope.best(objective, polytope.low, polytope.high)
    return np.ones(len(objective)) if column is None else column[: len(objective)]


def climbed(goal: Goal, polytope: Polytope, prices: Floats, column: Floats) -> Floats:
    """A corner that is at least as good: φ is convex, so the best corner of its tangent is."""
    value = float(goal.worth(column) - prices @ column)
    while True:
        corner = _best(polytope, goal.slope(column) - prices)
        better = float(goal.worth(corner) - prices @ corner)
        if better <= value + 1e-13 * abs(value):
            return corner if better >= value else column
        column, value = corner, better


def best_columns(polytope: Polytope, goal: Goal, start: Floats, watch: Callable[[float, int], None] = lambda gap, rounds: None) -> Optimum:
    """Maximise Σ λ·φ(ρ) over all channels with columns in the polytope. `start` has columns (in rows) that may be useful.

    Prices oscillate from round to round, so new corners are first sought at prices between the last ones and those with the best bound so
    far (Wentges 1997), then at the last ones. `watch` is called with the gap after every round.
    """
    silent = np.ones((1, start.shape[1]))  # the report that tells nothing: with it there is a channel, whatever was rounded elsewhere
    columns, (centre, most) = np.concatenate([silent, start]), goal.chords(polytope)
    close, progress = polytope.sharpness if columns.shape[1] <= _FEW else _NEAR, [math.inf]
    for round_ in range(_ROUNDS):
        chances, prices = _programme(columns, goal)
        value = float(chances @ goal.worth(columns))
        enough = close * max(min(value, max(goal.whole - value, _LEFT * goal.whole)), 1e-300) / 2
        fresh = np.empty((0, columns.shape[1]))
        for asked in (_CALM * centre + (1 - _CALM) * prices, prices):
            corners, bound = goal.search(polytope, asked, enough, round_)
            if float(asked.sum()) + bound < most:
                most, centre = float(asked.sum()) + bound, asked
            fresh = _promising(goal, corners, prices, enough / 10)
            if len(fresh) or most - value <= 2 * enough:
                break
        watch(most - value, round_)
        progress.append(most - value)
        patience = max(_PATIENCE, columns.shape[1])
        stuck = len(progress) > patience and progress[-1] > 0.99 * progress[-patience]
        if len(fresh) == 0 or most - value <= 2 * enough or stuck:
            break
        promise = goal.worth(columns) - columns @ prices
        if len(columns) > _KEPT:
            columns = np.concatenate([silent, columns[np.argsort(-promise)[:_KEPT]]])
        columns = np.concatenate([columns, fresh])
    chances, _ = _programme(columns, goal)
    kept = chances > 1e-12
    value = float(chances @ goal.worth(columns))
    return Optimum(chances[kept], columns[kept], value, max(0.0, most - value))


def _promising(goal: Goal, corners: Sequence[Floats], prices: Floats, least: float) -> Floats:
    """The best corners that are above the threshold, without duplicates."""
    if not corners:
        return np.empty((0, len(prices)))
    found = np.array(corners)
    scaled = (found - 1) / max(float(np.abs(found - 1).max()), 1e-300)
    distinct = found[np.unique(scaled.round(9), axis=0, return_index=True)[1]]
    promise = goal.worth(distinct) - distinct @ prices
    best = np.argsort(-promise)[:_AT_ONCE]
    return distinct[best[promise[best] > least]]


def _programme(columns: Floats, goal: Goal) -> tuple[Floats, Floats]:
    """The best λ for given columns, and the price of each item.

    The rows Σ λ·ρ = 1 are written as Σ λ·(ρ − 1) = 0 and Σ λ = 1, all on the scale of 1, so that small budgets are solved as well as large
    ones.
    """
    worth = goal.worth(columns)
    unit, width = max(float(worth.max()), 1e-300), max(float(np.abs(columns - 1).max()), 1e-300)
    rows = np.vstack([(columns - 1).T / width, np.ones(len(columns))])
    for method in ("highs", "highs-ipm", "highs-ds"):
        solved = linprog(-worth / unit, A_eq=rows, b_eq=np.append(np.zeros(columns.shape[1]), 1.0), bounds=(0, None), method=method)
        if solved.status == 0:
            break
    else:
        raise UnsolvedError(solved.message)
    duals = -np.asarray(solved.eqlin.marginals) * unit
    slopes = duals[:-1] / width
    return np.asarray(solved.x), slopes + (duals[-1] - float(slopes.sum())) * goal.prior
