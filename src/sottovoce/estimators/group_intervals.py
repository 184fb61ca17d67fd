"""Intervals for sums of items: an axis of a product, a group of answers.

As for single items, an interval holds every share v that the reports do not contradict. The unbiased estimate T of a group's share has
mean v, and a variance that is a polynomial in v, if the composition of the group, and of the rest, is taken from the estimate:
Σ_blocks (v·M₁ + (1 − v)·M₀ − (v·m₁)²)/n, with M₁ and M₀ the second moments of a report's reading among the members and the others. The
limits solve (T − v)² = z²·variance(v), as Wilson's do for a proportion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.errors import UnsupportedError
from sottovoce.estimators.decoders import project
from sottovoce.estimators.intervals import Interval, Spread, checked_reports, deviate
from sottovoce.estimators.inversion import inversion_of

#: Items up to which sums have intervals: every group takes two matrices of so many rows.
_MOST_ITEMS = 1000
#: A little of a group is put on each of its items, so that an empty one has a composition.
_EVERYWHERE = 1e-3
#: What is nearer to 0 or 1 than this is taken for it.
_ROUNDING = 1e-9


def group_intervals(spread: Any, groups: Sequence[NDArray[np.bool_]], level: float, reports: int = 1) -> Interval:
    """The least and the greatest share of each group of items, given as masks, by itself."""
    if not isinstance(spread, Spread) or len(spread.mean) > _MOST_ITEMS:
        raise UnsupportedError(f"sums have intervals where items have error bars from reports, up to {_MOST_ITEMS:,} items")
    p, z = project(spread.mean), deviate(level)
    found = [_limits(spread, group, p, z, checked_reports(reports)) for group in groups]
    return Interval(np.array([low for low, _ in found]), np.array([high for _, high in found]))


def _limits(spread: Spread, group: NDArray[np.bool_], p: Floats, z: float, reports: int) -> tuple[float, float]:
    members, others = (_composition(p, mask) for mask in (group, ~group))
    constant = linear = square = 0.0
    for block, weights in zip(spread.blocks, spread.weights, strict=True):
        weighted = np.where(group, weights, 0.0)
        inside, outside = (
            float(weighted @ inversion_of(block.channel).second_moments(shares) @ weighted) if shares.any() else 0.0
            for shares in (members, others)
        )
        mean = float(weighted @ members)
        between = (reports - 1) * mean**2 / block.n  # several reports tell of one person
        constant += outside / block.n
        linear += (inside - outside) / block.n + between
        square += mean**2 / block.n + between
    total = min(1.0, max(0.0, float(spread.mean[group].sum())))
    # (total − v)² = z²·(constant + linear·v − square·v²)
    a, b, c = 1 + z**2 * square, total + z**2 * linear / 2, total**2 - z**2 * constant
    root = math.sqrt(max(0.0, b**2 - a * c))
    low, high = (b - root) / a, (b + root) / a
    return low if low > _ROUNDING else 0.0, high if high < 1 - _ROUNDING else 1.0


def _composition(p: Floats, mask: NDArray[np.bool_]) -> Floats:
    """The distribution within a group."""
    if not mask.any():
        return np.zeros_like(p)
    inside = np.where(mask, p, 0.0)
    even = mask / mask.sum()
    share = inside.sum()
    return np.asarray((1 - _EVERYWHERE) * inside / share + _EVERYWHERE * even if share > 0 else even)
