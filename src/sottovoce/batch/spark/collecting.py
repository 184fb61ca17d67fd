"""From a Spark frame of reports to a tally: counted where the reports are, and put together as a tree."""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sottovoce.batch.collecting import Collected
from sottovoce.batch.skipped_rows import SkippedRows
from sottovoce.batch.spark.bad import Bad, Place
from sottovoce.batch.spark.errors import explained, path_name
from sottovoce.batch.spark.frame_files import REPORT_COLUMNS, FrameFiles
from sottovoce.batch.spark.grouped_counting import CombinedCounter, combined, few
from sottovoce.batch.spark.merging import brought_together, gathered, mapped
from sottovoce.batch.spark.progress import watched
from sottovoce.batch.spark.remote_frame import RemoteFrame
from sottovoce.batch.spark.worker_rows import REPORTS, RESULT, Row
from sottovoce.batch.spark.workers import PIECES, WHOLE, Counter, Finder
from sottovoce.errors import ParameterError, ReportError
from sottovoce.reports import Reports
from sottovoce.study import Study
from sottovoce.tallies import Tally
from sottovoce.tallies.tally import LIKELIHOOD

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """The Parquet files of reports at some paths (files, folders or patterns, on any file system that Spark reads)."""
    if isinstance(paths, str) or not paths:
        raise ParameterError("name the files of reports: a list of paths")
    places = [_literal(path) for path in paths]
    reader = spark.read.options(ignoreCorruptFiles="false", ignoreMissingFiles="false")
    with explained():
        deep = reader.option("recursiveFileLookup", "true").parquet(*places)
        # folders inside folders are read, as on one machine; where they tell the levels, Spark must read them as a table
        return reader.option("recursiveFileLookup", "false").parquet(*places) if any("/level=" in f for f in deep.inputFiles()) else deep


def _literal(path: str) -> str:
    """A local file that is there is meant as it is called, also if its name looks like a pattern."""
    if "://" in path or not os.path.exists(path):
        return path
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def collect(study: Study, frame: DataFrame, *, method: str | None = None, keep: bool | None = None, strict: bool = False) -> Collected:
    """Count the reports of a frame.

    With `keep` the reports are brought to the driver and kept; without, only totals are. By default (None) they stay on the cluster where
    a `method` of the likelihood needs them, or where none is named: `estimate` then sends its passes there.
    """
    if not hasattr(frame, "_jdf"):
        kind = type(frame).__name__
        raise ParameterError(f"reports are read from a DataFrame of a Spark session (not of Spark Connect), not from {kind}")
    needed = any(not block.sufficient for block in Tally(study.mechanism).blocks)
    kept = needed and (method == "corrected" if keep is None else keep)
    afar = needed and keep is None and not kept and (method is None or method in LIKELIHOOD)
    with explained():
        files = FrameFiles.of(frame, study)
        job = _Job(study, frame, _columns(frame), json.dumps(study.compile()))
        with watched(frame.sparkSession):
            found = job.counted(WHOLE if kept else PIECES if afar else "", strict=strict)
            try:
                skipped = job.named(found, files, strict=strict)
                tally = found.with_reports(study) if kept else found.tally
                files.unchanged()
                files.all_read(tally.n + skipped.count)
            except BaseException:
                found.let_go()
                raise
    if afar and tally.n:
        there = RemoteFrame(found.frame, job.compiled, study, found.partitions, found.rows, files)
        unknown = {block.name for block in tally.blocks if not block.sufficient}
        return Collected(tally.with_elsewhere(dict.fromkeys(unknown, there)), skipped, list(files.cautions))
    found.let_go()
    return Collected(tally, skipped, list(files.cautions))


def _columns(frame: DataFrame) -> list[str]:
    if "report" not in frame.columns:
        raise ReportError(f"the frame has no column 'report'; its columns are {', '.join(frame.columns)}: is it a frame of reports?")
    return [name for name in REPORT_COLUMNS if name in frame.columns]


@dataclass(frozen=True)
class _Counted:
    """What was counted: the rows of the workers, of which the frame holds those that stay there."""

    frame: DataFrame
    partitions: int
    rows: Sequence[Row]
    tally: Tally
    bad: Bad

    def let_go(self) -> None:
        self.frame.unpersist()

    def troubled(self) -> list[int]:
        """The partitions that have bad rows."""
        rows = self.frame.where(f"kind = {RESULT}").where(self.frame["note"] != Bad().to_json()).select("partition").collect()
        return sorted(row[0] for row in rows)

    def with_reports(self, study: Study) -> Tally:
        """The tally with its reports, which are brought here partition by partition."""
        parts: dict[str, list[bytes]] = {name: [] for name in study.blocks}
        names = list(study.blocks)
        for row in self.frame.where(f"kind = {REPORTS}").select("block", "data").toLocalIterator(prefetchPartitions=True):
            parts[names[row[0]]].append(bytes(row[1]))
        reports: dict[str, Reports] = {name: study.blocks[name].channel.reports_from_bytes(b"".join(data)) for name, data in parts.items()}
        return self.tally.with_reports(reports)


@dataclass(frozen=True)
class _Job:
    """Reports to be counted."""

    study: Study
    frame: DataFrame
    columns: Sequence[str]
    compiled: str

    def counted(self, packed: str, *, strict: bool) -> _Counted:
        """Count all partitions. If some are given up as hopeless and others are not, all are counted to their end."""
        chosen = self.frame.select(*self.columns)
        unique = uuid.uuid4().hex
        if few(self.study) and dict(chosen.dtypes).get("level", "string") == "string":
            found = self._counted(mapped(combined(chosen, self.columns), CombinedCounter(self.compiled, unique)))
            if not found.bad.stopped:
                return found
            found.let_go()
        found = self._counted(mapped(chosen, Counter(self.compiled, unique, packed, strict)))
        if found.bad.stopped and found.tally.n and not strict:
            found.let_go()
            return self._counted(mapped(chosen, Counter(self.compiled, unique, packed, strict, patient=True)))
        return found

    def _counted(self, counting: DataFrame) -> _Counted:
        from pyspark import StorageLevel

        frame = counting.persist(StorageLevel.MEMORY_AND_DISK_DESER)
        try:
            partitions = frame.where(f"kind = {RESULT}").select("partition").count()
            rows = brought_together(frame.where(f"kind < {REPORTS}"), partitions, self.compiled)
            result = next((row for row in rows if row.kind == RESULT), None)
        except BaseException:
            frame.unpersist()
            raise
        if result is None:  # no partition, or none with a row
            return _Counted(frame, 0, (), Tally(self.study.mechanism), Bad())
        return _Counted(frame, partitions, rows, Tally.from_bytes(self.study.mechanism, result.data), Bad.from_json(result.note))

    def named(self, found: _Counted, files: FrameFiles, *, strict: bool) -> SkippedRows:
        """The rows that were left out, each example with its place; raises where none may be left out, or none is good."""
        bad, used = found.bad, found.tally.n
        if not bad.count:
            return SkippedRows(strict, used=used)
        located, names = self._located(found, files)
        if set(bad.counts) <= set(located.counts):
            bad, told = Bad(bad.counts, {reason: located.places[reason] for reason in bad.counts}), "{}, row {}"
        else:
            names, told = {}, "partition {}, row {}"

        def name(place: Place) -> str:
            return told.format(names.get(place[0], place[0]), place[1])

        if strict:
            place, reason = min((place, reason) for reason, places in bad.places.items() for place in places)
            SkippedRows(strict=True).add(name(place), reason)
        skipped = bad.skipped(used, name)
        skipped.use(0, next(iter(skipped.examples.values()))[0].rpartition(", row")[0])
        return skipped

    def _located(self, counted: _Counted, files: FrameFiles) -> tuple[Bad, dict[int | str, str]]:
        """Bad rows by their places in files (the number of the file, and of the row), and what the files are called."""
        from pyspark.sql.functions import spark_partition_id

        names: dict[int | str, str] = {place: path_name(uri) for place, uri in enumerate(files.names)}
        if not names or not files.tell_rows:
            return Bad(), names
        if "_metadata" in self.frame.columns:  # a column of the user's own hides Spark's
            return Bad(), names
        numbers = {name: place for place, name in names.items()}
        places = self.frame.selectExpr(*self.columns, "_metadata.file_path AS file", "_metadata.row_index AS row")
        if files.as_they_lie:
            places = places.where(spark_partition_id().isin(counted.troubled()))
        found = Bad()
        for row in gathered(mapped(places, Finder(self.compiled))):
            there = Bad.from_json(row.note)
            found += Bad(there.counts, {r: [(numbers[path_name(str(at))], n) for at, n in each] for r, each in there.places.items()})
        return found, names
