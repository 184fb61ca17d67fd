"""A goal of plans: to find rare items, which means to distinguish them from zero."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.mechanisms import Mechanism
from sottovoce.special import normal_quantile
from sottovoce.utility.expectations import Curve
from sottovoce.utility.goals import ReadingGoal, percent
from sottovoce.utility.moments import Moments, item_moments

#: How often an item of the share that is looked for is found.
POWER = 0.8
#: Halvings of an interval until a share is known to all its digits.
_HALVINGS = 60


@dataclass(frozen=True)
class Find(ReadingGoal):
    """Items of the share `asked` are distinguished from zero with the power 0.8. The error is the smallest share that is.

    An item is found if its unbiased estimate T is so large that this would happen to any of the K items without it with a chance of at most
    1 − `confidence` (Bonferroni): if T > q₀(1 − (1 − confidence)/K), where q₀ is the quantile of T at share 0. It is found with the power
    if q_v(1 − power) lies above that. With the quantile q_v(h) = v + z_h·σ/√n + (z_h² − 1)/6·μ₃/(σ²·n) (Cornish and Fisher, second order),
    σ² and μ₃ being the central moments of a reading at the share v, this is a quadratic equation in 1/√n. Where a report never names
    an item without reason (σ = 0 at share 0), one report that names it suffices: n = ln(1 − power)/ln(1 − v·chance to be named).
    Of items that differ, the one that is hardest to find counts.

    >>> from sottovoce import plan
    >>> found = plan(1000, 2.0, find=0.01)
    >>> found.options[0].name, found.options[0].people
    ('olh', 163952)
    >>> round(plan(1000, 2.0, find=0.01, n=30_000).options[0].smallest, 4)
    0.0235
    """

    measure = "smallest"
    wanted = "find (the share of the items that you look for)"
    settle = "look for larger shares"

    confidence: float = 0.95

    def curve(self, mechanism: Mechanism, p: Floats | None, reports: int) -> tuple[Curve, str]:
        moments = item_moments(mechanism, p)
        columns = np.vstack([moments.own, moments.other, _named(mechanism)])  # items that are read alike are found alike
        columns = columns[:, :1] if (columns == columns[:, :1]).all() else np.unique(columns, axis=1)
        size = len(mechanism.inputs)
        z = -normal_quantile((1 - self.confidence) / size)
        where = "for the worst population" if p is None else "in this population"
        return Finding(Moments(columns[:2], columns[2:4]), columns[4], z, reports), where

    def short(self, error: float) -> str:
        return percent(error)

    def phrase(self, error: float) -> str:
        return f"items from {self.short(error)} on are found"

    def cell(self, error: float) -> str:
        return self.short(error)

    def to_dict(self) -> dict[str, Any]:
        return {"goal": "smallest share that is found", "find": self.asked, "confidence": self.confidence, "power": POWER}

    @property
    def purpose(self) -> str:
        assert self.asked is not None
        return f"to find items of {self.short(self.asked)}"

    @property
    def heads(self) -> tuple[str, str]:
        return "finds items from", "people" if self.asked is None else f"people {self.purpose}"

    @property
    def legend(self) -> str:
        chance = percent(1 - self.confidence)
        return f"found: told from zero in {percent(POWER)} of such studies, any false find in at most {chance}"

    @property
    def axis(self) -> str:
        return "smallest share that is found"


def _named(mechanism: Mechanism) -> Floats:
    """The chance that a report of an item's holder has a nonzero reading."""
    inversion = mechanism.channel.inversion
    assert inversion is not None
    return np.asarray((inversion.readings.own * (inversion.readings.values != 0)).sum(axis=0))


@dataclass(frozen=True)
class Finding(Curve):
    """The smallest share that is found: of each of several kinds of items, of which the hardest to find counts."""

    moments: Moments
    named: Floats
    z: float
    reports: int

    def error(self, n: float) -> float:
        low, high = np.zeros_like(self.named), np.ones_like(self.named)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            enough = self._needed(middle) <= n
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        ample = self._needed(np.ones_like(self.named))
        return float(np.where(ample <= n, high, np.sqrt(ample / n)).max())  # beyond 1 as far as people are missing

    def needed(self, error: float) -> float:
        return float(self._needed(np.full_like(self.named, error)).max())

    def _needed(self, share: Floats) -> Floats:
        """How many people it takes to find each kind of item at a share."""
        power = normal_quantile(POWER)
        zero, there = (np.sqrt(self.moments.variance(v, self.reports)) for v in (np.zeros_like(share), share))
        linear = self.z * zero + power * there
        square = (self.z**2 - 1) / 6 * self.moments.skew(np.zeros_like(share), self.reports)
        square = square + (1 - power**2) / 6 * self.moments.skew(share, self.reports)
        root = np.sqrt(np.maximum(linear**2 + 4 * share * square, 0.0))
        with np.errstate(divide="ignore"):
            usual = ((linear + root) / (2 * share)) ** 2
            certain = math.log1p(-POWER) / np.log1p(-share * (1 - (1 - self.named) ** self.reports))
        return np.where(zero > 0, usual, certain)
