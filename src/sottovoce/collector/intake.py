"""From the body of a request to an arrival at the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sottovoce.collector.reading import Reader
from sottovoce.store import Arrival, Entry
from sottovoce.store.arrivals import Lane


@dataclass(frozen=True)
class StudyIntake:
    """The intake of one study's reports."""

    entry: Entry
    most: int

    @cached_property
    def reader(self) -> Reader:
        """Reads the bodies of this study's reports."""
        return Reader(self.entry.study.mechanism, self.entry.fingerprint, self.most)

    @cached_property
    def compiled(self) -> bytes:
        """The study as clients fetch it."""
        return self.entry.compiled.encode()

    def arrival(self, kind: str, data: bytes | bytearray, ticket: bytes | None) -> Arrival:
        """Read a body as an arrival. A body with bad reports is refused with the reasons."""
        return self.arrival_of(self.reader.read(kind, data), ticket)

    def arrival_of(self, lanes: Mapping[str, Lane], ticket: bytes | None) -> Arrival:
        """Make an arrival of reports that were read."""
        return Arrival(self.entry.key, self.entry.fingerprint, lanes, ticket)
