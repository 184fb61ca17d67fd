"""How far an estimate is from the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.arrays import Floats
from sottovoce.errors import ParameterError
from sottovoce.estimators.decoders import normalized
from sottovoce.estimators.result import Estimate
from sottovoce.estimators.tags import Resolved
from sottovoce.policy import is_distribution
from sottovoce.special import relative_entropy


@dataclass(frozen=True)
class Distance:
    """Distances between an estimate and a true distribution.

    `l1` = Σ|p̂ − p|, `tv` = l1/2, `l2` = Σ(p̂ − p)², `mse` = l2/K, `js` the Jensen-Shannon divergence in nats (of the estimate with negative
    entries cut and normalised), `relative` the mean of |p̂ − p|/p over the items that exist (p > 0). `kl` is the Kullback-Leibler divergence
    Σ p·log(p/p̂) of the truth from the same normalised estimate, in nats: items with p = 0 add nothing, and it is infinite if the estimate
    gives 0 to an item that exists.
    """

    l1: float
    tv: float
    l2: float
    mse: float
    js: float
    relative: float
    kl: float = math.nan


def distance(estimate: Estimate | Resolved | ArrayLike, truth: ArrayLike) -> Distance:
    """The distances of an estimate (or of anything with its entries) from the truth.

    >>> d = distance([0.5, 0.5], [0.4, 0.6])
    >>> round(d.tv, 3), round(d.l2, 3), round(d.relative, 3), round(d.kl, 3)
    (0.1, 0.02, 0.208, 0.02)
    """
    entries = estimate.p if isinstance(estimate, (Estimate, Resolved)) else estimate
    try:
        found, true = np.asarray(entries, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("The estimate or the truth isn't a list of numbers. Give one number for each item.") from None
    if found.shape != true.shape or found.ndim != 1 or not (np.isfinite(found).all() and np.isfinite(true).all()):
        raise ParameterError(
            f"The estimate has the shape {found.shape} and the truth {true.shape}. Give one finite number per item to both."
        )
    if not is_distribution(true):
        raise ParameterError("The truth isn't a distribution. Give shares that aren't negative and sum to 1.")
    error = np.abs(found - true)
    l1, l2, exists = float(error.sum()), float((error**2).sum()), true > 0
    cut = normalized(found)
    relative = float((error[exists] / true[exists]).mean())
    return Distance(l1, l1 / 2, l2, l2 / len(true), _jensen_shannon(cut, true), relative, _kullback_leibler(cut, true))


def _jensen_shannon(cut: Floats, true: Floats) -> float:
    middle = (cut + true) / 2
    return float(relative_entropy(cut, middle).sum() + relative_entropy(true, middle).sum()) / 2


def _kullback_leibler(cut: Floats, true: Floats) -> float:
    return math.inf if (cut[true > 0] == 0).any() else max(0.0, float(relative_entropy(true, cut).sum()))
