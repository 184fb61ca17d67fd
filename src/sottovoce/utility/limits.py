"""How good any estimate can be: the Cramér-Rao bound of a channel, at any population.

The Fisher information of a report is I = Σ_y Q(y|·)Q(y|·)ᵀ/m(y), m = p·Q, with I·p = 1. An unbiased estimate that uses that shares sum to 1
has a covariance of at least (I⁻¹ − p·pᵀ)/n: inverse information along the simplex. Channels compute their information (`Channel.fisher`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.arrays import Floats
from sottovoce.errors import ParameterError
from sottovoce.mechanisms import Mechanism
from sottovoce.sources import Source
from sottovoce.tallies.arguments import checked_people, checked_shares
from sottovoce.utility.losses import losses


def cramer_rao(mechanism: Mechanism, p: ArrayLike, n: int, source: Source | None = None) -> Floats:
    """The least variance that an unbiased estimate of each item's share can have, when items follow p and n people report.

    A share of 0 counts as the limit of small ones. The bound is exact, to 8 digits or more, with two exceptions. If reports are hashed by
    one of 2^62 functions, it is averaged over thousands of them and is within 1 % for each item (with more than 2,048 hashed items, whose
    buckets count as independent, within a few percent). Among more than 8,192 items, those of a set of k > 100 count as independent,
    which changes the bound by about 1/(3k). Direct channels attain the bound by inversion. `source` isn't used: earlier versions drew
    reports from it. A listed matrix over more than 8,192 items is refused.

    >>> from sottovoce import Domain, oue
    >>> m, p = oue(Domain(4), 2.0), [0.1, 0.2, 0.3, 0.4]
    >>> bool(cramer_rao(m, p, 1000).sum() < losses(m, p, 1000).l2)
    True
    """
    if not isinstance(mechanism, Mechanism):
        raise ParameterError(f"There is no bound for {mechanism!r}. Give a mechanism.")
    shares, people = checked_shares(mechanism, p), checked_people(n)
    if people == 0:
        raise ParameterError("n is 0. Give at least 1.")
    inversion = mechanism.channel.inversion
    if inversion is not None and inversion.efficient:
        return losses(mechanism, shares, people).per_item
    return np.asarray(mechanism.channel.fisher(shares / shares.sum()).variances() / people)
