"""From a Spark frame of reports to a tally: inspect its files, plan what to keep, count the reports on the cluster."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sottovoce.batch.collected import Collected
from sottovoce.batch.retention import Keep, plan_retention, remote_methods
from sottovoce.batch.spark.counting import Job, count, with_reports
from sottovoce.batch.spark.errors import explained
from sottovoce.batch.spark.frame_files import FrameFiles
from sottovoce.batch.spark.locating import name_skipped
from sottovoce.batch.spark.progress import watched
from sottovoce.batch.spark.remote_frame import RemoteFrame
from sottovoce.batch.writers import record_width
from sottovoce.errors import ParameterError
from sottovoce.study import Study

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Read the Parquet files of reports at some paths: files, folders or patterns, on any file system that Spark reads."""
    if isinstance(paths, str) or not paths:
        raise ParameterError("No files were given. Name a list of paths to files of reports.")
    places = [_literal(path) for path in paths]
    reader = spark.read.options(ignoreCorruptFiles="false", ignoreMissingFiles="false")
    with explained():
        deep = reader.option("recursiveFileLookup", "true").parquet(*places)
        # folders inside folders are read, as on one machine; where they tell the levels, Spark must read them as a table
        return reader.option("recursiveFileLookup", "false").parquet(*places) if any("/level=" in f for f in deep.inputFiles()) else deep


def _literal(path: str) -> str:
    """Escape the name of an existing local file that looks like a pattern."""
    if "://" in path or not os.path.exists(path):
        return path
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def collect(study: Study, frame: DataFrame, *, method: str | None = None, keep: bool | None = None, strict: bool = False) -> Collected:
    """Count the reports of a frame.

    With `keep=True` the reports are brought to the driver and kept. With `keep=False` only totals are kept. By default (None) they stay on
    the cluster if a `method` of the likelihood needs them or you name no method: `estimate` then sends its passes there.
    """
    if not hasattr(frame, "_jdf"):
        kind = type(frame).__name__
        raise ParameterError(
            f"Expected a DataFrame of a Spark session (not of Spark Connect), got {kind}. Read one with spark.read.parquet."
        )
    with explained():
        files = FrameFiles.of(frame, study)
        # reports of a questionnaire can't be asked on the cluster, so whether they are brought here depends on their number
        size = frame.count() * record_width(study) if study.of_several_questions else math.inf
        retention = plan_retention(study, method, keep=keep, report_bytes=size, remote=remote_methods() | {None})
        job = Job.of(study, frame)
        with watched(frame.sparkSession):
            counted = count(job, retention.keep, strict=strict)
            try:
                skipped = name_skipped(job, counted, files, strict=strict)
                tally = with_reports(study, counted) if retention.keep is Keep.REPORTS else counted.tally
                files.unchanged()
                files.all_read(tally.n + skipped.count)
            except BaseException:
                counted.let_go()
                raise
    if retention.keep is Keep.REMOTE and tally.n:
        remote = RemoteFrame(counted, job.compiled, study, files)
        tally = tally.with_remote({block.name: remote for block in tally.blocks if not block.sufficient})
    else:
        counted.let_go()
    cautions = [*files.left_out.cautions, *files.cautions, *retention.cautions]
    return Collected(tally, skipped, cautions, left_out=files.left_out)
