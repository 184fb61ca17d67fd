"""Numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Callable

#: Parts of the last digit that are taken for rounding errors.
_DUST = 1e-6
#: Percentage points of an interval from which on a share in a sentence has no digits behind the point.
_COARSE = 2


def as_percent(level: float) -> str:
    """A level without digits that say nothing.

    >>> as_percent(0.95), as_percent(0.999), as_percent(0.5)
    ('95%', '99.9%', '50%')
    """
    return f"{100 * level:.6g}%"


def counted(number: int, one: str, several: str) -> str:
    """A number with its noun.

    >>> counted(1, "person", "people"), counted(2000, "person", "people")
    ('1 person', '2,000 people')
    """
    return f"{number:,} {one if number == 1 else several}"


def percent(share: float | None) -> str:
    """A share with as many digits as it takes to see it."""
    return _written(share, round)


def percent_down(share: float | None) -> str:
    """The low end of an interval: rounded down, so that a share above it is never shown below it.

    >>> percent(0.05125), percent_down(0.05125), percent_up(0.05125)
    ('5.12%', '5.12%', '5.13%')
    """
    return _written(share, lambda number: math.floor(number + _DUST))


def percent_up(share: float | None) -> str:
    """The high end of an interval: rounded up."""
    return _written(share, lambda number: math.ceil(number - _DUST))


def percent_about(share: float, low: float | None, high: float | None, digits: int | None = None) -> str:
    """A share in a sentence, with the digits that its interval is worth (or so many). The ends are rounded outwards.

    >>> percent_about(0.2978, 0.27, 0.33), percent_about(0.0305, 0.0271, 0.0338), percent_about(0.3, None, None)
    ('30% (27 to 33%)', '3.0% (2.7 to 3.4%)', '30%')
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return f"{100 * share:.{digits or 0}f}%"
    if digits is None:
        width = 100 * (high - low)
        digits = min(4, max(0, math.ceil(-math.log10(width / _COARSE)))) if width > 0 else 1
    scale = 10.0 ** (2 + digits)
    ends = (math.floor(low * scale + _DUST), math.ceil(high * scale - _DUST))
    least, most = (f"{end / 10**digits + 0.0:.{digits}f}" for end in ends)
    return f"{round(share * scale) / 10**digits + 0.0:.{digits}f}% ({least} to {most}%)"


def _written(share: float | None, rounded: Callable[[float], int]) -> str:
    if share is None or math.isnan(share):
        return "–"
    digits = 2 if abs(share) >= 0.001 or share == 0 else 4
    return f"{rounded(share * 10 ** (2 + digits)) / 10**digits + 0.0:.{digits}f}%"


def percent_short(share: float) -> str:
    """A share for a chart, with two digits that count or one behind the point.

    >>> percent_short(0.289), percent_short(0.00123), percent_short(0.0)
    ('28.9%', '0.12%', '0.0%')
    """
    return f"{share:.1%}" if abs(share) >= 0.01 or share == 0 else percent(share)
