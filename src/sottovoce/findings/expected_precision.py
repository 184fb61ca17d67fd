"""The expected precision of a study: half the width of an interval with more and with fewer people."""

from __future__ import annotations

from dataclasses import dataclass

from sottovoce.errors import SottovoceError
from sottovoce.policy import Promise
from sottovoce.study import Study
from sottovoce.utility.asking import goal_of
from sottovoce.utility.goals import Goal

#: Numbers of people, and the share that the precision is given for.
PEOPLE, SHARE = (1_000, 10_000, 100_000, 1_000_000), 0.1


@dataclass(frozen=True)
class Precision:
    """Half-widths of 95% intervals as text: a row for each number of people, a column for each level."""

    what: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def precision_of(study: Study) -> Precision | None:
    """The expected precision of a study with one question. None if its plans have no such intervals.

    >>> from sottovoce import Domain, krr
    >>> study = Study("s", "q", Domain("abc"), {"": Promise(Domain("abc"), "ldp", 1.0)}, krr(Domain("abc"), 1.0))
    >>> precision_of(study).rows[1]
    ('10,000', '± 2.33 points')
    """
    levels = {level: promise for level, promise in study.promises.items() if promise is not None}
    if study.of_several_questions or not levels:
        return None
    found: dict[str, list[str]] = {}
    try:
        for level, promise in levels.items():
            goal, what = _goal(study, promise)
            curve = goal.expectations(promise, [study.blocks[level]], None, PEOPLE[0], study.reports).curves[0]
            found[level] = [goal.short(curve.error(n)) for n in PEOPLE]
    except SottovoceError:  # a prior or tags, whose plans are made for all shares together
        return None
    rows = tuple((f"{n:,}", *(column[place] for column in found.values())) for place, n in enumerate(PEOPLE))
    return Precision(what, tuple(f"level “{level}”" if level else "95% interval" for level in found), rows)


def _goal(study: Study, promise: Promise) -> tuple[Goal, str]:
    """The mean of a number, or the share of an answer that is protected."""
    if len(study.domain.axes) == 1 and study.domain.axes[0].edges is not None:
        return goal_of(study.domain, about="mean"), "the mean, if all values are equally common"
    item = next(iter([*promise.sensitive, *(promise.budgets or ()), study.domain.item(0)]))
    return goal_of(study.domain, item=item, at_most=SHARE), f"the share of an answer that at most {SHARE:.0%} of people give"
