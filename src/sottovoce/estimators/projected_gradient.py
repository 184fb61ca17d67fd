"""Maximum likelihood on the simplex by spectral projected gradient, with a certificate of how far the top still is.

With D_k = (1/N)·Σ_n g_nk/(p·g_n), the deficit of the total log-likelihood at p is at most N·log(max_k D_k) nats (concavity): every result
carries that bound, and it alone decides when to stop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import Likelihood, Slope, total
from sottovoce.estimators.decoders import project
from sottovoce.optima.solvers import root_between

_MEMORY = 8
_REFRESH = 6
#: The mean score counts where its curvature is at least this share of the others'.
_NOTABLE = 0.05


#: Called with the gap and the passes so far.
Watch = Callable[[float, int], None]


def _unwatched(gap: float, passes: int) -> None:
    """Ignore the progress."""


@dataclass(frozen=True)
class Top:
    """Where a climb ended: p, a bound on the deficit in nats, and the passes over the reports that it took."""

    p: Floats
    gap: float
    passes: int


def deficit(slope: Slope, n: float) -> float:
    """The bound N·log(max_k D_k) on the log-likelihood that is still missing, but for rounding."""
    largest = float(slope.gradient.max()) / n
    return max(0.0, n * math.log(largest)) if 0 < largest < math.inf else math.inf


def rounding(n: float) -> float:
    """What the rounding of doubles can hide of a deficit."""
    return 8 * n * math.ulp(1.0)


@dataclass(frozen=True)
class Metric:
    """diag(h) + weight·v·vᵀ: the curvature of each item, and that along the mean score where it differs between items."""

    h: Floats
    weight: float
    v: Floats

    @classmethod
    def of(cls, slope: Slope, n: float) -> Metric:
        """The curvature is kept away from zero: with identical reports it vanishes, and no direction is preferred."""
        curvature = np.maximum(slope.curvature, 1e-6 * slope.squares) / n
        h = np.maximum(curvature, 1e-6 * float(curvature.max()))
        if slope.weight <= 0:
            return cls(h, 0.0, np.zeros_like(h))
        v = slope.cross / slope.weight
        v -= float((v / h).sum() / (1 / h).sum())  # a constant changes nothing where the sum of p is kept
        weight = slope.weight / n
        return cls(h, weight if weight * float((v**2 / h).sum()) > _NOTABLE else 0.0, v)

    def square(self, moved: Floats) -> float:
        return float(moved @ (self.h * moved)) + self.weight * float(self.v @ moved) ** 2

    def step(self, p: Floats, gradient: Floats, length: float) -> Floats:
        """The distribution that minimises gradient·q + ‖q − p‖²/(2·length) in this metric.

        For a given pull τ = weight·v·(q − p) it is a projection in the diagonal metric, and τ − weight·v·(q − p) rises with τ: one root.
        """
        target = p - length * gradient / self.h
        q = project(target, self.h)
        if self.weight == 0:
            return q
        lean = self.v / self.h

        def excess(tau: float) -> float:
            return tau - self.weight * float(self.v @ (project(target - tau * lean, self.h) - p))

        far = self.weight * float(self.v @ (q - p))
        if far == 0 or excess(far) * far <= 0:
            return project(target - far * lean, self.h)
        tau = root_between(excess, 0.0, far, 1e-10 * abs(far))
        return project(target - tau * lean, self.h)


def climb(parts: Sequence[Likelihood], start: Floats, tolerance: float, most: int, watch: Watch = _unwatched) -> Top:
    """Barzilai-Borwein steps in a metric of the Hessian, each to the best distribution in that metric. They aren't monotone.

    The metric follows direct parts at every step, for that is cheap, and the others now and then.
    """
    n = float(sum(part.n for part in parts))
    cheap = [part for part in parts if part.separable() is not None]
    dear = [part for part in parts if part.separable() is None]
    p = 0.999 * start + 0.001 / len(start)
    rough, exact = total(dear, p), total(cheap, p)
    slope = rough + exact
    passes, length = 1, 1.0
    recent = [-slope.value / n]
    best, best_gap = p, deficit(slope, n)
    while best_gap > tolerance and passes < most:
        gradient, metric = -slope.gradient / n, Metric.of(rough + exact, n)
        direction = metric.step(p, gradient, length) - p
        descent = float(gradient @ direction)
        fraction = 1.0
        while True:
            candidate = np.maximum(p + fraction * direction, 0.0)
            passes += 1
            fresh, exact = total(dear, candidate, curved=passes % _REFRESH == 0), total(cheap, candidate)
            following = fresh + exact
            value = -following.value / n
            if math.isfinite(value) and value <= max(recent) + 1e-4 * fraction * descent + 1e-15 * abs(value):
                break
            if fraction < 1e-12 or passes >= most:
                break
            fraction *= _shorter(value - recent[-1], fraction * descent)
        if not math.isfinite(value):
            break
        moved = candidate - p
        bend = float(moved @ (-following.gradient / n - gradient))
        length = min(1e4, max(1e-4, metric.square(moved) / bend)) if bend > 0 else 1.0
        p, slope = candidate, following
        rough = fresh if passes % _REFRESH == 0 else rough
        recent = [*recent[-_MEMORY + 1 :], value]
        gap = deficit(slope, n)
        if gap < best_gap:
            best, best_gap = p, gap
        watch(best_gap, passes)
        if not moved.any():
            break
    return Top(best / best.sum(), best_gap + rounding(n), passes)


def _shorter(rise: float, expected: float) -> float:
    """The factor by which to shorten a step that rose by `rise` where the slope had promised `expected`: a parabola, kept within bounds."""
    return min(0.5, max(0.1, -0.5 * expected / (rise - expected))) if math.isfinite(rise) else 0.1


def expectation_maximisation(parts: Sequence[Likelihood], start: Floats, tolerance: float, most: int, watch: Watch = _unwatched) -> Top:
    """The published loop p_k ← p_k·D_k, which climbs slowly. It's here for comparison."""
    n = float(sum(part.n for part in parts))
    p, passes = start, 0
    while True:
        slope = total(parts, p, curved=False)
        passes += 1
        if (gap := deficit(slope, n)) <= tolerance or passes >= most:
            return Top(p, gap + rounding(n), passes)
        watch(gap, passes)
        p = p * slope.gradient / n
        p = p / p.sum()
