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
#: The longest line of a file of text.
_LONGEST = 1 << 26
_BOM = b"\xef\xbb\xbf"


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
    headless = len(fields) == 1 and bare(fields[0])
    names = ["answer"] if headless else fields
    wanted = list(choose(names))
    if len(set(names)) < len(names):
        raise ParameterError(f"{source.name} has two columns of one name in its header; rename one of them")
    line = 1
    for block in _blocks(source):
        rows = block.split(b"\n", 1)[1] if line == 1 and not headless else block
        line += rows is not block
        if not rows:
            continue
        broken: list[Any] = []
        table = _parsed(rows, names, wanted, delimiter, broken, source.name)
        for row in broken:
            held = "1 field" if row.actual_columns == 1 else f"{row.actual_columns} fields"
            skipped.add(f"{source.name}, line {line + row.number - 1}", f"it has {held}, and the header has {row.expected_columns}")
        columns = {name: table.column(name).combine_chunks() for name in wanted}
        yield Batch(columns, _lines(source.name, line, sorted(line + row.number - 1 for row in broken)))
        line += rows.count(b"\n")


def _parsed(rows: bytes, names: list[str], wanted: list[str], delimiter: str, broken: list[Any], where: str) -> pa.Table:
    """The columns of some lines; those that do not have as many fields as there are names go to `broken`."""

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
        raise ParameterError(f"{where} cannot be read as CSV: {error}") from None


def _blocks(source: Opened) -> Iterator[bytes]:
    """Whole lines, many at a time. They are read here, and not by Arrow, so that waiting for input can be interrupted."""
    rest = source.file.read(len(_BOM)).removeprefix(_BOM)
    while data := source.file.read(BLOCK):
        rest += data
        end = _last_line(rest)
        if end:
            yield rest[:end]
            rest = rest[end:]
        elif len(rest) > _LONGEST:
            raise ParameterError(f"{source.name} has a line of more than {_LONGEST >> 20} MB; is a quote not closed?")
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"


def _last_line(data: bytes) -> int:
    """Where the last whole line ends; a line may hold line breaks between quotes."""
    end = data.rfind(b"\n") + 1
    while end and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, data.rfind(b'"', 0, end)) + 1
    return end


def _header(source: Opened) -> tuple[list[str], str]:
    """The first line as fields, and what separates them."""
    first = source.head.removeprefix(_BOM).split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "replace")
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
