"""The columns of a window channel: the report y favours the items whose window contains it, which are neighbours.

For a report there are three kinds of items: sensitive ones near it (weight t_y + u), sensitive ones away from it (t_y) and free ones (what
they keep of y). Every question of a notion is answered from these kinds, report by report, in integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import lcm

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Mask
from sottovoce.channels.columns import NOTHING, Columns, Extreme, largest, ratio
from sottovoce.channels.window.extremes import Extremes
from sottovoce.policy import Prior

#: The kinds of items, seen from a report.
NEAR, AWAY, FREE = range(3)


@dataclass(frozen=True, eq=False)
class WindowColumns(Columns):
    """The tables of a `WindowChannel`."""

    half: int
    gain: int
    noise: NDArray[np.uint64]
    sensitive: Mask
    kept: NDArray[np.uint64]

    @cached_property
    def invertible(self) -> Mask:  # type: ignore[override]  # found on demand
        return ~self.sensitive

    @cached_property
    def _inside(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.sensitive)

    @cached_property
    def _free(self) -> NDArray[np.int64]:
        return np.flatnonzero(~self.sensitive)

    @cached_property
    def _low(self) -> NDArray[np.int64]:
        """The first place, among the sensitive items, of those near each report."""
        return np.maximum(np.arange(len(self.noise)) - 2 * self.half, 0)

    @cached_property
    def _high(self) -> NDArray[np.int64]:
        """One behind the last."""
        return np.minimum(np.arange(len(self.noise)) + 1, len(self._inside))

    @cached_property
    def _weights(self) -> list[tuple[int, int, int]]:
        """The weights of the three kinds for each report (0 for free items if there are none)."""
        kept = self.kept.tolist() if len(self.kept) else [0] * len(self.noise)
        return [(noise + self.gain, noise, keep) for noise, keep in zip(self.noise.tolist(), kept, strict=True)]

    @cached_property
    def _alike(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """One report for each combination of weights, and the combination of every report."""
        pairs = np.stack([self.noise, self.kept if len(self.kept) else np.zeros_like(self.noise)])
        _, first, places = np.unique(pairs, axis=1, return_index=True, return_inverse=True)
        return first.astype(np.int64), np.ravel(places)

    # ---- the items of each kind ----

    def _numbers(self, mask: Mask) -> NDArray[np.int64]:
        """How many items of the mask are of each kind (a row), for each report."""
        sums = np.concatenate([[0], np.cumsum(mask[self._inside])])
        near = sums[self._high] - sums[self._low]
        return np.stack([near, sums[-1] - near, np.full(len(near), int(mask[self._free].sum()))])

    def _items(self, mask: Mask, y: int, kind: int) -> list[int]:
        """The items of the mask that are of a kind for the report y."""
        near = slice(int(self._low[y]), int(self._high[y]))
        found = (self._inside[near], np.delete(self._inside, near), self._free)[kind]
        chosen: list[int] = found[mask[found]].tolist()
        return chosen

    # ---- what notions ask ----

    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        if prior is not None:
            return largest(self._posterior_pairs(numerators, denominators, prior))
        above, below, both = (self._numbers(mask) for mask in (numerators, denominators, numerators & denominators))
        first, places = self._alike
        best, found = NOTHING, None
        for one in (NEAR, AWAY, FREE):
            for two in (NEAR, AWAY, FREE):
                there = above[one] * below[two] > (both[one] if one == two else 0)
                for y in np.unique(places[there]).tolist():
                    weights = self._weights[first[y]]
                    value = Fraction(weights[one], weights[two])
                    if value > best.ratio:
                        best, found = Extreme(value), (one, two, int(np.flatnonzero(there & (places == y))[0]))
        if found is None:
            return NOTHING
        one, two, y = found
        x, other = next(_different(self._items(numerators, y, one), self._items(denominators, y, two)))
        return Extreme(best.ratio, y, x, other)

    def _posterior_pairs(self, numerators: Mask, denominators: Mask, prior: Prior) -> Iterator[Extreme]:
        """For each report and two kinds the likeliest item above and the unlikeliest below, by their weights in the prior."""
        order = np.array(sorted(range(len(prior)), key=prior.weights.__getitem__), dtype=np.int64)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        top = Extremes(rank, self._inside, self._free, numerators).of(self._low, self._high)
        bottom = Extremes(-rank, self._inside, self._free, denominators).of(self._low, self._high)
        for y, weights in enumerate(self._weights):
            for one in (NEAR, AWAY, FREE):
                for two in (NEAR, AWAY, FREE):
                    x, other = int(top[one, y]), int(bottom[two, y])
                    if x < 0 or other < 0:
                        continue
                    pairs = [(x, other)] if x != other else self._next_pairs(numerators, denominators, y, one, x, rank)
                    for a, b in pairs:
                        yield Extreme(Fraction(prior.weights[a] * weights[one], prior.weights[b] * weights[two]), y, a, b)

    def _next_pairs(
        self, numerators: Mask, denominators: Mask, y: int, kind: int, x: int, rank: NDArray[np.int64]
    ) -> list[tuple[int, int]]:
        """Correct pairs whose best item is the same on both sides: pair each with the second best of the other side."""
        above = [item for item in self._items(numerators, y, kind) if item != x]
        below = [item for item in self._items(denominators, y, kind) if item != x]
        pairs = [(max(above, key=rank.__getitem__), x)] if above else []
        return pairs + ([(x, min(below, key=rank.__getitem__))] if below else [])

    def _sums(self, weights: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Σ weight_x·Q(y|x) for each report y, and y."""
        inside, free = [weights[x] for x in self._inside.tolist()], sum(weights[x] for x in self._free.tolist())
        sums = [0, *accumulate(inside)]
        for y, (_, noise, kept) in enumerate(self._weights):
            yield noise * sums[-1] + self.gain * (sums[int(self._high[y])] - sums[int(self._low[y])]) + kept * free, y

    def _ends(self, y: int) -> list[tuple[int, int]]:
        """The weight of each kind of items for the report y, and an item of that kind."""
        (near, away, kept), low, high = self._weights[y], int(self._low[y]), int(self._high[y])
        found = [(near, int(self._inside[low]))]
        if low > 0 or high < len(self._inside):
            found.append((away, int(self._inside[0 if low > 0 else high])))
        return found + ([(kept, int(self._free[0]))] if len(self._free) else [])

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        up, down = (0, 1, 0, 0), (0, 1, 0, 0)
        for mean, y in self._sums(prior.weights):
            (least, low), (most, high) = min(ends := self._ends(y)), max(ends)
            if mean * up[1] > up[0] * least * prior.total:
                up = mean, least * prior.total, y, low
            if most * prior.total * down[1] > down[0] * mean:
                down = most * prior.total, mean, y, high
        rise, fall = (Extreme(Fraction(above, below), y, item) for above, below, y, item in (up, down))
        return rise, fall

    def protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        common = lcm(*(weight.denominator for weight in (*above, *below)))
        tops, bottoms = (self._sums([int(weight * common) for weight in weights]) for weights in (above, below))
        return largest(Extreme(ratio(Fraction(top), Fraction(bottom)), y) for (top, y), (bottom, _) in zip(tops, bottoms, strict=True))

    # ---- reports that are items: a window of one report ----

    def within(self, y: int) -> Extreme:
        ends = self._ends(y)
        (most, top), (least, bottom) = max(ends), min(ends)
        return Extreme(Fraction(most, least), y, top, bottom if len(ends) > 1 else None)

    def alike(self, reports: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """Reports with equal noise have equal columns."""
        _, first, places = np.unique(self.noise[reports], return_index=True, return_inverse=True)
        return reports[first], places

    def shared(self, free: Mask) -> int | None:
        """Every report has noise."""
        found = np.flatnonzero(free)
        return int(found[0]) if len(found) else None


def _different(above: Sequence[int], below: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of different items."""
    return ((x, other) for x in above for other in below if x != other)
