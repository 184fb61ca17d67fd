"""The precision of an estimate: how wide the intervals are, and how many people make them narrow enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.errors import ParameterError, SottovoceError
from sottovoce.estimators import Estimate
from sottovoce.estimators.intervals import deviate
from sottovoce.study import Study
from sottovoce.utility.expectations import expected_tv, expected_variance

#: The half-width that is aimed for by default: one percentage point. The dashboard begins with three.
TARGET = 0.01
#: People from whom the law is read before anyone has answered, and more than there can be.
_MANY, _TOO_MANY = 10**6, 10**15
#: Points of the curve, and the fewest people that it begins with.
_POINTS, _FEWEST = 25, 10


@dataclass(frozen=True)
class Precision:
    r"""The expected precision of the unbiased estimate with n people, near the distribution that was found.

    With n people an item's standard error is σ_k/√n, so the widest interval reaches z·max_k σ_k/√n to either side, and the expected total
    variation falls at the same rate. `margin` and `tv` are for `reached` people. Both are None if nothing is known, and `note` explains
    why.

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
    margin: float | None
    tv: float | None
    answered: bool
    note: str | None = None

    @classmethod
    def of(cls, study: Study, estimate: Estimate, level: float = 0.95) -> Precision:
        """The precision of an estimate (of the method 'uniform', before anyone has answered)."""
        people, answered = estimate.n // study.reports, estimate.n > 0
        reached = max(1, people) if answered else _MANY
        try:
            variance, tv = _expected(study, estimate, reached)
        except SottovoceError:
            note = "The precision with more people is unknown, because the totals of this study's reports can't be inverted."
            return cls(study, level, people, reached, None, None, answered, note)
        return cls(study, level, people, reached, _margin(study, variance, level), tv, answered, _note(study, answered=answered))

    def margin_with(self, people: float) -> float:
        """Half the width of the widest interval, with so many people."""
        assert self.margin is not None
        return self.margin * math.sqrt(self.reached / people)

    def tv_with(self, people: float) -> float:
        """The expected total variation, with so many people."""
        assert self.tv is not None
        return self.tv * math.sqrt(self.reached / people)

    def needed(self, target: float = TARGET) -> int | None:
        """How many people narrow the widest interval to ± target. None if that's unknown, or more than there could be."""
        if not 0 < target < 1:
            raise ParameterError(f"target is {target!r}. Choose a half-width between 0 and 1, for example 0.01.")
        if self.margin is None or self.margin / target * math.sqrt(self.reached) > math.sqrt(_TOO_MANY):
            return None
        return max(1, math.ceil(self.reached * (self.margin / target) ** 2))

    def to_dict(self, target: float = TARGET) -> dict[str, Any]:
        """The precision as plain data, for JSON."""
        needed = self.needed(target)
        known = self.answered and self.margin is not None
        note = f"± {target:g} would take more people than exist." if needed is None and self.margin is not None else None
        return {
            "study": self.study.name,
            "fingerprint": self.study.fingerprint,
            "people": self.people,
            "level": self.level,
            "margin": self.margin if known else None,
            "tv": self.tv if known else None,
            "target": target,
            "needed": needed,
            "more": None if needed is None else max(0, needed - self.people),
            "curve": self._curve(needed),
            "note": " ".join(filter(None, (note, self.note))) or None,
        }

    def _curve(self, needed: int | None) -> list[dict[str, float]]:
        """Both errors against the number of people, on a logarithmic scale."""
        if self.margin is None:
            return []
        first = max(_FEWEST, self.people // 10)
        last = max(100 * self.people, 2 * (needed or 0), 10 * first)
        points = np.unique(np.geomspace(first, last, _POINTS).round()).astype(np.int64).tolist()
        return [{"people": n, "margin": self.margin_with(n), "tv": self.tv_with(n)} for n in points]


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


def _note(study: Study, *, answered: bool) -> str | None:
    """An explanation of the numbers, if they need one."""
    early = "No one has answered yet. These numbers assume that all items are equally frequent"
    notes = [] if answered else [f"{early}, and all levels." if len(study.blocks) > 1 else f"{early}."]
    if study.tags:
        marks = " and ".join(repr(tag) for tag in study.tags)
        notes.append(
            f"An item's interval also leaves room for the answers that were marked as {marks}. More people don't make that part smaller."
        )
    return " ".join(notes) or None
