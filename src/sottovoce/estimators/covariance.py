"""The exact covariance of inversion: (E[φ_i·φ_j] − p_i·p_j)/n, where φ are the values that a report gives the items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels import Channel, DirectChannel, HashedChannel, LiftedChannel, MixedChannel, SubsetChannel, UnaryChannel
from sottovoce.errors import UnsupportedError
from sottovoce.estimators import mixed
from sottovoce.estimators.linear import containment, expected_shares, inclusion, invert, occurrences, readings
from sottovoce.tallies import Block

Floats = NDArray[np.float64]

#: A covariance is written down for this many items at most.
_MOST_ITEMS = 1 << 13


def covariance(blocks: Sequence[Block], weights: Floats) -> Floats:
    """The covariance matrix of the weighted mean of the blocks' inversions, estimated at the inversions themselves."""
    size = blocks[0].mechanism.channel.size
    if size > _MOST_ITEMS:
        raise UnsupportedError(f"the covariance of {size} items would have {size**2:,} entries; stderr and interval need no matrix")
    return np.asarray(np.sum([np.outer(w, w) * _covariance(block) for w, block in zip(weights, blocks, strict=True)], axis=0))


def _covariance(block: Block) -> Floats:
    linear = invert(block)
    found = (_products(block.mechanism.channel, linear.p, block) - np.outer(linear.p, linear.p)) / block.n
    np.fill_diagonal(found, linear.variance)
    return found


def second_moments(channel: Channel, p: Floats) -> Floats:
    """E[φ_i·φ_j] when items follow p."""
    found, cases = _products(channel, p), readings(channel)
    np.fill_diagonal(found, cases.moment(occurrences(channel, expected_shares(channel, p)), 2))
    return found


def _products(channel: Channel, p: Floats, block: Block | None = None) -> Floats:
    """E[φ_i·φ_j] for i ≠ j, when items follow p (or, where reports are tabulated, as the reports of a block have it)."""
    match channel:
        case DirectChannel():
            odds = channel.t / channel.s
            return -np.outer(odds, odds) - np.outer(p, odds) - np.outer(odds, p)
        case UnaryChannel():
            return np.zeros((len(p), len(p)))  # given the person's item the readings are independent, and the mean of one of them is 0
        case HashedChannel():
            raise UnsupportedError(
                "buckets of two items are independent, those of three are not: the covariance of hashed reports is unknown"
            )
        case SubsetChannel():
            held, aside, _ = _pairs(channel)
            return held * np.add.outer(p, p) + aside * (p.sum() - np.add.outer(p, p))
        case LiftedChannel(base=UnaryChannel() | SubsetChannel()):
            return _lifted(channel, p)
        case MixedChannel():
            return mixed.products(channel, p)
    shares = block.counts / block.n if block is not None else expected_shares(channel, p)
    seen, cases = np.flatnonzero(shares), readings(channel)
    values = np.empty((len(seen), len(p)))
    for row, report in enumerate(seen):
        values[row] = cases.moment(occurrences(channel, np.bincount([report], minlength=len(shares)).astype(np.float64)), 1)
    return np.asarray(values.T @ (values * shares[seen][:, None]))


def _pairs(channel: UnaryChannel | SubsetChannel) -> tuple[float, float, float]:
    """E[φ_i·φ_j] when the holder of i or j reports, and when somebody else does; and the chance that a neutral draw contains both."""
    own, other = (float(chances[0]) for chances in containment(channel))
    if not isinstance(channel, SubsetChannel):
        return 0.0, 0.0, other**2
    count, k, unit = channel.size, channel.chosen, 1 / (own - other)
    held = own * (k - 1) / (count - 1)
    aside = (own * (k - 1) * (k - 2) + (1 - own) * k * (k - 1)) / ((count - 1) * max(1, count - 2))
    return unit**2 * (held - own * other), unit**2 * (aside - other**2), k * (k - 1) / (count * (count - 1))


def _lifted(channel: LiftedChannel, p: Floats) -> Floats:
    """Free items exclude one another; a sensitive one takes a fixed value where a free one is revealed."""
    sensitive, chance, base = channel.sensitive, inclusion(channel), channel.base
    revealed = float(readings(channel).values[1, sensitive][0])
    found = np.zeros((len(p), len(p)))
    found[np.ix_(sensitive, ~sensitive)] = revealed * p[~sensitive]
    found[np.ix_(~sensitive, sensitive)] = revealed * p[~sensitive][:, None]
    if base.size > 1:
        assert isinstance(base, (UnaryChannel, SubsetChannel))
        held, aside, together = _pairs(base)
        unit, keep, own = 1 / (chance.own - chance.other), chance.free / chance.neutral, p[sensitive]
        both = unit**2 * (keep * together - 2 * chance.other * chance.free + chance.other**2 * (1 - chance.shown))
        free = both + chance.shown * revealed**2
        pair = np.add.outer(own, own)
        found[np.ix_(sensitive, sensitive)] = held * pair + aside * (own.sum() - pair) + free * p[~sensitive].sum()
    return found
