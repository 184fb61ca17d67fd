"""Likelihood-ratio tests of a weighted sum of shares: the largest likelihood at which a·p has a given value.

All shares are free but for that: no smoothness is assumed, so that a test is valid for every population. Items are merged into cells if
there are many, each with the composition that the estimate finds: reports distinguish neighbours even less than cells.

If shares are at zero, as many are in sparse populations and small samples, the signed root of the ratio isn't a standard normal deviate.
So limits are found twice: first as if it were, and then with its mean and its standard deviation there (`calibration`), for reports of the
smooth shares, tilted so that the sum has the value. (The most likely shares at a limit lean towards the reports, and the root's mean with
them, which made intervals too wide if there is little information.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import Likelihood
from sottovoce.estimators.calibration import Chance, Null, simulated
from sottovoce.estimators.cells import Merged, tilted
from sottovoce.estimators.intervals import deviate
from sottovoce.estimators.places import below, place_of
from sottovoce.optima.solvers import root_between

#: More items than the first number are merged into so many cells as the second says.
_MOST_ITEMS, _CELLS = 128, 64
#: A part of the range of the weights: values nearer to its ends than this count as the ends.
_EDGE = 1e-6
#: A place is found to this part of an item.
_PLACE = 0.01
#: Ratios are calibrated at the limits that 95 % intervals would have without it.
_REFERENCE = deviate(0.95)


class Profile:
    """The likelihood of reports that are counted, as a function of weighted sums of the shares.

    The smooth shares `p` define how cells are made up, and which reports to expect in calibrations. `all_seen` has a likelihood for
    each block in which everything that people may report was seen once, with the number of people. Without it, ratios aren't
    calibrated.
    """

    def __init__(self, parts: Sequence[Likelihood], p: Floats, all_seen: Sequence[tuple[int, Likelihood]] = ()) -> None:
        size = len(p)
        self.parts, self.all_seen, self.around = parts, all_seen, 0.99 * p + 0.01 / size
        self.labels = np.arange(size) if size <= _MOST_ITEMS else np.arange(size) * _CELLS // size
        self._problems: dict[bytes, Merged] = {}
        self._nulls: dict[tuple[bytes, float], Null] = {}

    @cached_property
    def top(self) -> Floats:
        """The most likely shares."""
        problem = self._problem(np.zeros_like(self.around))
        return np.asarray(problem.composition @ problem.cells.top)

    def ratio(self, weights: Floats, value: float) -> float:
        """Twice the log-likelihood that is lost if the weighted sum has this value."""
        problem = self._problem(weights)
        found = problem.cells.fixed(weights @ problem.composition, value)
        return math.inf if found is None else max(0.0, 2 * (problem.cells.height - found[1]))

    def null(self, weights: Floats, value: float) -> Null:
        """How the signed root of the ratio scatters if the value is right."""
        key = weights.tobytes(), value
        if key not in self._nulls:
            problem = self._problem(weights)
            merged, seed = weights @ problem.composition, problem.cells.times.astype(np.int64).tolist()
            expected = tilted(problem.cells.base, merged, value) if self.all_seen else None
            chances = [Chance(n, part.through(problem.composition)[1]) for n, part in self.all_seen]
            self._nulls[key] = Null() if expected is None else simulated(chances, expected, merged, seed)
        return self._nulls[key]

    def limits(self, weights: Floats, deviate: float) -> tuple[float, float]:
        """The least and the largest value that aren't rejected: those with a root of at most the deviate, in units of its own scatter."""
        return self.limit(weights, deviate, 1), self.limit(weights, deviate, -1)

    def limit(self, weights: Floats, deviate: float, side: int) -> float:
        """The least (side 1) or the largest (side −1) value that isn't rejected."""
        problem = self._problem(weights)
        merged = weights @ problem.composition
        best, outermost = float(merged @ problem.cells.top), float(merged.min() if side > 0 else merged.max())
        edge = _EDGE * float(merged.max() - merged.min())
        end = outermost + side * edge
        if not edge < side * (best - end):
            return outermost
        found = self._limit(partial(self._root, weights), partial(self.null, weights), end, best, 1e-3 * abs(best - end), side, deviate)
        return outermost if found is None else found

    def places(self, share: float, deviate: float) -> tuple[float, float]:
        """The first and the last place at which the share of the items before it may be this one."""
        size, middle = len(self.around), place_of(self.top, share)
        found = []
        for outermost, side in ((0.0, -1), (float(size), 1)):
            end = outermost - side * _PLACE
            if not side * (end - middle) > 0:
                found.append(outermost)
                continue
            place = self._limit(
                lambda place: self._root(below(size, place), share),
                lambda place: self.null(below(size, place), share),
                end,
                middle,
                _PLACE,
                side,
                deviate,
            )
            found.append(outermost if place is None else place)
        return found[0], found[1]

    def _root(self, weights: Floats, value: float) -> float:
        return math.sqrt(min(self.ratio(weights, value), 1e12))

    @staticmethod
    def _limit(
        root: Callable[[float], float], null: Callable[[float], Null], end: float, best: float, close: float, side: int, deviate: float
    ) -> float | None:
        """The point between the end and the best one from which on points are rejected. None if the end isn't."""
        first = _crossed(root, end, best, close, _REFERENCE)
        known = Null() if first is None else null(first)
        return _crossed(root, end, best, close, known.most(deviate, side))

    def _problem(self, weights: Floats) -> Merged:
        """Cells of which each has a single weight: a cell in which the weight changes is cut there, if it's one of few."""
        labels = np.unique(np.stack([self.labels, weights]), axis=1, return_inverse=True)[1].ravel()
        if labels.max() > 2 * _CELLS and len(labels) > _MOST_ITEMS:
            labels = self.labels
        key = labels.tobytes()
        if key not in self._problems:
            self._problems[key] = Merged.of(self.parts, self.around, labels)
        return self._problems[key]


def _crossed(root: Callable[[float], float], end: float, best: float, close: float, most: float) -> float | None:
    """The point between the end and the best one at which the root is the most that is accepted. None if the end is accepted too."""
    return root_between(lambda x: root(x) - most, end, best, close) if root(end) > most else None
