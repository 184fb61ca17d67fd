"""What the reports show about each item by itself: the likelihood of its share.

Totals give a count for each item. If every report counts for exactly one item, the counts are Poisson given that the shares sum to 1, which
is exactly the multinomial law. Otherwise a count is binomial. Channels with more than two cases give a normal reading.

Sets and hashed reports contain more than their totals. Around a first estimate, the log-likelihood of all reports has a gradient and a
curvature for each item, and a count c with odds r, c·log(v + r) − d·v, is fitted to both: as if so many direct reports had been given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Counts, Floats, Mask
from sottovoce.channels.likelihood import total
from sottovoce.estimators.intervals import Spread, spread
from sottovoce.estimators.inversion import inversion_of
from sottovoce.estimators.report_likelihood import of_blocks
from sottovoce.tallies import Block

#: Normal deviates beyond which a share is not considered.
_REACH = 9.0
#: Reports times items up to which reports are read one by one.
_MOST_READ = 1 << 30
#: The part of the first estimate that is spread evenly, so that the likelihood has a slope everywhere.
_EVERYWHERE = 1e-3
#: The least slope of the likelihood of an item, relative to the one expected.
_LEAST = 0.02


@dataclass(frozen=True)
class ItemEvidence:
    """The arrays that `tabulate` reads, a column for each item, and the range of shares that are possible."""

    low: Floats
    high: Floats
    single: Mask
    counts: Floats
    people: Floats
    own: Floats
    other: Floats
    pseudo: Floats
    mean: Floats
    second: Floats
    squares: Floats

    @property
    def size(self) -> int:
        return len(self.low)

    def of(self, items: slice | Counts) -> ItemEvidence:
        """Of some items only."""
        tables = (self.counts, self.own, self.other, self.pseudo, self.second)
        counts, own, other, pseudo, second = (np.ascontiguousarray(table[:, items]) for table in tables)
        low, high, mean, squares = (array[items] for array in (self.low, self.high, self.mean, self.squares))
        return ItemEvidence(low, high, self.single, counts, self.people, own, other, pseudo, mean, second, squares)

    def distinct(self) -> tuple[Counts, Counts, Floats]:
        """An item of each kind, the kind of each item, and how many are of each kind: items with the same evidence are alike."""
        columns = np.concatenate([self.counts, self.own, self.other, self.pseudo, self.mean[None], self.second, self.squares[None]])
        _, first, kind, times = np.unique(columns, axis=1, return_index=True, return_inverse=True, return_counts=True)
        return first.astype(np.int64), kind.ravel().astype(np.int64), times.astype(np.float64)


def of_totals(blocks: Sequence[Block]) -> ItemEvidence:
    """The evidence of the totals."""
    low, high = spread(blocks).limits(_REACH)
    return _evidence(blocks, low, high, np.zeros((3, len(low))))


def are_read(blocks: Sequence[Block]) -> list[Block]:
    """The blocks whose reports are at hand and few enough to be read one by one."""
    return [block for block in blocks if block.piles is not None and block.n * block.channel.size <= _MOST_READ]


def of_reports(blocks: Sequence[Block], p: Floats) -> ItemEvidence:
    """The evidence of the reports around the estimate p, and that of the totals of blocks whose reports are not read."""
    read = are_read(blocks)
    rest = [block for block in blocks if not any(block is each for each in read)]
    pseudo = _pseudo_counts(read, (1 - _EVERYWHERE) * p + _EVERYWHERE / len(p))
    count, odds, slope = pseudo
    low, high = spread([block.totals() for block in blocks]).limits(_REACH)
    middle, reach = count / slope - odds, _REACH * np.sqrt(count + 1) / slope
    return _evidence(rest, np.maximum(0.0, np.minimum(low, middle - reach)), np.clip(middle + reach, high, 1.0), pseudo)


def _pseudo_counts(blocks: Sequence[Block], p: Floats) -> Floats:
    """For each item: the count, the odds and the slope of a Poisson likelihood that has the gradient and the curvature of the reports at p.

    The odds of noise are those of the totals times a common factor, such that the information of all items together is that of the reports.
    """
    slope, n = total(of_blocks(blocks), p), sum(block.n for block in blocks)
    curvature = np.maximum(slope.curvature, 0.0)
    around = spread([block.totals() for block in blocks])
    efficiency = 1 / np.maximum(n * (around.second[0] - around.second[1]), 1.0)
    noise = np.maximum(n * around.second[1] * efficiency, 1e-9)
    low, high = 1e-4, 4.0
    for _ in range(40):
        factor = float(np.sqrt(low * high))
        low, high = (factor, high) if float((efficiency * n / (p + factor * noise)).sum()) > float(curvature.sum()) else (low, factor)
    odds = factor * noise
    count = curvature * (p + odds) ** 2
    falling = count / (p + odds) - (slope.gradient - n)
    return np.stack([count, odds, np.maximum(falling + _multiplier(count, odds, falling), _LEAST * efficiency * n)])


def _multiplier(count: Floats, odds: Floats, slope: Floats) -> float:
    """What to add to all slopes so that the most likely shares of the items, each by itself, sum to 1.

    Reports say nothing about the sum of the shares, so any number may be added. Other numbers would speak against it.
    """
    low, high = -float(slope.min()), 1.0
    while float((count / (slope + high) - odds).sum()) > 1 or low + high <= 0:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float((count / np.maximum(slope + middle, 1e-300) - odds).sum()) > 1 else (low, middle)
    return high


def _evidence(blocks: Sequence[Block], low: Floats, high: Floats, pseudo: Floats) -> ItemEvidence:
    size = len(low)
    chances_of = [(block, inversion_of(block.channel).chances) for block in blocks]
    counted = [(block, chances) for block, chances in chances_of if chances is not None]
    read = [block.totals() for block, chances in chances_of if chances is None]
    counts, own, other = (
        np.array(rows, dtype=np.float64).reshape(len(counted), size)
        for rows in ([block.counts for block, _ in counted], [c[0] for _, c in counted], [c[1] for _, c in counted])
    )
    people = np.array([block.n for block, _ in counted], dtype=np.float64)
    # a report counts for exactly one item if its chances, whatever the person's item, sum to 1
    single = np.array([np.allclose(a - b + b.sum(), 1.0, rtol=0, atol=1e-9) for a, b in zip(own, other, strict=True)], dtype=np.bool_)
    normal: Spread | None = spread(read) if read else None
    nothing = np.zeros(size)
    mean, second, squares = (nothing, np.zeros((2, size)), nothing) if normal is None else (normal.mean, normal.second, normal.squares)
    return ItemEvidence(low, high, single, counts, people, own, other, pseudo, mean, second, squares)
