"""Columns of text from files of answers, batch by batch. Each row knows its place in the file."""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import msgspec
import numpy as np

from sottovoce.batch import csv_kernels
from sottovoce.batch.answer_tables import excel_batches, json_batches, spss_batches
from sottovoce.batch.batches import MISSING, ROWS, Batch, Choice, as_bytes, row_place
from sottovoce.batch.foreign_files import kind_of_binary
from sottovoce.batch.input_files import Opened
from sottovoce.batch.skipped_rows import SkippedRows
from sottovoce.errors import ParameterError
from sottovoce.later import pa, pacsv, pq

#: Bytes of text that are worked on at a time.
BLOCK = 1 << 22
_DELIMITERS = ",;\t|"
#: The longest line of a file of text.
_LONGEST = 1 << 26
_BOM = b"\xef\xbb\xbf"
#: What answers are read from.
_READ = "Use a CSV, JSON, NDJSON, Parquet, Excel (.xlsx) or SPSS (.sav) file of answers."


def read_columns(
    source: Opened, choose: Choice, skipped: SkippedRows[str], bare: Callable[[str], bool], sheet: str | None = None
) -> Iterator[Batch]:
    """The chosen columns of a file, of a `sheet` of a workbook. `bare` decides whether a lone first line is already a value, so that
    there is no header.
    """
    if sheet is not None and source.format != "excel":
        raise ParameterError(f"{source.name} isn't an Excel file, so it has no sheets. Leave out --sheet.")
    if source.head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ParameterError(f"{source.name} is UTF-16 text. Read it with --encoding utf-16.")
    if source.format in {"csv", "ndjson", "json"} and (kind := kind_of_binary(source.head)) is not None:
        raise ParameterError(f"{source.name} is {kind}. {_READ}")
    match source.format:
        case "csv":
            return _csv(source, choose, skipped, bare)
        case "ndjson":
            return _ndjson(source, choose, skipped)
        case "parquet":
            return _parquet(source, choose)
        case "json":
            return json_batches(source, choose, skipped)
        case "excel":
            return excel_batches(source, choose, skipped, bare, sheet)
        case "spss":
            return spss_batches(source, choose)
    raise ParameterError(f"{source.name} is a tally. {_READ}")


def _csv(source: Opened, choose: Choice, skipped: SkippedRows[str], bare: Callable[[str], bool]) -> Iterator[Batch]:
    fields, delimiter = _header(source)
    if not any(fields):
        raise ParameterError(
            f"{source.name} is empty. Write a header line ('answer' or the names of the questions) and the answers below it."
        )
    headless = len(fields) == 1 and bare(fields[0])
    names = ["answer"] if headless else fields
    wanted = list(choose(names))
    if len(set(names)) < len(names):
        raise ParameterError(f"{source.name} has two columns with the same name. Rename one of them.")
    line = 1
    for block in _blocks(source, delimiter, skipped):
        header = line == 1 and not headless
        broken: list[Any] = []
        table = _parsed(block, names, wanted, delimiter, broken, source.name)
        where = _Lines(source.name, block, delimiter, line, [row.number - 1 for row in broken])
        for row in broken:
            held = "1 field" if row.actual_columns == 1 else f"{row.actual_columns} fields"
            skipped.add(where.at(row.number - 1), f"it has {held}, but the header has {row.expected_columns}")
        columns = {name: table.column(name).combine_chunks()[int(header) :] for name in wanted}
        yield Batch(columns, replace(where, skipped=int(header)))
        line += block.count(b"\n")


def _parsed(rows: bytes, names: list[str], wanted: list[str], delimiter: str, broken: list[Any], where: str) -> pa.Table:
    """The columns of some lines. Lines with the wrong number of fields go to `broken`."""

    def invalid(row: Any) -> str:
        broken.append(row)
        return "skip"

    try:
        return pacsv.read_csv(
            pa.BufferReader(rows),
            pacsv.ReadOptions(use_threads=False, block_size=len(rows) + 1, column_names=names),
            pacsv.ParseOptions(delimiter=delimiter, invalid_row_handler=invalid, ignore_empty_lines=False, newlines_in_values=b'"' in rows),
            pacsv.ConvertOptions(check_utf8=False, include_columns=wanted, column_types=dict.fromkeys(names, pa.binary())),
        )
    except pa.ArrowInvalid as error:
        raise ParameterError(f"{where} can't be read as CSV: {error}") from None


def _blocks(source: Opened, delimiter: str, skipped: SkippedRows[str]) -> Iterator[bytes]:
    """Whole rows in batches. They are read here and not by Arrow, so that you can interrupt a wait for input."""
    rest, line = source.file.read(len(_BOM)).removeprefix(_BOM), 1
    while True:
        data = source.file.read(BLOCK)
        rest += data
        if not data:
            rest = rest.rstrip(b"\r\n") + b"\n" if rest.strip(b"\r\n") else b""
        view = np.frombuffer(rest, dtype=np.uint8)
        _, end, inner, opened, stray = csv_kernels.rows(view, ord(delimiter), np.zeros(0, dtype=np.int64))
        if stray >= 0:
            at = line + rest.count(b"\n", 0, stray)
            raise ParameterError(
                f"{source.name}, line {at}: the line contains a carriage return. Save the file with Unix or Windows line ends."
            )
        if opened >= 0 and (not data or len(rest) > _LONGEST):
            at = line + rest.count(b"\n", 0, opened)
            raise ParameterError(f"{source.name}, line {at}: a quote isn't closed. Close it, or double it if it belongs to the text.")
        if len(rest) - end > _LONGEST:
            raise ParameterError(f"{source.name} has a line of more than {_LONGEST >> 20} MB. Is it a file of answers?")
        if end and data:
            kept = len(rest[:end].rstrip(b"\r\n"))
            end = rest.find(b"\n", kept) + 1 if kept else 0  # blank lines wait: at the end of the file they mean nothing
        if end:
            if inner:
                skipped.remark(f"{source.name}: fields run over several lines (near line {line}). Check for a missing quote")
            block, rest = rest[:end], rest[end:]
            line += block.count(b"\n")
            yield _utf8(block)
        if not data:
            return


def _utf8(block: bytes) -> bytes:
    """Replace bytes that aren't UTF-8 by visible text. Such a value isn't an item, and its row is counted as invalid."""
    try:
        block.decode()
    except UnicodeDecodeError:
        return block.decode("utf-8", "backslashreplace").encode()
    return block


def _header(source: Opened) -> tuple[list[str], str]:
    """The fields of the first row, and the separator."""
    head = source.head.removeprefix(_BOM)
    if b"\r" in head and b"\n" not in head:
        raise ParameterError(f"The lines of {source.name} end in carriage returns. Save it with Unix or Windows line ends.")
    first = head.split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "backslashreplace")
    if head.strip() and not first.strip():
        raise ParameterError(f"{source.name}, line 1 is blank. Begin with the header.")
    delimiter = max(_DELIMITERS, key=re.sub(r'"[^"]*"', "", first).count)
    if first.count('"') % 2:
        raise ParameterError(f"{source.name}, line 1: a quote in the header isn't closed. Close it and write the header on one line.")
    try:
        rows = list(csv.reader([first], delimiter=delimiter))
    except csv.Error as error:
        raise ParameterError(f"{source.name}, line 1: the header can't be read: {error}") from None
    return ([field.strip() for field in rows[0]] if rows else []), delimiter


@dataclass(frozen=True)
class _Lines:
    """Maps good rows of a block to lines of the file, because rows can span several lines and broken rows lie between them."""

    name: str
    block: bytes
    delimiter: str
    first: int
    broken: list[int]
    skipped: int = 0

    @cached_property
    def _rows(self) -> Any:
        return csv_kernels.row_lines(self.block, self.delimiter)

    def at(self, row: int) -> str:
        """The line of a row, counting broken rows."""
        return f"{self.name}, line {self.first + int(self._rows[row])}"

    def __call__(self, row: int) -> str:
        row += self.skipped
        place = row
        while (shifted := row + bisect_right(self.broken, place)) != place:
            place = shifted
        return self.at(place)


def _ndjson(source: Opened, choose: Choice, skipped: SkippedRows[str]) -> Iterator[Batch]:
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    wanted: Sequence[str] | None = None
    for start, lines in read_lines(source):
        rows, places = [], []
        for place, line in enumerate(lines, start):
            if not line.strip():
                continue
            try:
                rows.append(decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                skipped.add(f"{source.name}, line {place}", "it isn't a JSON object")
                continue
            places.append(place)
        if rows and wanted is None:
            wanted = choose(list(dict.fromkeys(key for row in rows for key in row)))
        arrays = {name: pa.array([as_bytes(row.get(name, MISSING)) for row in rows], type=pa.binary()) for name in wanted or ()}
        yield Batch(arrays, partial(row_place, f"{source.name}, line", places))


def read_lines(source: Opened) -> Iterator[tuple[int, list[bytes]]]:
    """The lines of a file in batches, with the number of the first."""
    start = 1
    while lines := source.file.readlines(BLOCK):
        if start == 1:
            lines[0] = lines[0].removeprefix(_BOM)
        yield start, lines
        start += len(lines)


def _parquet(source: Opened, choose: Choice) -> Iterator[Batch]:
    file = open_parquet(source)
    wanted = list(choose(file.schema_arrow.names))
    first = 1
    for batch in parquet_batches(file, source, wanted):
        try:
            texts = {name: batch.column(name).cast(pa.string()).cast(pa.binary()) for name in wanted}
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ParameterError(f"{source.name}: a column can't be read as text: {error}") from None
        yield Batch(texts, partial(row_place, f"{source.name}, row", range(first, first + batch.num_rows)))
        first += batch.num_rows


def open_parquet(source: Opened) -> pq.ParquetFile:
    """Open a Parquet file. A stream is read whole, because its index is at the end."""
    return checked_parquet(source.file if source.size is not None else pa.BufferReader(source.file.read()), source.name)


def checked_parquet(file: Any, name: str) -> pq.ParquetFile:
    """Open a Parquet file whose index must be readable."""
    try:
        found = pq.ParquetFile(file)
        names = found.schema_arrow.names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ParameterError(f"{name} isn't a Parquet file or is damaged: {error}") from None
    if len(set(names)) < len(names):
        raise ParameterError(f"{name} has two columns with the same name. Rename one of them.")
    return found


def parquet_batches(file: pq.ParquetFile, source: Opened, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file in batches."""
    try:
        yield from file.iter_batches(batch_size=ROWS, columns=columns)
    except (pa.ArrowException, OSError) as error:
        raise ParameterError(f"{source.name} is damaged: {error}") from None
