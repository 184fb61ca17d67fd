"""What reports can do to a belief: from a chance before them to the largest chance after them."""

from __future__ import annotations

import math
from fractions import Fraction

from sottovoce.channels.columns import Ratio

#: The beliefs that people are shown: 1 in 100, and as likely as not.
ONE_IN_HUNDRED, ONE_IN_TWO = Fraction(1, 100), Fraction(1, 2)
#: Above so many in 100 for what 1 in 100 becomes, a guarantee is called weak, and an answer can seem likelier than all others together.
#: As in clients/js/pages/beliefs.ts.
WEAK, LITTLE = 20, 50
#: Tenths from which on whole numbers are shown.
_WHOLE = 20


def posterior(prior: Fraction, raised: Ratio) -> Fraction:
    """The largest chance after reports that multiply the odds by so much at most: p·r/(p·r + 1 - p), exact.

    >>> posterior(Fraction(1, 100), Fraction(11)), posterior(Fraction(1, 100), math.inf)
    (Fraction(1, 10), Fraction(1, 1))
    """
    if isinstance(raised, float) and math.isinf(raised):
        return Fraction(1)
    above = prior * Fraction(raised)
    return above / (above + 1 - prior)


def of_hundred(raised: Ratio, prior: Fraction = ONE_IN_HUNDRED) -> float:
    """At most so many in 100 after such reports, where it was `prior` before: rounded up, with tenths below 2.

    >>> of_hundred(Fraction(102, 100)), of_hundred(Fraction(272, 100)), of_hundred(Fraction(20)), of_hundred(math.inf)
    (1.1, 3, 17, 100)
    >>> of_hundred(Fraction(272, 100), ONE_IN_TWO)
    74
    """
    after = posterior(prior, raised)
    tenths = math.ceil(1000 * after)
    return tenths / 10 if tenths < _WHOLE else math.ceil(100 * after)
