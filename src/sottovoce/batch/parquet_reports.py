"""Parquet files of reports: their indexes and their rows, a few row groups at a time. Changes while reading raise an error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from sottovoce.batch.file_checks import ChangedError, check_column, check_study, made_under
from sottovoce.batch.input_files import Stamp
from sottovoce.batch.left_out import NONE, LeftOut
from sottovoce.batch.readers import checked_parquet
from sottovoce.batch.writers import record_width
from sottovoce.errors import ParameterError, ReportError
from sottovoce.later import pa, pq
from sottovoce.study import Study
from sottovoce.wire import schema_of

#: Rows and bytes that one core counts before it takes the next, and that it holds at a time.
_UNIT_ROWS, _UNIT_BYTES = 1 << 20, 1 << 24
_BATCH_ROWS, _BATCH_BYTES = 1 << 18, 1 << 20
#: Steps of a report from which on reading it is the least of the work, and rows of such reports that one core counts at a time.
_LONG, _LONG_ROWS = 1 << 9, 1 << 13
#: Bytes that are read from the disk at a time, so that a column of a large row group is never held whole.
_BUFFER = 1 << 18


@dataclass(frozen=True)
class ReportsFile:
    """A Parquet file of reports of the study: its name, state and index, and the columns to read.

    A report takes up to `width` bytes in memory, however well it's compressed in the file.
    """

    name: str
    stamp: Stamp
    metadata: pq.FileMetaData
    columns: tuple[str, ...]
    caution: str | None
    width: int
    left_out: LeftOut = NONE

    @classmethod
    def of(cls, path: str, study: Study) -> ReportsFile:
        """Read the index of a file. Another kind of file raises an error."""
        with open(path, "rb") as raw:
            stamp = Stamp.of(raw)
            file = checked_parquet(raw, path)
            columns, caution = checked_columns(file.schema_arrow, path, study)
        return cls(path, stamp, file.metadata, tuple(columns), caution, record_width(study), LeftOut.of(file.metadata.metadata))

    @cached_property
    def rows(self) -> int:
        """How many rows the row groups have together."""
        return sum(self.metadata.row_group(group).num_rows for group in range(self.metadata.num_row_groups))

    def work(self, study: Study) -> Iterator[Unit]:
        """What one core does at a time: some row groups, or some rows if each takes long."""
        if not any(mechanism.channel.statistic.steps >= _LONG for mechanism in study.blocks.values()):
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
        """Ranges of row groups of about equal work. A file without rows has one empty range."""
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
        """Raise an error if the file changed since reading began."""
        try:
            same = Stamp.of(self.name) == self.stamp
        except OSError:
            same = False
        if not same:
            raise ChangedError(self.name)


@dataclass(frozen=True)
class Unit:
    """Some row groups of a file, whose first row has the number `first` (from 0), or some of their rows already in memory."""

    file: ReportsFile
    groups: tuple[int, ...]
    first: int
    rows: int
    size: int
    held: pa.RecordBatch | None = field(default=None, repr=False)

    def batches(self, most: int | None = None) -> Iterator[pa.RecordBatch]:
        """The rows in batches of at most `most`, from the file that was planned."""
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
                    raise OSError(f"The index lists {self.rows:,} rows, but the file has {seen:,}")
        except (pa.ArrowException, OSError) as error:
            file.unchanged()  # a file that is written to looks broken
            raise ParameterError(f"{file.name} is damaged: {error}") from None


def checked_columns(schema: pa.Schema, name: str, study: Study) -> tuple[list[str], str | None]:
    """The columns to read, and a caution if the file doesn't name its study. Another kind of file raises an error."""
    caution = check_study(name, made_under(schema), study)
    check_column(name, "report", schema.names)
    wanted = schema_of(study.mechanism)
    for each in wanted:
        if each.name not in schema.names:
            raise ReportError(f"{name} has no column {each.name!r}, which this study's reports need. Is it a file of reports?")
        if _family(schema.field(each.name).type) not in {_family(each.type), "null"}:
            held = schema.field(each.name).type
            raise ReportError(
                f"Column {each.name!r} of {name} has type {held}, expected {each.type}. Is it a file of this study's reports?"
            )
    return wanted.names, caution


def _family(kind: pa.DataType) -> str:
    """Types that can replace each other, because the values are checked one by one."""
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
