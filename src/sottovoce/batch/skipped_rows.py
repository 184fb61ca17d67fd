"""Rows that couldn't be used: counted by reason, with the first examples of each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar

from sottovoce.batch.spellings import Almost, hint
from sottovoce.errors import ReportError, SottovoceError, ended

#: Where a row stands: in words ("a.csv, line 3"), or by numbers that can be compared.
Place = TypeVar("Place")
Other = TypeVar("Other")
Made = TypeVar("Made")
#: The number of a partition, or a file, and the number of a row in it.
Numbered = tuple[int | str, int]

#: How many examples of each reason are kept, and how many reasons are listed separately.
EXAMPLES, REASONS = 3, 50
#: Reasons that are carried along while results of many workers are put together; the last of them become one.
_CARRIED = 1000
_OTHERS = "other reasons"
#: Different texts that are counted by themselves because an option would read them.
_SPELLINGS = 1000
#: Rows after which a file without a single good one is given up.
HOPELESS = 1000


class BadRowsError(ReportError):
    """Rows can't be used, and the caller asked for none to be skipped."""


@dataclass
class SkippedRows(Generic[Place]):
    """How many rows were skipped and why, and how many were used. With `strict`, the first skipped row raises an error.

    A sequential reader names places in words, and merges later results with `merge`. Independent workers number the places, and their
    results add up in any order with `+`. `stopped` means that later rows weren't read. `clipped` counts used numbers below the lower end
    and above the upper one. `spelt` counts the texts of skipped rows that some option would read.
    """

    strict: bool = False
    used: int = 0
    remedy: str = "Fix the file, or leave out --strict to skip invalid rows."
    remarks: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[Place]] = field(default_factory=dict)
    stopped: bool = False
    clipped: tuple[int, int] = (0, 0)
    spelt: dict[Almost, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many rows were skipped."""
        return sum(self.reasons.values())

    @property
    def hints(self) -> list[str]:
        """Sentences about options that would read the skipped rows."""
        options = dict.fromkeys(each.option for each in self.spelt)
        return [hint({each: count for each, count in self.spelt.items() if each.option == option}) for option in options]

    def almost(self, spelt: Almost, count: int) -> None:
        """Count rows that an option would read. Skip them with `add` as well."""
        if spelt in self.spelt or len(self.spelt) < _SPELLINGS:
            self.spelt[spelt] = self.spelt.get(spelt, 0) + count

    def add(self, place: Place, reason: str, count: int = 1) -> None:
        """Skip rows for a reason. `place` is that of the first one."""
        if self.strict:
            raise BadRowsError(" ".join([f"{place}: {ended(reason)} Nothing was written. {self.remedy}", *self.hints]))
        key = reason if reason in self.reasons or len(self.reasons) < REASONS else _OTHERS
        self.reasons[key] = self.reasons.get(key, 0) + count
        if len(self.examples.setdefault(key, [])) < EXAMPLES:
            self.examples[key].append(place)

    def remark(self, what: str) -> None:
        """Record something that looks wrong but may be right. With `strict`, it raises an error."""
        if self.strict:
            raise BadRowsError(f"{ended(what)} Nothing was written. {self.remedy}")
        self.remarks.setdefault(_gist(what), what)

    def clip(self, below: int, above: int) -> None:
        """Count clipped numbers."""
        self.clipped = (self.clipped[0] + below, self.clipped[1] + above)

    def use(self, count: int, where: str) -> None:
        """Count good rows. If a file has none by now, it's the wrong kind of file and raises an error."""
        self.used += count
        if not self.used and self.count >= HOPELESS:
            raise ReportError(self.nothing(where, f"none of the first {self.count:,} rows can"))

    def check_used(self, where: str) -> None:
        """Raise an error if no row was used."""
        if self.used:
            return
        if not self.count:
            raise ReportError(f"{where} has no rows. Choose another file.")
        raise ReportError(self.nothing(where, f"none of its {self.count:,} rows can" if self.count > 1 else "its only row can't"))

    def nothing(self, where: str, rows: str) -> str:
        """The error if no row can be used, with the reason for the first."""
        reason = next(iter(self.reasons))
        first = f"{'The first:' if self.count > 1 else 'It is'} {self.examples[reason][0]}: {ended(reason)}"
        return " ".join([f"{where}: {rows} be used. {first}", *self.hints])

    def merge(self, later: SkippedRows[Place]) -> None:
        """Add later results, as if they had been found here."""
        for reason, count in later.reasons.items():
            first, *more = later.examples[reason]
            self.add(first, reason, count)
            kept = self.examples.get(reason) or self.examples[_OTHERS]
            kept += more[: max(0, EXAMPLES - len(kept))]
        for what in later.remarks.values():
            self.remark(what)
        self.used += later.used
        self.clip(*later.clipped)
        for spelt, count in later.spelt.items():
            self.almost(spelt, count)

    def __add__(self: SkippedRows[Numbered], other: SkippedRows[Numbered]) -> SkippedRows[Numbered]:
        """Add the results of two workers, in the order of the places."""
        reasons, examples = dict(self.reasons), {reason: list(places) for reason, places in self.examples.items()}
        for reason, count in other.reasons.items():
            reasons[reason] = reasons.get(reason, 0) + count
            examples[reason] = sorted([*examples.get(reason, ()), *other.examples[reason]])[:EXAMPLES]
        together = SkippedRows(used=self.used + other.used, reasons=reasons, examples=examples, stopped=self.stopped or other.stopped)
        return together.at_most(_CARRIED)

    def at_most(self: SkippedRows[Numbered], number: int) -> SkippedRows[Numbered]:
        """Keep the first few reasons, and put the others into one."""
        ordered = sorted((reason for reason in self.reasons if reason != _OTHERS), key=lambda reason: (self.examples[reason], reason))
        groups = {reason: [reason] for reason in ordered[:number]}
        if others := [*ordered[number:], *([_OTHERS] if _OTHERS in self.reasons else [])]:
            groups[_OTHERS] = others
        return replace(
            self,
            reasons={name: sum(self.reasons[reason] for reason in group) for name, group in groups.items()},
            examples={name: sorted(place for each in group for place in self.examples[each])[:EXAMPLES] for name, group in groups.items()},
        )

    def placed(self, place: Callable[[Place], Other]) -> SkippedRows[Other]:
        """Replace the places of the examples."""
        examples = {reason: [place(each) for each in those] for reason, those in self.examples.items()}
        return SkippedRows(self.strict, self.used, self.remedy, self.remarks, self.reasons, examples, self.stopped, self.clipped)

    def sentence(self) -> str:
        """A sentence about the skipped rows and the reasons."""
        most = sorted(self.reasons.items(), key=lambda pair: -pair[1])[:3]
        why = ", ".join(f"{count:,} × {reason}" for reason, count in most) + (", …" if len(self.reasons) > len(most) else "")
        return f"{self.count:,} of {self.count + self.used:,} rows were left out ({why})."

    def to_dict(self) -> dict[str, Any]:
        """The skipped rows as plain data."""
        return {
            "count": self.count,
            "remarks": list(self.remarks.values()),
            "reasons": [{"reason": r, "count": c, "examples": self.examples[r]} for r, c in self.reasons.items()],
        } | ({"hints": self.hints} if self.spelt else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], used: int = 0) -> Self:
        """Read what `to_dict` wrote."""
        return cls(
            used=used,
            remarks={_gist(what): what for what in data["remarks"]},
            reasons={each["reason"]: each["count"] for each in data["reasons"]},
            examples={each["reason"]: list(each["examples"]) for each in data["reasons"]},
        )


@dataclass
class WholeFile(SkippedRows[str]):
    """A file of which every row must be usable. Remarks about it are warnings."""

    strict: bool = True
    remedy: str = "Fix the file."

    def remark(self, what: str) -> None:
        """Warn of something that looks wrong, and may be right."""
        warnings.warn(f"{what}.", stacklevel=2)


def _gist(remark: str) -> str:
    """A remark without its place, so that it's made only once."""
    return remark.split(" (near", maxsplit=1)[0]


def salvage(rows: Sequence[Any], make: Callable[[Any], Made], bad: Callable[[int, str], None], start: int = 0) -> list[Made]:
    """Make what can be made of rows. Rows that fail are found by halving, and passed to `bad` with their place."""
    if len(rows) == 0:
        return []
    try:
        return [make(rows)]
    except SottovoceError as error:
        if len(rows) == 1:
            bad(start, str(error))
            return []
    middle = len(rows) // 2
    return salvage(rows[:middle], make, bad, start) + salvage(rows[middle:], make, bad, start + middle)
