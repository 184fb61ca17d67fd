"""Excel workbooks as rows of values, in bounded memory whatever the file unpacks to."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

from sottovoce.batch.input_files import Opened, whole
from sottovoce.batch.skipped_rows import SkippedRows
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.extras import install

#: The first bytes of old Excel files, and of workbooks with a password.
_OLD = b"\xd0\xcf\x11\xe0"
#: The most bytes that the parts of a workbook may unpack to, all together.
_MOST = 1 << 30
#: Bytes from which on a part may not be larger than so many times its packed form. Rows of answers take a tenth or twentieth.
_PACKED, _RATIO = 1 << 24, 100
#: The most rows of a sheet in Excel.
_ROWS = 1 << 20
#: Bytes that are unpacked at a time, only to count them.
_STEP = 1 << 20

#: The number of a row, and its values.
Row = tuple[int, Sequence[Any]]


def workbook_rows(source: Opened, skipped: SkippedRows[str], sheet: str | None = None) -> Iterator[Row]:
    """The rows of a sheet that have a value, with their numbers. Without a name it is the first sheet."""
    if source.head.startswith(_OLD):
        raise ParameterError(f"{source.name} has a password or an old Excel format. Save it as .xlsx without a password, or as CSV.")
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise UnsupportedError(f"{source.name} is an Excel file. To read it, install openpyxl with: {install('excel')}") from None
    data = io.BytesIO(whole(source))
    try:
        _check_size(source.name, data)
        book = openpyxl.load_workbook(data, read_only=True, data_only=True)
        sheets = {each.title: each for each in book.worksheets}
    except ParameterError:
        raise
    except Exception as error:  # whatever a broken archive breaks in the library
        raise _damaged(source.name, error) from None
    if not sheets:
        raise ParameterError(f"{source.name} has no sheet with cells. Save it again as .xlsx or CSV.")
    if sheet is not None and sheet not in sheets:
        raise ParameterError(f"{source.name} has no sheet {sheet!r}. Its sheets are {', '.join(map(repr, sheets))}.")
    first, *others = sheets
    if sheet is None and (more := [each for each in others if any(_rows(source.name, sheets[each]))]):
        also = f"{more[0]!r} also has" if len(more) == 1 else f"{', '.join(map(repr, more))} also have"
        skipped.remark(f"{source.name}: only the first sheet, {first!r}, was read. {also} content. Choose a sheet with --sheet")
    return _rows(source.name, sheets[first if sheet is None else sheet])


def _check_size(name: str, data: io.BytesIO) -> None:
    """Refuse a workbook that unpacks to more than it may. What its index claims isn't trusted."""
    total = 0
    with zipfile.ZipFile(data) as archive:
        for part in archive.infolist():
            if part.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:  # the others are unpacked in one piece
                raise ParameterError(f"{name} is packed in a way that Excel doesn't use. Save it again as .xlsx or CSV.")
            claimed = copy(part)
            claimed.file_size = _MOST + 1  # so that all of it is read, and its checksum is compared
            size = 0
            with archive.open(claimed) as packed:
                while more := packed.read(_STEP):
                    size, total = size + len(more), total + len(more)
                    if total > _MOST or (size > _PACKED and size > _RATIO * part.compress_size):
                        raise ParameterError(
                            f"{name} has {len(data.getbuffer()):,} bytes but unpacks to {total:,} or more. "
                            "Workbooks of answers don't, so it isn't read. Save the answers as CSV."
                        )
            if size != part.file_size:
                raise zipfile.BadZipFile(f"{part.filename} doesn't have the size that the index gives")


def _rows(name: str, sheet: Any) -> Iterator[Row]:
    """The rows of a sheet with anything in them."""
    try:
        for number, row in enumerate(sheet.values, 1):
            if number > _ROWS:
                raise ParameterError(f"{name} has more rows than the {_ROWS:,} of Excel. Save the answers as CSV.")
            if any(cell is not None for cell in row):
                yield number, row
    except ParameterError:
        raise
    except Exception as error:  # sheets are parsed row by row
        raise _damaged(name, error) from None


def _damaged(name: str, error: Exception) -> ParameterError:
    return ParameterError(f"{name} isn't an Excel workbook or is damaged ({error}). Save it again as .xlsx or CSV.")
