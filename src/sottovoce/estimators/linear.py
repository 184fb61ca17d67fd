"""Inversion: the unbiased estimate that is linear in the counts, and its exact sampling variance.

Every channel has one formula. Where a report either contains an item or not, with probability a if the item is the person's own and
b otherwise, the share m_j of reports that contain item j has mean b + (a − b)·p_j, so p̂_j = (m_j − b)/(a − b).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.channels import (
    Channel,
    DirectChannel,
    HadamardChannel,
    HashedChannel,
    LiftedChannel,
    SubsetChannel,
    UnaryChannel,
)
from sottovoce.errors import UnsupportedError
from sottovoce.tallies import Block
from sottovoce.tallies.statistics import invertible_counts, length_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Linear:
    """An unbiased estimate of p and the variance of each of its entries."""

    p: Floats
    variance: Floats


def invert(block: Block) -> Linear:
    """p̂ from one block of counts."""
    channel, shares = block.mechanism.channel, block.counts / block.n
    match channel:
        case DirectChannel():
            return _two_valued(shares, channel.t + channel.s, channel.t, block.n)
        case UnaryChannel():
            return _two_valued(shares, channel.a, channel.b, block.n)
        case SubsetChannel():
            return _two_valued(shares, channel.own, (channel.chosen - channel.own) / (channel.size - 1), block.n)
        case HashedChannel():
            return _two_valued(shares, channel.own, 1 / channel.buckets, block.n)
        case HadamardChannel():
            return _hadamard(channel, block)
        case LiftedChannel() if isinstance(channel.base, (UnaryChannel, SubsetChannel)):
            return _lifted(channel, shares, block.n)
        case _ if invertible_counts(channel):
            return _least_squares(channel, block)
    raise UnsupportedError("the totals of this channel cannot be inverted; use method='mle' with Tally(m, keep_reports=True)")


def _two_valued(shares: Floats, own: Floats | float, other: Floats | float, n: int) -> Linear:
    return Linear((shares - other) / (own - other), shares * (1 - shares) / (n * (own - other) ** 2))


def _three_valued(first: Floats, second: Floats, values: tuple[float, float, float], n: int) -> Linear:
    """The mean of a variable that takes three values, the first two with the given shares."""
    a, b, c = values
    rest = 1 - first - second
    mean = a * first + b * second + c * rest
    return Linear(mean, np.maximum(0.0, a * a * first + b * b * second + c * c * rest - mean**2) / n)


def _hadamard(channel: HadamardChannel, block: Block) -> Linear:
    """A report is in the item's set, in its block only, or elsewhere; the mass of a block follows from the reports in it."""
    code, n, own = channel.code, block.n, channel.own
    half = code.block // 2
    aside = (1 - own) / (code.length - half)
    same, far = own / 2 + aside * half / 2, aside * half
    inside = code.item_sums(block.counts) / n
    if code.blocks == 1:
        return _two_valued(inside, own, same, n)
    homes = np.arange(channel.size) // (code.block - 1)
    blocks = block.counts.reshape(code.blocks, code.block).sum(axis=1)[homes] / n
    held, absent = own + aside * half, aside * code.block
    slope = (same - far) / (held - absent)
    base = (slope * absent - far) / (own - same)
    values = (1 - slope) / (own - same) + base, -slope / (own - same) + base, base
    return _three_valued(inside, blocks - inside, values, n)


def _inclusion(channel: LiftedChannel) -> tuple[float, float, float, float]:
    """The chance that the report of its holder, of another sensitive item, of a free item contains an item; and that a free item shows."""
    base, keep, free = channel.base, channel.keep / ONE, ~channel.sensitive
    shown = float(channel._revealing(channel.empty_chance.low)[free][0]) if free.any() else 1.0
    if isinstance(base, UnaryChannel):
        return float(base.a[0]), float(base.b[0]), float(base.b[0]) * keep, shown
    assert isinstance(base, SubsetChannel)
    other = (base.chosen - base.own) / (base.size - 1) if base.size > 1 else 0.0
    return base.own, other, base.chosen / base.size * keep, shown


def _lifted(channel: LiftedChannel, shares: Floats, n: int) -> Linear:
    """Sensitive items: a report contains it, reveals another item, or neither. Others are seen only when they are revealed."""
    sensitive = channel.sensitive
    own, other, neutral, shown = _inclusion(channel)
    revealed = np.full(channel.size, shares[~sensitive].sum())
    if channel.base.size == 1:
        alone = _two_valued(revealed, 0.0, shown, n)
    else:
        unit = 1 / (own - other)
        alone = _three_valued(shares, revealed, (unit * (1 - other), unit * (-other - (neutral - other) / shown), -unit * other), n)
    free = _two_valued(shares, shown, 0.0, n)
    return Linear(np.where(sensitive, alone.p, free.p), np.where(sensitive, alone.variance, free.variance))


def _least_squares(channel: Channel, block: Block) -> Linear:
    """Any matrix: the least-squares solution of p·Q = m, which is exact inversion when Q is square."""
    counts = block.counts[channel.outputs()] if isinstance(channel, LiftedChannel) else block.counts
    q = channel.matrix()
    shares = counts / block.n
    weights = np.linalg.pinv(q.T)
    p = weights @ shares
    return Linear(p, np.maximum(0.0, weights**2 @ shares - p**2) / block.n)


def expected_shares(channel: Channel, p: Floats) -> Floats:
    """What the counts are per report, on average, when items follow p."""
    match channel:
        case DirectChannel():
            return channel.s * p + channel.t
        case UnaryChannel():
            return channel.b + (channel.a - channel.b) * p
        case SubsetChannel():
            other = (channel.chosen - channel.own) / (channel.size - 1)
            return other + (channel.own - other) * p
        case HashedChannel():
            return 1 / channel.buckets + (channel.own - 1 / channel.buckets) * p
        case HadamardChannel():
            low, high = (float(weight) for weight in (channel.columns.low[0], channel.columns.high[0]))
            return (low + (high - low) * channel.code.set_sums(p)) / channel.code.length
        case LiftedChannel() if isinstance(channel.base, (UnaryChannel, SubsetChannel)):
            own, other, neutral, shown = _inclusion(channel)
            inside = float(p[channel.sensitive].sum())
            return np.where(channel.sensitive, (own - other) * p + other * inside + neutral * (1 - inside), shown * p)
    outputs = p @ channel.matrix()
    if isinstance(channel, LiftedChannel):
        shares = np.zeros(length_of(channel))
        shares[channel.outputs()] = outputs
        return shares
    return outputs


def invert_all(blocks: Sequence[Block], *, equal: bool = False) -> Linear:
    """Several groups: the mean of their inversions, weighted by precision, or equally as LPDE's equation (13) has it.

    The precision is that at the uniform population: weights that do not depend on the reports keep the estimate unbiased.
    """
    linears = [invert(block) for block in blocks]
    weights = np.ones(len(blocks)) if equal else np.array([1 / _uniform_variance(block) for block in blocks])
    weights /= weights.sum()
    p = np.sum([w * linear.p for w, linear in zip(weights, linears, strict=True)], axis=0)
    return Linear(p, np.sum([w * w * linear.variance for w, linear in zip(weights, linears, strict=True)], axis=0))


def _uniform_variance(block: Block) -> float:
    channel = block.mechanism.channel
    shares = expected_shares(channel, np.full(channel.size, 1 / channel.size))
    return float(invert(replace(block, counts=shares * block.n)).variance.mean()) or 1e-300  # type: ignore[arg-type]  # expected counts
