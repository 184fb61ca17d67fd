"""Inversion of direct reports."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.inversion import Contained


class DirectInversion(Contained):
    """A report names one item, whose share inversion finds with the least variance that is possible."""

    efficient = True

    def __init__(self, s: float, t: Floats) -> None:
        super().__init__(s + t, t)
        self._odds = t / s

    def products(self, p: Floats, shares: Floats | None = None) -> Floats:
        odds = self._odds
        return -np.outer(odds, odds) - np.outer(p, odds) - np.outer(odds, p)
