"""Goals of plans for numbers and scales: the mean or a quartile within so much, or the distance between the distributions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.domain import Domain
from sottovoce.errors import DomainError, ParameterError, UnsupportedError
from sottovoce.estimators import splines
from sottovoce.estimators.covariance import inversion_covariance
from sottovoce.estimators.intervals import deviate
from sottovoce.mechanisms import Mechanism, identity
from sottovoce.utility.expectations import Curve, Root
from sottovoce.utility.goals import ReadingGoal, percent

#: What a plan for numbers can be about, and the part of the answers below a quartile.
QUARTILES = {"lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75}
ABOUT = ("mean", *QUARTILES, "distance")
#: Splines of a smooth distribution, and a little of the population that is put everywhere.
_COLUMNS, _EVERYWHERE = 8, 1e-9
#: Errors of more items than these aren't predicted, because that takes a table of all pairs.
_MOST_ITEMS = 1 << 12


@dataclass(frozen=True)
class Numbers(ReadingGoal):
    """The mean or a quartile of an ordered domain within ± `asked`, in the units of the numbers.

    The mean is v·T, T the unbiased estimate of the shares and v the items' centres, without the noise that all shares have in common: with
    the covariance C of T, its variance is v·C·v − (v·C·1)²/(1·C·1). A quartile moves by what the share below it moves, divided by the
    density there. Without a population all shares are equal.

    >>> from sottovoce import Domain, plan
    >>> plan(Domain.numbers(18, 100, bins=41), 1.0, about="mean", within=2).options[0].half_width is None
    True
    """

    measure = "half_width"
    compares = True
    wanted = "within (the half-width that you can accept, in the units of the numbers)"

    domain: Domain = field(repr=False, compare=False)
    about: str = "mean"
    confidence: float = 0.95

    def curve(self, mechanism: Mechanism, p: Floats | None, reports: int) -> tuple[Curve, str]:
        size = len(self.domain)
        if len(mechanism.inputs) != size:
            raise UnsupportedError(f"{mechanism.name} adds items of its own, which have no place in the order. Choose another mechanism.")
        shares = np.full(size, 1 / size) if p is None else p
        unit = self.unit(Sums(mechanism, shares, reports), shares)
        return Root(unit), "for equal shares" if p is None else "for this population"

    def unit(self, sums: Sums, shares: Floats) -> float:
        """The error with one person."""
        centres, z = self.domain.centres, deviate(self.confidence)
        if self.about == "mean":
            return z * sums.deviation(centres)
        sums_up_to = np.cumsum(shares)
        code = min(int(np.searchsorted(sums_up_to, QUARTILES[self.about] - 1e-12)), len(shares) - 1)
        if not shares[code] > 0:
            raise UnsupportedError(
                f"The {self.about} of this population lies where it has no people, so its error isn't known. Give another p."
            )
        edges = self.domain.edges
        width = 1.0 if edges is None else float(edges[code + 1] - edges[code])
        if math.isinf(width):
            raise UnsupportedError(
                f"The {self.about} of this population lies in an open bin, so its error isn't known. Close the bin with an edge."
            )
        before = QUARTILES[self.about] - (sums_up_to[code] - shares[code])
        weights = (np.arange(len(shares)) < code).astype(np.float64)
        weights[code] = before / shares[code]
        return z * sums.deviation(weights) * width / float(shares[code])

    def short(self, error: float) -> str:
        return f"± {error:.3g}"

    def phrase(self, error: float) -> str:
        return f"{self.short(error)} on the {self.about}"

    def cell(self, error: float) -> str:
        return f"{error:.3g}"

    def to_dict(self) -> dict[str, Any]:
        return {"goal": f"half-width on the {self.about}", "within": self.asked, "confidence": self.confidence}

    @property
    def heads(self) -> tuple[str, str]:
        return f"± on the {self.about}", "people" if self.asked is None else f"people for {self.phrase(self.asked)}"

    @property
    def legend(self) -> str:
        return f"±: how far the {percent(self.confidence)} interval reaches to either side, in the units of the numbers"

    @property
    def axis(self) -> str:
        return f"half-width of the {percent(self.confidence)} interval of the {self.about}"

    def useless(self, error: float) -> str:
        centres = self.domain.centres
        return "An interval that wide says nothing" if error > (centres[-1] - centres[0]) / 2 else ""


@dataclass(frozen=True)
class Distance(Numbers):
    """The expected distance W₁ between the estimate and the true distribution: how far answers must be moved on average.

    W₁ = Σ_k (c_{k+1} − c_k)·|F̂_k − F_k| over the centres c, and E|F̂_k − F_k| = √(2/π)·σ(F̂_k). The variance is the least that is
    possible if log shares are smooth, a sum of 8 B-splines, as `smooth` finds them: with the columns J by which shares move along the
    splines and the Fisher information I of a report, the covariance of the shares is J·(Jᵀ·I·J)⁻¹·Jᵀ. Unbiased estimates of all shares
    would be much further away, and rank the mechanisms in another order.
    """

    measure = "w1"
    settings = MappingProxyType({"width": "distribution"})
    wanted = "within (the distance that you can accept, in the units of the numbers)"

    def curve(self, mechanism: Mechanism, p: Floats | None, reports: int) -> tuple[Curve, str]:
        size = len(self.domain)
        if len(mechanism.inputs) != size:
            raise UnsupportedError(f"{mechanism.name} adds items of its own, which have no place in the order. Choose another mechanism.")
        shares = np.full(size, 1 / size) if p is None else (p + _EVERYWHERE) / (1 + size * _EVERYWHERE)
        noise, people = (_smooth_covariance(each, shares) for each in (mechanism, identity(self.domain)))
        sums = np.tri(size - 1, size)
        variance = (sums @ ((noise - people) / reports + people) * sums).sum(axis=1)
        unit = math.sqrt(2 / math.pi) * float(np.diff(self.domain.centres) @ np.sqrt(np.maximum(0.0, variance)))
        return Root(unit), "for equal shares" if p is None else "for this population"

    def short(self, error: float) -> str:
        return f"{error:.3g}"

    def phrase(self, error: float) -> str:
        return f"a distance of {self.short(error)}"

    def to_dict(self) -> dict[str, Any]:
        return {"goal": "distance between the distributions", "within": self.asked}

    @property
    def heads(self) -> tuple[str, str]:
        return "distance", "people" if self.asked is None else f"people for {self.phrase(self.asked)}"

    @property
    def legend(self) -> str:
        moved = "how far answers must be moved on average to make the estimate true, in the units of the numbers"
        return f'distance: {moved}; windows have width = "distribution"'

    @property
    def axis(self) -> str:
        return "expected distance between the distributions"


def _smooth_covariance(mechanism: Mechanism, p: Floats) -> Floats:
    """The least covariance of smooth shares, from one report."""
    if mechanism.channel.slow_fisher:
        raise UnsupportedError(
            f"The error of {mechanism.name} is an average over many hash functions, which takes too long. Choose another mechanism."
        )
    basis = splines.basis(len(p), min(len(p), _COLUMNS))
    moves = (p[:, None] * (basis - p @ basis))[:, :-1]  # all splines together move nothing
    information = mechanism.channel.fisher(p).along(moves)
    return np.asarray(moves @ np.linalg.pinv(information, hermitian=True) @ moves.T)


class Sums:
    """n times the variance of weighted sums of the shares, when each of n people gives some reports."""

    def __init__(self, mechanism: Mechanism, p: Floats, reports: int) -> None:
        self.covariance = inversion_covariance(mechanism.channel, p)
        self.among = np.diag(p) - np.outer(p, p)  # that of the people themselves, which more reports of each don't change
        self.reports = reports
        row = self.covariance.sum(axis=1)
        whole = float(row.sum())
        self.common = row / whole if whole > 1e-12 * float(np.trace(self.covariance)) else np.zeros_like(row)

    def deviations(self, weights: Floats) -> Floats:
        """The standard deviations of sums, one for each row of weights."""
        centred = weights - (weights @ self.common)[:, None]
        noise = (centred @ self.covariance * centred).sum(axis=1)
        people = (centred @ self.among * centred).sum(axis=1)
        return np.sqrt(np.maximum(0.0, (noise - people) / self.reports + people))

    def deviation(self, weights: Floats) -> float:
        return float(self.deviations(weights[None])[0])


def numbers_goal(domain: Domain, about: Any, within: Any, confidence: float) -> Numbers:
    """The goal of a plan for numbers."""
    if about not in ABOUT:
        raise ParameterError(f"about is {about!r}. Give one of {', '.join(map(repr, ABOUT))}.")
    if not domain.ordered:
        raise DomainError(
            "These items have no order, so they have no mean and no quartiles. Ask for numbers or a scale (Domain.numbers, Domain.scale)."
        )
    if len(domain) > _MOST_ITEMS:
        raise UnsupportedError(
            f"There are {len(domain):,} bins, and plans for numbers compare mechanisms for at most {_MOST_ITEMS:,}. Use fewer bins, or "
            'choose the mechanism yourself: "window" suits numbers.'
        )
    if within is not None and (isinstance(within, bool) or not isinstance(within, (int, float, np.number)) or not 0 < within < math.inf):
        raise ParameterError(f"within is {within!r}. Give a positive number, in the units of the numbers.")
    asked = None if within is None else float(within)
    return Distance(asked, domain, about, confidence) if about == "distance" else Numbers(asked, domain, about, confidence)
