"""Code that runs in the workers of a cluster: counting, finding bad rows again, and passes over packed reports.

A worker gets the study in its compiled form. All of its results leave it as rows, so a task that is repeated or runs twice counts once.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.batch.good_reports import by_block, good_reports
from sottovoce.batch.retention import Keep
from sottovoce.batch.skipped_rows import HOPELESS, Numbered, SkippedRows
from sottovoce.batch.spark.worker_rows import COUNTS, REPORTS, RESULT, SUMS, Row, batch_of, note_of
from sottovoce.channels.likelihood import ReportsLikelihood, Sums
from sottovoce.parallel import use_threads
from sottovoce.reports import Reports
from sottovoce.study import Study
from sottovoce.tallies import Tally

if TYPE_CHECKING:
    from pyspark import Broadcast

#: Bytes of reports in one row, and bytes that are gathered before rows are written.
_PACKED, _GATHERED = 1 << 16, 1 << 22


@lru_cache(maxsize=8)
def study_of(compiled: str) -> Study:
    """The study, parsed once in each process."""
    return Study.from_json(compiled)


@lru_cache(maxsize=8)
def _templates(compiled: str) -> dict[tuple[int, str], ReportsLikelihood]:
    blocks = enumerate(study_of(compiled).blocks.values())
    unsummed = ((place, each.channel) for place, each in blocks if not each.channel.statistic.sufficient)
    return {(place, name): piece for place, channel in unsummed for name, piece in channel.model.templates().items()}


@lru_cache(maxsize=1)
def _settle() -> None:
    """Exclude loaded modules from garbage collection, which Spark's workers run between tasks."""
    gc.freeze()


def begin() -> int:
    """Return the number of the partition, and limit the task to the cores that Spark gave it."""
    from pyspark import TaskContext

    _settle()
    context = TaskContext.get()
    assert context is not None
    use_threads(context.cpus())
    return context.partitionId()


@dataclass
class _Packer:
    """Gathers records of equal length, and returns them in rows of moderate size."""

    partition: int
    piles: dict[tuple[int, str], list[NDArray[np.uint8]]] = field(default_factory=dict)
    packed: dict[tuple[int, str], int] = field(default_factory=dict)
    gathered: int = 0

    def add(self, block: int, piece: str, records: NDArray[np.uint8]) -> None:
        self.piles.setdefault((block, piece), []).append(records)
        self.packed[block, piece] = self.packed.get((block, piece), 0) + len(records)
        self.gathered += records.nbytes

    def rows(self) -> Iterator[Row]:
        """Everything gathered so far."""
        for (block, piece), pile in self.piles.items():
            records = np.concatenate(pile)
            step = max(1, _PACKED // max(1, records.shape[1]))
            for start in range(0, len(records), step):
                part = records[start : start + step]
                yield Row(REPORTS, self.partition, block, piece, len(part), part.tobytes())
        self.piles, self.gathered = {}, 0


@dataclass(frozen=True)
class Counter:
    """Counts the reports of a partition. `unique` differs for each job, because Spark would reuse the result of an equal plan.

    With `keep`, the reports of blocks whose counts don't suffice for the likelihood are returned as well: all of them, or (remote) those of
    pieces that must be read again. A `strict` counter stops at an invalid row. One that isn't `patient` stops if none of many rows is good.
    """

    compiled: str
    unique: str
    keep: Keep = Keep.TOTALS
    strict: bool = False
    patient: bool = False

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        partition, study, skipped, first = begin(), study_of(self.compiled), SkippedRows[Numbered](), 1
        tally, packer = Tally(study.mechanism), _Packer(partition)
        counts: dict[tuple[int, str], Floats] = {}
        for batch in batches:
            if skipped.stopped:
                continue  # what is left is read all the same: the other end is writing it
            good = good_reports(study.mechanism, batch, partial(_skip, skipped, partition, first))
            for reports in good:
                tally = tally.add(reports)
                self._pack(tally, reports, packer, counts)
                if packer.gathered >= _GATHERED:
                    yield batch_of(packer.rows())
            first += batch.num_rows
            skipped.stopped = not self._goes_on(skipped, tally.n)
        yield batch_of(packer.rows())
        yield batch_of(Row(COUNTS, partition, *key, 0, each.tobytes()) for key, each in counts.items())
        yield batch_of(Row(COUNTS, partition, *key, number, b"") for key, number in packer.packed.items())
        yield batch_of([Row(RESULT, partition, 0, "", tally.n, tally.to_bytes(), note_of(skipped))])

    def _goes_on(self, skipped: SkippedRows[Numbered], used: int) -> bool:
        return not skipped.reasons or (not self.strict and (self.patient or used > 0 or skipped.count < HOPELESS))

    def _pack(self, tally: Tally, reports: Reports, packer: _Packer, counts: dict[tuple[int, str], Floats]) -> None:
        if self.keep is Keep.TOTALS:
            return
        for place, (block, part) in enumerate(zip(tally.blocks, by_block(reports).values(), strict=True)):
            channel = block.mechanism.channel
            if channel.statistic.sufficient or not len(part):
                continue
            if self.keep is Keep.REPORTS:
                packer.add(place, "", np.ascontiguousarray(part.records()))
                continue
            for name, piece in channel.model.pieces(part, distinct=False).items():
                if isinstance(piece, ReportsLikelihood):
                    packer.add(place, name, piece.records())
                elif (own := piece.counted) is not None:
                    counts[place, name] = counts.get((place, name), np.zeros(1)) + own


def _skip(skipped: SkippedRows[Numbered], partition: int, first: int, row: int, reason: str) -> None:
    skipped.add((partition, first + row), reason)


@dataclass(frozen=True)
class Finder:
    """Finds the bad rows of a partition again, with their places in their files."""

    compiled: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        partition, study = begin(), study_of(self.compiled)
        found: dict[str, SkippedRows[Numbered]] = {}
        for batch in batches:
            reports, files, rows = batch.drop_columns(["file", "row"]), batch.column("file"), batch.column("row")

            def note(row: int, reason: str, files: pa.Array = files, rows: pa.Array = rows) -> None:
                place = files[row].as_py(), rows[row].as_py() + 1
                found.setdefault(place[0], SkippedRows()).add(place, reason)

            good_reports(study.mechanism, reports, note)
        yield batch_of(Row(RESULT, partition, 0, file, 0, b"", note_of(skipped)) for file, skipped in found.items())


@dataclass(frozen=True)
class Pass:
    """A pass over packed reports: the sums of each piece at p. `asked` is broadcast: p, and whether the curvature is wanted."""

    compiled: str
    asked: Broadcast[tuple[Floats, bool]]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        partition = begin()
        p, curved = self.asked.value
        found: dict[tuple[int, str], tuple[int, Sums]] = {}
        for batch in batches:
            piles: dict[tuple[int, str], list[memoryview]] = {}
            names = zip(batch.column("block").to_pylist(), batch.column("piece").to_pylist(), strict=True)
            for key, value in zip(names, batch.column("data"), strict=True):
                piles.setdefault(key, []).append(memoryview(value.as_buffer()))
            for key, pile in piles.items():
                likelihood = _templates(self.compiled)[key].of_records(b"".join(pile))
                sums, n = likelihood.sums(p, curved=curved), int(likelihood.n)
                found[key] = (found[key][0] + n, found[key][1] + sums) if key in found else (n, sums)
        yield batch_of(Row(SUMS, partition, *key, n, sums.to_bytes()) for key, (n, sums) in found.items())
