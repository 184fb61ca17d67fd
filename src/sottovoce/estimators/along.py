"""What reports show along some directions: the height of their log-likelihood, its slopes, and its curvature.

Counts per report give it exactly. Kept reports are read for the slopes, and the curvature is the expected one (Fisher's). Totals of
sets and hashes have no likelihood. The unbiased estimate has a mean and a covariance, and is taken for normal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.fisher import Fisher
from sottovoce.channels.groups import Groups
from sottovoce.channels.likelihood import Along, Likelihood, total
from sottovoce.errors import UnsupportedError
from sottovoce.estimators.decoders import project
from sottovoce.estimators.inversion import group_weights, inversion_of, invert_all
from sottovoce.estimators.report_likelihood import of_blocks
from sottovoce.tallies import Block

#: A little of the population is put everywhere before variances are taken.
_EVERYWHERE = 1e-3
#: Shares that move by this in all have another curvature.
_MOVED = 0.1
#: Parts of the largest variance below which a mixture of shares counts as known.
_KNOWN = 1e-10


class Evidence(ABC):
    """The log-likelihood of some reports, or what stands for it."""

    n: float
    #: Logarithms that shares have if β is 0: those of the sizes of cells.
    offset: Floats | float = 0.0

    @abstractmethod
    def along(self, p: Floats, directions: Floats) -> Along:
        """Height, slopes and curvature at p along directions (columns) that keep the sum of the shares."""

    @abstractmethod
    def height(self, p: Floats) -> float:
        """The height alone."""


def evidence(blocks: Sequence[Block]) -> Evidence:
    """What the reports of some blocks show, by the best of the three ways."""
    if not all(block.sufficient for block in blocks):
        return Totals(blocks)
    return Counted(of_blocks(blocks)) if all(block.channel.statistic.sufficient for block in blocks) else Reported(blocks)


class Counted(Evidence):
    """Counts per report."""

    def __init__(self, parts: Sequence[Likelihood], offset: Floats | float = 0.0) -> None:
        self.parts, self.offset = parts, offset
        self.n = float(sum(part.n for part in parts))

    def coarser(self, groups: Groups) -> Counted | None:
        """The same for groups of neighbours, if all parts know it."""
        parts = [part for part in (each.coarser(groups) for each in self.parts) if part is not None]
        return Counted(parts, np.log(np.bincount(groups.labels))) if len(parts) == len(self.parts) else None

    def along(self, p: Floats, directions: Floats) -> Along:
        found = [part.along(p, directions) for part in self.parts]
        return sum(found[1:], start=found[0])

    def height(self, p: Floats) -> float:
        return total(self.parts, p, curved=False).value


class Reported(Evidence):
    """Reports one by one. The curvature is kept until the shares have moved notably, for it's slow to get and changes slowly."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks, self.parts = blocks, of_blocks(blocks)
        self.n = float(sum(block.n for block in blocks))
        self._around, self._fishers = np.zeros(blocks[0].channel.size), list[Fisher]()

    def along(self, p: Floats, directions: Floats) -> Along:
        slope = total(self.parts, p, curved=False)
        if np.abs(p - self._around).sum() > _MOVED:
            self._around, self._fishers = p, [block.channel.fisher(p) for block in self.blocks]
        information = sum(block.n * fisher.along(directions) for block, fisher in zip(self.blocks, self._fishers, strict=True))
        return Along(slope.value, slope.gradient @ directions, np.asarray(information))

    def height(self, p: Floats) -> float:
        return total(self.parts, p, curved=False).value


class Totals(Evidence):
    """The unbiased estimate T of totals, taken for normal: −(T − p)ᵀ·C⁻¹·(T − p)/2."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.n = float(sum(block.n for block in blocks))
        linear, weights = invert_all(blocks), group_weights(blocks)
        around = (1 - _EVERYWHERE) * project(linear.p) + _EVERYWHERE / len(linear.p)
        covariance = sum(np.outer(w, w) * _covariance(block, around) for w, block in zip(weights, blocks, strict=True))
        sizes, axes = np.linalg.eigh(covariance)
        kept = sizes > _KNOWN * sizes[-1]
        self.mean, self.precision = linear.p, (axes[:, kept] / sizes[kept]) @ axes[:, kept].T

    def along(self, p: Floats, directions: Floats) -> Along:
        off = self.mean - p
        pull = self.precision @ off
        return Along(-float(off @ pull) / 2, pull @ directions, directions.T @ self.precision @ directions)

    def height(self, p: Floats) -> float:
        off = self.mean - p
        return -float(off @ self.precision @ off) / 2


def _covariance(block: Block, p: Floats) -> Floats:
    """The covariance of one block's inversion when items follow p, without that of pairs if the channel doesn't know it."""
    inversion = inversion_of(block.channel)
    try:
        return np.asarray((inversion.second_moments(p) - np.outer(p, p)) / block.n)
    except UnsupportedError:
        square = inversion.readings.moment(inversion.occurrences(inversion.expected(p)), 2)
        return np.asarray((np.diag(square) - np.outer(p, p)) / block.n)
