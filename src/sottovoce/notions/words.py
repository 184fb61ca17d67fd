"""Numbers as people read them."""

from __future__ import annotations

import math

import numpy as np


def factor(epsilon: float) -> str:
    """e^ε with three digits that never understate it.

    >>> factor(1.0), factor(0.1), factor(9.25), factor(math.inf)
    ('2.72', '1.11', '1.1·10^4', 'infinity')
    """
    if math.isinf(epsilon) or epsilon > 700:
        return "infinity"
    value = math.exp(epsilon)
    if value >= 1e4:
        power = math.floor(math.log10(value))
        return f"{math.ceil(value / 10 ** (power - 1)) / 10:.1f}·10^{power}"
    places = 2 if value < 10 else 1 if value < 100 else 0
    return f"{math.ceil(value * 10**places - 1e-9) / 10**places:.{places}f}"


def shown(level: float, promised: float | None = None) -> str:
    """A level rounded up to four digits, or to as many as it takes to tell it from what was promised.

    >>> shown(3.2446), shown(1.0, 1.0), shown(1.00021, 1.0), shown(math.inf)
    ('3.245', '1', '1.001', 'no finite level')
    """
    if math.isinf(level):
        return "no finite level"
    return _rounded_up(level, 4) if promised is None or level > promised or level == 0 else f"{level:.4g}"


def _rounded_up(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    unit = 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    return f"{math.ceil(value / unit - 1e-9) * unit:.{digits}g}"


def named(item: object) -> str:
    """An item as it appears in a sentence."""
    if isinstance(item, tuple):
        return "(" + ", ".join(named(part) for part in item) + ")"
    return f"'{item}'" if isinstance(item, (str, np.str_)) else str(item)
