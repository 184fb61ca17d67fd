"""Maximum likelihood by Newton's method inside the simplex, for tabulated channels that confuse neighbours.

If the matrix is ill-conditioned (a blur over places, for example), no diagonal describes the curvature, and a first-order climb doesn't
converge. With few items the whole Hessian is at hand: a primal-dual interior-point method follows minimisers of −L(p)/N − μ·Σ log p
down to μ → 0. The Hessian of some channels (windows) is a narrow band in the right coordinates, and then the items may be many.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import Likelihood, SeparableLikelihood, total
from sottovoce.estimators.projected_gradient import Top, Watch, deficit, rounding

#: The Hessian is written down for this many items at most.
MOST_ITEMS = 1 << 10
_ROUNDS = 200


def applies(parts: Sequence[Likelihood], size: int) -> bool:
    """Whether all parts are tabulated, and the items few enough."""
    return size <= MOST_ITEMS and all(part.counted is not None for part in parts)


def narrow(parts: Sequence[Likelihood]) -> bool:
    """Whether steps are quick: a single part, whose Hessian is a narrow band, besides those with one term in each share."""
    return len(_banded(parts)) == 1 and len(_banded(parts)) + len(_plain(parts)) == len(parts)


def _banded(parts: Sequence[Likelihood]) -> list[Likelihood]:
    return [part for part in parts if part.narrow]


def _plain(parts: Sequence[Likelihood]) -> list[SeparableLikelihood]:
    """The parts whose terms are c_k·log(s·p_k)."""
    return [part for part in (each.separable() for each in parts) if part is not None and not part.t.any()]


def interior(parts: Sequence[Likelihood], start: Floats, tolerance: float, watch: Watch, most: int = _ROUNDS) -> Top:
    """Steps towards p > 0, z > 0 with ∇(−L/N) − z constant and p·z = μ, each as far as the boundary allows, with μ falling."""
    n, size = float(sum(part.n for part in parts)), len(start)
    p = 0.99 * start + 0.01 / size
    z = np.full(size, 0.1)
    quick = narrow(parts)
    best, best_gap = p, deficit(total(parts, p), n)
    for passes in range(1, min(most, _ROUNDS) + 1):
        slope = total(parts, p)
        gap = deficit(slope, n)
        if gap < best_gap:
            best, best_gap = p, gap
        watch(best_gap, passes)
        if best_gap <= tolerance:
            break
        mu = 0.1 * float(p @ z) / size
        move = (_narrow_move if quick else _move)(parts, p, z / p, slope.gradient / n + mu / p, n)
        turn = mu / p - z - z / p * move
        if not (np.isfinite(move).all() and np.isfinite(turn).all()):
            break
        p = p + _reach(p, move) * move
        p = p / p.sum() if quick else p
        z = z + _reach(z, turn) * turn
    return Top(best / best.sum(), best_gap + rounding(n), passes)


def _move(parts: Sequence[Likelihood], p: Floats, barrier: Floats, slope: Floats, n: float) -> Floats:
    """Newton's move to where the shares sum to 1."""
    curved = sum((part.hessian(p) for part in parts), start=np.zeros((len(p), len(p)))) / n + np.diag(barrier)
    solved = np.linalg.solve(curved, np.stack([slope, np.ones(len(p))], axis=1))
    level = (float(solved[:, 0].sum()) - (1 - float(p.sum()))) / float(solved[:, 1].sum())
    return np.asarray(solved[:, 0] - level * solved[:, 1])


def _narrow_move(parts: Sequence[Likelihood], p: Floats, barrier: Floats, slope: Floats, n: float) -> Floats:
    """The same by a part that solves it itself: those with one term in each share add to the diagonal. The sum is 1 already."""
    diagonal = n * barrier + sum((part.counts / p**2 for part in _plain(parts)), start=np.zeros(len(p)))
    return _banded(parts)[0].newton(p, diagonal, n * slope)


def _reach(values: Floats, move: Floats) -> float:
    """How much of a move keeps all values positive."""
    falling = move < 0
    return min(1.0, 0.99 * float((-values[falling] / move[falling]).min())) if falling.any() else 1.0
