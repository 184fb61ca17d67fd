"""Rows that could not be used: counted by reason, the first of each shown, none of them forgotten."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sottovoce.errors import ReportError, SottovoceError

Rows = TypeVar("Rows")
Made = TypeVar("Made")

#: Examples that are kept of each reason, and reasons that are told apart.
EXAMPLES, REASONS = 3, 50
#: Rows after which a file without a single good one is given up.
HOPELESS = 1000


class BadRowsError(ReportError):
    """Rows that cannot be used, where none may be left out."""


@dataclass
class SkippedRows:
    """How many rows were left out, and why. With `strict` the first one is an error."""

    strict: bool = False
    count: int = 0
    used: int = 0
    remedy: str = "leave out --strict to go on without such rows"
    remarks: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, where: str, reason: str, count: int = 1) -> None:
        """Leave out rows for a reason; `where` names the first of them."""
        if self.strict:
            raise BadRowsError(f"{where}: {reason}; nothing was written ({self.remedy})")
        self.count += count
        key = reason if reason in self.reasons or len(self.reasons) < REASONS else "other reasons"
        self.reasons[key] = self.reasons.get(key, 0) + count
        if len(self.examples.setdefault(key, [])) < EXAMPLES:
            self.examples[key].append(where)

    def remark(self, what: str) -> None:
        """Something that looks wrong, and may be right; with `strict` it is an error."""
        if self.strict:
            raise BadRowsError(f"{what}; nothing was written ({self.remedy})")
        self.remarks.setdefault(what.split(" (near", maxsplit=1)[0], what)

    def use(self, count: int, where: str) -> None:
        """Count good rows; a file that has none by now is of something else."""
        self.used += count
        if not self.used and self.count >= HOPELESS:
            reason = next(iter(self.reasons))
            raise ReportError(
                f"{where}: none of the first {self.count:,} rows can be used; the first: {self.examples[reason][0]}: {reason}"
            )

    def merge(self, other: SkippedRows) -> None:
        """Take over what was found elsewhere, as if it had been found here."""
        for reason, count in other.reasons.items():
            first, *more = other.examples[reason]
            self.add(first, reason, count)
            kept = self.examples.get(reason) or self.examples["other reasons"]
            kept += more[: max(0, EXAMPLES - len(kept))]
        for what in other.remarks.values():
            self.remark(what)
        self.used += other.used

    def sentence(self) -> str:
        """What was left out, and why, in a sentence."""
        most = sorted(self.reasons.items(), key=lambda pair: -pair[1])[:3]
        why = "; ".join(f"{count:,} × {reason}" for reason, count in most) + ("; …" if len(self.reasons) > len(most) else "")
        return f"{self.count:,} of {self.count + self.used:,} rows were left out ({why})."

    def to_dict(self) -> dict[str, Any]:
        """The rows that were left out, as plain data."""
        return {
            "count": self.count,
            "remarks": list(self.remarks.values()),
            "reasons": [{"reason": r, "count": c, "examples": self.examples[r]} for r, c in self.reasons.items()],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], used: int = 0) -> SkippedRows:
        """Read what `to_dict` wrote."""
        found = cls(count=data["count"], used=used)
        found.remarks = {what.split(" (near", maxsplit=1)[0]: what for what in data["remarks"]}
        found.reasons = {each["reason"]: each["count"] for each in data["reasons"]}
        found.examples = {each["reason"]: list(each["examples"]) for each in data["reasons"]}
        return found


def salvage(rows: Sequence[Any], make: Callable[[Sequence[Any]], Made], bad: Callable[[int, str], None], start: int = 0) -> list[Made]:
    """What can be made of rows; those that refuse to be made are found by halving, and handed to `bad` with their place."""
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
