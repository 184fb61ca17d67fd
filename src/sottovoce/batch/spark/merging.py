"""Merge the results of many partitions on the cluster, until few enough are left for the driver."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.batch.skipped_rows import Numbered, SkippedRows
from sottovoce.batch.spark.worker_rows import COLUMNS, COUNTS, RESULT, SUMS, Row, batch_of, note_of, rows_of, skipped_of
from sottovoce.batch.spark.workers import begin, study_of
from sottovoce.channels.likelihood import Sums
from sottovoce.later import pa
from sottovoce.study import Study
from sottovoce.tallies import Tally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Results that one task, or the driver, puts together.
FANOUT = 64


def mapped(frame: DataFrame, work: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]) -> DataFrame:
    """Apply `work` to each partition, as rows."""
    with warnings.catch_warnings():
        # Spark looks for pandas here, which is not used, and finds it too new
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        return frame.mapInArrow(work, COLUMNS)


def gathered(frame: DataFrame) -> list[Row]:
    """Fetch the rows to the driver."""
    return [Row(*row) for row in frame.collect()]


def brought_together(frame: DataFrame, partitions: int, compiled: str) -> list[Row]:
    """Merge the rows of many partitions into one row of each sort: a tree with the driver at its root."""
    while partitions > FANOUT:
        partitions = -(-partitions // FANOUT)
        frame = mapped(frame.repartition(partitions, "partition"), Merger(compiled))
    return merged(study_of(compiled), gathered(frame))


@dataclass(frozen=True)
class Merger:
    """Merges the rows of several partitions into one row of each sort."""

    compiled: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        begin()
        yield batch_of(merged(study_of(self.compiled), rows_of(batches)))


def merged(study: Study, rows: Iterable[Row]) -> list[Row]:
    """Merge rows into one of each sort, in the order of the partitions, so that sums don't depend on which came first."""
    sorts: dict[tuple[int, int, str], list[Row]] = {}
    for row in rows:
        sorts.setdefault(row.key, []).append(row)
    together = []
    for key, those in sorted(sorts.items()):
        those.sort(key=lambda row: row.partition)
        kind, block, piece = key
        data, note = _JOIN[kind](study, those)
        together.append(Row(kind, those[0].partition, block, piece, sum(row.n for row in those), data, note))
    return together


def _results(study: Study, rows: Sequence[Row]) -> tuple[bytes, str]:
    tally = sum((Tally.from_bytes(study.mechanism, row.data) for row in rows), start=Tally(study.mechanism))
    return tally.to_bytes(), note_of(sum((skipped_of(row.note) for row in rows), start=SkippedRows[Numbered]()))


def _counts(study: Study, rows: Sequence[Row]) -> tuple[bytes, str]:
    return np.sum([np.frombuffer(row.data) for row in rows], axis=0).tobytes(), ""


def _sums(study: Study, rows: Sequence[Row]) -> tuple[bytes, str]:
    first, *others = (Sums.from_bytes(row.data) for row in rows)
    return sum(others, start=first).to_bytes(), ""


_JOIN: Mapping[int, Callable[[Study, Sequence[Row]], tuple[bytes, str]]] = {RESULT: _results, COUNTS: _counts, SUMS: _sums}
