"""Answers from files that are read whole: JSON arrays, Excel workbooks and SPSS files."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, time
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from sottovoce.batch.batches import MISSING, ROWS, Batch, Choice, as_bytes
from sottovoce.batch.input_files import STANDARD, Opened
from sottovoce.batch.skipped_rows import SkippedRows
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.extras import install
from sottovoce.later import pa

#: What is read of JSON.
_ARRAYS = 'Write an array of texts, ["flu", "none"], or of objects, [{"answer": "flu"}].'
#: The first bytes of old Excel files, and of workbooks with a password.
_OLD = b"\xd0\xcf\x11\xe0"


def json_batches(source: Opened, choose: Choice, skipped: SkippedRows[str]) -> Iterator[Batch]:
    """The rows of a JSON array: objects, or values of which each is an answer."""
    try:
        found = msgspec.json.decode(source.file.read())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ParameterError(f"{source.name} isn't valid JSON: {error}. {_ARRAYS}") from None
    if not isinstance(found, list):
        raise ParameterError(f"{source.name} isn't a JSON array. {_ARRAYS}")
    objects = any(isinstance(each, dict) for each in found)
    rows, places = [], []
    for place, each in enumerate(found, 1):
        if objects and not isinstance(each, dict):
            skipped.add(f"{source.name}, element {place}", "it isn't a JSON object")
            continue
        rows.append(each if objects else {"answer": each})
        places.append(place)
    wanted = choose(list(dict.fromkeys(key for row in rows for key in row)) or ["answer"])
    for start in range(0, len(rows), ROWS):
        part = rows[start : start + ROWS]
        columns = {name: pa.array([as_bytes(row.get(name, MISSING)) for row in part], type=pa.binary()) for name in wanted}
        yield Batch(columns, lambda row, start=start: f"{source.name}, element {places[start + row]}")  # type: ignore[misc]  # bound now


def excel_batches(source: Opened, choose: Choice, skipped: SkippedRows[str], bare: Callable[[str], bool]) -> Iterator[Batch]:
    """The rows of the first sheet of a workbook; its first row with anything in it is the header. Empty rows are passed over."""
    if source.head.startswith(_OLD):
        raise ParameterError(f"{source.name} has a password or an old Excel format. Save it as .xlsx without a password, or as CSV.")
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise UnsupportedError(f"{source.name} is an Excel file. To read it, install openpyxl with: {install('excel')}") from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(source.file.read()), read_only=True, data_only=True)
        sheets = book.worksheets
    except Exception as error:  # whatever a broken archive breaks in the library
        raise ParameterError(f"{source.name} isn't an Excel workbook or is damaged ({error}). Save it again as .xlsx or CSV.") from None
    if more := [each.title for each in sheets[1:] if any(any(cell is not None for cell in row) for row in each.values)]:
        skipped.remark(f"{source.name}: only the first sheet, {sheets[0].title!r}, was read. {more[0]!r} also has content")
    numbered = ((number, row) for number, row in enumerate(sheets[0].values, 1) if any(cell is not None for cell in row))
    first = next(numbered, None)
    if first is None:
        raise ParameterError(f"{source.name} is empty. Write a header ('answer' or the names of the questions) and the answers below it.")
    header = [_cell(each) or "" for each in first[1]]
    while not header[-1]:
        header.pop()
    headless = len(header) == 1 and bare(header[0])
    names = ["answer"] if headless else header
    wanted = choose(names)
    if len(set(names)) < len(names):
        raise ParameterError(f"{source.name} has two columns with the same name. Rename one of them.")
    rows = _begun([first] * headless, numbered)
    while part := list(islice(rows, ROWS)):
        columns = {name: pa.array([_bytes(row, names.index(name)) for _, row in part], type=pa.binary()) for name in wanted}
        places = [number for number, _ in part]
        yield Batch(columns, lambda row, places=places: f"{source.name}, row {places[row]}")  # type: ignore[misc]  # bound now


def _begun(first: list[Any], rest: Iterator[Any]) -> Iterator[Any]:
    yield from first
    yield from rest


def _bytes(row: Sequence[Any], place: int) -> bytes | None:
    text = _cell(row[place]) if place < len(row) else None
    return None if text is None else text.encode("utf-8", "backslashreplace")


def _cell(value: Any) -> str | None:
    """A value of a table as a file of text would have it: whole numbers without a point, days without a time."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return str(value).strip()


def spss_batches(source: Opened, choose: Choice) -> Iterator[Batch]:
    """The cases of an SPSS file. Values that have a label are read as their label, missing values as nothing."""
    try:
        import pyreadstat
    except ModuleNotFoundError:
        raise UnsupportedError(f"{source.name} is an SPSS file. To read it, install pyreadstat with: {install('spss')}") from None
    with tempfile.TemporaryDirectory() as folder:
        path = source.name
        if source.size is None or path == STANDARD or path.endswith(".gz"):  # the library reads files only
            path = str(Path(folder) / "answers.sav")
            with open(path, "wb") as copy:
                shutil.copyfileobj(source.file, copy)
        try:
            _, about = pyreadstat.read_sav(path, metadataonly=True)
            wanted = list(choose(about.column_names))
            found, _ = pyreadstat.read_sav(path, usecols=list(dict.fromkeys(wanted)), output_format="dict")
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError) as error:
            raise ParameterError(f"{source.name} isn't an SPSS file or is damaged ({error}). Save it again as .sav or CSV.") from None
    labels = {name: about.variable_value_labels.get(name, {}) for name in wanted}
    rows = {name: [_cell(labels[name].get(each, each)) for each in found[name]] for name in wanted}
    columns = {
        name: pa.array([None if text is None else text.encode("utf-8", "backslashreplace") for text in texts], type=pa.binary())
        for name, texts in rows.items()
    }
    for start in range(0, max(1, len(next(iter(columns.values())))), ROWS):
        part = {name: column[start : start + ROWS] for name, column in columns.items()}
        yield Batch(part, lambda row, start=start: f"{source.name}, case {start + row + 1}")  # type: ignore[misc]  # bound now
