"""Exact maximum likelihood for direct blocks, any number of them.

The log-likelihood Σ_m Σ_y c_my·log(s_m·p_y + t_my) is separable in p: for a multiplier μ each p_y solves
Σ_m c_my·s_m/(s_m·p_y + t_my) = μ, or is 0 where the left side is below μ already at 0. One root in μ makes the sum 1. For one block
this is water-filling, p_y = max(0, c_y/μ − t_y/s). (Closed form for k-RR: Pinzón et al. 2026, arXiv 2601.08603.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.estimators import kernels


def direct_mle(blocks: Sequence[tuple[Floats, float, Floats]]) -> Floats:
    """The maximiser over the simplex for blocks (counts, s, t)."""
    counts = np.stack([block[0] for block in blocks]).astype(np.float64)
    odds = np.stack([block[2] / block[1] for block in blocks])
    p = np.empty(counts.shape[1])
    low, high = 0.0, float(counts.sum())
    mu = high / 2
    for _ in range(200):
        total, slope = kernels.shares(mu, counts, odds, p)
        if abs(total - 1) <= 4e-16 * len(p) ** 0.5:
            break
        low, high = (mu, high) if total > 1 else (low, mu)
        step = mu - (total - 1) / slope if slope < 0 else low
        following = step if low < step < high else (low + high) / 2
        if following == mu:
            break
        mu = following
    return p / p.sum()
