"""Tallies of files that were counted before, so that an interrupted run can continue and the next one reads only new files.

A folder has a tally for each file, named by the SHA-256 of the file's content and by the study. A file that is unchanged (judged by its
path, size, time and inode) isn't read at all. One that was moved or touched is read for its digest, and counted only if its content is new.
Tallies of other files stay in the folder unused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sottovoce.batch.collected import Collected
from sottovoce.batch.input_files import Stamp
from sottovoce.batch.left_out import LeftOut
from sottovoce.batch.skipped_rows import SkippedRows
from sottovoce.batch.tally_files import PART_KEY, read_tally, tally_bytes
from sottovoce.batch.writers import write_whole
from sottovoce.errors import FileError, SottovoceError
from sottovoce.later import pa
from sottovoce.study import Study
from sottovoce.tallies import Tally

#: A file that was written to so shortly before it was read may change again within the same tick of the clock (nanoseconds).
_RECENT = 2_000_000_000
_VERSION = 2


@dataclass(frozen=True)
class CachedTally:
    """A tally in the folder: of which file it is, and in which state that file was."""

    place: Path
    about: dict[str, Any]

    def is_of(self, path: str, stamp: Stamp) -> bool:
        """Whether it's the tally of this file in its current state, as far as the file system shows."""
        settled = stamp.mtime_ns < self.about["begun"] - _RECENT
        return settled and self.about["path"] == os.path.realpath(path) and self.about.get("stamp") == asdict(stamp)


class TallyCache:
    """A folder of tallies for one study, with or without reports."""

    def __init__(self, folder: str | Path, study: Study, *, keep: bool) -> None:
        self._folder, self._study, self._keep = Path(folder), study, keep
        if self._folder.exists() and not self._folder.is_dir():
            raise FileError(f"{folder}: This is a file. Name a folder with --parts.")
        self._ending = (
            f".{study.fingerprint[:16]}.{'reports' if keep else 'totals'}.part"  # not .arrow, so that it isn't counted by accident
        )
        self._known = {part.place.name: part for part in map(_read, sorted(self._folder.glob(f"*{self._ending}"))) if part is not None}
        self._by_path: dict[str, list[CachedTally]] = {}
        for part in self._known.values():
            self._by_path.setdefault(part.about["path"], []).append(part)

    def of_file(self, path: str, stamp: Stamp) -> Collected | None:
        """The earlier count of a file that is unchanged."""
        found = (self._counted(part, path) for part in self._by_path.get(os.path.realpath(path), ()) if part.is_of(path, stamp))
        return next((counted for counted in found if counted is not None), None)

    def of_content(self, path: str, digest: str) -> Collected | None:
        """The earlier count of a file with this content, wherever it was."""
        part = self._known.get(digest + self._ending)
        return None if part is None else self._counted(part, path)

    def save(self, path: str, stamp: Stamp, digest: str, begun: int, counted: Collected) -> None:
        """Store the tally of a file that was read whole. `begun` is when (`time.time_ns`)."""
        if counted.tally.keep_reports != self._keep:
            return
        about = {
            "version": _VERSION,
            "path": os.path.realpath(path),
            "name": path,
            "stamp": asdict(stamp),
            "begun": begun,
            "skipped": counted.skipped.to_dict(),
            "used": counted.skipped.used,
            "cautions": counted.cautions,
            "left_out": asdict(counted.left_out),
        }
        about["check"] = _check(counted.tally, about)
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(
            self._folder / (digest + self._ending),
            tally_bytes(self._study, counted.tally, {PART_KEY: json.dumps(about).encode()}),
            private=True,
        )

    def _counted(self, part: CachedTally, path: str) -> Collected | None:
        """The content of a part, under the file's current name. None if it can't be read, so that the file is counted again."""
        try:
            tally = read_tally(self._study, part.place.read_bytes(), str(part.place), part=True)
        except (SottovoceError, OSError):
            return None
        if tally.keep_reports != self._keep or part.about["check"] != _check(tally, part.about):
            return None
        old, skipped = part.about["name"], SkippedRows[str].from_dict(part.about["skipped"], part.about["used"])
        left_out = LeftOut(**part.about.get("left_out", {}))  # parts of versions before have none
        renamed = skipped.placed(lambda place: _called(place, old, path))
        return Collected(tally, renamed, [_called(each, old, path) for each in part.about["cautions"]], 1, left_out)


def _called(words: str, old: str, new: str) -> str:
    """Messages about a file, with its current name."""
    return new + words[len(old) :] if words.startswith(old) else words


def _check(tally: Tally, about: Mapping[str, Any]) -> str:
    """A digest of the part's entries, which detects a damaged one."""
    entries = json.dumps({key: value for key, value in about.items() if key != "check"}, sort_keys=True)
    return hashlib.sha256(tally.to_bytes() + entries.encode()).hexdigest()


def _read(place: Path) -> CachedTally | None:
    """Read the entries of a file in the folder. None if it's damaged or from another version."""
    try:
        with pa.ipc.open_stream(place) as reader:
            about = json.loads((reader.schema.metadata or {})[PART_KEY])
        known = about["version"] == _VERSION and isinstance(about["check"], str) and isinstance(about["begun"], int)
        return CachedTally(place, about) if known and isinstance(about["path"], str) else None
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError):
        return None
