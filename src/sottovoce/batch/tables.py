"""Columns of text from CSV, NDJSON and Parquet, batch by batch; every row knows where it stands in its file."""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sottovoce.batch.inputs import Opened
from sottovoce.batch.rows import Skipped
from sottovoce.errors import ParameterError

#: Rows that are worked on at a time, and bytes of text.
ROWS, BLOCK = 1 << 18, 1 << 22
_DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class Batch:
    """Some rows: binary columns by name, and the place of a row in the file."""

    columns: Mapping[str, pa.Array]
    where: Callable[[int], str]


#: From the columns that there are to those that are wanted.
Choice = Callable[[Sequence[str]], Sequence[str]]


def read_columns(source: Opened, choose: Choice, skipped: Skipped, bare: Callable[[str], bool]) -> Iterator[Batch]:
    """The chosen columns of a file. `bare` says of a lone first line whether it is a value already, so that there is no header."""
    if source.head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ParameterError(f"{source.name} is UTF-16 text; save it as UTF-8")
    match source.format:
        case "csv":
            return _csv(source, choose, skipped, bare)
        case "ndjson":
            return _ndjson(source, choose, skipped)
        case "parquet":
            return _parquet(source, choose)
    raise ParameterError(f"{source.name} is {source.format}; answers are read from CSV, NDJSON or Parquet")


def _csv(source: Opened, choose: Choice, skipped: Skipped, bare: Callable[[str], bool]) -> Iterator[Batch]:
    fields, delimiter = _header(source)
    if not fields:
        raise ParameterError(f"{source.name} is empty; write a header line with the column 'answer', and an answer on each line below")
    names = ["answer"] if len(fields) == 1 and bare(fields[0]) else fields
    wanted = choose(names)
    if len(set(names)) < len(names):
        raise ParameterError(f"{source.name} has two columns of one name in its header; rename one of them")
    broken: list[Any] = []

    def invalid(row: Any) -> str:
        broken.append(row)
        return "skip"

    told, first = 0, 2 if names is fields else 1
    try:
        reader = pacsv.open_csv(
            source.file,
            pacsv.ReadOptions(use_threads=False, block_size=BLOCK, column_names=None if names is fields else names),
            pacsv.ParseOptions(
                delimiter=delimiter,
                invalid_row_handler=invalid,
                ignore_empty_lines=False,
                newlines_in_values=b'"' in source.head,  # slower, and needed only where fields are quoted
            ),
            pacsv.ConvertOptions(check_utf8=False, include_columns=list(wanted), column_types=dict.fromkeys(names, pa.binary())),
        )
        with reader:
            for batch in reader:
                told = _tell(source.name, broken, told, skipped)
                numbers = sorted(row.number for row in broken)
                yield Batch({name: batch.column(name) for name in wanted}, _lines(source.name, first, numbers))
                first += batch.num_rows
    except pa.ArrowInvalid as error:
        raise ParameterError(f"{source.name} cannot be read as CSV: {error}") from None
    _tell(source.name, broken, told, skipped)


def _tell(name: str, broken: Sequence[Any], told: int, skipped: Skipped) -> int:
    """Leave out the broken lines that were met since the last time."""
    for row in broken[told:]:
        fields = "1 field" if row.actual_columns == 1 else f"{row.actual_columns} fields"
        skipped.add(f"{name}, line {row.number}", f"it has {fields}, and the header has {row.expected_columns}")
    return len(broken)


def _header(source: Opened) -> tuple[list[str], str]:
    """The first line as fields, and what separates them."""
    first = source.head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "replace")
    delimiter = max(_DELIMITERS, key=first.count)
    rows = list(csv.reader([first], delimiter=delimiter))
    return (rows[0] if rows else []), delimiter


def _lines(name: str, first: int, numbers: Sequence[int]) -> Callable[[int], str]:
    """The line of a row, if broken lines stand between the good ones."""

    def where(row: int) -> str:
        line = first + row
        while (shifted := first + row + bisect_right(numbers, line)) != line:
            line = shifted
        return f"{name}, line {line}"

    return where


def _ndjson(source: Opened, choose: Choice, skipped: Skipped) -> Iterator[Batch]:
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    wanted: Sequence[str] | None = None
    for start, lines in read_lines(source):
        rows, places = [], []
        for place, line in enumerate(lines, start):
            try:
                rows.append(decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                skipped.add(f"{source.name}, line {place}", "it is not a JSON object")
                continue
            places.append(place)
        if rows and wanted is None:
            wanted = choose(list(rows[0]))
        arrays = {name: pa.array([_bytes(row.get(name)) for row in rows], type=pa.binary()) for name in wanted or ()}
        yield Batch(arrays, lambda row, places=places: f"{source.name}, line {places[row]}")  # type: ignore[misc]  # bound now


def read_lines(source: Opened) -> Iterator[tuple[int, list[bytes]]]:
    """Lines of a file, many at a time, with the number of the first."""
    start = 1
    while lines := source.file.readlines(BLOCK):
        yield start, lines
        start += len(lines)


def _bytes(value: Any) -> bytes | None:
    """A JSON value as a file of text would have it; a list holds the labels of an item's axes."""
    if isinstance(value, list):
        return " / ".join(map(str, value)).encode()
    return None if value is None else str(value).encode()


def _parquet(source: Opened, choose: Choice) -> Iterator[Batch]:
    file = open_parquet(source)
    wanted = list(choose(file.schema_arrow.names))
    first = 1
    for batch in parquet_batches(file, source, wanted):
        try:
            texts = {name: batch.column(name).cast(pa.string()).cast(pa.binary()) for name in wanted}
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise ParameterError(f"{source.name}: a column cannot be read as text: {error}") from None
        yield Batch(texts, lambda row, first=first: f"{source.name}, row {first + row}")  # type: ignore[misc]  # bound now
        first += batch.num_rows


def open_parquet(source: Opened) -> pq.ParquetFile:
    """A Parquet file; a stream is read whole, since its index stands at its end."""
    try:
        return pq.ParquetFile(source.file if source.size is not None else pa.BufferReader(source.file.read()))
    except (pa.ArrowException, OSError) as error:
        raise ParameterError(f"{source.name} is not a Parquet file, or is broken: {error}") from None


def parquet_batches(file: pq.ParquetFile, source: Opened, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file, some at a time."""
    try:
        yield from file.iter_batches(batch_size=ROWS, columns=columns)
    except (pa.ArrowException, OSError) as error:
        raise ParameterError(f"{source.name} is broken: {error}") from None
