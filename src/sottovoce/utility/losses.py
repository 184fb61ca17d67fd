"""The expected distance of inversion from the truth, before anyone is asked: one formula for every channel.

Inversion is the mean of readings φ_j whose mean is p_j, so its expected squared error is Σ_j (E[φ_j²] − p_j²)/n. E[φ_j²] is linear in p, so
the worst population is one projection: Σ_x p_x·C_x − ‖p‖², with C_x = Σ_j E[φ_j² | x], is largest at the distribution nearest to C/2.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.arrays import Floats
from sottovoce.channels.inversion import Inversion, Readings
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.estimators.decoders import project
from sottovoce.estimators.inversion import inversion_of
from sottovoce.mechanisms import Mechanism
from sottovoce.special import log_gamma, xlogy
from sottovoce.tallies.arguments import checked_people, checked_shares

#: From this variance of a count on its mean absolute deviation is that of the normal distribution, to five digits.
_NORMAL_FROM = 1e4
#: From this many people on a count with a small variance is Poisson, to three digits.
_POISSON_FROM = 1e7


@dataclass(frozen=True)
class Losses:
    """The expected distances of the unbiased estimate from the population.

    `l1` = E Σ|p̂ − p|, `tv` = l1/2, `l2` = E Σ(p̂ − p)², `mse` = l2/K. `per_item` is the expected squared error of each item, and
    `absolute` the expected absolute error of each.
    """

    l1: float
    tv: float
    l2: float
    mse: float
    per_item: Floats = field(repr=False)
    absolute: Floats = field(repr=False)


@dataclass(frozen=True)
class WorstCase:
    """The population for which a loss is largest, and the losses there."""

    p: Floats = field(repr=False)
    losses: Losses


def losses(mechanism: Mechanism, p: ArrayLike, n: int) -> Losses:
    """The expected losses with n reports when items follow p.

    >>> from sottovoce import Domain, krr
    >>> round(losses(krr(Domain(10), 1.0), [0.1] * 10, 10_000).l2, 5)
    0.00419
    """
    inversion, shares, people = _inversion(mechanism), checked_shares(mechanism, p), checked_people(n)
    if people == 0:
        raise ParameterError("n is 0. Give at least 1.")
    cases, chances = inversion.readings, inversion.occurrences(inversion.expected(shares))
    variance = np.maximum(0.0, cases.moment(chances, 2) - shares**2) / people
    absolute = _deviation(cases, chances, variance, people)
    l1, l2 = float(absolute.sum()), float(variance.sum())
    return Losses(l1, l1 / 2, l2, l2 / len(shares), variance, absolute)


def _inversion(mechanism: Mechanism) -> Inversion:
    if not isinstance(mechanism, Mechanism):
        raise ParameterError(f"There is no loss for {mechanism!r}. Give a mechanism.")
    return inversion_of(mechanism.channel)


def _deviation(cases: Readings, chances: Floats, variance: Floats, n: int) -> Floats:
    """E|p̂_j − p_j|: exact if a reading has two values (the count is binomial), normal otherwise or if counts are large."""
    normal = np.sqrt(2 * variance / np.pi)
    if chances.shape[1] != cases.values.shape[1]:
        return normal
    high, low = cases.values[0], cases.values[1:]
    binary = np.ptp(low, axis=0) == 0
    chance = np.clip(chances[0], 0.0, 1.0)
    rare = binary & (n * chance * (1 - chance) < _NORMAL_FROM)
    normal[rare] = _binomial_deviation(chance[rare], n) * np.abs(high - low[0])[rare] / n
    return normal


def _binomial_deviation(chance: Floats, n: int) -> Floats:
    """E|X − n·m| for X ~ Binomial(n, m): 2·ν·C(n, ν)·m^ν·(1 − m)^(n − ν + 1) with ν = ⌊n·m⌋ + 1 (de Moivre), Poisson for many people."""
    if n > _POISSON_FROM:
        mean = n * np.minimum(chance, 1 - chance)
        return np.where(mean > 0, 2 * np.exp(xlogy(np.floor(mean) + 1, mean) - mean - log_gamma(np.floor(mean) + 1)), 0.0)
    nu = np.minimum(np.floor(n * chance) + 1, n)
    ways = log_gamma(n + 1) - log_gamma(nu + 1) - log_gamma(n - nu + 1)
    with np.errstate(divide="ignore"):
        log = np.log(2 * nu) + ways + xlogy(nu, chance) + (n - nu + 1) * np.log1p(-chance)
    return np.where((chance > 0) & (chance < 1), np.exp(log), 0.0)


def worst_case(mechanism: Mechanism, n: int, loss: str = "l2") -> WorstCase:
    """The population that inversion estimates worst, by its 'l2' loss (any channel) or its 'l1' loss (reports that contain an item or not).

    >>> from sottovoce import Domain, urr
    >>> worst_case(urr(Domain("abcd"), 1.0, sensitive="ab"), 1000).p.round(2).tolist()
    [0.0, 0.0, 0.5, 0.5]
    """
    inversion = _inversion(mechanism)
    if loss == "l2":
        reach = inversion.reach()
        p = project((reach - reach.max()) / 2)  # a shift changes nothing, and keeps the digits of differences
    elif loss == "l1":
        p = _worst_l1(mechanism.channel.size, inversion)
    else:
        raise ParameterError(f"The loss is {loss!r}. Choose 'l2' or 'l1'.")
    return WorstCase(p, losses(mechanism, p, n))


def _worst_l1(size: int, inversion: Inversion) -> Floats:
    """Σ_j √v_j(p_j) with v_j = b(1 − b)/Δ² + p·(1 − 2b)/Δ − p²: concave and separable, so one multiplier equalises the slopes."""
    if inversion.chances is None:
        raise UnsupportedError("The worst l1 loss isn't known for this mechanism. Use loss='l2'.")
    own, other = inversion.chances
    noise, tilt = other * (1 - other) / (own - other) ** 2, (1 - 2 * other) / (own - other)
    half = tilt / 2

    def slope(p: Floats) -> Floats:
        variance = np.maximum(noise + p * tilt - p**2, 0.0)
        return np.divide(tilt - 2 * p, 2 * np.sqrt(variance), out=np.where(tilt > 2 * p, np.inf, -np.inf), where=variance > 0)

    def at(level: float) -> Floats:
        """Where the slope is at this level, or the end that is nearest: v is b(1 − b)/Δ² + half² − (half − p)², and its slope falls."""
        root = level * np.sqrt((noise + half**2) / (1 + level**2))  # half − p
        with np.errstate(invalid="ignore", divide="ignore"):  # of the two forms, the one that subtracts nothing alike
            p = np.where(half * root > 0, (half**2 - level**2 * noise) / ((1 + level**2) * (half + root)), half - root)
        return np.clip(p, 0.0, 1.0)

    low, high = (
        float(np.maximum(slope(np.ones(size)), -1e18).min()) - 1,
        float(slope(np.full(size, 1e-12 / size)).max()) + 1,
    )
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle).sum() > 1 else (low, middle)
    p = at(high)
    return np.asarray(p / p.sum())
