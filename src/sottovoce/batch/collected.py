"""What was found in files of reports."""

from __future__ import annotations

from dataclasses import dataclass, field

from sottovoce.batch.left_out import NONE, LeftOut
from sottovoce.batch.skipped_rows import SkippedRows
from sottovoce.tallies import Tally


@dataclass
class Collected:
    """A tally, the rows that were skipped now and before, and cautions about the files. `again` reports were duplicates."""

    tally: Tally
    skipped: SkippedRows[str]
    cautions: list[str] = field(default_factory=list)
    again: int = 0
    left_out: LeftOut = NONE

    def merge(self, later: Collected) -> None:
        """Add what was found later. If either tally has no reports, the sum has none."""
        self.tally = added(self.tally, later.tally)
        self.skipped.merge(later.skipped)
        self.cautions += later.cautions
        self.again += later.again
        self.left_out += later.left_out


def added(one: Tally, other: Tally) -> Tally:
    """Add two tallies, without reports if either has none."""
    if one.keep_reports != other.keep_reports:
        one, other = one.totals(), other.totals()
    return one + other
