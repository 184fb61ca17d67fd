"""The columns of hashed channels over a finite public family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Mask
from sottovoce.channels.columns import NOTHING, Columns, Extreme, largest, ratio
from sottovoce.policy import Prior

if TYPE_CHECKING:
    from sottovoce.channels.hashed.tables import HashTableChannel


@dataclass(frozen=True)
class TableColumns(Columns):
    """Columns of finitely many hash functions, each with its own direct channel over buckets."""

    channel: HashTableChannel

    @property
    def invertible(self) -> Mask:  # type: ignore[override]  # never set, always false
        return np.zeros(self.channel.size, dtype=np.bool_)

    def _functions(self) -> Iterator[tuple[int, NDArray[np.int64], list[Fraction]]]:
        """Each function's number, the buckets of the items, and the factor by which each bucket favours its items."""
        for index, (table, direct) in enumerate(zip(self.channel.table, self.channel.directs, strict=True)):
            yield index, table, [Fraction(direct.truth + noise, noise) if noise else Fraction(1) for noise in direct.noise.tolist()]

    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        best = NOTHING
        weights = [1] * self.channel.size if prior is None else prior.weights
        above, below = np.flatnonzero(numerators).tolist(), np.flatnonzero(denominators).tolist()
        above.sort(key=lambda item: weights[item], reverse=True)
        below.sort(key=lambda item: weights[item])
        for index, table, odds in self._functions():
            top: dict[int, list[int]] = {}
            for item in above:
                top.setdefault(int(table[item]), []).append(item)
            for bucket, items in top.items():
                x = items[0]
                apart = next((item for item in below if table[item] != bucket), None)
                together = next((item for item in below if table[item] == bucket and item != x), None)
                if apart is not None:
                    best = largest([best, Extreme(odds[bucket] * weights[x] / weights[apart], (index, bucket), x, apart)])
                if together is not None:
                    best = largest([best, Extreme(Fraction(weights[x], weights[together]), (index, bucket), x, together)])
        return best

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        up, down = NOTHING, NOTHING
        for (index, table, odds), sums in zip(self._functions(), self.channel.bucket_weights(prior), strict=True):
            rise, fall = self._beliefs(odds, sums, prior.total)
            up = largest([up, Extreme(rise.ratio, (index, rise.report), int(np.flatnonzero(table == rise.item)[0]))])
            down = largest([down, Extreme(fall.ratio, (index, fall.report), int(np.flatnonzero(table == fall.item)[0]))])
        return up, down

    @staticmethod
    def _beliefs(odds: Sequence[Fraction], sums: Sequence[int], total: int) -> tuple[Extreme, Extreme]:
        """The direct channel's belief ratios over the buckets that contain items."""
        used = [b for b, weight in enumerate(sums) if weight]
        if len(used) == 1:
            return Extreme(Fraction(1), used[0], used[0]), Extreme(Fraction(1), used[0], used[0])
        up, down = NOTHING, NOTHING
        for b in used:
            mean = 1 + (odds[b] - 1) * Fraction(sums[b], total)
            up = largest([up, Extreme(mean, b, next(other for other in used if other != b))])
            down = largest([down, Extreme(odds[b] / mean, b, b)])
        return up, down

    def protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        def per_bucket(weights: Sequence[Fraction], table: NDArray[np.int64]) -> list[Fraction]:
            sums = [Fraction(0)] * self.channel.buckets
            for weight, bucket in zip(weights, table.tolist(), strict=True):
                sums[bucket] += weight
            return sums

        def candidates() -> Iterator[Extreme]:
            for index, table, odds in self._functions():
                up, down = per_bucket(above, table), per_bucket(below, table)
                whole_up, whole_down = sum(up, Fraction(0)), sum(down, Fraction(0))
                for b in sorted(set(table.tolist())):
                    gain = odds[b] - 1
                    yield Extreme(ratio(whole_up + gain * up[b], whole_down + gain * down[b]), (index, b))

        return largest(candidates())
