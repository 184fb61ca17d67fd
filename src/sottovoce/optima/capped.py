"""Sets of at most m of M boxes, padded with m dummies to exactly m of d = M + m items, and reported as k of the d items.

A report that meets the padded set is e^ε times as likely as one that doesn't. All counts of reports are exact integers.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from math import comb


def reports_that_meet(boxes: int, cap: int, chosen: int) -> tuple[int, int]:
    """How many reports meet a padded set, and how many miss it.

    >>> reports_that_meet(4, 2, 2)
    (9, 6)
    """
    misses = comb(boxes, chosen)
    return comb(boxes + cap, chosen) - misses, misses


def chance_of_places(boxes: int, cap: int, chosen: int, meets: Fraction, inside: tuple[int, int], outside: tuple[int, int]) -> Fraction:
    """The chance that a report contains some items and misses some others. `meets` is the chance that it meets the padded set.

    `inside` and `outside` count the items that it must contain and must miss: all of them, and those of them in the padded set.

    >>> chance_of_places(4, 2, 2, Fraction(3, 4), (1, 1), (0, 0)), chance_of_places(4, 2, 2, Fraction(3, 4), (1, 0), (0, 0))
    (Fraction(5, 12), Fraction(7, 24))
    """
    hits, misses = reports_that_meet(boxes, cap, chosen)
    named, free = inside[0] + outside[0], boxes + cap
    fitting = _ways(free - named, chosen - inside[0])
    missing = 0 if inside[1] else _ways(boxes - named + outside[1], chosen - inside[0])
    return meets * Fraction(fitting - missing, hits) + (1 - meets) * Fraction(missing, misses)


def _ways(items: int, chosen: int) -> int:
    return comb(items, chosen) if 0 <= chosen <= items else 0


@lru_cache(maxsize=4096)
def best_capped(boxes: int, cap: int, epsilon: float) -> tuple[int, float]:
    """The size k of reports with the least error, and n times the variance of the share of a box then.

    The formula is r(1 − r)/(a − b)² with r = b + (a − b)·p. On average people are taken to choose half as many boxes as they may:
    p = m/(2M).

    >>> size, variance = best_capped(20, 3, 1.0)
    >>> size, round(variance, 2)
    (2, 9.21)
    """
    tried = {size: capped_variance(boxes, cap, size, epsilon, cap / (2 * boxes)) for size in range(1, boxes + 1)}
    best = min(tried, key=tried.__getitem__)
    return best, tried[best]


def capped_variance(boxes: int, cap: int, chosen: int, epsilon: float, share: float) -> float:
    """n times the variance of the estimated share of a box, if it is `share`.

    >>> round(capped_variance(20, 3, 1, 2.0, 0.1), 3)
    1.627
    """
    hits, misses = reports_that_meet(boxes, cap, chosen)
    meets = Fraction(1 / (1 + math.exp(-epsilon) * float(Fraction(misses, hits))))
    own, other = (float(chance_of_places(boxes, cap, chosen, meets, (1, mine), (0, 0))) for mine in (1, 0))
    if own <= other:
        return math.inf
    seen = other + (own - other) * share
    return seen * (1 - seen) / (own - other) ** 2
