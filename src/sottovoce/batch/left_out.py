"""How many rows were skipped on the way: answers when they were perturbed, reports when they were counted into a tally.

Files carry these numbers in their metadata, so that a report can mention them. They are totals without reasons, and reveal nothing about
single people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import msgspec

#: The entry of the metadata of Parquet files of reports and of tallies.
LEFT_OUT_KEY = b"sottovoce.left_out"


@dataclass(frozen=True)
class LeftOut:
    """Answers and reports that were skipped before, and the answers that were perturbed by the same commands."""

    answers: int = 0
    perturbed: int = 0
    reports: int = 0

    @classmethod
    def of(cls, metadata: Mapping[bytes, bytes] | None) -> LeftOut:
        """Read the metadata of a file. Files of other programs have none."""
        try:
            return msgspec.json.decode((metadata or {}).get(LEFT_OUT_KEY, b"{}"), type=cls)
        except msgspec.DecodeError:
            return cls()

    def __add__(self, other: LeftOut) -> LeftOut:
        return LeftOut(self.answers + other.answers, self.perturbed + other.perturbed, self.reports + other.reports)

    @property
    def metadata(self) -> dict[bytes, bytes]:
        """The metadata entry for a file, None if nothing was skipped."""
        return {LEFT_OUT_KEY: msgspec.json.encode(asdict(self))} if self.answers or self.reports else {}

    @property
    def cautions(self) -> list[str]:
        """The cautions for readers of the findings."""
        found = []
        if self.answers:
            rows = self.answers + self.perturbed
            found.append(
                f"{self.answers:,} of {rows:,} rows of answers couldn't be used and were left out before the answers were perturbed."
            )
        if self.reports:
            were = "1 report was" if self.reports == 1 else f"{self.reports:,} reports were"
            found.append(f"{were} left out when the reports were counted into a tally.")
        return found


#: Nothing was left out, as far as is known.
NONE = LeftOut()
