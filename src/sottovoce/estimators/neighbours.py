"""Predictions of an item from other items: the mean of its neighbours on a grid or an axis, and the product of the margins."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.inversion import Linear
from sottovoce.domain import Domain

#: How many cells away neighbours are, in each direction.
_REACHES = (1, 2, 4)

#: Items for each free number of the margins, from which on the margins are taken for a prediction.
_CELLS_EACH = 8


def predicted(domain: Domain, linear: Linear) -> list[tuple[str, Floats, float]]:
    """Predictions of the shares from the unbiased estimate of other items: its kind, the shares, and how many nats it costs.

    A neighbourhood leaves the item itself out, so it cannot feed on itself. The margins contain it, and cost a nat for each free number.
    """
    found: list[tuple[str, Floats, float]] = []
    ordered = [axis.ordered and len(axis.labels) > 2 for axis in domain.axes]
    if any(ordered):
        longest = max(len(axis.labels) for axis in domain.axes)
        reaches = [reach for reach in _REACHES if reach == 1 or reach < longest / 4]
        found += [("near", _from_neighbours(domain, linear, ordered, reach), 0.0) for reach in reaches]
    free = sum(len(axis.labels) - 1 for axis in domain.axes)
    if sum(len(axis.labels) > 1 for axis in domain.axes) > 1 and _CELLS_EACH * free <= len(domain):
        found.append(("product", _from_margins(domain, linear), float(free)))
    return found


def _from_neighbours(domain: Domain, linear: Linear, ordered: list[bool], reach: int) -> Floats:
    """The mean of the neighbours along all ordered axes, each weighted by its precision and by how near it is."""
    size = len(linear.p)
    weights = (1 / (linear.variance + 1 / size**2)).reshape(domain.shape)
    sums = [weights * linear.p.reshape(domain.shape), weights, weights**2 * linear.variance.reshape(domain.shape)]
    hill = 1 - np.abs(np.arange(-reach, reach + 1)) / (reach + 1)
    smooth = []
    for table, window in zip(sums, (hill, hill, hill**2), strict=True):
        total = table
        for axis in np.flatnonzero(ordered):
            total = _convolved(total, window, int(axis))
        smooth.append(total - table)
    around, weight, noise = (table.ravel() for table in smooth)
    weight = np.maximum(weight, 1e-300)
    return _trusted(around / weight, noise / weight**2)


def _convolved(table: Floats, window: Floats, axis: int) -> Floats:
    reach = len(window) // 2
    padded = np.pad(table, [(reach, reach) if k == axis else (0, 0) for k in range(table.ndim)])
    length = table.shape[axis]
    return np.asarray(sum(w * padded.take(range(k, k + length), axis=axis) for k, w in enumerate(window)))


def _from_margins(domain: Domain, linear: Linear) -> Floats:
    """The product of the margins: what the shares are if the axes are independent."""
    shares, variance = linear.p.reshape(domain.shape), linear.variance.reshape(domain.shape)
    product = np.ones(domain.shape)
    for axis, length in enumerate(domain.shape):
        others = tuple(k for k in range(len(domain.shape)) if k != axis)
        margin = _positive(shares.sum(axis=others), variance.sum(axis=others))
        product = product * margin.reshape([length if k == axis else 1 for k in range(len(domain.shape))])
    return np.asarray(product.ravel())


def _trusted(means: Floats, variance: Floats) -> Floats:
    """Means with an error, moved towards equal shares as far as the error explains that they differ (James and Stein)."""
    equal = 1 / len(means)
    differences = float(((means - equal) ** 2).sum())
    trust = max(0.0, 1 - float(variance.sum()) / differences) if differences > 0 else 0.0
    return _positive(equal + trust * (means - equal), trust**2 * variance)


def _positive(means: Floats, variance: Floats) -> Floats:
    """Means with an error, made positive and to sum to 1: those far above their error stay as they are."""
    positive = (means + np.sqrt(means**2 + variance)) / 2 + 1e-6 / len(means)
    return np.asarray(positive / positive.sum())
