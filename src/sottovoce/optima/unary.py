"""The best bits: parameters of unary mechanisms that minimise the worst-case squared error of inversion.

n·E‖p̂ − p‖² = Σ_j b_j(1 − b_j)/(a_j − b_j)² + Σ_j p_j·(1 − 2b_j)/(a_j − b_j) − ‖p‖²; the worst p is the distribution nearest to half of the
factors of p in the second sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar

Floats = NDArray[np.float64]

#: The least distance of the bits of a level from each other, in log-odds.
_LEAST = 1e-6
#: The loss of bits that say nothing.
_HOPELESS = 1e300


def unary_loss(a: Floats, b: Floats, counts: Floats, p: Floats | None = None) -> float:
    """n·E‖p̂ − p‖² for items in classes of equal bits, `counts` of each: at the worst p, or where each class has the share p."""
    if not (a > b).all():
        return _HOPELESS
    noise, tilt = b * (1 - b) / (a - b) ** 2, (1 - 2 * b) / (a - b)
    if p is None:
        p = counts * _level(tilt / 2, counts)
    return float((counts * noise).sum() + (p * tilt).sum() - (p**2 / counts).sum())


def _level(values: Floats, counts: Floats) -> Floats:
    """The projection of values on the simplex when each stands for several items: the share of one item of each class."""
    order = np.argsort(-values)
    sums, room = np.cumsum((counts * values)[order]), np.cumsum(counts[order])
    taus = (sums - 1) / room
    kept = int(np.flatnonzero(values[order] > taus)[-1:].sum())
    return np.maximum(0.0, values - taus[kept])


def urap_theta(sensitive: int, free: int, epsilon: float, share: float | None = None) -> float:
    """The θ that makes uRAP best at the worst p, or where the sensitive items have the given share together.

    The question that the ULDP paper left open; unimodal in every case tried, and bracketed by a grid in any case.
    """
    counts = np.array([sensitive, free], dtype=np.float64) if free else np.array([sensitive], dtype=np.float64)
    growth = math.exp(epsilon)

    def loss(theta: float) -> float:
        mixed = (1 - theta) * growth + theta
        a, b = np.array([theta, 1 - mixed / growth]), np.array([theta / mixed, 0.0])
        shares = None if share is None else np.array([share, 1 - share])[: len(counts)]
        return unary_loss(a[: len(counts)], b[: len(counts)], counts, shares)

    grid = 1 / (1 + np.exp(-np.linspace(-epsilon - 3, epsilon + 3, 201)))
    best = int(np.argmin([loss(theta) for theta in grid]))
    low, high = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
    return float(minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-12}).x)


def idue_bits(budgets: Sequence[float], counts: Sequence[int], model: str) -> tuple[Floats, Floats]:
    """(a, b) for each level of budgets under MinID-LDP: a_i(1 − b_j)/(b_i(1 − a_j)) ≤ e^{min(ε_i, ε_j)} for every two items.

    'opt1' has a + b = 1, 'opt2' has a = 1/2 (both convex); 'opt0' is the full problem, begun at both and never worse than either.
    (Input-discriminative unary encoding, Gu et al. 2020.)
    """
    levels, sizes = np.asarray(budgets, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    if model == "opt0":
        starts = [idue_bits(budgets, counts, other) for other in ("opt1", "opt2")]
        found = [*starts, *(_full(levels, sizes, start) for start in starts)]
        return min(found, key=lambda pair: unary_loss(pair[0], pair[1], sizes))
    limits, apart = _pairs(levels, sizes)
    if model == "opt1":
        start = np.full(len(levels), levels.min() / 2)

        def symmetric(tau: Floats) -> tuple[Floats, Floats]:
            return 1 / (1 + np.exp(-tau)), 1 / (1 + np.exp(tau))

        found_tau = _minimum(
            lambda tau: unary_loss(*symmetric(tau), sizes),
            start,
            lambda tau: (limits - np.add.outer(tau, tau))[apart],
            [(_LEAST, None)] * len(levels),
        )
        return symmetric(found_tau)
    half, start = np.full(len(levels), 0.5), np.full(len(levels), 1 / (math.exp(levels.min()) + 1))
    found_b = _minimum(
        lambda b: unary_loss(half, b, sizes),
        start,
        lambda b: (np.exp(limits) * b[:, None] - (1 - b))[apart],
        [(1e-18, 0.5 - _LEAST)] * len(levels),
    )
    return half, found_b


def _pairs(levels: Floats, sizes: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The budget of every two levels, and which of them stand for two different items."""
    return np.minimum.outer(levels, levels), ~np.eye(len(levels), dtype=np.bool_) | (sizes > 1)


def _full(levels: Floats, sizes: Floats, start: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Both bits free, as log-odds, in which the constraints are nearly linear."""
    count = len(levels)
    limits, apart = _pairs(levels, sizes)

    def bits(x: Floats) -> tuple[Floats, Floats]:
        return 1 / (1 + np.exp(-x[:count])), 1 / (1 + np.exp(-x[count:]))

    def slacks(x: Floats) -> Floats:
        """log a − log b + log(1 − b') − log(1 − a') in log-odds, and that a stays above b."""
        up, down = x[:count], x[count:]
        own = np.logaddexp(0, -down) - np.logaddexp(0, -up)  # log(a/b)
        other = np.logaddexp(0, up) - np.logaddexp(0, down)  # log((1 − b)/(1 − a))
        return np.concatenate([up - down - _LEAST, (limits - np.add.outer(own, other))[apart]])

    x = np.concatenate([np.log(part / (1 - part)) for part in start])
    return bits(_minimum(lambda x: unary_loss(*bits(x), sizes), x, slacks, [(-45.0, 45.0)] * (2 * count)))


def _minimum(
    loss: Callable[[Floats], float], start: Floats, slacks: Callable[[Floats], Floats], bounds: Sequence[tuple[float, float | None]]
) -> Floats:
    """A constrained minimum by sequential quadratic programming; the start is returned if nothing feasible is better."""
    scale = loss(start)
    constraint, options = {"type": "ineq", "fun": slacks}, {"maxiter": 500, "ftol": 1e-12}
    found = minimize(lambda x: loss(x) / scale, start, method="SLSQP", bounds=bounds, constraints=constraint, options=options)
    feasible = bool((slacks(found.x) > -1e-7).all())
    return np.asarray(found.x if feasible and np.isfinite(found.fun) and found.fun <= 1 else start)
