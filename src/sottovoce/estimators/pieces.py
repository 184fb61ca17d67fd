"""The likelihood of a tally, block by block, in pieces of simple shape.

A direct block is its counts, a tabulated one its counts and matrix. Reports that are sets or hashed may fall into several pieces: those
that reveal their item, empty ones, and all others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels import Channel, DirectChannel, HashedChannel, LiftedChannel, MixedChannel, SetLikeChannel
from sottovoce.estimators import pass_kernels as kernels
from sottovoce.estimators.model import DirectLikelihood, Floats, Likelihood, MatrixLikelihood
from sottovoce.estimators.passes import HashedLikelihood, ReportsLikelihood, SetLikelihood, distinct_rows
from sottovoce.reports import HashedReports, Reports, SetReports
from sottovoce.tallies import Block, Elsewhere

#: The pieces of reports, by name: those that reveal their item, empty sets with weights of their own, and the others.
REVEALED, EMPTY, OTHERS = "revealed", "empty", "others"


def of_blocks(blocks: Sequence[Block]) -> list[Likelihood]:
    """The likelihood of some blocks. Those whose reports are elsewhere are asked together, so that one pass there serves all of them."""
    parts = [part for block in blocks if block.elsewhere is None for part in named(block).values()]
    afar: dict[int, tuple[Elsewhere, list[str]]] = {}
    for block in blocks:
        if block.elsewhere is not None and block.n:
            afar.setdefault(id(block.elsewhere), (block.elsewhere, []))[1].append(block.name)
    return parts + [part for there, names in afar.values() for part in there.likelihoods(names)]


def likelihoods(block: Block) -> list[Likelihood]:
    """The likelihood of a block, in pieces of simple shape."""
    return of_blocks([block])


def named(block: Block) -> dict[str, Likelihood]:
    """The likelihood of a block that is at hand, its pieces by name."""
    channel = block.mechanism.channel
    if block.n == 0:
        return {}
    if isinstance(channel, DirectChannel):
        return {"counts": DirectLikelihood(block.counts.astype(np.float64), channel.s, channel.t)}
    if block.reports is None:
        return {"counts": _tabulated(block)}
    found = pieces(channel, block.reports)
    return {name: part.simplest() if isinstance(part, ReportsLikelihood) else part for name, part in found.items()}


def pieces(channel: Channel, reports: Reports, *, distinct: bool = True) -> dict[str, Likelihood]:
    """The likelihood of reports that are sets or hashed. With `distinct`, equal ones are counted, and sums do not depend on their order.

    Without, nothing is sorted: so are reports cut up that are gone through elsewhere, many heaps of them at once.
    """
    if isinstance(channel, MixedChannel):
        assert isinstance(reports, SetReports)
        kinds = channel.kinds(reports)
        piles = reports[np.flatnonzero(kinds <= 0)], reports[np.flatnonzero(kinds == 1)]
        parts = ((number, _sets(part, pile, distinct)) for number, (part, pile) in enumerate(zip(channel.parts, piles, strict=True)))
        return {f"{number} {name}": piece for number, found in parts for name, piece in found.items()}
    assert isinstance(channel, SetLikeChannel)
    if isinstance(reports, SetReports):
        return _sets(channel, reports, distinct)
    assert isinstance(reports, HashedReports)
    if distinct:
        reports = reports[np.lexsort((reports.buckets, reports.seeds))]  # sums, to the last bit, do not depend on how the reports came
    return _hashed(channel, reports)


def templates(channel: Channel) -> dict[str, ReportsLikelihood]:
    """The pieces that are gone through report by report, without any reports."""
    if isinstance(channel, MixedChannel):
        return {f"{number} {name}": piece for number, part in enumerate(channel.parts) for name, piece in templates(part).items()}
    assert isinstance(channel, SetLikeChannel)
    nothing = channel.reports_from_bytes(b"")
    if isinstance(nothing, SetReports):
        return {OTHERS: _other_sets(channel, nothing.words, np.zeros(0, dtype=np.int64), np.zeros(0))}
    assert isinstance(nothing, HashedReports)
    return {OTHERS: _other_hashes(channel, nothing)}


def _hashed(channel: SetLikeChannel, reports: HashedReports) -> dict[str, Likelihood]:
    """Protected reports are hashed over the sensitive items; those that reveal their item are identity reports."""
    shown = reports.buckets >= _hashing(channel).buckets
    found: dict[str, Likelihood] = {}
    if shown.any():
        items = reports.buckets[shown].astype(np.int64) - _hashing(channel).buckets
        counts = np.bincount(items, minlength=channel.size).astype(np.float64)
        found[REVEALED] = DirectLikelihood(counts, 1.0, np.zeros(channel.size))
    if not shown.all():
        found[OTHERS] = _other_hashes(channel, reports[~shown] if shown.any() else reports)
    return found


def _hashing(channel: SetLikeChannel) -> HashedChannel:
    base = channel.base if isinstance(channel, LiftedChannel) else channel
    assert isinstance(base, HashedChannel)
    return base


def _other_hashes(channel: SetLikeChannel, reports: HashedReports) -> HashedLikelihood:
    columns = channel.columns
    low, high = channel._per_item(columns.low), channel._per_item(columns.high)
    empty = low if columns.empty is None else channel._per_item(columns.empty)
    places, gain = np.flatnonzero(~columns.invertible), np.where(columns.invertible, 0.0, high - low)
    times = np.ones(len(reports))
    return HashedLikelihood(reports.seeds, reports.buckets, _hashing(channel).buckets, times, places, low, gain, empty)


def _tabulated(block: Block) -> Likelihood:
    channel = block.mechanism.channel
    counts = block.counts[channel.outputs()] if isinstance(channel, LiftedChannel) else block.counts
    seen = counts > 0
    return MatrixLikelihood(channel.matrix().T[seen], counts[seen].astype(np.float64))


def _sets(channel: SetLikeChannel, reports: SetReports, distinct: bool) -> dict[str, Likelihood]:  # noqa: FBT001 - private
    """Reports that reveal their item are identity reports; the empty set may have weights of its own."""
    columns = channel.columns
    rows, times = distinct_rows(reports.words) if distinct else (np.arange(len(reports)), np.ones(len(reports)))
    found: dict[str, Likelihood] = {}
    if columns.invertible.any() or columns.empty is not None:
        shown = np.empty(len(reports), dtype=np.int64)
        kernels.first_items(reports.words, SetReports.of_dense(columns.invertible[None, :]).words[0], shown)
        revealed, empty = shown[rows] >= 0, (shown[rows] == -2) & (columns.empty is not None)
        if revealed.any():
            counts = np.bincount(shown[rows[revealed]], times[revealed], minlength=channel.size).astype(np.float64)
            found[REVEALED] = DirectLikelihood(counts, 1.0, np.zeros(channel.size))
        if empty.any():
            assert columns.empty is not None
            found[EMPTY] = MatrixLikelihood(channel._per_item(columns.empty)[None, :], np.array([times[empty].sum()]))
        rows, times = rows[~revealed & ~empty], times[~revealed & ~empty]
    if len(rows):
        found[OTHERS] = _other_sets(channel, reports.words, rows, times)
    return found


def _other_sets(channel: SetLikeChannel, words: NDArray[np.uint64], rows: NDArray[np.int64], times: Floats) -> SetLikelihood:
    columns = channel.columns
    low, high = channel._per_item(columns.low), channel._per_item(columns.high)
    return SetLikelihood(words, rows, times, low, np.where(columns.invertible, 0.0, high - low))


def counts_of(piece: Likelihood) -> Floats | None:
    """The counts that a piece of reports is, if it is nothing else."""
    return piece.counts if isinstance(piece, DirectLikelihood) else piece.times if isinstance(piece, MatrixLikelihood) else None


def of_counts(channel: Channel, name: str, counts: Floats) -> Likelihood:
    """The piece of this name with these counts: what `counts_of` told, of some heap of reports or of several together."""
    number, _, kind = name.rpartition(" ")
    part = channel.parts[int(number)] if isinstance(channel, MixedChannel) else channel
    assert isinstance(part, SetLikeChannel)
    if kind == REVEALED:
        return DirectLikelihood(counts, 1.0, np.zeros(channel.size))
    assert part.columns.empty is not None
    return MatrixLikelihood(part._per_item(part.columns.empty)[None, :], counts)
