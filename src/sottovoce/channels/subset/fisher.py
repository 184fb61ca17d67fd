"""The Fisher information of sets of fixed size.

The mean over all sets of k items is the coefficient of z^k in a product over the items: a second integral, around a circle in z, beside
the one of `sottovoce.channels.set_fisher`. On the circle through the saddle point the items are in the set independently with the chances
that make its mean size k, so that few points suffice.
"""

from __future__ import annotations

import math

import numpy as np

from sottovoce.arrays import Counts, Floats
from sottovoce.channels.fisher import Fisher
from sottovoce.channels.set_fisher import SetWeights, nodes, of_independent

#: Among more items than this, sets of more than that many of them count as independent items, which changes the bound by a third of 1/k.
_MOST, _LARGE = 1 << 13, 100
#: Standard deviations of the size that the points of the circle span, and some more points.
_SPAN, _MORE = 9.0, 20
#: Shares between which the information about more items than this is interpolated.
_SHARES = 64


def of_subsets(sets: SetWeights, chosen: int) -> Fisher:
    """The information of uniform sets of `chosen` items."""
    p, count = sets.p[sets.inside], len(sets.gain)
    start = sets.start(sets.kept)
    if chosen == count:
        scores = sets.scores((sets.low + sets.gain)[None] - 1, sets.kept)
        return Fisher(sets.p, sets.revealed, np.zeros(len(sets.p)), scores, np.array([1 / (start + float(p @ sets.gain))]))
    if count > _MOST and min(chosen, count - chosen) > _LARGE:
        return of_independent(sets, np.full(count, chosen / count))
    gain = float(sets.gain[0])
    few = count <= _SHARES
    shares, spread = (p, np.eye(count)) if few else _interpolated(p, start / gain)
    joint, own = _at_shares(p, shares, start, gain, chosen)
    rows, diagonal = np.zeros((len(joint), len(sets.p))), np.zeros(len(sets.p))
    rows[:-1, sets.inside], rows[-1, ~sets.inside] = spread, sets.kept - 1
    diagonal[sets.inside] = own @ spread - ((joint[:-1, :-1] @ spread) * spread).sum(axis=0)
    if few and sets.inside.all():
        return Fisher.from_matrix(sets.p, joint[:-1, :-1] + np.diag(diagonal))
    weights, turns = np.linalg.eigh(joint)
    return Fisher(sets.p, sets.revealed, diagonal, turns.T @ rows, weights)


def _at_shares(p: Floats, shares: Floats, start: float, gain: float, chosen: int) -> tuple[Floats, Floats]:
    """E[s_i·s_j/M] of two items with each of the given shares, and of the score 1, and E[s_i²/M]. s is an item's score around 1."""
    count, share = len(p), chosen / len(p)
    held, times = np.unique(p, return_counts=True)
    t, weights = nodes(start, start + gain * float(p.sum()))
    points = _MORE + math.ceil(_SPAN * math.sqrt(count * share * (1 - share)))
    angles = (np.arange((points + 1) // 2) + 0.5) * (2 * math.pi / (2 * ((points + 1) // 2)))
    ways = math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1)
    joint, own = np.zeros((len(shares) + 1, len(shares) + 1)), np.zeros(len(shares))
    radius = math.log(share / (1 - share))
    for each, weight in zip(t, weights, strict=True):
        falls = -each * gain * held
        radius = _saddle(falls, times, chosen, radius)
        turned = 1 + _logistic(radius + falls) * np.expm1(1j * angles)[:, None]
        height = np.logaddexp(0, radius + falls) @ times - chosen * radius - ways - each * start
        scale = weight / len(angles) * np.exp(height + np.log(turned) @ times - 1j * chosen * angles)
        tilted = _logistic(radius - each * gain * shares)
        inside = tilted * np.exp(1j * angles)[:, None] / (1 + tilted * np.expm1(1j * angles)[:, None])
        scores = np.hstack([gain * (inside - share), np.ones((len(angles), 1))])
        joint += ((scale[:, None] * scores).T @ scores).real
        own += (scale @ (gain**2 * (inside * (1 - 2 * share) + share**2))).real
    return joint, own


def _interpolated(p: Floats, offset: float) -> tuple[Floats, Floats]:
    """Shares, and how much each counts for each item: what depends on a share p is smooth in log(p + offset), 1/M being so."""
    low, high = math.log(offset + float(p.min())), math.log(offset + float(p.max()))
    angles = (np.arange(_SHARES) + 0.5) * (math.pi / _SHARES)
    width = max((high - low) / 2, 1e-9)
    places = np.clip((np.log(p + offset) - (low + high) / 2) / width, -1.0, 1.0)
    orders = np.arange(_SHARES)[:, None]
    spread = np.cos(np.outer(angles, orders)) * np.where(orders.T, 2.0, 1.0) / _SHARES @ np.cos(orders * np.arccos(places))
    return np.exp((low + high) / 2 + width * np.cos(angles)) - offset, spread


def _saddle(falls: Floats, times: Counts, chosen: int, start: float) -> float:
    """The log of the radius at which the chances sum to the number of items chosen."""
    radius = start
    for _ in range(1000):
        chances = _logistic(radius + falls)
        missing = chosen - float(chances @ times)
        if abs(missing) < 1e-9:
            break
        slope = float((chances * (1 - chances)) @ times)
        radius += math.copysign(min(4.0, abs(missing) / slope if slope else 4.0), missing)
    return radius


def _logistic(odds: Floats) -> Floats:
    """The chance whose odds have this logarithm."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -odds)))
