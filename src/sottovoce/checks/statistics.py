"""Does `perturb` really sample the channel? Exact binomial tests, valid at any sample size.

Reports of one item fall into cells of known probability. Each cell's count is binomial, so its two tails are computed
exactly and multiplied by the number of cells (Bonferroni): a channel that is sampled correctly is rejected with probability
at most `FALSE_ALARM`, with no approximation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from sottovoce.arithmetic import ONE
from sottovoce.channels import (
    Channel,
    HashedChannel,
    HashTableChannel,
    LiftedChannel,
    MixedChannel,
    SetLikeChannel,
    SubsetChannel,
    UnaryChannel,
)
from sottovoce.channels.hashed import bucket_table
from sottovoce.reports import HashedReports, Reports, SetReports

FALSE_ALARM = 1e-9

Cells = tuple[NDArray[Any], NDArray[np.float64]]
#: Channels with more reports than this are tested by the chance of each item to be in the set.
_MOST_OUTPUTS = 4096


def p_value(channel: Channel, code: int, reports: Reports) -> float:
    """A bound on the probability that reports of the item deviate from the channel as much as these do."""
    smallest, tests = 1.0, 0
    for counts, probabilities in cells(channel, code, reports):
        total = int(counts.sum())
        if total == 0:
            continue
        tails = np.minimum(binom.cdf(counts, total, probabilities), binom.sf(counts - 1, total, probabilities))
        smallest, tests = min(smallest, float(np.nan_to_num(tails).min())), tests + 2 * len(counts)
    return min(1.0, smallest * tests)


def cells(channel: Channel, code: int, reports: Reports) -> Iterator[Cells]:
    """Groups of disjoint cells: how many reports fall into each, and the probability of each."""
    if isinstance(channel, LiftedChannel) and isinstance(channel.base, HashedChannel):
        assert isinstance(reports, HashedReports)
        yield from _lifted_hash_cells(channel, channel.base, code, reports)
    elif isinstance(channel, (HashedChannel, HashTableChannel)):
        assert isinstance(reports, HashedReports)
        yield from _hash_cells(channel, code, reports)
    elif isinstance(reports, SetReports) and 2**reports.size > _MOST_OUTPUTS:
        yield from _item_cells(channel, code, reports)
    else:
        probabilities = channel.row(code)
        columns = {_key(output): y for y, output in enumerate(channel.outputs())}
        seen = reports.words[:, 0] if isinstance(reports, SetReports) else reports.codes  # type: ignore[attr-defined]  # sets or codes
        values, frequency = np.unique(seen, return_counts=True)
        counts = np.zeros(len(probabilities), dtype=np.int64)
        for value, count in zip(values.tolist(), frequency.tolist(), strict=True):
            counts[columns[value]] = count
        yield counts, probabilities


def _key(output: Any) -> int:
    return sum(1 << j for j in output) if isinstance(output, list) else int(output)


def _hash_cells(channel: HashedChannel | HashTableChannel, code: int, reports: HashedReports) -> Iterator[Cells]:
    """The bucket reported, given the own bucket (and the function, where functions differ)."""
    if isinstance(channel, HashTableChannel):
        for seed in range(channel.seed_limit):
            counts = np.bincount(reports.buckets[reports.seeds == seed], minlength=channel.buckets)
            yield counts, channel.matrix_under(seed)[code]
        yield np.bincount(reports.seeds, minlength=channel.seed_limit), np.full(channel.seed_limit, 1 / channel.seed_limit)
        return
    own = bucket_table(channel.size, channel.buckets, reports.seeds)[:, code]
    rows = channel.direct.matrix()
    for bucket in range(channel.buckets):
        yield np.bincount(reports.buckets[own == bucket], minlength=channel.buckets), rows[bucket]


def _lifted_hash_cells(channel: LiftedChannel, base: HashedChannel, code: int, reports: HashedReports) -> Iterator[Cells]:
    protected = np.flatnonzero(reports.buckets < base.buckets)
    inner = HashedReports(reports.seeds[protected], reports.buckets[protected], reports.seed_limit, base.buckets)
    if channel.sensitive[code]:
        yield np.array([len(protected), len(reports) - len(protected)]), np.array([1.0, 0.0])
        yield from _hash_cells(base, int(np.cumsum(channel.sensitive)[code] - 1), inner)
        return
    table = bucket_table(base.size, base.buckets, inner.seeds)
    filled = np.array([len(set(row)) for row in table.tolist()])
    hit = (table == inner.buckets[:, None]).any(axis=1)
    for count in np.unique(filled).tolist():
        chosen = hit[filled == count]
        inside, outside = count * channel.keep, (base.buckets - count) * channel.keep_empty
        chance = inside / (inside + outside)
        yield np.array([chosen.sum(), (~chosen).sum()]), np.array([chance, 1 - chance])


def _item_cells(channel: Channel, code: int, reports: SetReports) -> Iterator[Cells]:
    """How often each item is in the report, where the reports are too many to list."""
    if isinstance(channel, MixedChannel):
        yield from _mixed_cells(channel, code, reports)
        return
    if isinstance(channel, LiftedChannel):
        shown = float(channel._revealing(channel.empty_chance.low)[code])
        revealed = (reports.dense() & ~channel.sensitive).any(axis=1)
        yield np.array([revealed.sum(), (~revealed).sum()]), np.array([shown, 1 - shown])
        if channel.sensitive[code]:
            inner = SetReports.of_dense(reports.dense()[:, channel.sensitive])
            yield from _item_cells(channel.base, int(np.cumsum(channel.sensitive)[code] - 1), inner)
        return
    if isinstance(channel, UnaryChannel):
        chances = channel.b.copy()
        chances[code] = channel.a[code]
    elif isinstance(channel, SubsetChannel):
        chances = np.full(channel.size, (channel.chosen - channel.own) / max(1, channel.size - 1))
        chances[code] = channel.own
    else:
        assert isinstance(channel, SetLikeChannel)
        chance, held = float(np.broadcast_to(channel.own, channel.size)[code]), int(reports.dense()[:, code].sum())
        yield np.array([held, len(reports) - held]), np.array([chance, 1 - chance])
        return
    inside = reports.dense().sum(axis=0)
    for count, chance in zip(inside.tolist(), chances.tolist(), strict=True):
        yield np.array([count, len(reports) - count]), np.array([chance, 1 - chance])


def _mixed_cells(channel: MixedChannel, code: int, reports: SetReports) -> Iterator[Cells]:
    """Which part made the report, or none that can be told; then, for a sensitive item, how each part fills its sets."""
    kinds = channel.kinds(reports)
    kept = [1.0 if channel.sensitive[code] else part.keep / ONE for part in channel.parts]
    made = [chance * keep for chance, keep in zip(channel.chances, kept, strict=True)]
    yield np.bincount(kinds + 1, minlength=3), np.array([max(0.0, 1 - sum(made)), *made])
    for kind, part in enumerate(channel.parts):
        if channel.sensitive[code]:
            yield from _item_cells(part, code, reports[np.flatnonzero(kinds == kind)])
