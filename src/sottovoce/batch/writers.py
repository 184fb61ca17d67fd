"""Write files that are complete or don't exist: they are written under a temporary name and renamed when they are finished."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Protocol

from sottovoce.batch.input_files import FORMATS, STANDARD
from sottovoce.errors import FileError, MissingFileError, ParameterError
from sottovoce.later import pa, pq
from sottovoce.reports import Reports
from sottovoce.study import Study
from sottovoce.wire import STUDY_KEY, lines, schema_of

_STANDARD_OUTPUT = frozenset({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
#: Rows and bytes of a group of a Parquet file (which one core reads at a time), and lines that are written at a time.
_GROUP, _BYTES, _LINES = 1 << 20, 1 << 24, 1 << 16


@contextmanager
def replacing(path: str | Path, *, secret: bool = False, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file to write to. It gets its name once it's complete and on disk, and a failure leaves nothing behind.

    Links are followed, pipes and devices are written to directly, and an existing file keeps its permissions. A new `private` file is
    readable by its owner only. A `secret` file always is, and so is every file until it's finished.
    """
    if os.path.isdir(path):
        raise FileError(f"{path}: This is a folder. Name a file.")
    if str(path) in _STANDARD_OUTPUT:
        yield sys.stdout.buffer
        return
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise MissingFileError(f"{path}: Folder {_folder(path)} not found. Create it or choose another.")
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:
        raise FileError(f"{path}: No file can be made in this folder ({error.strerror}). Choose another folder.") from None
    with open(handle, "wb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not secret:
                os.chmod(part, stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600 if private else 0o666 & ~_mask())
            os.replace(part, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise


def _folder(path: str | Path) -> str:
    """The folder of a file as it was named."""
    return os.path.dirname(path) or "."


def _mask() -> int:
    """The permissions that new files may not have."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@contextmanager
def creating(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a new file for its owner only. An existing file raises an error, and a failure leaves nothing behind."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        raise ParameterError(f"{path} already exists. Choose another file or remove it first.") from None
    with open(handle, "wb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                os.unlink(path)
            raise


def write_whole(path: str | Path, data: bytes | str, *, private: bool = False) -> None:
    """Write a file in one piece. A `private` one is created for its owner only."""
    with replacing(path, private=private) as file:
        file.write(data.encode() if isinstance(data, str) else data)


class ReportWriter(Protocol):
    """Takes reports in batches."""

    def write(self, reports: Reports) -> None: ...


class _Lines:
    def __init__(self, file: IO[bytes], study: Study) -> None:
        self._file, self._study = file, study

    def write(self, reports: Reports) -> None:
        for begin in range(0, len(reports), _LINES):
            self._file.write(lines(self._study.fingerprint, reports[begin : begin + _LINES]))


def record_width(study: Study) -> int:
    """The bytes of the study's longest report."""
    return max(mechanism.channel.reports_from_bytes(b"").records().shape[1] for mechanism in study.blocks.values())


class ReportTable:
    """A Parquet file of reports."""

    def __init__(self, file: IO[bytes], study: Study) -> None:
        schema = schema_of(study.mechanism)
        if "level" in schema.names:
            schema = schema.set(schema.get_field_index("level"), pa.field("level", pa.dictionary(pa.int8(), pa.string())))
        self._schema = schema.with_metadata({STUDY_KEY: study.fingerprint.encode()})
        self._rows = max(1, min(_GROUP, _BYTES // record_width(study)))
        self._writer = pq.ParquetWriter(file, self._schema, compression="zstd")

    def write(self, reports: Reports) -> None:
        self._writer.write_table(pa.Table.from_batches([reports.to_arrow()]).cast(self._schema), row_group_size=self._rows)

    def note(self, key: bytes, value: bytes) -> None:
        """Put an entry into the metadata of the file."""
        self._writer.add_key_value_metadata({key: value})

    def close(self) -> None:
        try:
            self._writer.close()
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Stop writing. The unfinished file will be removed."""
        self._writer.is_open = False


@contextmanager
def writing_reports(path: str, form: str | None, study: Study, *, spool: bool = False) -> Iterator[ReportWriter]:
    """Open the destination of reports: a file (Parquet or NDJSON), or standard output for "-" (NDJSON by default).

    With `spool`, nothing goes to standard output before all is done.
    """
    chosen = form or FORMATS.get(Path(path).suffix, "ndjson" if path == STANDARD else "")
    if chosen not in {"parquet", "ndjson"}:
        raise ParameterError(f"Reports can't be written to {path!r}. Use a name that ends in .parquet or .ndjson, or add --format.")
    if path == STANDARD:
        out = sys.stdout.buffer
        if chosen == "parquet" and out.isatty():
            raise ParameterError("Parquet can't be shown on a terminal. Name a file with --output, or pipe it into another program.")
        if spool:
            with tempfile.TemporaryFile() as waiting:
                yield from _into(waiting, chosen, study)
                waiting.seek(0)
                shutil.copyfileobj(waiting, out)
        else:
            yield from _into(out, chosen, study)
        out.flush()
        return
    with replacing(path, private=True) as file:
        yield from _into(file, chosen, study)


def _into(file: IO[bytes], form: str, study: Study) -> Iterator[ReportWriter]:
    if form == "ndjson":
        yield _Lines(file, study)
        return
    yield from _table(file, study)


def _table(file: IO[bytes], study: Study) -> Iterator[ReportTable]:
    table = ReportTable(file, study)
    try:
        yield table
    except BaseException:
        table.abandon()
        raise
    table.close()


@contextmanager
def writing_table(path: str | Path, study: Study) -> Iterator[ReportTable]:
    """Open a Parquet file for reports."""
    with replacing(path, private=True) as file:
        yield from _table(file, study)
