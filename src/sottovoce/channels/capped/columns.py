"""The columns of capped channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING

from sottovoce.arrays import Mask
from sottovoce.channels.columns import Columns, Extreme
from sottovoce.channels.matrix_columns import MatrixColumns
from sottovoce.policy import Prior

if TYPE_CHECKING:
    from sottovoce.channels.capped.channel import CappedChannel


@dataclass(frozen=True)
class CappedColumns(Columns):
    """Columns whose largest ratio is known for any number of sets. Other questions are answered from the matrix, if it's small enough."""

    channel: CappedChannel
    widest: Extreme

    @cached_property
    def _written(self) -> MatrixColumns:
        rows = self.channel.numerators()
        return MatrixColumns(rows * lcm(*(entry.denominator for entry in rows.ravel().tolist())))

    @property
    def invertible(self) -> Mask:  # type: ignore[override]  # found on demand
        return self._written.invertible

    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        return self._written.largest_pair(numerators, denominators, prior)

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        return self._written.belief_ratios(prior)

    def protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        return self._written.protected_ratio(above, below)
