"""The columns of a direct channel: the report y favours its own item by the factor 1 + s/t_y, and treats all others alike.

This is a set system of one-item sets, in its own code so that a million items with different noise stay integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Mask
from sottovoce.channels.columns import NOTHING, Columns, Extreme, largest, ratio
from sottovoce.policy import Prior

#: Items that are turned into Python integers at a time.
_CHUNK = 1 << 16


@dataclass(frozen=True)
class DirectColumns(Columns):
    """Q(y|x) ∝ 1 + (truth/noise[y])·[x = y]. An item without noise is invertible."""

    truth: int
    noise: NDArray[np.uint64]

    @cached_property
    def invertible(self) -> Mask:  # type: ignore[override]  # found on demand
        return np.asarray(self.noise == 0)

    def _gain(self, y: int) -> Fraction:
        return Fraction(self.truth, int(self.noise[y]))

    def _reports(self) -> list[int]:
        return np.flatnonzero(self.noise).tolist()

    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        if self.invertible.all():
            return NOTHING
        if prior is not None:
            return self._posterior_pair(numerators, denominators, prior)
        others = np.flatnonzero(denominators)[:2].tolist()
        telling = np.flatnonzero(numerators & ~self.invertible)
        best = NOTHING
        for x in telling[np.argsort(self.noise[telling], kind="stable")[:2]].tolist():
            rivals = [other for other in others if other != x]
            best = largest([best, *(Extreme(1 + self._gain(x), x, x, other) for other in rivals[:1])])
        return largest([best, *self._quiet_pair(numerators, others)])

    def kinds(self, items: NDArray[np.int64]) -> NDArray[np.intp]:
        """Items with equal noise are alike."""
        return self.alike(items)[1]

    def _quiet_pair(self, numerators: Mask, others: Sequence[int]) -> Iterable[Extreme]:
        """Two items whose ratio is 1 in every report (less if the only report favours the second)."""
        reports = np.flatnonzero(self.noise)[:2].tolist()
        for x in np.flatnonzero(numerators)[:2].tolist():
            for other in others:
                if x != other:
                    y = next((y for y in reports if y not in {x, other}), None)
                    if y is not None:
                        yield Extreme(Fraction(1), y, x, other)

    def _posterior_pair(self, numerators: Mask, denominators: Mask, prior: Prior) -> Extreme:
        """P_x·Q(y|x)/(P_x'·Q(y|x')): the best report for x is x itself if that is a report, else any that doesn't favour x'."""
        reports = self._reports()
        alone = reports[0] if len(reports) == 1 else None
        weight = prior.weights.__getitem__

        def factor(item: int, *, above: bool) -> Fraction:
            favoured = not self.invertible[item] if above else item == alone
            return weight(item) * (1 + self._gain(item) if favoured else Fraction(1))

        top = sorted(np.flatnonzero(numerators).tolist(), key=lambda item: factor(item, above=True), reverse=True)[:2]
        bottom = sorted(np.flatnonzero(denominators).tolist(), key=lambda item: factor(item, above=False))[:2]
        pairs = ((x, other) for x in top for other in bottom if x != other)
        return largest(Extreme(factor(x, above=True) / factor(other, above=False), None, x, other) for x, other in pairs)

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        """Pr(y)/Q(y|x) is largest at 1 + P_y·s/t_y for x ≠ y, and Q(x|x)/Pr(x) is (t_x + s)/(t_x + P_x·s). One pass, in integers."""
        if len(self.noise) == 1:
            return Extreme(Fraction(1), 0, 0), Extreme(Fraction(1), 0, 0)
        truth, total = self.truth, prior.total
        up, up_weight, up_noise = -1, 0, 1
        down, down_above, down_below = -1, 0, 1
        for start in range(0, len(self.noise), _CHUNK):
            for y, noise in enumerate(self.noise[start : start + _CHUNK].tolist(), start):
                if noise:
                    weight = prior.weights[y]
                    if weight * up_noise > up_weight * noise:
                        up, up_weight, up_noise = y, weight, noise
                    above, below = noise + truth, noise * total + weight * truth
                    if above * down_below > down_above * below:
                        down, down_above, down_below = y, above, below
        rise = 1 + prior.fraction(up) * self._gain(up)
        return Extreme(rise, up, 0 if up else 1), Extreme(Fraction(down_above * total, down_below), down, down)

    def protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        up, down = sum(above, Fraction(0)), sum(below, Fraction(0))
        return largest(Extreme(ratio(up + self._gain(y) * above[y], down + self._gain(y) * below[y]), y) for y in self._reports())

    def within(self, y: int) -> Extreme:
        noise = int(self.noise[y])
        if len(self.noise) == 1:
            return Extreme(Fraction(1), y, y, None)
        return Extreme(ratio(Fraction(self.truth + noise), Fraction(noise)), y, y, 0 if y else 1)

    def alike(self, reports: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """Reports with equal noise have equal columns."""
        _, first, places = np.unique(self.noise[reports], return_index=True, return_inverse=True)
        return reports[first], places

    def shared(self, free: Mask) -> int | None:
        found = np.flatnonzero(free & (self.noise > 0))
        return int(found[0]) if len(found) else None
