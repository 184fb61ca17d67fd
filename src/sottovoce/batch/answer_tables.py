"""Answers from files that are read whole: JSON arrays, Excel workbooks and SPSS files."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec

from sottovoce.batch.batches import MISSING, ROWS, Batch, Choice, as_bytes
from sottovoce.batch.input_files import STANDARD, Opened, whole
from sottovoce.batch.skipped_rows import SkippedRows
from sottovoce.batch.workbooks import workbook_rows
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.extras import install
from sottovoce.later import pa

#: What is read of JSON.
_ARRAYS = 'Write an array of texts, ["flu", "none"], or of objects, [{"answer": "flu"}].'
#: Bytes of an SPSS file's cases that are read at a time.
_PART = 1 << 26


def json_batches(source: Opened, choose: Choice, skipped: SkippedRows[str]) -> Iterator[Batch]:
    """The rows of a JSON array: objects, or values of which each is an answer."""
    try:
        found = msgspec.json.decode(whole(source))
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


def excel_batches(
    source: Opened, choose: Choice, skipped: SkippedRows[str], bare: Callable[[str], bool], sheet: str | None = None
) -> Iterator[Batch]:
    """The rows of a sheet of a workbook. The first one with anything in it is the header."""
    numbered = workbook_rows(source, skipped, sheet)
    first = next(numbered, None)
    if first is None:
        raise ParameterError(f"{source.name} is empty. Write a header ('answer' or the names of the questions) and the answers below it.")
    header = [_cell(each) or "" for each in first[1]]
    while not header[-1]:
        header.pop()
    headless = len(header) == 1 and bare(header[0])
    names = ["answer"] if headless else header
    wanted = list(choose(names))
    if len(set(names)) < len(names):
        raise ParameterError(f"{source.name} has two columns with the same name. Rename one of them.")
    places = [names.index(name) for name in wanted]
    # a row may be padded to thousands of cells, so only the wanted ones are kept
    rows = ((number, [_bytes(row, place) for place in places]) for number, row in chain([first] * headless, numbered))
    while part := list(islice(rows, ROWS)):
        columns = {name: pa.array([row[k] for _, row in part], type=pa.binary()) for k, name in enumerate(wanted)}
        numbers = [number for number, _ in part]
        yield Batch(columns, lambda row, numbers=numbers: f"{source.name}, row {numbers[row]}")  # type: ignore[misc]  # bound now


def _bytes(row: Sequence[Any], place: int) -> bytes | None:
    return _text(row[place]) if place < len(row) else None


def _text(value: Any) -> bytes | None:
    text = _cell(value)
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
            labels = {name: about.variable_value_labels.get(name, {}) for name in wanted}
            # packed files may contain any number of cases, so they are read in parts
            width = sum(about.variable_storage_width.get(name, 8) for name in wanted)
            most, start = max(1, min(ROWS, _PART // max(1, width))), 0
            while True:
                found, _ = pyreadstat.read_sav(
                    path, usecols=list(dict.fromkeys(wanted)), output_format="dict", row_offset=start, row_limit=most
                )
                columns = {
                    name: pa.array([_text(labels[name].get(each, each)) for each in found[name]], type=pa.binary()) for name in wanted
                }
                yield Batch(columns, lambda row, start=start: f"{source.name}, case {start + row + 1}")  # type: ignore[misc]  # bound now
                start += most
                if len(found[wanted[0]]) < most:
                    return
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError) as error:
            raise ParameterError(f"{source.name} isn't an SPSS file or is damaged ({error}). Save it again as .sav or CSV.") from None
