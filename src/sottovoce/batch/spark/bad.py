"""Rows that could not be used, counted by workers that know nothing of each other: what they found adds up, in any order."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from sottovoce.batch.skipped_rows import EXAMPLES, REASONS, SkippedRows

#: Where a row stands: a partition and the number of the row in it, or a file and the number of the row in that. Places can be compared.
Place = tuple[int | str, int]
#: Reasons that are carried along while results are put together; the last of them become one.
_CARRIED = 1000
_REST = "other reasons"


@dataclass
class Bad:
    """How many rows were left out for each reason, and where the first of them stand; `stopped` if rows behind them were not looked at."""

    counts: dict[str, int] = field(default_factory=dict)
    places: dict[str, list[Place]] = field(default_factory=dict)
    stopped: bool = False

    def add(self, place: Place, reason: str) -> None:
        key = reason if reason in self.counts or len(self.counts) < REASONS else _REST
        self.counts[key] = self.counts.get(key, 0) + 1
        if len(kept := self.places.setdefault(key, [])) < EXAMPLES:
            kept.append(place)

    def __add__(self, other: Bad) -> Bad:
        together = Bad(dict(self.counts), dict(self.places), self.stopped or other.stopped)
        for reason, count in other.counts.items():
            together.counts[reason] = together.counts.get(reason, 0) + count
            together.places[reason] = sorted([*together.places.get(reason, ()), *other.places[reason]])[:EXAMPLES]
        return together._at_most(_CARRIED)

    def _at_most(self, number: int) -> Bad:
        """The reasons that were met first, and the others in one."""
        ordered = sorted((reason for reason in self.counts if reason != _REST), key=lambda reason: (self.places[reason], reason))
        first = ordered[:number]
        found = Bad({reason: self.counts[reason] for reason in first}, {reason: self.places[reason] for reason in first}, self.stopped)
        others = [*ordered[number:], *([_REST] if _REST in self.counts else [])]
        if others:
            found.counts[_REST] = sum(self.counts[reason] for reason in others)
            found.places[_REST] = sorted(place for reason in others for place in self.places[reason])[:EXAMPLES]
        return found

    @property
    def count(self) -> int:
        """How many rows were left out."""
        return sum(self.counts.values())

    def skipped(self, used: int, named: Callable[[Place], str]) -> SkippedRows:
        """The same for people to read; `named` tells a place."""
        shown = self._at_most(REASONS)
        examples = {reason: [named(place) for place in places] for reason, places in shown.places.items()}
        return SkippedRows(count=self.count, used=used, reasons=shown.counts, examples=examples)

    def to_json(self) -> str:
        """As text."""
        return json.dumps([self.stopped, [[reason, count, self.places[reason]] for reason, count in self.counts.items()]])

    @classmethod
    def from_json(cls, text: str) -> Bad:
        """Read what `to_json` wrote."""
        stopped, rows = json.loads(text)
        counts = {reason: count for reason, count, _ in rows}
        return cls(counts, {reason: [(at, row) for at, row in places] for reason, _, places in rows}, stopped)
