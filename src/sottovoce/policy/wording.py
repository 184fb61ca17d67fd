"""Numbers as people read them."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np

from sottovoce.names import escaped


def factor(epsilon: float) -> str:
    """e^ε with three digits that never understate it.

    >>> factor(1.0), factor(0.1), factor(0.0), factor(9.25), factor(11.512), factor(math.inf)
    ('2.72', '1.11', '1', '1.05·10^4', '1.00·10^5', 'infinity')
    """
    if math.isinf(epsilon) or epsilon > 700:
        return "infinity"
    if epsilon == 0:
        return "1"
    value = Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(math.nextafter(math.exp(epsilon), math.inf)))
    return f"{value:f}" if value < 10_000 else f"{value.scaleb(-value.adjusted()):f}·10^{value.adjusted()}"


def shown(level: float, promised: float | None = None) -> str:
    """A level rounded up to four digits, or to as many as it takes to distinguish a broken guarantee from a kept one.

    >>> shown(3.2446), shown(0.12344, 1.0), shown(1.0, 1.0), shown(1.00021, 1.0), shown(0.1), shown(math.inf)
    ('3.245', '0.1235', '1', '1.001', '0.1', 'no finite level')
    >>> shown(1.0, math.nextafter(1.0, 0))
    '1.0 (promised 0.9999999999999999)'
    """
    if math.isinf(level):
        return "no finite level"
    short = Decimal(f"{level:.4g}")
    rounded = short if float(short) == level else Context(prec=4, rounding=ROUND_CEILING).create_decimal(level)
    text = f"{rounded.normalize():f}"
    if promised is not None and level > promised and text == f"{promised:.4g}":
        return f"{level!r} (promised {promised!r})"
    return text


def percent(chance: float) -> str:
    """A chance with two digits, and never 100% if it isn't certain.

    >>> percent(0.632), percent(0.0794), percent(0.9997), percent(1.0)
    ('63%', '7.9%', 'more than 99%', '100%')
    """
    return "more than 99%" if 0.99 < chance < 1 else f"{100 * chance:.{2 if chance < 0.99 else 3}g}%"


def shown_from(minimum: int) -> str:
    """How many reports it takes before results are shown.

    >>> shown_from(50)
    'The collector shows no results before it has 50 reports.'
    """
    return f"The collector shows no results before it has {minimum:,} report{'s' * (minimum > 1)}."


def unpublished(minimum: int) -> str:
    """What to know about results from fewer reports than a study's minimum."""
    return f"The study shows results from {minimum:,} reports on. Don't publish these."


def named(item: object) -> str:
    """An item as it appears in a sentence.

    >>> named("flu"), named(("f", "old")), named((3, 14)), named(2024)
    ("'flu'", "'f / old'", "'3 / 14'", '2024')
    """
    if isinstance(item, tuple):
        return f"'{escaped(' / '.join(map(str, item)))}'"
    return f"'{escaped(item)}'" if isinstance(item, (str, np.str_)) else str(item)
