"""Which items can be distinguished from zero, and how many would seem to be by chance alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sottovoce.arrays import Floats, Mask
from sottovoce.estimators import Interval
from sottovoce.findings.formatting import as_percent, ends_text, percent

#: Names of items in a sentence.
_NAMED = 5


@dataclass(frozen=True)
class Found:
    """How many of the `items` are distinguishable from zero, and what is known about the others.

    With `control` "fdr", at most the part `level` of the found items is false on average, which is `false` items. With "familywise", the
    chance that even one is false is at most `level`. The others share `rest`. `above_zero` of their intervals exclude zero, and about
    `by_chance` would if no one had any of these items (None for intervals for all items at once).
    """

    count: int
    items: int
    level: float
    control: str
    false: float
    rest: float
    above_zero: int
    by_chance: float | None

    @classmethod
    def of(cls, found: Mask, p: Floats, interval: Interval, p_values: Floats, level: float, control: str) -> Found:
        """Count items found at a level, with the intervals of the same level.

        By chance, an interval excludes zero in half of the cases that the level allows. If few reports support an item, p-values are
        discrete, so the largest p-value of such an interval is used.
        """
        count, others = int(found.sum()), ~found
        above = others & (interval.low > 0)
        each = float(p_values[above].max()) if above.any() else level / 2
        chance = each * float(others.sum()) if control == "fdr" else None
        false = level * (count if control == "fdr" else 1)
        return cls(count, len(found), level, control, false, float(p[others].sum()), int(above.sum()), chance)

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain data, for JSON."""
        return asdict(self)

    def words(self, names: Sequence[str], *, what: str = "answer", marked: bool = False, high: float | None = None, digits: int = 1) -> str:
        """What to know about the items that weren't found, in sentences. Nothing if all were.

        `names` are those of the others, `what` is one of them ("place"), and `high` is the highest end of their intervals, shown with
        the digits of the table. With `marked`, people may have marked them as their own.

        >>> Found(4, 5, 0.05, "fdr", 0.2, 0.01, 0, 0.025).words(["hiv"], high=0.0441)
        '4 of 5 answers are clearly above zero. “hiv” may not be: between 0.0 and 4.5% of people chose it.'
        """
        others = self.items - self.count
        if not others:
            return ""
        some = f"{self.count:,} of {self.items:,} {what}s" if self.count else f"No {what}"
        said = [f"{some} {'are' if self.count > 1 else 'is'} clearly above zero."]
        if self.count and self.control == "familywise":
            said.append(f"The chance that even one of these is a false find is at most {as_percent(self.level)}.")
        elif self.false >= 1:
            said.append(f"About {self.false:,.0f} of these or fewer may be there by chance alone.")
        if not self.count:
            said.append("The reports don’t show which of them people chose.")
        elif others <= _NAMED:
            them = "it" if others == 1 else "each of them" if high is not None else "them"
            marks = f", not counting those who marked {'it' if others == 1 else 'them'}" if marked else ""
            few = "perhaps no one" if high is None else f"between {ends_text(0.0, high, digits, ' and ')} of people"
            quoted = [f"“{name}”" if what == "answer" else name for name in names]
            said.append(f"{_listed(quoted)} may not be: {few} chose {them}{marks}.")
        else:
            said.append(f"The other {others:,} have {percent(self.rest)} together, and the reports don’t show which of them people chose.")
        if self.above_zero and self.by_chance is not None and others > _NAMED:
            said.append(f"{self.above_zero:,} of their intervals exclude zero. By chance alone about {_about(self.by_chance)} would.")
        return " ".join(said)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _about(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.1g}"
