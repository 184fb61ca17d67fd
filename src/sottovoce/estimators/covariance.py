"""The exact covariance of inversion: (E[φ_i·φ_j] − p_i·p_j)/n, where φ are the values that a report gives the items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels import Channel
from sottovoce.errors import UnsupportedError
from sottovoce.estimators.inversion import inversion_of
from sottovoce.tallies import Block

#: A covariance is written down for this many items at most.
_MOST_ITEMS = 1 << 13


def covariance(blocks: Sequence[Block], weights: Floats) -> Floats:
    """The covariance matrix of the weighted mean of the blocks' inversions, estimated at the inversions themselves."""
    return np.asarray(np.sum([np.outer(w, w) * block_covariance(block) for w, block in zip(weights, blocks, strict=True)], axis=0))


def block_covariance(block: Block) -> Floats:
    """The covariance matrix of one block's inversion."""
    if block.channel.size > _MOST_ITEMS:
        size = block.channel.size
        raise UnsupportedError(f"The covariance of {size} items would have {size**2:,} entries. Use stderr() or interval() instead.")
    inversion, shares = inversion_of(block.channel), block.counts / block.n
    linear = inversion.linear(shares, block.n)
    found = (inversion.products(linear.p, shares) - np.outer(linear.p, linear.p)) / block.n
    np.fill_diagonal(found, linear.variance)
    return found


def inversion_covariance(channel: Channel, p: Floats) -> Floats:
    """The covariance matrix of what one report gives the items, when items follow p."""
    if channel.size > _MOST_ITEMS:
        raise UnsupportedError(
            f"The covariance of {channel.size} items would have {channel.size**2:,} entries. Use stderr() or interval() instead."
        )
    inversion = inversion_of(channel)
    expected = inversion.expected(p)
    found = inversion.products(p, expected) - np.outer(p, p)
    np.fill_diagonal(found, inversion.readings.moment(inversion.occurrences(expected), 2) - p**2)
    return found
