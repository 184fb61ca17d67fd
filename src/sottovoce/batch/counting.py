"""Counting files of reports: Parquet files on all cores, other files from start to end, and the sum of all."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from sottovoce.batch.collected import Collected, added
from sottovoce.batch.dedup import SeenIds
from sottovoce.batch.file_checks import ChangedError
from sottovoce.batch.good_reports import reports_of_file
from sottovoce.batch.input_files import Stamp, digest_of, opened
from sottovoce.batch.inspecting import InputFile, Inspected
from sottovoce.batch.parquet_reports import ReportsFile, Unit
from sottovoce.batch.retention import TOO_MANY, Keep, Retention
from sottovoce.batch.skipped_rows import HOPELESS, SkippedRows
from sottovoce.batch.streamed_reports import read_reports
from sottovoce.batch.tally_cache import TallyCache
from sottovoce.later import pa
from sottovoce.parallel import in_order
from sottovoce.progress import Progress
from sottovoce.reports import Reports
from sottovoce.study import Study
from sottovoce.tallies import Tally


def count(
    study: Study,
    inspected: Inspected,
    retention: Retention,
    bar: Progress,
    *,
    form: str | None = None,
    strict: bool = False,
    cache: TallyCache | None = None,
) -> tuple[Collected, list[ReportsFile]]:
    """Count files that were inspected. Also returns the Parquet files in the state in which they were counted, if reports stay there.

    With a `cache`, a Parquet file that was counted before isn't counted again.
    """
    keep = retention.keep is Keep.REPORTS
    found = Collected(Tally(study.mechanism, keep_reports=keep), SkippedRows(strict), [*inspected.cautions, *retention.cautions])
    total, seen, remote = _Total(found, retention.limit, bar, inspected.size), SeenIds(), list[ReportsFile]()
    for indexed, group in groupby(inspected.files, lambda file: file.indexed):
        if not indexed:
            for file in group:
                _count_stream(study, file, form, total, seen)
        elif cache is None:
            for index, counted in _count_files(study, (ReportsFile.of(file.path, study) for file in group), total):
                if retention.keep is Keep.REMOTE:
                    remote.append(index)
                total.take(counted)
        else:
            _count_new(study, list(group), cache, total)
    return found, remote


class _Total:
    """The counts so far, and the progress."""

    def __init__(self, found: Collected, limit: int | None, bar: Progress, size: int) -> None:
        self.found, self._limit, self._bar, self._size = found, limit, bar, size
        self._behind = 0.0

    def take(self, more: Collected | Reports | Tally) -> None:
        found = self.found
        if isinstance(more, Collected):
            found.merge(more)
        else:
            found.tally = found.tally.add(more) if isinstance(more, Reports) else added(found.tally, more)
        if self._limit is not None and found.tally.keep_reports and _room(found.tally) > self._limit:
            found.tally = found.tally.totals()
            found.cautions.append(TOO_MANY)

    def step(self, size: float) -> None:
        """Report that this many more bytes are done."""
        self._behind += size
        self.show()

    def show(self, more: float = 0.0) -> None:
        self._bar.at((self._behind + more) / max(1, self._size), f"{self.found.tally.n:,} reports")


def _room(tally: Tally) -> int:
    """The approximate memory of the kept reports, in bytes."""
    return sum(len(pile) * max(1, pile[:1].records().shape[1]) for block in tally.blocks for pile in block.piles or ())


def _count_stream(study: Study, file: InputFile, form: str | None, total: _Total, seen: SeenIds) -> None:
    with opened(file.path, form) as source:
        for part in read_reports(study, source, total.found, seen):
            total.take(part)
            total.show(source.done * file.size)
    total.step(file.size)


def _count_new(study: Study, files: Sequence[InputFile], cache: TallyCache, total: _Total) -> None:
    """Count Parquet files that weren't counted before, and store the tally of each."""
    begun, fresh, digests = time.time_ns(), list[InputFile](), dict[str, str]()

    def take_known(file: InputFile, known: Collected) -> None:
        total.step(file.size)
        total.take(known)

    for file in files:
        if (known := cache.of_file(file.path, Stamp.of(file.path))) is not None:
            take_known(file, known)
        else:
            fresh.append(file)

    def unknown() -> Iterator[ReportsFile]:
        for file, (stamp, digest) in in_order(lambda file: (file, digest_of(file.path)), fresh):
            if (known := cache.of_content(file.path, digest)) is not None:
                cache.save(file.path, stamp, digest, begun, known)
                take_known(file, known)
                continue
            index, digests[file.path] = ReportsFile.of(file.path, study), digest
            if index.stamp != stamp:
                raise ChangedError(file.path)
            yield index

    for index, counted in _count_files(study, unknown(), total):
        cache.save(index.name, index.stamp, digests[index.name], begun, counted)
        total.take(counted)


def _count_files(study: Study, files: Iterable[ReportsFile], total: _Total) -> Iterator[tuple[ReportsFile, Collected]]:
    """Count files on all cores, and yield each when it is complete. Reports are kept as long as the total keeps them."""
    strict = total.found.skipped.strict
    units = (unit for file in files for unit in file.work(study))

    def work(unit: Unit) -> tuple[Unit, Collected]:
        return unit, _count_unit(study, unit, keep=total.found.tally.keep_reports, strict=strict)

    found: Collected | None = None
    for unit, part in in_order(work, units):
        if found is None:
            found = part
        else:
            found.merge(part)
        total.step(unit.file.stamp.size * (unit.rows / unit.file.rows if unit.file.rows else 1.0))
        if unit.first + unit.rows == unit.file.rows:
            unit.file.unchanged()
            found.left_out += unit.file.left_out
            if unit.file.caution is not None:
                found.cautions.append(unit.file.caution)
            yield unit.file, found
            found = None


def _count_unit(study: Study, unit: Unit, *, keep: bool, strict: bool) -> Collected:
    """Count the rows of a unit. If a file's first rows are all bad, it's a different kind of file."""
    found = Collected(Tally(study.mechanism, keep_reports=keep), SkippedRows(strict))
    batches = _first_alone(unit.batches()) if unit.first == 0 else unit.batches()
    for reports in reports_of_file(study.mechanism, batches, unit.file.name, found.skipped, first=unit.first, give_up=unit.first == 0):
        found.tally = found.tally.add(reports)
    return found


def _first_alone(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of a file, the first ones separately, because they show whether it's the wrong kind of file."""
    for number, batch in enumerate(batches):
        if number == 0 and batch.num_rows > HOPELESS:
            yield batch[:HOPELESS]
            batch = batch[HOPELESS:]  # noqa: PLW2901 - the rest of it
        yield batch
