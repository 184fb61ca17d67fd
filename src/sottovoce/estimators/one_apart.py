"""One item apart, and all others alike: the model of `auto` that is solved without any approximation of the sum.

Item i has the share η, and each of the others (1 − η)/(K − 1). So the shares sum to 1 by themselves, and the level of the others follows
from η. The item is any of the K with equal belief, and η has the density of Beta(1, ½) above the share at which it would be three times
one of the others, or exactly 1 with a tenth of the belief. Of two items one always stands apart, so with K = 2 this is every population
there is, and η begins at 0.

The likelihood of (i, η) is that of item i at η, and that of all other items at their level. The latter is the same for all i but for the
term of item i, so it's computed once over a grid of levels and interpolated. For the items that are most likely apart it's computed again
at exactly their levels, because the more reports there are, the finer the grid would have to be.
"""

from __future__ import annotations

import math

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.estimators import item_kernels
from sottovoce.estimators.item_evidence import ItemEvidence
from sottovoce.parallel import in_threads

#: How many times the share of the others an item has at least that stands apart.
_APART = 3.0
#: The belief that the others have nothing.
_NOTHING_LEFT = 0.1
#: Levels of the grid, shares of η for each item, and how many items are computed without the grid.
_LEVELS, _NODES, _EXACT = 129, 64, 4
#: The least that is left to the others, relative to equal shares, before it's nothing.
_LEAST = 1e-5


def one_apart(evidence: ItemEvidence) -> tuple[float, Floats]:
    """The log-likelihood of the reports, and the mean share of each item."""
    first, kind, times = evidence.distinct()
    items, size = evidence.of(first), evidence.size
    least = _APART / (size + _APART - 1) if size > 2 else _LEAST
    most = 1 - _LEAST / size
    low, high = np.clip(items.low, least, most), np.clip(items.high, least, most)
    possible = high > low
    low, high = _logit(low), np.where(possible, _logit(high), _logit(low) + 1e-9)
    step = (high - low) / _NODES
    places = low[:, None] + (np.arange(_NODES) + 0.5) * step[:, None]
    shares = _share(places)
    rest = (1 - shares) / (size - 1)
    grid = np.linspace(min(float(low.min()), -math.log(size - 1)), math.log(most / (1 - most)), _LEVELS)
    levels = (1 - _share(grid)) / (size - 1)
    own = log_likelihoods(items, shares) - log_likelihoods(items, rest)
    # the density of η, for steps of its logit
    prior = np.log(step)[:, None] + np.log(0.5 * shares * np.sqrt(1 - shares) / math.sqrt(1 - least)) + math.log(1 - _NOTHING_LEFT)
    prior = np.where(possible[:, None], prior, -np.inf)
    fit = own + prior + _interpolated(grid, times @ log_likelihoods(items, np.broadcast_to(levels, (len(first), _LEVELS))), places)
    for k in np.argsort(-fit.max(axis=1))[:_EXACT]:
        fit[k] = own[k] + prior[k] + times @ log_likelihoods(items, np.broadcast_to(rest[k], (len(first), _NODES)))
    everything = _nothing_left(items, times) + math.log(_NOTHING_LEFT)
    top = max(float(fit.max()), float(everything.max()))
    if not math.isfinite(top):  # every item is known to have less than stands apart
        return -math.inf, np.full(size, 1 / size)
    weights, whole = np.exp(fit - top), np.exp(everything - top)
    total = float(times @ (weights.sum(axis=1) + whole))
    apart, other = ((weights * shares).sum(axis=1) + whole) / total, (weights * rest).sum(axis=1) / total
    return top + math.log(total / size), np.asarray((apart + times @ other - other)[kind])


def _nothing_left(items: ItemEvidence, times: Floats) -> Floats:
    """The log-likelihood that an item has everything. It's −∞ if a report was certainly made by someone with another item."""
    alone, without = log_likelihoods(items, np.ones((items.size, 1)))[:, 0], log_likelihoods(items, np.zeros((items.size, 1)))[:, 0]
    refuted = ~np.isfinite(without)
    without = np.where(refuted, 0.0, without)
    others = np.where(times @ refuted - refuted > 0, -np.inf, times @ without - without)
    return np.where(np.isfinite(alone), alone, -np.inf) + others


def log_likelihoods(items: ItemEvidence, shares: Floats) -> Floats:
    """The log-likelihood of each item (rows) at some shares of its own."""

    def part(rows: slice) -> Floats:
        e, at = items.of(rows), np.ascontiguousarray(shares[rows])
        found = np.empty(at.shape)
        item_kernels.at_shares(at, e.single, e.counts, e.people, e.own, e.other, e.pseudo, e.mean, e.second, e.squares, found)
        return found

    return np.concatenate(in_threads(items.size, 8 * shares.shape[1], part))


def _interpolated(grid: Floats, values: Floats, places: Floats) -> Floats:
    """Cubic interpolation between the places of an even grid."""
    width = grid[1] - grid[0]
    slopes = np.gradient(values)
    at = np.clip((places - grid[0]) / width, 0.0, len(grid) - 1.0)
    left = np.minimum(at.astype(np.int64), len(grid) - 2)
    t = at - left
    change = values[left + 1] - values[left]
    bend = slopes[left] - change
    other_bend = change - slopes[left + 1]
    return np.asarray(values[left] + t * (change + (1 - t) * (bend * (1 - t) + other_bend * t)))


def _logit(shares: Floats) -> Floats:
    return np.asarray(np.log(shares) - np.log1p(-shares))


def _share(logits: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-logits)))
