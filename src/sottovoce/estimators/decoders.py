"""From a signed, unbiased estimate to a distribution."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.special import normal_quantile


def project(values: Floats, metric: Floats | None = None) -> Floats:
    """The nearest distribution, in the distance Σ metric_k·(p_k − values_k)² (all ones by default).

    It is max(0, values − τ/metric), with τ such that the sum is 1: found exactly by one sort. Norm-Sub is the same map.

    >>> project(np.array([0.9, 0.4, -0.3])).tolist()
    [0.75, 0.25, 0.0]
    """
    inverse = np.ones_like(values) if metric is None else 1 / metric
    if metric is None:
        values = np.maximum(values - values.max(), -2.0)  # a shift changes nothing, and what lies further below is cut off anyway
    order = np.argsort(-values / inverse)
    sums, room = np.cumsum(values[order]), np.cumsum(inverse[order])
    taus = (sums - 1) / room
    kept = int(np.flatnonzero(values[order] / inverse[order] > taus)[-1:].sum())
    p = np.maximum(0.0, values - taus[kept] * inverse)
    return p / p.sum()


def normalized(values: Floats) -> Floats:
    """Negative entries cut to zero, the rest divided by its sum (uniform if nothing is left)."""
    positive = np.maximum(0.0, values)
    total = positive.sum()
    return positive / total if total > 0 else np.full(len(values), 1 / len(values))


def exceeds(values: Floats, stderr: Floats, alpha: float) -> Mask:
    """Which entries are significantly positive (Bonferroni over the items, level alpha).

    The published significance threshold (ULDP paper, Section 2.5, and Erlingsson et al. 2014).
    """
    return np.asarray(values > -normal_quantile(alpha / len(values)) * stderr)


def thresholded(values: Floats, kept: Mask) -> Floats:
    """Kept entries stay. The rest is spread over the remaining entries."""
    total = float(values[kept].sum())
    if not kept.any() or total >= 1 or kept.all():
        return normalized(np.where(kept, values, 0.0)) if kept.any() else np.full(len(values), 1 / len(values))
    return np.where(kept, values, (1 - total) / int((~kept).sum()))
