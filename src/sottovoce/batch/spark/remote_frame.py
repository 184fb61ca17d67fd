"""Remote reports on a cluster: each pass of the likelihood sends p there and fetches sums."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.batch.spark.counting import Counted
from sottovoce.batch.spark.errors import explained
from sottovoce.batch.spark.frame_files import FrameFiles
from sottovoce.batch.spark.merging import brought_together, mapped
from sottovoce.batch.spark.worker_rows import COUNTS, REPORTS
from sottovoce.batch.spark.workers import Pass
from sottovoce.channels.likelihood import Likelihood, Sums
from sottovoce.errors import ReportError
from sottovoce.estimators.remote_likelihood import RemoteReports
from sottovoce.study import Study

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


#: Files that are looked at again after each pass; more of them only before the first.
_FEW = 100


class RemoteFrame(RemoteReports):
    """Reports that stay on the cluster, packed and checked. They are released by `close`, or when nothing refers to them any more."""

    def __init__(self, found: Counted, compiled: str, study: Study, files: FrameFiles) -> None:
        self._files = files
        self.frame, self.compiled, self.partitions = found.frame.where(f"kind = {REPORTS}"), compiled, found.partitions
        self.names = list(study.blocks)
        others = dict.fromkeys(self.names, 0)
        counted: dict[str, list[Likelihood]] = {name: [] for name in self.names}
        for row in (row for row in found.rows if row.kind == COUNTS):
            name = self.names[row.block]
            others[name] += row.n
            if row.data:
                counted[name].append(study.blocks[name].channel.model.counted(row.piece, np.frombuffer(row.data)))
        self.others, self.counted = others, counted
        self._close = weakref.finalize(self, _let_go, found.frame)
        self._close.atexit = False  # the session goes, and takes everything with it

    def likelihoods(self, names: Sequence[str]) -> list[Likelihood]:
        """The likelihoods. Rows that the cluster lost are read again, so the files must be unchanged since they were counted."""
        with explained():
            self._files.unchanged()
        return super().likelihoods(names)

    def close(self) -> None:
        """Release the reports. They can't be used afterwards."""
        self._close()

    def sums(self, names: Sequence[str], p: Floats, *, curved: bool) -> list[tuple[int, Sums]]:
        """Run one job."""
        context: Any = self.frame.sparkSession.sparkContext
        if not self._close.alive or context._jsc is None:  # closed, or the session was stopped
            raise ReportError("The reports on the cluster were released. Collect them again.")
        blocks = [place for place, name in enumerate(self.names) if name in names]
        asked = context.broadcast((p, curved))
        try:
            chosen = self.frame if len(blocks) == len(self.names) else self.frame.where(self.frame["block"].isin(blocks))
            with explained():
                rows = brought_together(
                    mapped(chosen.select("block", "piece", "data"), Pass(self.compiled, asked)), self.partitions, self.compiled
                )
        finally:
            asked.destroy()
        if len(self._files.names) <= _FEW:
            with explained():
                self._files.unchanged()
        return [(row.n, Sums.from_bytes(row.data)) for row in rows]


def _let_go(frame: DataFrame) -> None:
    """Release the rows, unless the session has stopped or lost its connection."""
    with suppress(Exception):
        frame.unpersist()
