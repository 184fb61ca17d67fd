"""Let Spark count equal reports if few are distinct: only one row of each then goes through Python.

This works for valid reports. If one is invalid, the rows are read one by one, which finds its reason and place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.arrays import Counts
from sottovoce.batch.good_reports import by_block, reader_of
from sottovoce.batch.skipped_rows import Numbered, SkippedRows
from sottovoce.batch.spark.worker_rows import RESULT, Row, batch_of, note_of
from sottovoce.batch.spark.workers import begin, study_of
from sottovoce.errors import SottovoceError
from sottovoce.later import pa
from sottovoce.reports import PopulationReports, Reports
from sottovoce.study import Study
from sottovoce.tallies import Tally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Different reports up to which it is worth while.
_MOST = 1 << 16
_TIMES = "times"


def few(study: Study) -> bool:
    """Whether the reports of a study have few distinct values and counts are all that matters."""
    channels = [each.channel for each in study.blocks.values()]
    statistics = [channel.statistic for channel in channels]
    return all(each.sufficient for each in statistics) and sum(each.length for each in statistics) <= _MOST


def grouped(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The distinct reports of a frame with their counts, in as many partitions as there are cores."""
    return frame.groupBy(*columns).count().withColumnRenamed("count", _TIMES).coalesce(frame.sparkSession.sparkContext.defaultParallelism)


@dataclass(frozen=True)
class GroupedCounter:
    """Counts reports that come with their numbers, and stops at an invalid one. `unique` differs for each job, as that of `Counter`."""

    compiled: str
    unique: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        partition, study = begin(), study_of(self.compiled)
        tally, skipped = Tally(study.mechanism), SkippedRows[Numbered]()
        for batch in batches:
            try:
                reports = reader_of(study.mechanism)(batch.drop_columns([_TIMES]))
            except SottovoceError:
                skipped.stopped = True
            else:
                tally += _weighted(study, reports, batch.column(_TIMES).to_numpy())
        yield batch_of([Row(RESULT, partition, 0, "", tally.n, tally.to_bytes(), note_of(skipped))])


def _weighted(study: Study, reports: Reports, times: Counts) -> Tally:
    """The tally of reports with multiplicities: Σ_b 2^b times the reports whose number has bit b."""
    counts = {}
    for rank, (name, part) in enumerate(by_block(reports).items()):
        channel = study.blocks[name].channel
        numbers = times[reports.levels == rank] if isinstance(reports, PopulationReports) else times
        found = np.zeros(channel.statistic.length, dtype=np.int64)
        for bit in range(int(numbers.max(initial=0)).bit_length()):
            found += channel.statistic.count(part[np.flatnonzero(numbers >> bit & 1)]) << bit
        counts[name] = int(numbers.sum()), found
    return Tally.from_counts(study.mechanism, counts)
