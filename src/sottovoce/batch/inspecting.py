"""The first look at files of reports, before counting: do they belong to the study, are there duplicates, how large are they?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sottovoce.batch.dedup import SeenIds
from sottovoce.batch.exported_chunks import chunk_keys
from sottovoce.batch.input_files import STANDARD, copies, once_each, opened
from sottovoce.batch.parquet_reports import ReportsFile
from sottovoce.errors import ParameterError
from sottovoce.parallel import in_order
from sottovoce.study import Study

#: Reports, and bytes of a tally, from which on two equal files are one file and its copy, and no chance.
_REPORTS, _TALLY = 100, 1 << 12


@dataclass(frozen=True)
class InputFile:
    """A file as it was named: its size (0 for a stream), its format (None for a stream), and whether it's compressed with gzip.

    `rows` comes from the index of a Parquet file. `report_bytes` is about the memory that its reports take.
    """

    path: str
    size: int = 0
    format: str | None = None
    packed: bool = False
    rows: int = 0
    report_bytes: int = 0

    @classmethod
    def of(cls, path: str, form: str | None) -> InputFile:
        """Recognise a file. Anything but a regular file is a stream, which isn't read yet."""
        if path == STANDARD or not os.path.isfile(path):
            return cls(path)
        with opened(path, form) as source:
            return cls(path, os.path.getsize(path), source.format, packed=source.file is not source.raw)

    @property
    def indexed(self) -> bool:
        """Whether it's a Parquet file whose index can be read beforehand."""
        return self.format == "parquet" and not self.packed


@dataclass(frozen=True)
class Inspected:
    """The files in the order in which they were named, with cautions about them."""

    files: tuple[InputFile, ...]
    cautions: tuple[str, ...] = ()

    @property
    def report_bytes(self) -> int:
        """About how many bytes the reports take in memory, as far as indexes show."""
        return sum(file.report_bytes for file in self.files)

    @property
    def indexed(self) -> bool:
        """Whether all reports are in Parquet files that can be read again."""
        return all(file.indexed for file in self.files)

    @property
    def size(self) -> int:
        """The bytes of all files, not counting streams."""
        return sum(file.size for file in self.files)


def inspect(study: Study, paths: Sequence[str], form: str | None, announce: Callable[[str], None]) -> Inspected:
    """Inspect files, and the indexes of Parquet files. Files of another study, and duplicates, raise an error."""
    once_each(paths)
    found = {path: InputFile.of(path, form) for path in paths}
    chunks = SeenIds()
    indexes = in_order(lambda path: ReportsFile.of(path, study), [path for path, file in found.items() if file.indexed])
    for number, index in enumerate(indexes, 1):
        if not chunks.fresh(chunk_keys(index.metadata.metadata)).all():
            raise ParameterError(
                f"{index.name} contains exported reports that another of these files also contains. Leave out one of the two."
            )
        found[index.name] = _with_index(found[index.name], index)
        announce(f"{number:,} files checked")
    return Inspected(tuple(found.values()), tuple(_copies(found.values())))


def _with_index(file: InputFile, index: ReportsFile) -> InputFile:
    """Read what is needed of the index. The index itself would take too much memory with very many files."""
    return InputFile(file.path, file.size, file.format, file.packed, index.rows, index.rows * index.width)


def _copies(files: Iterable[InputFile]) -> list[str]:
    """Refuse files that would be counted twice, with only a caution for a few rows. (NDJSON lines have identifiers, so duplicates count
    once.)
    """
    named = {file.path: file for file in files if file.format is not None}
    for path, file in named.items():
        if file.format == "parquet" and file.packed and path[:-3] in named:
            raise ParameterError(f"{path} is the compressed copy of {path[:-3]}. Leave out one of them, or its reports are counted twice.")
    cautions = []
    for one, other in copies([path for path, file in named.items() if file.format == "parquet" or _is_tally(file)]):
        problem = f"{other} has the same content as {one}"
        if named[one].rows >= _REPORTS if named[one].indexed else named[one].size >= _TALLY:
            raise ParameterError(f"{problem}. Leave out one of them, or its reports are counted twice.")
        cautions.append(f"{problem}. Both were counted.")
    return cautions


def _is_tally(file: InputFile) -> bool:
    return file.format == "arrow" and not file.packed
