"""Inversion: the unbiased estimate that is linear in the counts, and the distribution of its error.

Every report is read once for every item: it contains the item or not (for some channels there is a third case, and for a matrix there are
as many as reports), and each reading has a value, chosen so that its mean over the reports is the item's share p_j whatever p is. Where a
report contains item j with probability a if it is the person's own and b otherwise, the values are (1 − b)/(a − b) and −b/(a − b).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.channels import (
    Channel,
    DirectChannel,
    HadamardChannel,
    HashedChannel,
    LiftedChannel,
    MixedChannel,
    SubsetChannel,
    UnaryChannel,
)
from sottovoce.errors import UnsupportedError
from sottovoce.estimators import mixed
from sottovoce.tallies import Block
from sottovoce.tallies.statistics import invertible_counts, length_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Readings:
    """The cases of a report for each item, one row for each case: its `values`, and its `own` chances when the item's holder reports."""

    values: Floats
    own: Floats

    def moment(self, shares: Floats, power: int) -> Floats:
        """Σ over the cases of share·value^power, for each item."""
        return np.asarray((self.values**power * shares).sum(axis=0))


@dataclass(frozen=True)
class Linear:
    """An unbiased estimate of p and the variance of each of its entries."""

    p: Floats
    variance: Floats


def invert(block: Block) -> Linear:
    """p̂ from one block of counts."""
    channel = block.mechanism.channel
    cases, shares = readings(channel), occurrences(channel, block.counts / block.n)
    p = cases.moment(shares, 1)
    if isinstance(channel, MixedChannel):
        shares = occurrences(channel, expected_shares(channel, p))  # five cases, of which p is known: its variance and covariance agree
    return Linear(p, np.maximum(0.0, cases.moment(shares, 2) - p**2) / block.n)


def readings(channel: Channel) -> Readings:
    """How the reports of a channel are read."""
    match channel:
        case DirectChannel() | UnaryChannel() | SubsetChannel() | HashedChannel():
            return _contained_or_not(*containment(channel))
        case HadamardChannel():
            return _hadamard(channel)
        case LiftedChannel() if isinstance(channel.base, (UnaryChannel, SubsetChannel)):
            return _lifted(channel)
        case MixedChannel():
            return Readings(*mixed.cases(channel))
        case _ if invertible_counts(channel):
            return _tabulated(channel)
    raise UnsupportedError("the totals of this channel cannot be inverted; use method='mle' with Tally(m, keep_reports=True)")


@lru_cache(maxsize=8)
def _tabulated(channel: Channel) -> Readings:
    """Any matrix Q: the least-squares solution of p·Q = m, which is exact inversion when Q is square."""
    return Readings(np.asarray(np.linalg.pinv(_matrix(channel)), dtype=np.float64), _matrix(channel).T)


@lru_cache(maxsize=8)
def _matrix(channel: Channel) -> Floats:
    return channel.matrix()


def containment(channel: Channel) -> tuple[Floats, Floats]:
    """The chance that a report contains an item, if it is the person's own and otherwise."""
    match channel:
        case DirectChannel():
            return channel.s + channel.t, channel.t
        case UnaryChannel():
            return channel.a, channel.b
        case SubsetChannel():
            own, other = channel.own, (channel.chosen - channel.own) / max(1, channel.size - 1)
        case HashedChannel():
            own, other = channel.own, 1 / channel.buckets
    return np.full(channel.size, own), np.full(channel.size, other)


def _contained_or_not(own: Floats, other: Floats) -> Readings:
    return Readings(np.stack([1 - other, -other]) / (own - other), np.stack([own, 1 - own]))


def _hadamard(channel: HadamardChannel) -> Readings:
    """A report is in the item's set, in its block only, or elsewhere; the mass of a block follows from the reports in it."""
    code, own, size = channel.code, channel.own, channel.size
    half = code.block // 2
    aside = (1 - own) / (code.length - half)
    same, far = own / 2 + aside * half / 2, aside * half
    if code.blocks == 1:
        return _contained_or_not(np.full(size, own), np.full(size, same))
    held, absent = own + aside * half, aside * code.block
    slope = (same - far) / (held - absent)
    base = (slope * absent - far) / (own - same)
    values = (1 - slope) / (own - same) + base, -slope / (own - same) + base, base
    return Readings(np.tile(values, (size, 1)).T, np.tile((own, aside * half, 1 - own - aside * half), (size, 1)).T)


@dataclass(frozen=True)
class Inclusion:
    """The chance that a report contains a sensitive item: when its holder makes it, the holder of another one, or of a free item.

    `neutral` is that of a neutral draw, which a free item sends unless it is `shown`.
    """

    own: float
    other: float
    free: float
    neutral: float
    shown: float


def inclusion(channel: LiftedChannel) -> Inclusion:
    base, keep, free = channel.base, channel.keep / ONE, ~channel.sensitive
    shown = float(channel._revealing(channel.empty_chance.low)[free][0]) if free.any() else 1.0
    own, other = (float(chances[0]) for chances in containment(base))
    neutral = base.chosen / base.size if isinstance(base, SubsetChannel) else other
    return Inclusion(own, other, neutral * keep, neutral, shown)


def _lifted(channel: LiftedChannel) -> Readings:
    """A report contains the item, reveals another one, or neither. A free item is seen only when it is revealed."""
    chance = inclusion(channel)
    if channel.base.size == 1:
        sensitive, seen = (1.0, 1 - 1 / chance.shown, 1.0), chance.own
    else:
        unit, seen = 1 / (chance.own - chance.other), chance.own
        sensitive = (1 - chance.other) * unit, -unit * (chance.other + (chance.free - chance.other) / chance.shown), -chance.other * unit
    values = np.where(channel.sensitive[:, None], sensitive, (1 / chance.shown, 0.0, 0.0))
    own = np.where(channel.sensitive[:, None], (seen, 0.0, 1 - seen), (chance.shown, 0.0, 1 - chance.shown))
    return Readings(values.T, own.T)


def occurrences(channel: Channel, shares: Floats) -> Floats:
    """How often each case of the readings occurs, from the shares of the counts: a row for each case."""
    match channel:
        case HadamardChannel(code=code):
            inside = code.item_sums(shares)
            if code.blocks == 1:
                return np.stack([inside, 1 - inside])
            homes = np.arange(channel.size) // (code.block - 1)
            within = shares.reshape(code.blocks, code.block).sum(axis=1)[homes]
            return np.stack([inside, within - inside, 1 - within])
        case LiftedChannel() if isinstance(channel.base, (UnaryChannel, SubsetChannel)):
            revealed = shares[~channel.sensitive].sum()
            elsewhere = np.where(channel.sensitive, revealed, revealed - shares)
            return np.stack([shares, elsewhere, 1 - shares - elsewhere])
        case MixedChannel():
            return mixed.occurrences(channel, shares)
        case DirectChannel() | UnaryChannel() | SubsetChannel() | HashedChannel():
            return np.stack([shares, 1 - shares])
        case LiftedChannel():
            shares = shares[channel.outputs()]
    return np.asarray(shares[:, None])


def expected_shares(channel: Channel, p: Floats) -> Floats:
    """What the counts are per report, on average, when items follow p."""
    match channel:
        case DirectChannel() | UnaryChannel() | SubsetChannel() | HashedChannel():
            own, other = containment(channel)
            return other + (own - other) * p
        case HadamardChannel():
            low, high = (float(weight) for weight in (channel.columns.low[0], channel.columns.high[0]))
            return (low + (high - low) * channel.code.set_sums(p)) / channel.code.length
        case LiftedChannel() if isinstance(channel.base, (UnaryChannel, SubsetChannel)):
            chance, inside = inclusion(channel), float(p[channel.sensitive].sum())
            contained = (chance.own - chance.other) * p + chance.other * inside + chance.free * (1 - inside)
            return np.where(channel.sensitive, contained, chance.shown * p)
        case MixedChannel():
            return mixed.expected_shares(channel, p)
    outputs = p @ _matrix(channel)
    if isinstance(channel, LiftedChannel):
        shares = np.zeros(length_of(channel))
        shares[channel.outputs()] = outputs
        return shares
    return outputs


def invert_all(blocks: Sequence[Block], *, equal: bool = False) -> Linear:
    """Several groups: the mean of their inversions, weighted by precision, or equally as LPDE's equation (13) has it."""
    weights, linears = group_weights(blocks, equal=equal), [invert(block) for block in blocks]
    p = np.sum([w * linear.p for w, linear in zip(weights, linears, strict=True)], axis=0)
    return Linear(p, np.sum([w * w * linear.variance for w, linear in zip(weights, linears, strict=True)], axis=0))


def group_weights(blocks: Sequence[Block], *, equal: bool = False) -> Floats:
    """The weight of each group in the estimate of each item: a row for each group.

    The precision is that at the uniform population: weights that do not depend on the reports keep the estimate unbiased.
    """
    if equal or len(blocks) == 1:
        return np.full((len(blocks), blocks[0].mechanism.channel.size), 1 / len(blocks))
    precision = np.stack([1 / _uniform_variance(block) for block in blocks])
    return np.asarray(precision / precision.sum(axis=0))


def _uniform_variance(block: Block) -> Floats:
    channel = block.mechanism.channel
    shares = expected_shares(channel, np.full(channel.size, 1 / channel.size))
    return np.maximum(invert(replace(block, counts=shares * block.n)).variance, 1e-300)  # type: ignore[arg-type]  # expected counts
