"""A study as a store keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sottovoce.study import Study


@dataclass(frozen=True)
class Entry:
    """A study in a store."""

    key: int
    name: str
    fingerprint: str
    compiled: str
    state: str
    respondents: str
    issued: int
    #: Whether the home page names it.
    listed: bool

    @cached_property
    def study(self) -> Study:
        """The study. Its tables are checked when it's first read."""
        from sottovoce.study import Study

        return Study.from_json(self.compiled, f"The stored study {self.name!r}")

    @cached_property
    def widths(self) -> dict[str, int]:
        """The bytes of a report's record, by level or form."""
        return {level: each.channel.empty.records().shape[1] for level, each in self.study.blocks.items()}
