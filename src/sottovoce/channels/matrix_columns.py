"""Columns of any finite table of probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Mask
from sottovoce.channels.columns import NOTHING, Columns, Extreme, largest, ratio
from sottovoce.policy import Prior


@dataclass(frozen=True)
class MatrixColumns(Columns):
    """Columns from a table: `rows[x][y]`, integers out of a common total. Columns with one positive entry are invertible."""

    rows: NDArray[Any]

    @cached_property
    def invertible(self) -> Mask:  # type: ignore[override]  # found on demand
        return np.asarray((self._support & self._alone).any(axis=1))

    @cached_property
    def _support(self) -> Mask:
        return np.asarray(self.rows != 0)

    @cached_property
    def _alone(self) -> Mask:
        """The reports that a single item can produce."""
        return np.asarray(self._support.sum(axis=0) == 1)

    @cached_property
    def _protected(self) -> list[int]:
        return np.flatnonzero(~self._alone & self._support.any(axis=0)).tolist()

    def _column(self, y: int) -> list[int]:
        return [int(entry) for entry in self.rows[:, y]]

    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        weights = [1] * len(self.rows) if prior is None else list(prior.weights)
        above, below = np.flatnonzero(numerators).tolist(), np.flatnonzero(denominators).tolist()

        def candidates() -> Iterable[Extreme]:
            for y in self._protected:
                column = [entry * weight for entry, weight in zip(self._column(y), weights, strict=True)]
                top = sorted(above, key=column.__getitem__, reverse=True)[:2]
                bottom = sorted(below, key=column.__getitem__)[:2]
                for x in top:
                    for other in bottom:
                        if x != other:
                            yield Extreme(ratio(Fraction(column[x]), Fraction(column[other])), y, x, other)

        return largest(candidates())

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        up, down = NOTHING, NOTHING
        for y in self._protected:
            column = self._column(y)
            mean = Fraction(sum(weight * entry for weight, entry in zip(prior.weights, column, strict=True)), prior.total)
            least, most = min(range(len(column)), key=column.__getitem__), max(range(len(column)), key=column.__getitem__)
            up = largest([up, Extreme(ratio(mean, Fraction(column[least])), y, least)])
            down = largest([down, Extreme(Fraction(column[most]) / mean, y, most)])
        return up, down

    def protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        def weighted(weights: Sequence[Fraction], y: int) -> Fraction:
            return sum((weight * entry for weight, entry in zip(weights, self._column(y), strict=True)), Fraction(0))

        return largest(Extreme(ratio(weighted(above, y), weighted(below, y)), y) for y in self._protected)

    def within(self, y: int) -> Extreme:
        column = self._column(y)
        top, bottom = max(range(len(column)), key=column.__getitem__), min(range(len(column)), key=column.__getitem__)
        return Extreme(ratio(Fraction(column[top]), Fraction(column[bottom])), y, top, bottom)

    def shared(self, free: Mask) -> int | None:
        return next((y for y in np.flatnonzero(free).tolist() if np.flatnonzero(self._support[:, y]).tolist() != [y]), None)
