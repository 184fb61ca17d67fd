"""The limit of utility-optimized privacy: the least worst-case error that any ULDP mechanism can have (Yoon, Park, Nam & Lee 2025).

For w items of which v are sensitive, n·E‖p̂ − p‖² of the best mechanism and estimator tends, for the worst p, to

    M(w, v, ε) = max_α min_t  (v − 1)/J₁ + (w − v − 1)/J₂ + 1/J₃,     0 ≤ α ≤ 1, t a distribution over set sizes k = 1..v,

with J₁, J₂, J₃ linear in t (E = e^ε). The function is concave in α and convex in t, and the best t mixes at most two adjacent sizes: the
outer search is bounded, the inner one goes over single sizes and the segments beside the best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.errors import ParameterError
from sottovoce.optima.solvers import least_between
from sottovoce.policy import positive_epsilon


@dataclass(frozen=True)
class Limit:
    """The limit, the prior weight α of the sensitive items and the mixture of set sizes at which it is attained."""

    value: float
    alpha: float
    sizes: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Information:
    """The contribution of each set size to J₁, and to J₂/(1 − α)⁻¹ and J₃/(1 − α)⁻¹ at a given α."""

    within: Floats
    free: Floats
    between: Floats

    @classmethod
    def of(cls, w: int, v: int, epsilon: float, alpha: float) -> Information:
        growth = math.expm1(epsilon)
        k = np.arange(1, v + 1, dtype=np.float64)
        mass, spread = k * growth + v, alpha * k * growth + v
        within = v * growth**2 / max(1, v - 1) * k * (v - k) / (spread * mass)
        return cls(within, (w - v) * growth * k / mass, v * (w - v) * growth / w * k / spread)


def _bound(w: int, v: int, alpha: float, info: Information) -> Floats:
    """(v − 1)/J₁ + (w − v − 1)/J₂ + 1/J₃ for every size, with the factors 1 − α taken out of the denominators."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.where(v > 1, (v - 1) / info.within, 0.0)
        outside = np.where(w > v, (1 - alpha) * ((w - v - 1) / info.free + 1 / info.between), 0.0)
    return np.asarray(inside + outside)


def _best_sizes(w: int, v: int, epsilon: float, alpha: float) -> tuple[float, dict[int, float]]:
    """The minimum over t: the best single size, or a mixture with a neighbour."""
    info = Information.of(w, v, epsilon, alpha)
    single = _bound(w, v, alpha, info)
    best = int(np.argmin(single))
    found: tuple[float, dict[int, float]] = (float(single[best]), {best + 1: 1.0})
    columns = [column.tolist() for column in (info.within, info.free, info.between)]  # numbers of plain Python are quicker one by one
    for other in (best - 1, best + 1):
        if not 0 <= other < v:
            continue

        def mixed(share: float, one: int = best, two: int = other) -> float:
            within, free, between = ((1 - share) * column[one] + share * column[two] for column in columns)
            inside = (v - 1) / within if v > 1 else 0.0  # two sizes of which one at least tells sensitive items apart
            return inside + (1 - alpha) * ((w - v - 1) / free + 1 / between) if w > v else inside

        share, value = least_between(mixed, 0.0, 1.0, 1e-12)
        if value < found[0]:
            found = value, {best + 1: 1 - share, other + 1: share}
    return found


def uldp_limit(w: int, v: int, epsilon: float) -> Limit:
    """M(w, v, ε), for w items of which v are sensitive (v = w: the limit of LDP).

    >>> round(uldp_limit(400, 76, 1.0).value, 3)
    272.628
    """
    if not (all(isinstance(each, (int, np.integer)) for each in (w, v)) and 1 <= v <= w and w >= 2):
        raise ParameterError(f"Got {v!r} sensitive items out of {w!r}. Give two integers, at least 1 out of at least 2.")
    return _limit(int(w), int(v), positive_epsilon(epsilon))


@lru_cache(maxsize=256)
def _limit(w: int, v: int, epsilon: float) -> Limit:
    if w == v:
        value, sizes = _best_sizes(w, v, epsilon, 1.0)
        return Limit(value, 1.0, sizes)
    inner, _ = least_between(lambda alpha: -_best_sizes(w, v, epsilon, alpha)[0], 0.0, 1.0, 1e-12)
    best = max((inner, 0.0, 1.0), key=lambda alpha: _best_sizes(w, v, epsilon, alpha)[0] if (v > 1 or alpha < 1) else 0.0)
    value, sizes = _best_sizes(w, v, epsilon, best)
    return Limit(value, best, sizes)
