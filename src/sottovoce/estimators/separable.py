"""Exact maximum likelihood for direct blocks, any number of them.

The log-likelihood Σ_m Σ_y c_my·log(s_m·p_y + t_my) is separable in p: for a multiplier μ each p_y solves
Σ_m c_my·s_m/(s_m·p_y + t_my) = μ, or is 0 where the left side is below μ already at 0. One root in μ makes the sum 1. For one block
this is water-filling, p_y = max(0, c_y/μ − t_y/s). (Closed form for k-RR: Pinzón et al. 2026, arXiv 2601.08603.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import SeparableLikelihood, total
from sottovoce.estimators import kernels
from sottovoce.estimators.projected_gradient import Top, deficit, rounding


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


def maximised(parts: Sequence[SeparableLikelihood]) -> Top:
    """The exact maximum, and the gap that rounding may leave."""
    p = direct_mle([(part.counts, part.s, part.t) for part in parts])
    weight = float(sum(part.counts.sum() for part in parts))
    return Top(p, deficit(total(parts, p), weight) + rounding(weight), 1)
