"""What the words of claims are taken to mean. One place, so that like claims are judged by like bounds, whichever paper makes them."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """Between what a figure must lie for a claim in these words to hold: a ratio, unless the words say otherwise."""

    words: str
    told: str
    low: float = -math.inf
    high: float = math.inf

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high


def _within(words: str, told: str, factor: float) -> Bound:
    return Bound(words, told, 1 / factor, factor)


#: Exact figures that rounding moves off their bound by less than this lie on it.
ROUNDING = 1e-6

BETTER = Bound("better, outperforms, the best, falls", "as good or better, beyond the Monte-Carlo error", 1.0)
CLEARLY = Bound("clearly, significantly better", "at least 1.5 times as good", 1.5)
FAR = Bound("by far, much, quickly, rapidly (slowly: less)", "at least 2 times", 2.0)
AN_ORDER = Bound("(about) one order of magnitude, one to two", "at least √10 ≈ 3.2 times, no upper end", math.sqrt(10))
SAME_ORDER = Bound("order optimal, of the best order", "at most √10 ≈ 3.2 times the best", -math.inf, math.sqrt(10))
SAME = _within("equal, the same: formulas, limits, starting points", "within 1 %", 1.01)
ALIKE = _within("almost the same, alike, almost 1, does not depend on, converges", "within a tenth", 1.1)
CLOSE = _within("close, similar, changes little", "within a factor of 1.5", 1.5)
FACTOR = _within("twice, four times, √K times, roughly linearly", "within a quarter of that", 1.25)
OPTIMAL = Bound("theorems that state an optimum", "an exact loss at most 10⁻⁴ above the least", -math.inf, 1 + 1e-4)
ZERO = Bound("zero, without error, no difference (of root errors)", "at most 10⁻³", -math.inf, 1e-3)
KEPT = Bound("is ε-LIP", "a certified level of at most ε", -math.inf, 1 + ROUNDING)
MOST = Bound("in most cases", "a share of more than a half", 0.5)
ALMOST_ALL = Bound("in almost all runs, a correlation close to 1, ends at", "a share (a correlation) of at least 0.9", 0.9)
NEXT_TO_NOTHING = Bound("close to 0", "at most a tenth of what it is compared with", -math.inf, 0.1)
NOT_BEHIND = Bound("ours: not behind", "at most 1.05 times the best", -math.inf, 1.05)

BOUNDS = (
    BETTER,
    CLEARLY,
    FAR,
    AN_ORDER,
    SAME_ORDER,
    SAME,
    ALIKE,
    CLOSE,
    FACTOR,
    OPTIMAL,
    ZERO,
    KEPT,
    MOST,
    ALMOST_ALL,
    NEXT_TO_NOTHING,
    NOT_BEHIND,
)
