"""Inversion of a tally: the unbiased estimate that is linear in the counts, of one group of people or of several."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels import Channel
from sottovoce.channels.inversion import Inversion, Linear
from sottovoce.errors import UnsupportedError
from sottovoce.tallies import Block


def inversion_of(channel: Channel) -> Inversion:
    """The inversion of a channel's counts, or an `UnsupportedError`."""
    found = channel.inversion
    if found is None:
        raise UnsupportedError("The totals of this channel can't be inverted. Use method='mle' with Tally(m, keep_reports=True).")
    return found


def invert(block: Block) -> Linear:
    """p̂ from one block of counts."""
    return inversion_of(block.channel).linear(block.counts / block.n, block.n)


def invert_all(blocks: Sequence[Block], *, equal: bool = False) -> Linear:
    """Several groups: the mean of their inversions, weighted by precision, or equally as LPDE's equation (13) has it."""
    weights, linears = group_weights(blocks, equal=equal), [invert(block) for block in blocks]
    p = np.sum([w * linear.p for w, linear in zip(weights, linears, strict=True)], axis=0)
    return Linear(p, np.sum([w * w * linear.variance for w, linear in zip(weights, linears, strict=True)], axis=0))


def group_weights(blocks: Sequence[Block], *, equal: bool = False) -> Floats:
    """The weight of each group in the estimate of each item: a row for each group.

    The precision is that at the uniform population, because weights that don't depend on the reports keep the estimate unbiased.
    """
    if equal or len(blocks) == 1:
        return np.full((len(blocks), blocks[0].channel.size), 1 / len(blocks))
    precision = np.stack([1 / _uniform_variance(block) for block in blocks])
    return np.asarray(precision / precision.sum(axis=0))


def _uniform_variance(block: Block) -> Floats:
    size, inversion = block.channel.size, inversion_of(block.channel)
    counts = inversion.expected(np.full(size, 1 / size)) * block.n
    return np.maximum(inversion.linear(counts / block.n, block.n).variance, 1e-300)
