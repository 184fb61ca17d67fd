"""The likelihood of direct reports: one term per item."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Counts
from sottovoce.channels.likelihood import SeparableLikelihood
from sottovoce.channels.model import Model


class DirectModel(Model):
    """Σ_y c_y·log(s·p_y + t_y)."""

    def of_counts(self, counts: Counts) -> SeparableLikelihood:
        return self.separable(counts)

    def separable(self, counts: Counts) -> SeparableLikelihood:
        return SeparableLikelihood(counts.astype(np.float64), self.channel.s, self.channel.t)
