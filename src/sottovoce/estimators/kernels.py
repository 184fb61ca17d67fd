"""The loops of the estimators."""

from __future__ import annotations

import math

import numpy as np

from sottovoce.loops import loop, part


@loop(lambda mu, counts, *_: 8 * counts.size)
def shares(mu, counts, odds, p):
    """p_y for the multiplier: Newton from below on the convex, falling function Σ_m c_m/(p + r_m) − μ. Returns Σp and its slope in μ."""
    total, slope = 0.0, 0.0
    blocks = counts.shape[0]
    for y in range(counts.shape[1]):
        start, pull = 0.0, 0.0
        for m in range(blocks):
            if counts[m, y] > 0:
                start = max(start, counts[m, y] / mu - odds[m, y])
                pull += counts[m, y] / odds[m, y] if odds[m, y] > 0 else np.inf
        if pull <= mu:
            p[y] = 0.0
            continue
        value = start
        for _ in range(100):
            excess, steep = -mu, 0.0
            for m in range(blocks):
                if counts[m, y] > 0:
                    share = counts[m, y] / (value + odds[m, y])
                    excess += share
                    steep += share / (value + odds[m, y])
            step = excess / steep
            if step <= 1e-16 * value:
                break
            value += step
        p[y] = value
        total += value
        steep = 0.0
        for m in range(blocks):
            if counts[m, y] > 0:
                steep += counts[m, y] / ((value + odds[m, y]) * (value + odds[m, y]))
        slope -= 1.0 / steep
    return total, slope


@part
def quantile(v, z, second, third, mixed, squares, cubes, j):
    """The quantile at the deviate z of the mean reading of item j, when its share is v (Cornish and Fisher, second order).

    On the short side of a distribution that is so skewed that the correction turns around, there is none: no mean reading is too far out.
    """
    variance = v * second[0, j] + (1 - v) * second[1, j] - squares[j] * v * v
    skew = v * third[0, j] + (1 - v) * third[1, j] - 3 * v * (v * mixed[0, j] + (1 - v) * mixed[1, j]) + 2 * cubes[j] * v * v * v
    if variance <= 0:
        return v
    if z * skew < -2 * variance * math.sqrt(variance):
        return math.copysign(math.inf, z)
    return v + z * math.sqrt(variance) + (z * z - 1) / 6 * skew / variance


#: Shares on which the limits are bracketed before they are bisected: 0, powers of 1/4, and the same below 1.
_BRACKETS = np.concatenate([[0.0], 0.25 ** np.arange(20, 0, -1), [0.5], 1 - 0.25 ** np.arange(1, 21), [1.0]])


@part
def bisected(inside, outside, target, z, second, third, mixed, squares, cubes, j):
    """Between a share that is within the interval and one that is not: the last that is."""
    while abs(outside - inside) > 1e-12 * max(inside, outside):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        reached = quantile(middle, z, second, third, mixed, squares, cubes, j)
        if (z > 0 and reached >= target) or (z < 0 and reached <= target):
            inside = middle
        else:
            outside = middle
    return inside


@loop(lambda seen, *_: 256 * len(seen))
def limits(seen, z, second, third, mixed, squares, cubes, low, high):
    """The least share whose upper quantile reaches the mean reading seen, and the greatest whose lower quantile does not pass it.

    Near 0 and 1 the corrected quantiles are not monotone: where hardly a report is expected to speak for an item, whatever its share, no
    share has a lower quantile below what is seen, and none is excluded. A mean reading is read as at most 1.5 deviations above 1.
    """
    last = len(_BRACKETS) - 1
    for j in range(len(seen)):
        target = min(seen[j], 1 + 1.5 * math.sqrt(max(0.0, second[0, j] - squares[j])))
        k = 0
        while k < last and quantile(_BRACKETS[k], z, second, third, mixed, squares, cubes, j) < target:
            k += 1
        found = bisected(_BRACKETS[k], _BRACKETS[max(0, k - 1)], target, z, second, third, mixed, squares, cubes, j)
        low[j] = min(found, target)
        k = last
        while k >= 0 and quantile(_BRACKETS[k], -z, second, third, mixed, squares, cubes, j) > target:
            k -= 1
        if k < 0:
            high[j] = 1.0
            continue
        found = bisected(_BRACKETS[k], _BRACKETS[min(last, k + 1)], target, -z, second, third, mixed, squares, cubes, j)
        high[j] = max(found, min(target, 1.0))
