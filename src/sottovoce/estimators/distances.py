"""How far an estimate is from the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.errors import ParameterError
from sottovoce.estimators.result import Estimate
from sottovoce.estimators.tags import Resolved
from sottovoce.policy import is_distribution
from sottovoce.special import relative_entropy


@dataclass(frozen=True)
class Distance:
    """Distances between an estimate and a true distribution.

    `l1` = Σ|p̂ − p|, `tv` = l1/2, `l2` = Σ(p̂ − p)², `mse` = l2/K, `js` the Jensen-Shannon divergence in nats (of the estimate with negative
    entries cut and normalised), `relative` the mean of |p̂ − p|/p over the items that exist (p > 0).
    """

    l1: float
    tv: float
    l2: float
    mse: float
    js: float
    relative: float


def distance(estimate: Estimate | Resolved | ArrayLike, truth: ArrayLike) -> Distance:
    """The distances of an estimate (or of anything with its entries) from the truth.

    >>> d = distance([0.5, 0.5], [0.4, 0.6])
    >>> round(d.tv, 3), round(d.l2, 3), round(d.relative, 3)
    (0.1, 0.02, 0.208)
    """
    entries = estimate.p if isinstance(estimate, (Estimate, Resolved)) else estimate
    try:
        found, true = np.asarray(entries, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("the estimate and the truth are lists of numbers, one for each item") from None
    if found.shape != true.shape or found.ndim != 1 or not (np.isfinite(found).all() and np.isfinite(true).all()):
        raise ParameterError(
            f"the estimate has the shape {found.shape} and the truth {true.shape}; give one finite number per item to both"
        )
    if not is_distribution(true):
        raise ParameterError("the truth must be a distribution: no negative entries, and a sum of 1")
    error = np.abs(found - true)
    l1, l2, exists = float(error.sum()), float((error**2).sum()), true > 0
    return Distance(l1, l1 / 2, l2, l2 / len(true), _jensen_shannon(found, true), float((error[exists] / true[exists]).mean()))


def _jensen_shannon(found: NDArray[np.float64], true: NDArray[np.float64]) -> float:
    cut = np.maximum(found, 0.0)
    cut = cut / cut.sum() if cut.sum() > 0 else np.full(len(cut), 1 / len(cut))
    middle = (cut + true) / 2
    return float(relative_entropy(cut, middle).sum() + relative_entropy(true, middle).sum()) / 2
