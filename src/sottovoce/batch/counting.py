"""Parquet files of reports, counted on all cores: a few row groups at a time, each file as it was when its reading began."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sottovoce.batch.input_files import Stamp
from sottovoce.batch.readers import checked_parquet
from sottovoce.batch.skipped_rows import HOPELESS, SkippedRows, salvage
from sottovoce.batch.writers import record_width
from sottovoce.channels import Channel, HashedChannel, LiftedChannel
from sottovoce.errors import ParameterError, ReportError
from sottovoce.later import pa, pq
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.parallel import in_order
from sottovoce.reports import Reports
from sottovoce.reports.base import without_value
from sottovoce.study import Study
from sottovoce.tallies import Tally
from sottovoce.wire import STUDY_KEY, schema_of

#: Rows and bytes that one core counts before it takes the next, and that it holds at a time.
_UNIT_ROWS, _UNIT_BYTES = 1 << 20, 1 << 24
_BATCH_ROWS, _BATCH_BYTES = 1 << 18, 1 << 20
#: Steps of a report from which on reading it is the least of the work, and rows of such reports that one core counts at a time.
_LONG, _LONG_ROWS = 1 << 9, 1 << 13
#: What is said of a file that does not name its study.
UNSAID = " does not say which study its reports were made under."
#: Bytes that are read from the disk at a time, so that a column of a large row group is never held whole.
_BUFFER = 1 << 18


class ChangedError(ReportError):
    """A file that is being written to cannot be counted."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} changed while it was read, and nothing of it was counted; run the command again when it is finished")


@dataclass(frozen=True)
class ReportsFile:
    """A Parquet file of reports, found to be of the study: what it is called, its state, its index, and the columns to read.

    A report takes up to `width` bytes in memory, however well it is packed in the file.
    """

    name: str
    stamp: Stamp
    metadata: pq.FileMetaData
    columns: tuple[str, ...]
    caution: str | None
    width: int

    @classmethod
    def of(cls, path: str, study: Study) -> ReportsFile:
        """Read the index of a file; refuses a file of something else."""
        with open(path, "rb") as raw:
            stamp = Stamp.of(raw)
            file = checked_parquet(raw, path)
            columns, caution = checked_columns(file.schema_arrow, path, study)
        return cls(path, stamp, file.metadata, tuple(columns), caution, record_width(study))

    @cached_property
    def rows(self) -> int:
        """How many rows the row groups have together."""
        return sum(self.metadata.row_group(group).num_rows for group in range(self.metadata.num_row_groups))

    def work(self, study: Study) -> Iterator[Unit]:
        """What one core does at a time: some row groups, or some rows where each takes long."""
        if not any(_takes_long(mechanism.channel) for mechanism in study.blocks.values()):
            yield from self.units
            return
        for unit in self.units:
            first = unit.first
            for batch in unit.batches(_LONG_ROWS):
                yield replace(unit, first=first, rows=batch.num_rows, held=batch)
                first += batch.num_rows
            if not unit.rows:
                yield unit

    @property
    def units(self) -> Iterator[Unit]:
        """Stretches of row groups, each of about the same work; one without rows where the file has none."""
        groups: list[int] = []
        first = rows = size = 0
        for group in range(self.metadata.num_row_groups):
            about = self.metadata.row_group(group)
            groups.append(group)
            rows, size = rows + about.num_rows, size + max(about.total_byte_size, about.num_rows * self.width)
            if rows and (rows >= _UNIT_ROWS or size >= _UNIT_BYTES):
                yield Unit(self, tuple(groups), first, rows, size)
                first, groups, rows, size = first + rows, [], 0, 0
        if rows or not first:
            yield Unit(self, tuple(groups), first, rows, size)

    def unchanged(self) -> None:
        """Refuse the file if it is not any more what it was when its reading began."""
        try:
            same = Stamp.of(self.name) == self.stamp
        except OSError:
            same = False
        if not same:
            raise ChangedError(self.name)


@dataclass(frozen=True)
class Unit:
    """Some row groups of a file; the first of their rows has the number `first` (from 0). Or some of these rows, which are at hand."""

    file: ReportsFile
    groups: tuple[int, ...]
    first: int
    rows: int
    size: int
    held: pa.RecordBatch | None = field(default=None, repr=False)

    def batches(self, most: int | None = None) -> Iterator[pa.RecordBatch]:
        """The rows, some at a time (not more than `most`), of the file that was planned and no other."""
        file = self.file
        if self.held is not None:
            yield self.held
            return
        try:
            with open(file.name, "rb", buffering=0) as raw:
                if Stamp.of(raw) != file.stamp:
                    raise ChangedError(file.name)
                reader = pq.ParquetFile(raw, metadata=file.metadata, buffer_size=_BUFFER, pre_buffer=False)
                width = max(1, file.width, self.size // max(1, self.rows))
                rows = max(1, min(most or _BATCH_ROWS, _BATCH_BYTES // width))
                seen = 0
                for batch in reader.iter_batches(rows, list(self.groups), list(file.columns), use_threads=False):
                    seen += batch.num_rows
                    yield batch
                if seen != self.rows:
                    raise OSError(f"its index tells of {self.rows:,} rows, and there are {seen:,}")
        except (pa.ArrowException, OSError) as error:
            file.unchanged()  # a file that is written to looks broken
            raise ParameterError(f"{file.name} is broken: {error}") from None


@dataclass
class Counted:
    """What a file holds: its tally, the rows that were left out, and what should be known about it."""

    tally: Tally
    skipped: SkippedRows
    cautions: list[str] = field(default_factory=list)


def checked_columns(schema: pa.Schema, name: str, study: Study) -> tuple[list[str], str | None]:
    """The columns to read, and a caution if the file does not say that it is of the study; refuses a file of something else."""
    made_under = (schema.metadata or {}).get(STUDY_KEY)
    if made_under is not None and made_under.decode("ascii", "replace") != study.fingerprint:
        raise ReportError(of_another(name, made_under.decode("ascii", "replace"), study))
    if "report" not in schema.names:
        raise ReportError(f"{name} has no column 'report'; its columns are {', '.join(schema.names)}: is it a file of reports?")
    wanted = schema_of(study.mechanism)
    for each in wanted:
        if each.name not in schema.names:
            raise ReportError(f"{name} has no column {each.name!r}, which reports of this study have; is it a file of reports?")
        if _family(schema.field(each.name).type) not in {_family(each.type), "null"}:
            held = schema.field(each.name).type
            raise ReportError(f"{name}: its column {each.name!r} holds {held}, and that of reports of this study {each.type}")
    return wanted.names, None if made_under is not None else name + UNSAID


def _family(kind: pa.DataType) -> str:
    """Types that may stand for one another: what is read from them is checked value by value."""
    kinds = pa.types
    if kinds.is_dictionary(kind):
        return _family(kind.value_type)
    if kinds.is_integer(kind) or kinds.is_decimal(kind):
        return "integer"
    if kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind):
        return "text"
    if kinds.is_binary(kind) or kinds.is_large_binary(kind) or kinds.is_fixed_size_binary(kind) or kinds.is_binary_view(kind):
        return "binary"
    return str(kind)


def of_another(name: str, made_under: str, study: Study) -> str:
    """What is said of a file that was made under another study."""
    return (
        f"{name} was made under another study (fingerprint {made_under}; {study.name!r} has {study.fingerprint}); "
        "use the study file that the reports were made with, or its compiled form"
    )


def reader_of(mechanism: Mechanism | Population) -> Callable[[pa.RecordBatch], Reports]:
    """Reads reports from Arrow columns, refusing what the mechanism cannot have made."""
    return mechanism.reports_from_arrow if isinstance(mechanism, Population) else mechanism.channel.reports_from_arrow


def good_reports(mechanism: Mechanism | Population, batch: pa.RecordBatch, bad: Callable[[int, str], None]) -> list[Reports]:
    """The reports of a batch; rows that are none are handed to `bad` with the reason, in their order."""
    reader, found = reader_of(mechanism), list(_nulls(batch))
    if not found:
        return salvage(batch, reader, bad)
    rows = np.setdiff1d(np.arange(batch.num_rows), [row for row, _ in found])  # the commonest fault is found at once, others by halving
    good = salvage(batch.take(pa.array(rows)), reader, lambda row, reason: found.append((int(rows[row]), reason)))
    for row, reason in sorted(found):
        bad(row, reason)
    return good


def _nulls(batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
    """Rows without a value in some column."""
    known = np.zeros(batch.num_rows, dtype=np.bool_)
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if column.null_count:
            missing = column.is_null().to_numpy(zero_copy_only=False) & ~known
            known |= missing
            yield from ((row, without_value(name)) for row in np.flatnonzero(missing).tolist())


def count_files(
    study: Study, files: Iterable[ReportsFile], *, keep: Callable[[], bool], strict: bool, step: Callable[[float], None]
) -> Iterator[tuple[ReportsFile, Counted]]:
    """The files counted on all cores, each handed on when it is whole; `step` is told the bytes of files that each step takes.

    `keep` says, whenever some rows are taken up, whether reports are kept.
    """
    found: Counted | None = None
    units = (unit for file in files for unit in file.work(study))
    for unit, part in in_order(lambda unit: (unit, _count(study, unit, keep=keep(), strict=strict)), units):
        if unit.first == 0:
            found = part
            if unit.file.caution is not None:
                found.cautions.append(unit.file.caution)
        else:
            assert found is not None
            found.tally = added(found.tally, part.tally)
            found.skipped.merge(part.skipped)
        step(unit.file.stamp.size * (unit.rows / unit.file.rows if unit.file.rows else 1.0))
        if unit.first + unit.rows == unit.file.rows:
            unit.file.unchanged()
            assert found is not None
            yield unit.file, found


def _hopeful(unit: Unit) -> Iterator[pa.RecordBatch]:
    """The rows of a unit; the first of a file by themselves, for they show whether it is of something else."""
    for number, batch in enumerate(unit.batches()):
        if number == unit.first == 0 and batch.num_rows > HOPELESS:
            yield batch[:HOPELESS]
            batch = batch[HOPELESS:]  # noqa: PLW2901 - the rest of it
        yield batch


def _takes_long(channel: Channel) -> bool:
    """Whether a report is hashed with very many items."""
    hashing = channel.base if isinstance(channel, LiftedChannel) else channel
    return isinstance(hashing, HashedChannel) and hashing.size >= _LONG


def _count(study: Study, unit: Unit, *, keep: bool, strict: bool) -> Counted:
    """The rows of a unit. A file whose first rows are all bad is of something else."""
    found = Counted(Tally(study.mechanism, keep_reports=keep), SkippedRows(strict))
    first, name = unit.first + 1, unit.file.name
    for batch in _hopeful(unit):
        for part in good_reports(
            study.mechanism,
            batch,
            lambda row, reason, first=first: found.skipped.add(f"{name}, row {first + row}", reason),  # type: ignore[misc]  # bound now
        ):
            found.skipped.used += len(part)
            found.tally = found.tally.add(part)
        first += batch.num_rows
        if unit.first == 0:
            found.skipped.use(0, name)
    return found


def added(one: Tally, other: Tally) -> Tally:
    """Two tallies together, without reports where one of them has none."""
    if one.keep_reports != other.keep_reports:
        one, other = one.totals(), other.totals()
    return one + other
