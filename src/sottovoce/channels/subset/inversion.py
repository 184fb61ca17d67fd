"""Inversion of sets of fixed size."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.inversion import Contained
from sottovoce.channels.kinds import ByKind, PairMoments
from sottovoce.channels.sets.inversion import Liftable, Pairs


class SubsetInversion(ByKind, Contained, Liftable):
    """A report contains the own item with the chance `own`, and k − 1 or k of the others, all alike."""

    def __init__(self, size: int, chosen: int, own: float) -> None:
        other = (chosen - own) / max(1, size - 1)
        super().__init__(np.full(size, own), np.full(size, other))
        self.neutral, self._size, self._chosen = chosen / size, size, chosen
        self.first = np.ones(size, dtype=np.bool_)

    @property
    def pairs(self) -> Pairs:
        own, other = float(self.own[0]), float(self.other[0])
        count, k, unit = self._size, self._chosen, 1 / (own - other)
        held = own * (k - 1) / (count - 1)
        aside = (own * (k - 1) * (k - 2) + (1 - own) * k * (k - 1)) / ((count - 1) * max(1, count - 2))
        return Pairs(unit**2 * (held - own * other), unit**2 * (aside - other**2), k * (k - 1) / (count * (count - 1)))

    @property
    def pair_moments(self) -> tuple[PairMoments, PairMoments]:
        pairs = self.pairs if self._size > 1 else Pairs(0.0, 0.0, 0.0)
        return PairMoments(own_alike=pairs.held, alike=pairs.aside), PairMoments()
