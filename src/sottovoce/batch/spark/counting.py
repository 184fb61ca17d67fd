"""Count the reports of a frame on the cluster: each partition by itself, and the results merged as a tree."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sottovoce.batch.file_checks import check_column
from sottovoce.batch.retention import Keep
from sottovoce.batch.skipped_rows import Numbered, SkippedRows
from sottovoce.batch.spark.frame_files import REPORT_COLUMNS
from sottovoce.batch.spark.grouped_counting import GroupedCounter, few, grouped
from sottovoce.batch.spark.merging import brought_together, mapped
from sottovoce.batch.spark.worker_rows import REPORTS, RESULT, Row, skipped_of
from sottovoce.batch.spark.workers import Counter
from sottovoce.reports import Reports
from sottovoce.study import Study
from sottovoce.tallies import Tally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Job:
    """Reports to count: a frame, its columns that matter, and the study, also in the form that workers read."""

    study: Study
    frame: DataFrame
    columns: Sequence[str]
    compiled: str

    @classmethod
    def of(cls, study: Study, frame: DataFrame) -> Job:
        check_column("the frame", "report", frame.columns, what="a frame")
        return cls(study, frame, [name for name in REPORT_COLUMNS if name in frame.columns], json.dumps(study.compile()))


@dataclass(frozen=True)
class Counted:
    """The results: rows from the workers, with a frame of the reports that stay on the cluster."""

    frame: DataFrame
    partitions: int
    rows: Sequence[Row]
    tally: Tally
    skipped: SkippedRows[Numbered]

    def let_go(self) -> None:
        """Let the cluster drop the rows."""
        self.frame.unpersist()


def count(job: Job, keep: Keep, *, strict: bool) -> Counted:
    """Count all partitions. If only some are given up as hopeless, all are counted to their end."""
    chosen = job.frame.select(*job.columns)
    unique = uuid.uuid4().hex
    if few(job.study) and dict(chosen.dtypes).get("level", "string") == "string":
        found = _counted(job, mapped(grouped(chosen, job.columns), GroupedCounter(job.compiled, unique)))
        if not found.skipped.stopped:
            return found
        found.let_go()
    found = _counted(job, mapped(chosen, Counter(job.compiled, unique, keep, strict)))
    if found.skipped.stopped and found.tally.n and not strict:
        found.let_go()
        return _counted(job, mapped(chosen, Counter(job.compiled, unique, keep, strict, patient=True)))
    return found


def _counted(job: Job, counting: DataFrame) -> Counted:
    from pyspark import StorageLevel

    frame = counting.persist(StorageLevel.MEMORY_AND_DISK_DESER)
    try:
        partitions = frame.where(f"kind = {RESULT}").select("partition").count()
        rows = brought_together(frame.where(f"kind < {REPORTS}"), partitions, job.compiled)
        result = next((row for row in rows if row.kind == RESULT), None)
    except BaseException:
        frame.unpersist()
        raise
    if result is None:  # no partition, or none with a row
        return Counted(frame, 0, (), Tally(job.study.mechanism), SkippedRows())
    return Counted(frame, partitions, rows, Tally.from_bytes(job.study.mechanism, result.data), skipped_of(result.note))


def with_reports(study: Study, counted: Counted) -> Tally:
    """The tally with its reports, fetched partition by partition."""
    parts: dict[str, list[bytes]] = {name: [] for name in study.blocks}
    names = list(study.blocks)
    for row in counted.frame.where(f"kind = {REPORTS}").select("block", "data").toLocalIterator(prefetchPartitions=True):
        parts[names[row[0]]].append(bytes(row[1]))
    reports: dict[str, Reports] = {name: study.blocks[name].channel.reports_from_bytes(b"".join(data)) for name, data in parts.items()}
    return counted.tally.with_reports(reports)
