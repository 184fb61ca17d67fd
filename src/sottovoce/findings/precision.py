"""The precision of an estimate: how wide the intervals are, and how many people make them narrow enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.errors import ParameterError, SottovoceError
from sottovoce.estimators import Estimate
from sottovoce.estimators.intervals import deviate
from sottovoce.findings.shares import Shares
from sottovoce.findings.widths import Widths
from sottovoce.study import Study
from sottovoce.utility.expectations import expected_tv, expected_variance

#: The half-width that is aimed for by default: one percentage point. The dashboard begins with three.
TARGET = 0.01
#: People from whom the law is read before anyone has answered.
_MANY = 10**6
#: Points of the curve, and the fewest people that it begins with.
_POINTS, _FEWEST = 25, 10


@dataclass(frozen=True)
class Precision:
    r"""How wide the intervals that a page shows are with n people, near the distribution that was found.

    `widths` are those of the `reached` people so far. Their errors fall as 1/√n. Before there are any, the error of an item is that of
    the unbiased estimate, z·σ_k/√n. The expected total variation `tv` of that estimate falls at the same rate. Both are None if nothing
    is known, and `note` explains why. `ranked` is whether the intervals put any answer before another.

    >>> from sottovoce import SeededSource, Study, Tally, estimate
    >>> text = 'name = "flu"\nquestion = "Flu?"\nitems = ["yes", "no"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'
    >>> study = Study.from_toml(text)
    >>> precision = Precision.of(study, estimate(Tally.simulate(study.mechanism, [0.2, 0.8], 1000, SeededSource(1))))
    >>> round(precision.margin_with(1000), 2), precision.needed(0.01) > 30_000
    (0.07, True)
    """

    study: Study
    level: float
    people: int
    reached: int
    widths: Widths | None
    tv: float | None
    answered: bool
    note: str | None = None
    ranked: bool = True

    @classmethod
    def of(cls, study: Study, estimate: Estimate, level: float = 0.95, shown: Sequence[Shares] = ()) -> Precision:
        """The precision of an estimate (of the method 'uniform', before anyone has answered), whose intervals are `shown` in some tables.

        The first of them has the items.
        """
        people, answered = estimate.n // study.reports, estimate.n > 0
        reached = max(1, people) if answered else _MANY
        marked = float(np.maximum(estimate.p[len(study.domain) :], 0.0).sum())
        widths, ranked = Widths.of(shown, marked), not shown or _ranked(shown[0])
        try:
            variance, tv = _expected(study, estimate, reached)
        except SottovoceError:
            note = "The precision with more people is unknown, because the totals of this study's reports can't be inverted."
            return cls(study, level, people, reached, None, None, answered, note)
        apart = widths is None or widths.parts_largest(len(study.domain))
        widths = widths or Widths.expected(_margin(study, variance, level))
        return cls(study, level, people, reached, widths, tv, answered, _note(study, answered=answered, apart=apart), ranked)

    @property
    def margin(self) -> float | None:
        """Half the width of the widest interval, with the people so far."""
        return None if self.widths is None else self.widths.half()

    def margin_with(self, people: float) -> float:
        """Half the width of the widest interval, with so many people."""
        assert self.widths is not None
        return self.widths.half(math.sqrt(self.reached / people))

    def tv_with(self, people: float) -> float:
        """The expected total variation, with so many people."""
        assert self.tv is not None
        return self.tv * math.sqrt(self.reached / people)

    def needed(self, target: float = TARGET) -> int | None:
        """How many people narrow the widest interval to ± target. None if that's unknown, or more than there could be."""
        if not 0 < target < 1:
            raise ParameterError(f"target is {target!r}. Choose a half-width between 0 and 1, for example 0.01.")
        return None if self.widths is None else self.widths.needed(target, self.reached)

    def to_dict(self, target: float = TARGET) -> dict[str, Any]:
        """The precision as plain data, for JSON."""
        needed = self.needed(target)
        known = self.answered and self.widths is not None
        return {
            "study": self.study.name,
            "fingerprint": self.study.fingerprint,
            "people": self.people,
            "level": self.level,
            "margin": self.margin if known else None,
            "widest": self._widest() if known else None,
            "least": None if self.widths is None else self.widths.half(0.0),
            "ranked": self.ranked,
            "tv": self.tv if known else None,
            "target": target,
            "needed": needed,
            "more": None if needed is None else max(0, needed - self.people),
            "curve": self._curve(needed),
            "note": " ".join(filter(None, (self._never(target, needed), self.note))) or None,
        }

    def _widest(self) -> dict[str, Any] | None:
        """The widest interval that is shown."""
        assert self.widths is not None
        if not self.widths.bounded:
            return None
        low, high = (float(ends[self.widths.widest]) for ends in self.widths.ends())
        return {"item": self.widths.labels[self.widths.widest], "low": low, "high": high}

    def _never(self, target: float, needed: int | None) -> str | None:
        """Why no number of people is enough."""
        if needed is not None or self.widths is None:
            return None
        if self.widths.half(0.0) > target:
            return f"No number of people narrows it to ± {100 * target:g} points, because the marked answers could be anywhere."
        return f"± {100 * target:g} points would take more people than exist."

    def _curve(self, needed: int | None) -> list[dict[str, float]]:
        """Both errors against the number of people, on a logarithmic scale."""
        if self.widths is None:
            return []
        first = max(_FEWEST, self.people // 10)
        last = max(100 * self.people, 2 * (needed or 0), 10 * first)
        points = np.unique(np.geomspace(first, last, _POINTS).round()).astype(np.int64).tolist()
        return [{"people": n, "margin": self.margin_with(n), "tv": self.tv_with(n)} for n in points]


def _ranked(shares: Shares) -> bool:
    """Whether at least one share is larger than another by their intervals."""
    return shares.interval is not None and bool(shares.interval.low.max() > shares.interval.high.min())


def _expected(study: Study, estimate: Estimate, people: int) -> tuple[Floats, float]:
    """The variance of each share and the total variation of the unbiased estimate, with so many people."""
    counted, shares = (people if estimate.n else 0), np.maximum(estimate.p, 0.0)
    near = (shares * counted + 1) / (float(shares.sum()) * counted + len(shares))
    blocks = list(study.blocks.values())
    if len(blocks) == 1:
        return expected_variance(blocks[0], near, people, study.reports), expected_tv(blocks[0], near, people, study.reports)
    if estimate.n:
        people_alone = near * (1 - near) / estimate.n  # a sample of so many people varies as much, even if nothing is hidden
        variance = np.maximum(np.asarray(estimate.stderr) ** 2, people_alone) + (study.reports - 1) * people_alone
    else:  # as if each level were chosen by as many, and weighted by its precision
        precisions = [1 / np.maximum(expected_variance(each, near, people, study.reports), 1e-300) for each in blocks]
        variance = len(blocks) / np.sum(precisions, axis=0)
    return variance, float(np.sqrt(variance).sum()) / math.sqrt(2 * math.pi)


def _margin(study: Study, variance: Floats, level: float) -> float:
    """The widest half-width. With tags, an item's interval combines several, and each gets a part of the error (see `Findings`)."""
    errors, size = np.sqrt(variance), len(study.domain)
    widths = [deviate(level, 1 + len(study.tags)) * errors[:size].max()]
    if study.tags:
        widths.append(deviate(level) * errors[size:].max())
    return float(max(widths))


def _note(study: Study, *, answered: bool, apart: bool) -> str | None:
    """An explanation of the numbers, if they need one."""
    early = "No one has answered yet. These numbers assume that all items are equally frequent"
    notes = [] if answered else [f"{early}, and all levels." if len(study.blocks) > 1 else f"{early}."]
    if study.tags:
        marks = " and ".join(f"“{tag}”" for tag in study.tags)
        anywhere = f"answers that were marked as {marks} could be anywhere"
        if apart:
            notes.append(f"{anywhere[0].upper()}{anywhere[1:]}, and more people don't change that.")
        else:
            notes.append(f"More people won’t separate the largest shares, because {anywhere}. Knowing which answers these were could.")
    return " ".join(notes) or None
