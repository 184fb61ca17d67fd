"""Export the reports of a study as Parquet files: all of them, or into a folder those that are new since the last time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from sottovoce.batch.exported_chunks import CHUNKS, chunks_entry, read_chunks
from sottovoce.batch.input_files import within
from sottovoce.batch.readers import checked_parquet
from sottovoce.batch.writers import writing_table
from sottovoce.errors import ParameterError
from sottovoce.later import pq
from sottovoce.store import Entry, Store
from sottovoce.store.arrivals import CLOSED
from sottovoce.store.queries import whole
from sottovoce.wire import STUDY_KEY

#: The entry of a file's metadata if it also contains the newest reports, which aren't in a chunk yet.
_WHOLE = b"sottovoce.whole"


def exported(store: Store, entry: Entry) -> IO[bytes]:
    """Export the reports of a study into an unnamed temporary file, which disappears when it's closed."""
    with tempfile.NamedTemporaryFile(prefix="sottovoce-", suffix=".parquet") as named:
        write_reports(store, entry, named.name)
        return open(named.name, "rb")


def write_reports(store: Store, entry: Entry, path: str) -> int:
    """Write the reports of a study to a Parquet file and return their number."""
    total = 0
    with store.chunks(entry) as (keys, _, found), writing_table(path, entry.study) as out:
        for level, reports in found():
            out.write(whole(entry, level, reports))
            total += len(reports)
        out.note(CHUNKS, chunks_entry(keys))
        out.note(_WHOLE, b"yes")
    return total


@dataclass(frozen=True)
class Added:
    """The result of an export into a folder: a file of so many reports (none if nothing is new). `waiting` reports aren't exported yet."""

    path: str | None
    reports: int
    waiting: int


def add_reports(store: Store, entry: Entry, folder: str | Path) -> Added:
    """Write the reports that aren't in a folder yet into a new file there.

    Each file lists the store's chunks that it contains, and chunks never change, so no report is written twice and existing files stay as
    they are. The newest reports aren't in a chunk yet. They wait, unless the study is closed.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    with _alone(place):
        held, before = _held(place, entry)
        if entry.state == CLOSED:
            store.seal(entry)
        with store.chunks(entry) as (keys, read, _):
            if any(set(those) - set(keys.get(level, ())) for level, those in held.items()):
                raise ParameterError(
                    f"{place} contains reports that aren't in this store. The store was replaced or restored, or the study "
                    "was deleted and added again. Export into a new folder."
                )
            fresh = {level: [key for key in those if key not in held.get(level, ())] for level, those in keys.items()}
            path = _unused(place, entry.name)
            total = 0
            if any(fresh.values()):
                with writing_table(path, entry.study) as out:
                    for level, those in fresh.items():
                        for reports in read(level, those):
                            out.write(whole(entry, level, reports))
                            total += len(reports)
                    out.note(CHUNKS, chunks_entry(fresh))
        waiting = store.tally(entry).n - before - total
    return Added(str(path) if total else None, total, max(0, waiting))


def _held(folder: Path, entry: Entry) -> tuple[dict[str, set[int]], int]:
    """The chunks of each level in the files of a folder, and how many reports these contain."""
    held, total = dict[str, set[int]](), 0
    for path in (path for path in within(str(folder)) if path.endswith(".parquet")):
        with open(path, "rb") as raw:
            about: pq.FileMetaData = checked_parquet(raw, path).metadata
        found = about.metadata or {}
        if found.get(STUDY_KEY, b"").decode("ascii", "replace") != entry.fingerprint or CHUNKS not in found or _WHOLE in found:
            raise ParameterError(f"{path} wasn't written by an export of this study. Export into a separate folder.")
        for level, keys in read_chunks(found).items():
            held.setdefault(level, set()).update(keys)
        total += about.num_rows
    return held, total


def _unused(folder: Path, name: str) -> Path:
    """A name for a new file: the study and the date."""
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    number = 1
    while (path := folder / (f"{name}-{day}.parquet" if number == 1 else f"{name}-{day}-{number}.parquet")).exists():
        number += 1
    return path


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Allow one export at a time into a folder (if the system supports locks)."""
    with open(folder / ".export.lock", "wb") as file:
        try:
            import fcntl  # noqa: PLC0415 - Windows has none
        except ImportError:
            yield
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ParameterError(f"Another export into {folder} is running. Wait until it ends.") from None
        yield
