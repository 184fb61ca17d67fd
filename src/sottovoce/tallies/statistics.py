"""Which integers of the reports a channel's estimates need: counts per report where reports are few, per item where they are sets."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels import (
    Channel,
    DirectChannel,
    HadamardChannel,
    HashedChannel,
    HashTableChannel,
    LiftedChannel,
    MatrixChannel,
    MixedChannel,
    SetChannel,
    SubsetChannel,
    UnaryChannel,
)
from sottovoce.errors import ReportError, UnsupportedError
from sottovoce.parallel import in_threads
from sottovoce.reports import CodeReports, HashedReports, Reports, SetReports
from sottovoce.tallies import kernels

Counts = NDArray[np.int64]

#: A dense linear system is solved up to this many entries.
_MOST_ENTRIES = 1 << 24
#: Up to this many counts, four tables of them stay in the nearest memory.
_NEAR = 1 << 10


def counts_reports(channel: Channel) -> bool:
    """Whether the counts are per report, which makes them sufficient for the likelihood."""
    if isinstance(channel, LiftedChannel):
        return isinstance(channel.base, HadamardChannel)
    return isinstance(channel, (DirectChannel, MatrixChannel, HadamardChannel, HashTableChannel))


def counts_items(channel: Channel) -> bool:
    """Whether the counts are of items: reports that name items, or contain them."""
    if isinstance(channel, MixedChannel):
        return True
    return length_of(channel) == channel.size and not isinstance(channel, (MatrixChannel, HashTableChannel, HadamardChannel))


def invertible_counts(channel: Channel) -> bool:
    """Whether the counts determine an unbiased estimate by a linear formula, or by a linear system of moderate size."""
    if isinstance(channel, LiftedChannel):
        return isinstance(channel.base, (UnaryChannel, SubsetChannel)) or (isinstance(channel.base, HadamardChannel) and _solvable(channel))
    return not isinstance(channel, (MatrixChannel, HashTableChannel)) or _solvable(channel)


@lru_cache(maxsize=64)
def _solvable(channel: Channel) -> bool:
    """Whether the linear system is of moderate size, and tells all populations apart."""
    if channel.size * len(channel.outputs()) > _MOST_ENTRIES:
        return False
    return int(np.linalg.matrix_rank(channel.matrix())) == channel.size


def length_of(channel: Channel) -> int:
    """How many counts there are."""
    match channel:
        case MatrixChannel():
            return channel.length
        case HadamardChannel():
            return channel.code.length
        case HashTableChannel():
            return channel.seed_limit * channel.buckets
        case LiftedChannel(base=HadamardChannel(code=code)):
            return code.length + channel.size
        case MixedChannel():
            return 2 * channel.size
        case _:
            return channel.size


def add_up(channel: Channel, counts: Counts, n: int) -> bool:
    """Whether n reports of the channel can have these counts (as far as sums tell)."""
    if len(counts) != length_of(channel) or n < 0 or (counts < 0).any() or (counts > n).any():
        return False
    match channel:
        case _ if counts_reports(channel):
            return bool(counts.sum() == n)
        case SubsetChannel(chosen=chosen):
            return bool(counts.sum() == chosen * n)
        case LiftedChannel(base=SubsetChannel(chosen=chosen), sensitive=sensitive):
            return bool(counts[sensitive].sum() == chosen * (n - counts[~sensitive].sum()))
        case MixedChannel(sensitive=sensitive, chosen=chosen):
            first, second = counts.reshape(2, -1)
            sums = [int(each[sensitive].sum()) for each in (first, second)]
            people = [total // size for total, size in zip(sums, chosen, strict=True)]
            return (
                all(total == size * made for total, size, made in zip(sums, chosen, people, strict=True))
                and not second[~sensitive].any()
                and sum(people) + int(first[~sensitive].sum()) == n
                and bool((first[sensitive] <= people[0]).all() and (second[sensitive] <= people[1]).all())
            )
    return True


def count(channel: Channel, reports: Reports) -> Counts:
    """The counts of some reports of the channel."""
    counts = np.zeros(length_of(channel), dtype=np.int64)
    match reports:
        case CodeReports(codes=codes, limit=limit) if counts_reports(channel) and limit == len(counts):
            if limit > _NEAR:
                return _summed(len(codes), 1, limit, lambda rows, found: kernels.count_many_codes(codes[rows], found))
            return _summed(len(codes), 1, limit, lambda rows, found: kernels.count_codes(codes[rows], found.reshape(4, -1)), tables=4)
        case SetReports(size=size) if isinstance(channel, MixedChannel) and size == channel.size:
            kinds = channel.kinds(reports)
            return np.concatenate([_bits(reports.words[kinds <= 0], size), _bits(reports.words[kinds == 1], size)])
        case SetReports(words=words, size=size) if size == channel.size and _has_sets(channel):
            return _bits(words, size)
        case HashedReports(seeds=seeds, buckets=buckets) if isinstance(channel, HashTableChannel):
            _same_limits(reports, channel.seed_limit, channel.buckets)
            kernels.count_pairs(seeds, buckets, channel.buckets, counts)
        case HashedReports(seeds=seeds, buckets=buckets) if isinstance(channel, HashedChannel):
            _same_limits(reports, 1 << 62, channel.buckets)
            return _support(seeds, buckets, channel.buckets, len(counts))
        case HashedReports() if isinstance(channel, LiftedChannel) and isinstance(channel.base, HashedChannel):
            _same_limits(reports, 1 << 62, channel.base.buckets + channel.size)
            _count_lifted(channel, channel.base, reports, counts)
        case _:
            raise ReportError("these reports were not made by this mechanism: their shape is another one")
    return counts


def _summed(rows: int, steps_each: int, length: int, body: Callable[[slice, Counts], None], tables: int = 1) -> Counts:
    """Counts added up by a loop over the rows, in parts on all cores."""

    def part(those: slice) -> Counts:
        found = np.zeros(tables * length, dtype=np.int64)
        body(those, found)
        return np.asarray(found.reshape(tables, length).sum(axis=0))

    return np.asarray(np.sum(in_threads(rows, steps_each, part), axis=0))


def _bits(words: NDArray[np.uint64], size: int) -> Counts:
    return _summed(len(words), words.shape[1], size, lambda rows, found: kernels.count_bits(words[rows], found))


def _support(seeds: NDArray[Any], buckets: NDArray[Any], g: int, items: int) -> Counts:
    return _summed(len(seeds), items, items, lambda rows, found: kernels.count_support(seeds[rows], buckets[rows], g, found))


def _has_sets(channel: Channel) -> bool:
    return isinstance(channel.base if isinstance(channel, LiftedChannel) else channel, SetChannel)


def _same_limits(reports: HashedReports, seed_limit: int, limit: int) -> None:
    if (reports.seed_limit, reports.limit) != (seed_limit, limit):
        raise ReportError("these hashed reports were not made by this mechanism: their ranges are others")


def _count_lifted(channel: LiftedChannel, base: HashedChannel, reports: HashedReports, counts: Counts) -> None:
    """Sensitive items count the protected reports that they support, the others the reports that reveal them."""
    protected = reports.buckets < base.buckets
    support = _support(reports.seeds[protected], reports.buckets[protected], base.buckets, base.size)
    counts += np.bincount(reports.buckets[~protected].astype(np.int64) - base.buckets, minlength=channel.size)
    counts[channel.sensitive] += support


def simulated(channel: Channel, people: NDArray[np.int64], generator: np.random.Generator) -> Counts:
    """Counts drawn as if `people[x]` holders of each item had reported, without making reports.

    Given how many hold each item, the reports of a direct or tabulated channel are a sum of multinomials, and the bits of a unary
    channel are independent binomials.
    """
    match channel:
        case DirectChannel():
            truthful = generator.binomial(people, channel.s)
            noise = generator.multinomial(int((people - truthful).sum()), channel.t / channel.t.sum()) if channel.t.any() else 0
            return truthful + noise
        case UnaryChannel():
            return generator.binomial(people, channel.a) + generator.binomial(people.sum() - people, channel.b)
        case MatrixChannel():
            return generator.multinomial(people, channel.matrix()).sum(axis=0)
    raise UnsupportedError("counts of this channel are simulated by making the reports")


def drawn_without_reports(channel: Channel) -> bool:
    return isinstance(channel, (DirectChannel, UnaryChannel, MatrixChannel))
