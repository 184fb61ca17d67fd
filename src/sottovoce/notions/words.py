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


def named(item: object) -> str:
    """An item as it appears in a sentence."""
    if isinstance(item, tuple):
        return "(" + ", ".join(named(part) for part in item) + ")"
    return f"'{item}'" if isinstance(item, (str, np.str_)) else str(item)
