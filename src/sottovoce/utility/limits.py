"""How good any estimate can be: the Cramér-Rao bound of a channel, at any population.

The Fisher information of a report is I = Σ_y Q(y|·)Q(y|·)ᵀ/m(y), m = p·Q, with I·p = 1. An unbiased estimate that knows that shares sum to
1 has a covariance of at least (I⁻¹ − p·pᵀ)/n: inverse information along the simplex.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.arrays import Floats
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.mechanisms import Mechanism
from sottovoce.sources import SeededSource, Source
from sottovoce.tallies.arguments import checked_people, checked_shares
from sottovoce.utility.losses import losses

#: A little of the population is put everywhere.
_EVERYWHERE = 1e-9
#: Reports whose information is averaged where they cannot be listed, and how many are written down at a time.
_SIMULATED, _ROWS = 1 << 16, 1 << 12


def cramer_rao(mechanism: Mechanism, p: ArrayLike, n: int, source: Source | None = None) -> Floats:
    """The least variance that an unbiased estimate of each item's share can have, when items follow p and n people report.

    Exact where the reports can be listed; otherwise the information is averaged over 65,536 simulated reports (`source` feeds them), which
    leaves an error of about a percent. Direct channels attain the bound by inversion.

    >>> from sottovoce import Domain, oue
    >>> m, p = oue(Domain(4), 2.0), [0.1, 0.2, 0.3, 0.4]
    >>> bool(cramer_rao(m, p, 1000).sum() < losses(m, p, 1000).l2)
    True
    """
    if not isinstance(mechanism, Mechanism):
        raise ParameterError(f"the bound is that of a mechanism, not of {mechanism!r}")
    shares, people = checked_shares(mechanism, p), checked_people(n)
    if people == 0:
        raise ParameterError("n is 0; without people there is no estimate to bound")
    inversion = mechanism.channel.inversion
    if inversion is not None and inversion.efficient:
        return losses(mechanism, shares, people).per_item
    around = (1 - _EVERYWHERE) * shares + _EVERYWHERE / len(shares)  # a share of 0 is the limit of small ones
    root = np.sqrt(around)
    try:
        matrix = mechanism.channel.matrix()
    except UnsupportedError:
        scaled = _simulated(mechanism, around, SeededSource(0) if source is None else source)
    else:
        chances = around @ matrix
        scores = root[:, None] * matrix[:, chances > 0] / np.sqrt(chances[chances > 0])
        scaled = scores @ scores.T
    if np.linalg.matrix_rank(scaled) < len(shares):
        raise UnsupportedError("the reports of this mechanism do not tell all populations apart; no unbiased estimate exists")
    return np.asarray(np.maximum(around * np.diag(np.linalg.inv(scaled)) - around**2, 0.0) / people)


def _simulated(mechanism: Mechanism, p: Floats, source: Source) -> Floats:
    """The mean of √p·g·gᵀ·√p/(p·g)² over reports of the population; half of them are of items drawn alike, so that rare ones are seen."""
    generator = np.random.Generator(np.random.PCG64([source.word() for _ in range(4)]))
    found, asked = np.zeros((len(p), len(p))), p / 2 + 0.5 / len(p)
    for _ in range(_SIMULATED // _ROWS):
        codes = generator.choice(len(p), size=_ROWS, p=asked / asked.sum())
        rows = mechanism.channel.likelihood(mechanism.channel.sample(codes, source))
        scores = rows * np.sqrt(p) / (rows @ p)[:, None]
        found += scores.T @ (scores * (p / asked)[codes][:, None])
    return found / _SIMULATED
