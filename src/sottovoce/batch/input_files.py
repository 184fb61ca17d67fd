"""Find, recognise and open input files."""

from __future__ import annotations

import glob
import gzip
import hashlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import msgspec

from sottovoce.batch.decoding import Decoded
from sottovoce.errors import FileError, MissingFileError, ParameterError

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
#: Formats that only answers have, by their endings, and those that aren't text.
ANSWERS = {".json": "json", ".xlsx": "excel", ".xlsm": "excel", ".xls": "excel", ".sav": "spss", ".zsav": "spss"}
BINARY = frozenset({"parquet", "arrow", "excel", "spss"})
STANDARD = "-"
#: What the name of a folder of parts ends in.
PARTS = ".parts"
#: Bytes that are looked at to recognise a format, and the most that a header may take.
_PEEK, _LONGEST = 1 << 16, 1 << 22
#: The most bytes of a file that is read in one piece.
_WHOLE = 1 << 30


@dataclass(frozen=True)
class Opened:
    """An open file: its name, format and first bytes, and its size (None for a stream)."""

    name: str
    format: str
    file: io.BufferedReader[Any]
    head: bytes
    size: int | None
    raw: IO[bytes]

    @property
    def done(self) -> float:
        """The part of the file that was read, from 0 to 1 (0 for a stream)."""
        return min(1.0, self.raw.tell() / self.size) if self.size else 0.0


@dataclass(frozen=True)
class Stamp:
    """The state of a file. It changes if someone writes to the file or replaces it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int

    @classmethod
    def of(cls, file: str | IO[bytes]) -> Stamp:
        about = os.stat(file) if isinstance(file, str) else os.fstat(file.fileno())
        return cls(about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino, about.st_dev)


def digest_of(path: str) -> tuple[Stamp, str]:
    """The state of a file, and the SHA-256 of its content."""
    with open(path, "rb", buffering=0) as file:
        return Stamp.of(file), hashlib.file_digest(file, "sha256").hexdigest()


def copies(paths: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of files with the same content. Only files of the same size and with the same end are read whole."""
    alike: dict[int | bytes | str, list[str]] = {0: [path for path in paths if path != STANDARD and os.path.isfile(path)]}
    for mark in (os.path.getsize, _end, lambda path: digest_of(path)[1]):
        groups: dict[int | bytes | str, list[str]] = {}
        for path in (path for group in alike.values() for path in group):
            groups.setdefault(mark(path), []).append(path)
        alike = {key: group for key, group in groups.items() if len(group) > 1}
    return [(group[0], path) for group in alike.values() for path in group[1:]]


def _end(path: str) -> bytes:
    with open(path, "rb") as file:
        file.seek(-min(_PEEK, os.fstat(file.fileno()).st_size), os.SEEK_END)
        return hashlib.sha256(file.read()).digest()


def expanded(paths: Sequence[str]) -> list[str]:
    """Expand patterns such as 'reports/*.parquet' and folders into files, each once.

    Folders are read recursively. Names that begin with a dot or an underscore are skipped, because such files are unfinished or contain no
    data. A pattern includes them only if it spells the dot or underscore.
    """
    found: list[str] = []
    for path in paths:
        if path == STANDARD or (os.path.exists(path) and not os.path.isdir(path)):
            found.append(path)
            continue
        if os.path.isdir(path):
            inside = [each for each in within(path) if _ending(each)]
        else:
            inside = sorted(each for each in glob.glob(path, recursive=True) if os.path.isfile(each) and _meant(each, path))
        tallies = [each for each in inside if _ending(each) == "arrow"]
        if 0 < len(tallies) < len(inside):
            raise ParameterError(
                f"{path} matches both a tally ({tallies[0]}) and files of reports, which the tally may already include. "
                "Name the files to count or move the tally."
            )
        if not inside:
            raise MissingFileError(f"{path}: {_nothing_at(path)}")
        found += inside
    once_each(found)
    return found


def _nothing_at(path: str) -> str:
    """Why a path stands for no file."""
    if os.path.isdir(path):
        return "This folder has no files of reports, such as .parquet or .ndjson. Check its name."
    return "No file matches. Check the pattern." if glob.has_magic(path) else "File not found. Check its name."


def once_each(paths: Sequence[str]) -> None:
    """Raise an error if a file is named twice, even under different names."""
    seen: dict[tuple[int, int] | str, str] = {}
    for path in paths:
        place = os.stat(path) if path != STANDARD else None
        key = path if place is None else (place.st_dev, place.st_ino)
        if key in seen:
            raise ParameterError(f"{path} and {seen[key]} are the same file, which would be counted twice. Name it once.")
        seen[key] = path


def left_aside(paths: Sequence[str]) -> list[str]:
    """The files of named folders that aren't read because of their kind."""
    return [each for path in paths if os.path.isdir(path) for each in within(path) if not _ending(each)]


def within(folder: str) -> list[str]:
    """The files of a folder and its subfolders, sorted by name. Links are followed, but not in circles."""
    found: list[str] = []
    been: set[str] = set()

    def stop(error: OSError) -> None:
        raise error

    for place, folders, files in os.walk(folder, onerror=stop, followlinks=True):
        been.add(os.path.realpath(place))
        folders[:] = sorted(each for each in folders if _is_data(os.path.join(place, each)))
        folders[:] = [each for each in folders if os.path.realpath(os.path.join(place, each)) not in been]
        found += [os.path.join(place, each) for each in sorted(files) if not each.startswith((".", "_"))]
    return found


def _is_data(folder: str) -> bool:
    """Whether to read a subfolder: not if it's hidden, unfinished, or a folder of parts."""
    if os.path.basename(folder).startswith((".", "_")):
        return False
    return not (folder.endswith(PARTS) and all(each.endswith((".part", PARTS)) for each in os.listdir(folder)))


def _meant(path: str, pattern: str) -> bool:
    """Whether a pattern includes a file: nothing behind its fixed beginning is hidden, unfinished or a part, unless spelled out."""
    fixed = len(pattern[: min(pattern.find(sign) for sign in "*?[" if sign in pattern)].rpartition("/")[0])
    names = path[fixed:].strip("/").split("/")
    return not any(name.startswith((".", "_")) or name.endswith((".part", PARTS)) for name in names if name not in pattern)


def _ending(path: str | Path, formats: Mapping[str, str] = FORMATS) -> str | None:
    """The format by the ending of a name. For a gzip file, it's the ending before .gz."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return formats.get(suffixes[-1]) if suffixes else None


@contextmanager
def opened(path: str, form: str | None = None, encoding: str | None = None) -> Iterator[Opened]:
    """Open a file, or standard input for "-". Its format is the given one, or follows from the ending or the first bytes.

    Text with an `encoding` other than UTF-8 is converted to UTF-8.
    """
    name = "standard input" if path == STANDARD else path
    if path == STANDARD and sys.stdin is None:
        raise FileError("Standard input is closed. Name a file.")
    if os.path.isdir(path):
        raise FileError(f"{path}: This is a folder. Name a file.")
    if path != STANDARD and not os.path.exists(path):
        raise MissingFileError(f"{path}: File not found. Check its name.")
    raw: IO[bytes] = sys.stdin.buffer if path == STANDARD else open(path, "rb")  # noqa: SIM115 - closed below
    try:
        regular = path != STANDARD and stat.S_ISREG(os.fstat(raw.fileno()).st_mode)
        size = os.fstat(raw.fileno()).st_size if regular else None
        file: Any = io.BufferedReader(gzip.GzipFile(fileobj=raw)) if path.lower().endswith(".gz") else raw
        chosen = form or _ending(path, FORMATS | ANSWERS)
        if encoding is not None and chosen not in BINARY:
            file, regular = io.BufferedReader(Decoded(file, encoding, name), _PEEK), False
        head = _head(file)
        if file.seekable() and regular:
            file.seek(0)
        else:
            file = io.BufferedReader(_Chained(head, file), _PEEK)
        yield Opened(name, _recognised(head) if chosen in {None, "json"} else chosen, file, head, size, raw)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise FileError(f"{name} is cut off or damaged. Copy or download it again.") from None
    finally:
        if path != STANDARD:
            raw.close()


def whole(source: Opened) -> bytes:
    """The content of a file that can only be read in one piece."""
    data = io.BytesIO()
    while more := source.file.read(_PEEK):
        data.write(more)
        if data.tell() > _WHOLE:
            raise ParameterError(f"{source.name} has more than {_WHOLE:,} bytes. Save it as CSV, NDJSON or Parquet.")
    return data.getvalue()


def _head(file: Any) -> bytes:
    """The first bytes: enough for a whole line, up to a limit."""
    head = b""
    while len(head) < _PEEK or (b"\n" not in head and len(head) < _LONGEST):
        more = file.read1(_PEEK)
        if not more:
            break
        head += more
        if b"\n" in head:
            break
    return head


class _Chained(io.RawIOBase):
    """A stream with some bytes put back at its front."""

    def __init__(self, head: bytes, file: Any) -> None:
        self._head, self._file = head, file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._head:
            count = min(len(buffer), len(self._head))
            buffer[:count], self._head = self._head[:count], self._head[count:]
            return count
        data = self._file.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _recognised(head: bytes) -> str:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"\xff\xff\xff\xff"):
        return "arrow"
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if begins.startswith(b"{"):
        return "ndjson" if _is_object(begins.split(b"\n", 1)[0]) else "json"
    return "json" if begins.startswith(b"[") else "csv"


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except msgspec.DecodeError:
        return False
