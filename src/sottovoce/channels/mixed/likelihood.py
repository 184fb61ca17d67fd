"""The likelihood of a mixture: that of its parts, each on the reports of its size."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import Likelihood, ReportsLikelihood
from sottovoce.channels.model import Model
from sottovoce.reports import SetReports


class MixedModel(Model):
    """The pieces of the parts, named by the number of the part. Reports that reveal an item count as those of the first."""

    def pieces(self, reports: SetReports, *, distinct: bool = True) -> dict[str, Likelihood]:
        kinds = self.channel.kinds(reports)
        piles = reports[np.flatnonzero(kinds <= 0)], reports[np.flatnonzero(kinds == 1)]
        return {
            f"{number} {name}": piece
            for number, (part, pile) in enumerate(zip(self.channel.parts, piles, strict=True))
            for name, piece in part.model.pieces(pile, distinct=distinct).items()
        }

    def templates(self) -> dict[str, ReportsLikelihood]:
        parts = enumerate(self.channel.parts)
        return {f"{number} {name}": piece for number, part in parts for name, piece in part.model.templates().items()}

    def counted(self, name: str, counts: Floats) -> Likelihood:
        number, _, piece = name.rpartition(" ")
        return self.channel.parts[int(number)].model.counted(piece, counts)
