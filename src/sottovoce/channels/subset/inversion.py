"""Inversion of sets of fixed size."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.inversion import Contained
from sottovoce.channels.sets.inversion import Liftable, Pairs


class SubsetInversion(Contained, Liftable):
    """A report contains the own item with the chance `own`, and k − 1 or k of the others, all alike."""

    def __init__(self, size: int, chosen: int, own: float) -> None:
        other = (chosen - own) / max(1, size - 1)
        super().__init__(np.full(size, own), np.full(size, other))
        self.neutral, self._size, self._chosen = chosen / size, size, chosen

    @property
    def pairs(self) -> Pairs:
        own, other = float(self.own[0]), float(self.other[0])
        count, k, unit = self._size, self._chosen, 1 / (own - other)
        held = own * (k - 1) / (count - 1)
        aside = (own * (k - 1) * (k - 2) + (1 - own) * k * (k - 1)) / ((count - 1) * max(1, count - 2))
        return Pairs(unit**2 * (held - own * other), unit**2 * (aside - other**2), k * (k - 1) / (count * (count - 1)))

    def products(self, p: Floats, shares: Floats | None = None) -> Floats:
        pairs, both = self.pairs, np.add.outer(p, p)
        return np.asarray(pairs.held * both + pairs.aside * (p.sum() - both))
