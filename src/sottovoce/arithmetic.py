"""Exact numbers: probabilities are integers out of 2^64, and e^ε is only ever bounded by rationals.

A finite double is a rational number, so for ε ≠ 0 both e^ε and its inverse are irrational (Lindemann): an exact
comparison of a rational ratio with e^ε always comes to an end once enough digits are computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

#: One: a probability is an integer threshold out of this.
ONE = 1 << 64

#: Fixed-point numbers that are rounded on the way to a table carry this many binary places.
PLACES = 256
SCALE = 1 << PLACES

_DIGITS = 90


def _bounds(value: Decimal, context: Context) -> tuple[Decimal, Decimal]:
    """Neighbours that enclose a result which `decimal` rounds correctly to the nearest number."""
    return value.next_minus(context), value.next_plus(context)


def exp_below(exponent: float) -> Fraction:
    """A rational just below e^exponent (90 significant digits).

    >>> exp_below(0.0) <= 1, math.isclose(exp_below(1.0), math.e)
    (True, True)
    """
    context = Context(prec=_DIGITS)
    return Fraction(_bounds(context.exp(Decimal(exponent)), context)[0])


def _double_above(value: Decimal) -> float:
    nearest = float(value)
    return nearest if Decimal(nearest) >= value else math.nextafter(nearest, math.inf)


def log_above(ratio: Fraction | float) -> float:
    """The smallest double that is not below ln(ratio), so `log_above(r) <= ε` exactly if r <= e^ε.

    >>> log_above(Fraction(1)), log_above(math.inf)
    (0.0, inf)
    >>> log_above(Fraction(3, 1)) >= math.log(3)
    True
    """
    if ratio == math.inf:
        return math.inf
    ratio = Fraction(ratio)
    if ratio <= 0:
        return -math.inf
    if ratio == 1:
        return 0.0
    digits = 60
    while True:
        down, up = Context(prec=digits, rounding=ROUND_FLOOR), Context(prec=digits, rounding=ROUND_CEILING)
        numerator, denominator = Decimal(ratio.numerator), Decimal(ratio.denominator)
        low = _bounds(down.ln(down.divide(numerator, denominator)), down)[0]
        high = _bounds(up.ln(up.divide(numerator, denominator)), up)[1]
        if (level := _double_above(low)) == _double_above(high):
            return level
        digits *= 2


def ceil_div(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)


def fixed_above(value: Fraction) -> int:
    """A fixed-point number (out of 2^256) that is not below `value`."""
    return ceil_div(value.numerator << PLACES, value.denominator)


def threshold_below(probability: Fraction) -> int:
    """The largest integer out of 2^64 that is not above `probability`."""
    return (probability.numerator << 64) // probability.denominator


def threshold_above(probability: Fraction) -> int:
    """The smallest integer out of 2^64 that is not below `probability`."""
    return ceil_div(probability.numerator << 64, probability.denominator)


def apportion(weights: Sequence[Fraction]) -> list[int]:
    """Positive integers that sum to exactly 2^64, each within one of its share (largest remainders get the rest).

    A share below 1 becomes 1: what is possible stays possible.

    >>> sum(apportion([Fraction(1, 3)] * 3)) == ONE
    True
    >>> apportion([Fraction(1), Fraction(1, 10**30)])[1]
    1
    """
    total = sum(weights)
    shares = [weight * ONE / total for weight in weights]
    floors = [max(1, share.numerator // share.denominator) for share in shares]
    missing = ONE - sum(floors)
    if missing < 0:
        floors[max(range(len(floors)), key=floors.__getitem__)] += missing
    else:
        by_remainder = sorted(range(len(shares)), key=lambda i: (floors[i] - shares[i], i))
        for i in by_remainder[:missing]:
            floors[i] += 1
    return floors


def sum_above(values: Sequence[float]) -> float:
    """The smallest double that is not below the exact sum.

    >>> sum_above([0.1, 0.7]) >= Fraction(0.1) + Fraction(0.7)
    True
    """
    if any(math.isinf(value) for value in values):
        return math.inf
    exact = sum((Fraction(value) for value in values), Fraction(0))
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)
