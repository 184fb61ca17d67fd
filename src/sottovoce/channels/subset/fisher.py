"""The Fisher information of sets of fixed size.

The mean over all sets of k items is the coefficient of z^k in a product over the items: a second integral, around a circle in z, beside
the one of `sottovoce.channels.set_fisher`. On the circle through the saddle point the items are in the set independently with the chances
that make its mean size k, so that few points suffice.
"""

from __future__ import annotations

import math

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.fisher import Fisher, WrittenCore
from sottovoce.channels.set_fisher import SetWeights, around, nodes, of_independent

#: Among more items than this, those of a set count as independent, which changes the bound by about a third of 1/k.
_MOST = 1 << 13
#: Standard deviations of the size that the points of the circle span, and some more points.
_SPAN, _MORE = 9.0, 20


def of_subsets(sets: SetWeights, chosen: int) -> Fisher:
    """The information of uniform sets of `chosen` items, as a matrix over the items that sets can contain."""
    p, gain, count = sets.p[sets.inside], sets.gain, len(sets.gain)
    start = sets.start(sets.kept)
    if chosen == count:
        scores = sets.scores((sets.low + gain)[None] - 1, sets.kept)
        return Fisher(sets.p, sets.revealed, np.zeros(len(sets.p)), scores, np.array([1 / (start + float(p @ gain))]))
    share = chosen / count
    if count > _MOST:
        return of_independent(sets, np.full(count, share))
    t, weights = nodes(start, start + float(p @ gain))
    points = _MORE + math.ceil(_SPAN * math.sqrt(count * share * (1 - share)))
    angles = (np.arange((points + 1) // 2) + 0.5) * (2 * math.pi / (2 * ((points + 1) // 2)))
    ways = math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1)
    joint, own, one, none = np.zeros((count, count)), np.zeros(count), np.zeros(count), 0.0
    radius = math.log(share / (1 - share))
    centre = share if sets.inside.all() else 0.0  # around which the digits are best, and around which others have one score
    for each, weight in zip(t, weights, strict=True):
        falls = -each * gain * p
        radius = _saddle(falls, chosen, radius)
        tilted = _logistic(radius + falls)
        turned = 1 + tilted * np.expm1(1j * angles)[:, None]
        height = np.logaddexp(0, radius + falls).sum() - chosen * radius - ways - each * start
        scale = weight / len(angles) * np.exp(height + np.log(turned).sum(axis=1) - 1j * chosen * angles)
        inside = tilted * np.exp(1j * angles)[:, None] / turned
        scores = gain * (inside - centre)
        weighed = scale[:, None] * scores
        joint += np.vstack([weighed.real, -weighed.imag]).T @ np.vstack([scores.real, scores.imag])
        own += (scale @ (gain**2 * (inside * (1 - 2 * centre) + centre**2))).real
        one += weighed.sum(axis=0).real
        none += float(scale.sum().real)
    np.fill_diagonal(joint, own)
    if sets.inside.all():
        return Fisher.written(sets.p, joint, sets.revealed)
    return around(sets, WrittenCore(sets.inside, joint), one, none, 0.0)


def _saddle(falls: Floats, chosen: int, start: float) -> float:
    """The log of the radius at which the chances sum to the number of items chosen."""
    radius = start
    for _ in range(1000):
        chances = _logistic(radius + falls)
        missing = chosen - float(chances.sum())
        if abs(missing) < 1e-9:
            break
        slope = float((chances * (1 - chances)).sum())
        radius += math.copysign(min(4.0, abs(missing) / slope if slope else 4.0), missing)
    return radius


def _logistic(odds: Floats) -> Floats:
    """The chance whose odds have this logarithm."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -odds)))
