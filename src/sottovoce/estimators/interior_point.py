"""Maximum likelihood by Newton's method inside the simplex, for tabulated channels that confuse neighbours.

Where the matrix is ill-conditioned (a blur over places, say), no diagonal describes the curvature, and a first-order climb does not arrive.
With few items the whole Hessian is at hand: a primal-dual interior-point method follows minimisers of −L(p)/N − μ·Σ log p down to μ → 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import Likelihood, total
from sottovoce.estimators.projected_gradient import Top, Watch, deficit, rounding

#: The Hessian is written down for this many items at most.
MOST_ITEMS = 1 << 10
_ROUNDS = 200


def applies(parts: Sequence[Likelihood], size: int) -> bool:
    """Whether all parts are tabulated, and the items few enough."""
    return size <= MOST_ITEMS and all(part.counted is not None for part in parts)


def interior(parts: Sequence[Likelihood], start: Floats, tolerance: float, watch: Watch) -> Top:
    """Steps towards p > 0, z > 0 with ∇(−L/N) − z constant and p·z = μ, each as far as the boundary allows, with μ falling."""
    n, size = float(sum(part.n for part in parts)), len(start)
    p = 0.99 * start + 0.01 / size
    z = np.full(size, 0.1)
    best, best_gap = p, deficit(total(parts, p), n)
    for passes in range(1, _ROUNDS + 1):
        slope = total(parts, p)
        gap = deficit(slope, n)
        if gap < best_gap:
            best, best_gap = p, gap
        watch(best_gap, passes)
        if best_gap <= tolerance:
            break
        mu = 0.1 * float(p @ z) / size
        curved = sum((part.hessian(p) for part in parts), start=np.zeros((size, size))) / n + np.diag(z / p)
        solved = np.linalg.solve(curved, np.stack([slope.gradient / n + mu / p, np.ones(size)], axis=1))
        level = (float(solved[:, 0].sum()) - (1 - float(p.sum()))) / float(solved[:, 1].sum())
        move = solved[:, 0] - level * solved[:, 1]
        turn = mu / p - z - z / p * move
        if not (np.isfinite(move).all() and np.isfinite(turn).all()):
            break
        p = p + _reach(p, move) * move
        z = z + _reach(z, turn) * turn
    return Top(best / best.sum(), best_gap + rounding(n), passes)


def _reach(values: Floats, move: Floats) -> float:
    """How much of a move keeps all values positive."""
    falling = move < 0
    return min(1.0, 0.99 * float((-values[falling] / move[falling]).min())) if falling.any() else 1.0
