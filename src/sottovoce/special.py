"""A few special functions. Those of scipy take longer to load than a small study takes in all."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.arrays import Floats

#: Values up to which the gamma function of Python is quicker than loading scipy's.
_FEW = 1 << 14


def xlogy(x: ArrayLike, y: ArrayLike) -> Floats:
    """x·log(y), and 0 where x is 0.

    >>> xlogy([0.0, 2.0], [0.0, 1.0]).tolist()
    [0.0, 0.0]
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(x == 0, 0.0, x * np.log(y))


def relative_entropy(p: Floats, q: Floats) -> Floats:
    """p·log(p/q), and 0 where p is 0; q is positive there.

    >>> relative_entropy(np.array([0.0, 1.0]), np.array([0.0, 1.0])).tolist()
    [0.0, 0.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p == 0, 0.0, p * np.log(p / q))


def normal_quantile(chance: float) -> float:
    """The deviate below which a standard normal number falls with this chance.

    >>> round(normal_quantile(0.975), 6)
    1.959964
    """
    return -math.inf if chance <= 0 else math.inf if chance >= 1 else NormalDist().inv_cdf(chance)


def log_gamma(x: ArrayLike) -> Floats:
    """log Γ(x) for positive x.

    >>> np.exp(log_gamma([3.0, 5.0])).round(6).tolist()
    [2.0, 24.0]
    """
    x = np.asarray(x, dtype=np.float64)
    if x.size > _FEW:
        from scipy.special import gammaln

        return np.asarray(gammaln(x))
    return np.reshape([math.lgamma(each) for each in x.ravel().tolist()], x.shape)
