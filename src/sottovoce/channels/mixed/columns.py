"""The columns of a mixture of lifted subset channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Mask
from sottovoce.channels.columns import Columns, Extreme, Pattern, largest
from sottovoce.channels.lifted import LiftedChannel
from sottovoce.policy import Prior


@dataclass(frozen=True)
class MixedColumns(Columns):
    """The columns of several channels that have no reports in common except those that reveal an item."""

    parts: tuple[LiftedChannel, ...]
    invertible: Mask

    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        return self._largest(lambda columns: columns.largest_pair(numerators, denominators, prior))

    def kinds(self, items: NDArray[np.int64]) -> NDArray[np.intp]:
        """The parts have the same sensitive items."""
        return self.parts[0].columns.kinds(items)

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        up = self._largest(lambda columns: columns.belief_ratios(prior)[0])
        return up, self._largest(lambda columns: columns.belief_ratios(prior)[1])

    def protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        return self._largest(lambda columns: columns.protected_ratio(above, below))

    def _largest(self, extreme: Callable[[Columns], Extreme]) -> Extreme:
        """The larger extreme of the parts, with a report of that part."""
        found = []
        for part in self.parts:
            one = extreme(part.columns)
            shown = part.example(one.report.inside, one.report.outside) if isinstance(one.report, Pattern) else one.report
            found.append(replace(one, report=shown))
        return largest(found)
