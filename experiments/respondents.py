"""People by the items that they hold, of whom some are asked: each person once at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from sottovoce.arrays import Floats


@dataclass(frozen=True)
class Respondents:
    """How many people hold each item."""

    counts: NDArray[np.int64]

    @property
    def p(self) -> Floats:
        return self.counts / self.counts.sum()

    @property
    def domain(self) -> sv.Domain:
        return sv.Domain(len(self.counts))

    def asked(self, n: int, random: np.random.Generator) -> NDArray[np.int64]:
        """The items of n people, drawn without putting back."""
        return np.repeat(np.arange(len(self.counts)), random.multivariate_hypergeometric(self.counts, n, method="marginals"))

    def errors(self, mechanism: sv.Mechanism, n: int) -> tuple[Floats, Floats]:
        """The expected squared and absolute error of the unbiased estimate, item by item.

        `sv.losses` is for people drawn with putting back. Each of n out of N people is asked once here, which takes the factor (N − n)/(N − 1) off the
        part p(1 − p)/n of each item's variance that is due to who is asked (exact), and shrinks absolute errors with the roots (nearly).
        """
        expected, luck = sv.losses(mechanism, self.p, n), self.p * (1 - self.p) / n
        squared = expected.per_item - luck * self.once(n)
        shrunk = np.divide(squared, expected.per_item, out=np.zeros_like(squared), where=expected.per_item > 0)
        return squared, expected.absolute * np.sqrt(shrunk)

    def once(self, n: int) -> float:
        """The part of the variance of a sample that is not there because nobody is asked twice: 1 − (N − n)/(N − 1)."""
        all_people = int(self.counts.sum())
        return 1 - (all_people - n) / (all_people - 1)
