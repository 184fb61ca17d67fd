"""The likelihood of reports that stay on the cluster: each pass sends p there, and brings back sums."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.batch.spark.failures import explained
from sottovoce.batch.spark.rows import COUNTS, REPORTS, Row
from sottovoce.batch.spark.tree import brought_together, mapped
from sottovoce.batch.spark.workers import Pass
from sottovoce.errors import ReportError
from sottovoce.estimators.model import Floats, Likelihood, Slope, Sums
from sottovoce.estimators.pieces import of_counts
from sottovoce.study import Study

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Afar:
    """Reports that stay on the cluster, packed and checked; they are let go when nobody asks for them any more, or by `close`.

    Pieces that are nothing but counts are at hand; `packed` are the numbers of the other reports of each block.
    """

    def __init__(self, frame: DataFrame, compiled: str, study: Study, partitions: int, rows: Sequence[Row]) -> None:
        self.frame, self.compiled, self.partitions = frame.where(f"kind = {REPORTS}"), compiled, partitions
        self.names = list(study.blocks)
        self.packed = dict.fromkeys(self.names, 0)
        self.counted: dict[str, list[Likelihood]] = {name: [] for name in self.names}
        for row in (row for row in rows if row.kind == COUNTS):
            name = self.names[row.block]
            self.packed[name] += row.n
            if row.data:
                self.counted[name].append(of_counts(study.blocks[name].channel, row.piece, np.frombuffer(row.data)))
        self._close = weakref.finalize(self, _let_go, frame)
        self._close.atexit = False  # the session goes, and takes everything with it

    def likelihoods(self, names: Sequence[str]) -> list[Likelihood]:
        """One piece for all the reports of the blocks that have to be gone through, and the counts."""
        cheap = [piece for name in names for piece in self.counted[name]]
        afar = tuple(name for name in names if self.packed[name])
        return cheap + ([AfarLikelihood(self, afar)] if afar else [])

    def close(self) -> None:
        """Let the reports go; nothing can be asked of them afterwards."""
        self._close()

    def sums(self, names: Sequence[str], p: Floats, *, curved: bool) -> list[Row]:
        """One job: the sums of each piece of the blocks."""
        if not self._close.alive:
            raise ReportError("the reports were let go, and cannot be asked any more; collect them again")
        blocks = [place for place, name in enumerate(self.names) if name in names]
        asked = self.frame.sparkSession.sparkContext.broadcast((p, curved))
        try:
            chosen = self.frame if len(blocks) == len(self.names) else self.frame.where(self.frame["block"].isin(blocks))
            with explained():
                rows = brought_together(
                    mapped(chosen.select("block", "piece", "data"), Pass(self.compiled, asked)), self.partitions, self.compiled
                )
        finally:
            asked.destroy()
        if sum(row.n for row in rows) != sum(self.packed[name] for name in names):
            raise ReportError("the reports are not the same any more as when they were counted: a file changed; collect them again")
        return rows


def _let_go(frame: DataFrame) -> None:
    """A session that was stopped, or has lost its way, holds nothing any more."""
    with suppress(Exception):
        frame.unpersist()


@dataclass(frozen=True)
class AfarLikelihood(Likelihood):
    """The log-likelihood of some blocks whose reports stay on the cluster."""

    afar: Afar
    names: tuple[str, ...]

    @property
    def n(self) -> float:
        return float(sum(self.afar.packed[name] for name in self.names))

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        slopes = [Sums.from_bytes(row.data).slope for row in self.afar.sums(self.names, p, curved=curved)]
        return sum(slopes[1:], start=slopes[0])
