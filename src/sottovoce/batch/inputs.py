"""Input files: found, opened and recognised."""

from __future__ import annotations

import glob
import gzip
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sottovoce.errors import ParameterError

#: The formats of files, by their endings.
FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".arrow": "arrow",
}
STANDARD = "-"
#: Bytes that are looked at to recognise a format and a header.
_PEEK = 1 << 16


@dataclass(frozen=True)
class Opened:
    """An open file, what it is called, its format, its first bytes, and its size (None where it is a stream)."""

    name: str
    format: str
    file: io.BufferedReader[Any]
    head: bytes
    size: int | None
    raw: IO[bytes]

    @property
    def done(self) -> float:
        """How much of the file was read, between 0 and 1 (0 for a stream)."""
        return min(1.0, self.raw.tell() / self.size) if self.size else 0.0


def expanded(paths: Sequence[str]) -> list[str]:
    """The files that patterns such as 'reports/*.parquet' and folders stand for, each once."""
    found: list[str] = []
    for path in paths:
        if path == STANDARD or os.path.isfile(path):
            found.append(path)
            continue
        if os.path.isdir(path):
            inside = sorted(str(each) for each in Path(path).iterdir() if each.suffix in FORMATS and each.is_file())
        else:
            inside = sorted(each for each in glob.glob(path) if os.path.isfile(each))
        if not inside:
            raise FileNotFoundError(2, "there is no such file" if not glob.has_magic(path) else "no file matches", path)
        found += inside
    if repeated := next((path for path in found if found.count(path) > 1), None):
        raise ParameterError(f"{repeated} is named more than once; it would be counted more than once: name it once")
    return found


@contextmanager
def opened(path: str, form: str | None = None) -> Iterator[Opened]:
    """Open a file, or the standard input for "-"; the format is given, or told by the ending, or by the first bytes."""
    suffixes = Path(path).suffixes
    packed = bool(suffixes) and suffixes[-1] == ".gz"
    name = "standard input" if path == STANDARD else path
    raw: IO[bytes] = sys.stdin.buffer if path == STANDARD else open(path, "rb")  # noqa: SIM115 - closed below
    try:
        size = None if path == STANDARD else os.fstat(raw.fileno()).st_size
        file: Any = io.BufferedReader(gzip.GzipFile(fileobj=raw), _PEEK) if packed else raw
        head = file.peek(_PEEK)[:_PEEK]
        ending = FORMATS.get(suffixes[-2 if packed else -1]) if len(suffixes) > packed else None
        yield Opened(name, form or ending or _recognised(head), file, head, size, raw)
    finally:
        if path != STANDARD:
            raw.close()


def _recognised(head: bytes) -> str:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"\xff\xff\xff\xff"):
        return "arrow"
    return "ndjson" if head.lstrip().startswith(b"{") else "csv"
