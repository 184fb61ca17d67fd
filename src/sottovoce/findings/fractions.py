"""Shares in words that people can picture: "1 in 4"."""

from __future__ import annotations

import math

#: Fractions that people can picture.
_PLAIN: tuple[tuple[int, int], ...] = ((1, 8), (1, 7), (1, 6), (1, 5), (1, 4), (3, 10), (1, 3), (2, 5), (9, 20), (1, 2))
_PLAIN += ((11, 20), (3, 5), (2, 3), (7, 10), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (9, 10))
_PLAIN += ((19, 20), (49, 50), (99, 100), (199, 200), (999, 1000))
#: The share from which on it's one of the fractions above.
_SMALL = 0.1175


def one_in(share: float) -> str:
    """The nearest fraction that people can picture, or "half". Empty for shares that are not close to any.

    >>> [one_in(share) for share in (0.255, 0.626, 0.498, 0.91, 0.0312, 0.0004)]
    ['1 in 4', '3 in 5', 'half', '9 in 10', '1 in 30', '1 in 2,500']
    >>> one_in(0.0), one_in(1.0), one_in(0.000001)
    ('', '', '')
    """
    found = _nearest(share)
    return "" if found is None else "half" if found == (1, 2) else f"{found[0]} in {found[1]:,}"


def about(share: float, low: float | None = None, high: float | None = None) -> str:
    """A share as a fraction: "about" it if it's in the interval, otherwise "nearly" or "more than" it. Empty if it's close to none.

    >>> about(0.639, 0.623, 0.659), about(0.62, 0.61, 0.63), about(0.639, 0.62, 0.67), about(0.0)
    ('nearly 2 in 3', 'more than 3 in 5', 'about 2 in 3', '')
    """
    found = _nearest(share)
    if found is None:
        return ""
    exact = found[0] / found[1]
    how = "nearly" if high is not None and exact > high else "more than" if low is not None and exact < low else "about"
    return f"{how} {one_in(share)}"


def _nearest(share: float) -> tuple[int, int] | None:
    if not 0.00001 <= share <= 0.9995:
        return None
    if share < _SMALL:
        return 1, _round(1 / share)
    return min(_PLAIN, key=lambda each: abs(math.log(each[0] / (each[1] - each[0])) - math.log(share / (1 - share))))


def _round(number: float) -> int:
    """Round a number of people: to fives from 20 on, and to two significant digits from 100 on."""
    step = 1 if number < 20 else 5 if number < 100 else int(10 ** (math.floor(math.log10(number)) - 1))
    return math.floor(number / step + 0.5) * step
