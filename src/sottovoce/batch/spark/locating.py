"""Find the places in files of rows that workers skipped, by reading them once more."""

from __future__ import annotations

from sottovoce.batch.skipped_rows import REASONS, Numbered, SkippedRows
from sottovoce.batch.spark.counting import Counted, Job
from sottovoce.batch.spark.errors import path_name
from sottovoce.batch.spark.frame_files import FrameFiles
from sottovoce.batch.spark.merging import gathered, mapped
from sottovoce.batch.spark.worker_rows import RESULT, note_of, skipped_of
from sottovoce.batch.spark.workers import Finder


def name_skipped(job: Job, counted: Counted, files: FrameFiles, *, strict: bool) -> SkippedRows[str]:
    """The skipped rows, each example with its place. Raises an error if none may be skipped, or none is good."""
    skipped, used = counted.skipped, counted.tally.n
    if not skipped.count:
        return SkippedRows(strict, used=used)
    located, names = _located(job, counted, files)
    if set(skipped.reasons) <= set(located.reasons):
        words = "{}, row {}"
        skipped = SkippedRows(reasons=skipped.reasons, examples={reason: located.examples[reason] for reason in skipped.reasons})
    else:
        names, words = {}, "partition {}, row {}"

    def name(place: Numbered) -> str:
        return words.format(names.get(place[0], place[0]), place[1])

    if strict:
        first, reason = min((place, reason) for reason, places in skipped.examples.items() for place in places)
        SkippedRows[str](strict=True).add(name(first), reason)
    found = skipped.at_most(REASONS).placed(name)
    found.use(used, next(iter(found.examples.values()))[0].rpartition(", row")[0])
    return found


def _located(job: Job, counted: Counted, files: FrameFiles) -> tuple[SkippedRows[Numbered], dict[int | str, str]]:
    """Skipped rows by their places in files (the number of the file, and of the row), and the names of the files."""
    from pyspark.sql.functions import spark_partition_id

    names: dict[int | str, str] = {place: path_name(uri) for place, uri in enumerate(files.names)}
    found = SkippedRows[Numbered]()
    if not names or not files.locates_rows or "_metadata" in job.frame.columns:  # a column of the user's own hides Spark's
        return found, names
    numbers = {name: place for place, name in names.items()}
    places = job.frame.selectExpr(*job.columns, "_metadata.file_path AS file", "_metadata.row_index AS row")
    if files.stable_order:
        places = places.where(spark_partition_id().isin(_troubled(counted)))
    for row in gathered(mapped(places, Finder(job.compiled))):
        found += skipped_of(row.note).placed(lambda place: (numbers[path_name(str(place[0]))], place[1]))
    return found, names


def _troubled(counted: Counted) -> list[int]:
    """The partitions that have bad rows."""
    rows = counted.frame.where(f"kind = {RESULT}").where(counted.frame["note"] != note_of(SkippedRows())).select("partition").collect()
    return sorted(row[0] for row in rows)
