"""A few special functions. Those of scipy take longer to load than a small study takes in all."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.arrays import Floats
from sottovoce.later import later

scipy = later("scipy.special")

#: Steps of a continued fraction that are quicker than loading scipy.
_STEPS = 1 << 15
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
    """p·log(p/q), and 0 if p is 0 (q must be positive elsewhere).

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
        return np.asarray(scipy.gammaln(x))
    return np.reshape([math.lgamma(each) for each in x.ravel().tolist()], x.shape)


def normal_tail(deviates: Floats) -> Floats:
    """The chance that a standard normal number exceeds each deviate.

    >>> normal_tail(np.array([0.0, 1.96])).round(3).tolist()
    [0.5, 0.025]
    """
    if deviates.size > _FEW:
        return np.asarray(scipy.ndtr(-deviates))
    return np.reshape([0.5 * math.erfc(z / math.sqrt(2)) for z in deviates.ravel().tolist()], deviates.shape)


def binomial_tail(counts: ArrayLike, n: int, chances: Floats) -> Floats:
    """The chance that at least so many of n trials succeed, for each count and its chance of success.

    >>> binomial_tail([0, 2, 3], 3, np.array([0.5, 0.5, 0.5])).round(3).tolist()
    [1.0, 0.5, 0.125]
    """
    counts = np.asarray(counts, dtype=np.float64)
    if counts.size * math.sqrt(n + 1) > _STEPS:
        return np.where(counts > 0, scipy.betainc(np.maximum(counts, 1), n - np.maximum(counts, 1) + 1, chances), 1.0)
    return np.array([_tail(k, n, p) for k, p in zip(counts.tolist(), chances.tolist(), strict=True)])


def _tail(k: float, n: int, p: float) -> float:
    """The regularised incomplete beta function I_p(k, n − k + 1), by Lentz's continued fraction on the side where it converges fast."""
    if k <= 0 or p >= 1:
        return 1.0
    if p <= 0:
        return 0.0
    a, b = k, n - k + 1.0
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(p) + b * math.log1p(-p)
    if p < (a + 1) / (a + b + 2):
        return math.exp(log) / a * _fraction(a, b, p)
    return 1 - math.exp(log) / b * _fraction(b, a, 1 - p)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1 << 20):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d, c = 1 / (1 + term * d), 1 + term / c
            value *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return value
