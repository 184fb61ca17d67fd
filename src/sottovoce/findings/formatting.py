"""Number formats for people. The collector's pages use the same, as spec/vectors/written checks."""

from __future__ import annotations

import math
from collections.abc import Iterable

#: Parts of the last digit that are taken for rounding errors.
_DUST = 1e-6
#: Percentage points: with an interval narrower than these, a share has one more digit behind the point.
_STEPS = (10.0, 1.0, 0.1, 0.01)
#: Further digits that the low end of an interval may take, so that it isn't shown as zero if it's above zero.
_FURTHER = 2
#: The digits of shares that have no interval.
_UNKNOWN = 1


def as_percent(level: float) -> str:
    """A confidence level without trailing zeros.

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


def digits_of(widths: Iterable[float]) -> int:
    """The decimals of all shares of a table: those that its narrowest interval justifies.

    An interval of 10 percentage points or more justifies none, one of at least a point justifies one, and so on: it has ten units of the
    last digit or more, so that rounding its ends outwards hardly widens it.

    >>> digits_of([0.022, 0.031]), digits_of([0.12]), digits_of([0.004]), digits_of([])
    (1, 0, 2, 1)
    """
    known = [100 * width for width in widths if width > 0]  # not NaN either
    return sum(min(known) < step for step in _STEPS) if known else _UNKNOWN


def share_text(share: float | None, digits: int, low: float | None = None) -> str:
    """A share with so many digits behind the point. With more of them if it isn't zero by the `low` end of its interval.

    >>> share_text(0.2553, 1), share_text(None, 1), share_text(0.004, 0, 0.0), share_text(0.004, 0, 0.002)
    ('25.5%', '–', '0%', '0.4%')
    """
    if share is None or math.isnan(share):
        return "–"
    many = digits
    if low is not None and math.floor(share * _scale(digits) + 0.5) == 0:
        many = _digits_above_zero(low, digits) or digits
    return f"{_written(math.floor(share * _scale(many) + 0.5), many)}%"


def ends_text(low: float | None, high: float | None, digits: int, between: str = " to ") -> str:
    """The ends of an interval, rounded outwards, so that a share in it is never shown outside.

    A low end above zero is never shown as zero.

    >>> ends_text(0.2441, 0.2657, 1), ends_text(0.02449, 0.0338, 1, " and "), ends_text(None, None, 1)
    ('24.4 to 26.6%', '2.4 and 3.4%', '–')
    >>> ends_text(0.0023, 0.13, 0), ends_text(0.0, 0.13, 0), ends_text(0.00001, 0.13, 0)
    ('0.2 to 13%', '0 to 13%', 'just over 0 to 13%')
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return "–"
    many = _digits_above_zero(low, digits)
    least = "just over 0" if many is None else _written(_floor(low, many), many)
    return f"{least}{between}{_written(math.ceil(high * _scale(digits) - _DUST), digits)}%"


def _digits_above_zero(low: float, digits: int) -> int | None:
    """So many digits, or a few more if a low end above zero would be shown as zero. None if those don't suffice."""
    if _floor(low, digits) or low * _scale(digits) <= _DUST:
        return digits
    return next((many for many in range(digits, digits + _FURTHER + 1) if _floor(low, many)), None)


def _floor(low: float, digits: int) -> int:
    return math.floor(low * _scale(digits) + _DUST)


def percent_about(share: float, low: float | None, high: float | None, digits: int | None = None) -> str:
    """A share with its interval in parentheses, with the digits that the interval justifies or with the given number of digits.

    >>> percent_about(0.2978, 0.24, 0.36), percent_about(0.0305, 0.0271, 0.0338), percent_about(0.3, None, None)
    ('30% (24 to 36%)', '3.05% (2.71 to 3.38%)', '30.0%')
    """
    many = _many(low, high) if digits is None else digits
    ends = ends_text(low, high, many)
    return share_text(share, many, low) + (f" ({ends})" if ends != "–" else "")


def percent_between(share: float, low: float | None, high: float | None, digits: int | None = None) -> str:
    """A share with its interval for a sentence, with the digits that the interval justifies or with the given number of digits.

    >>> percent_between(0.2553, 0.2441, 0.2657), percent_between(0.3, None, None)
    ('25.5%, between 24.4 and 26.6%', '30.0%')
    """
    many = _many(low, high) if digits is None else digits
    ends = ends_text(low, high, many, " and ")
    return share_text(share, many, low) + (f", between {ends}" if ends != "–" else "")


def percent(share: float) -> str:
    """A share without an interval: one decimal, or two significant digits if it's small.

    >>> percent(0.289), percent(0.00123), percent(0.0)
    ('28.9%', '0.12%', '0.0%')
    """
    small = 0 < abs(share) < 0.01
    return share_text(share, min(6, 1 - math.floor(math.log10(abs(100 * share)))) if small else _UNKNOWN)


def _many(low: float | None, high: float | None) -> int:
    return digits_of([] if low is None or high is None else [high - low])


def _scale(digits: int) -> float:
    return 10.0 ** (2 + digits)


def _written(number: int, digits: int) -> str:
    """Write a whole number of units of the last digit."""
    return f"{number / 10**digits + 0.0:.{digits}f}"
