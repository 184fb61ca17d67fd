"""What a report can do to a belief: from a chance before it to the largest chance after it."""

from __future__ import annotations

import math
from fractions import Fraction

from sottovoce.arithmetic import exp_below

#: The belief that people are shown: 1 in 100.
ONE_IN_HUNDRED = Fraction(1, 100)
#: Tenths from which on whole numbers are shown.
_WHOLE = 20


def posterior(prior: Fraction, epsilon: float) -> Fraction:
    """The largest chance after a report that raises the odds by e^ε at most, never understated: p/(p + (1 - p)·e^{-ε}).

    >>> float(posterior(Fraction(1, 100), 1.0)), posterior(Fraction(1, 100), math.inf)
    (0.026723630989395224, Fraction(1, 1))
    """
    if epsilon == 0:
        return prior
    unlikelier = Fraction(0) if math.isinf(epsilon) else exp_below(-epsilon)
    return prior / (prior + (1 - prior) * unlikelier)


def of_hundred(epsilon: float) -> float:
    """At most so many in 100 after such a report, where it was 1 in 100 before: rounded up, with tenths below 2.

    >>> of_hundred(0.01), of_hundred(1.0), of_hundred(3.0), of_hundred(20.0)
    (1.1, 3, 17, 100)
    """
    tenths = math.ceil(1000 * posterior(ONE_IN_HUNDRED, epsilon))
    return tenths / 10 if tenths < _WHOLE else math.ceil(100 * posterior(ONE_IN_HUNDRED, epsilon))
