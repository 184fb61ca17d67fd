"""Plans: which mechanism to use, and how many people you need. All mechanisms that keep a guarantee, ranked by expected error."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.arrays import Floats
from sottovoce.domain import Domain, Item
from sottovoce.errors import ParameterError, SottovoceError
from sottovoce.mechanisms import Mechanism
from sottovoce.policy import Promise
from sottovoce.printable import Plottable, Tabular
from sottovoce.tallies.arguments import checked_people, checked_shares
from sottovoce.utility.asking import goal_of
from sottovoce.utility.candidates import candidates_for
from sottovoce.utility.expectations import Expectations
from sottovoce.utility.goals import Goal, TotalVariation
from sottovoce.utility.ranking import Ranked, ranked
from sottovoce.utility.reasons import reason

if TYPE_CHECKING:
    import pandas as pd

#: The people for whom studies are planned that don't give a number.
PEOPLE = 10_000
#: Budgets at which a plan is drawn, relative to those asked for, and the points of a curve over people.
_RATIOS, _POINTS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0), 25


@dataclass(frozen=True)
class Option:
    """A mechanism that keeps the guarantee, and what to expect of it.

    `tv` and `l2` are the expected total variation and squared error with the plan's number of people (None without one). `half_width` is
    how far the intervals reach to either side, `smallest` the smallest share that is found, and `w1` the distance between distributions of
    numbers, if the plan is for one of these. `people` is the number needed for the goal. `ratio` compares the worst-case l2 (under a prior:
    the l2) with the least that any mechanism can have (None if that is unknown). `report_bytes` is the size of a report, and `words` the
    64-bit words of randomness that a device draws for it.
    """

    mechanism: Mechanism = field(repr=False)
    name: str
    tv: float | None
    l2: float | None
    people: int | None
    ratio: float | None
    report_bytes: int
    words: float
    half_width: float | None = None
    smallest: float | None = None
    w1: float | None = None


@dataclass(frozen=True)
class Plan(Plottable, Tabular):
    """The options, best first, with the reason for the first.

    >>> found = plan(5, 1.0, n=1000)
    >>> found.best.name
    'krr'
    """

    options: tuple[Option, ...]
    reason: str
    n: int | None
    target: float | None
    promise: Promise = field(repr=False)
    p: Floats | None = field(default=None, repr=False)
    reports: int = 1
    goal: Goal = field(default=TotalVariation(None), repr=False)
    instead_of: Mechanism | None = field(default=None, repr=False)

    @property
    def best(self) -> Mechanism:
        """The recommended mechanism: the one with the least error, or one with a much shorter report whose error is at most 1% larger."""
        return self.options[0].mechanism

    @property
    def closest(self) -> Mechanism:
        """The mechanism with the least error, whatever the size of its report."""
        return self.best if self.instead_of is None else self.instead_of

    def to_best(self) -> list[float]:
        """The error of each option over the least one."""
        measure = self.goal.measure
        errors = [getattr(each, measure) if self.n is not None else math.sqrt(each.people or 0) for each in self.options]
        return [error / min(errors) if min(errors) else 1.0 for error in errors]

    def __repr__(self) -> str:
        options = ", ".join(option.name for option in self.options[:3]) + (", …" if len(self.options) > 3 else "")
        asked = f"{self.goal.heads[1]} {self.options[0].people:,}" if self.goal.asked is not None else f"{self.goal.heads[0]} {self._error}"
        return f"Plan({options}; {self.promise}; {asked})"

    @property
    def _error(self) -> str:
        """The error of the best option, for the people of the plan."""
        return f"{self.goal.cell(getattr(self.options[0], self.goal.measure))} with {self.n:,} people"

    def _columns(self) -> Mapping[str, Any]:
        rows = [self._row(option) for option in self.options]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _row(self, option: Option) -> dict[str, Any]:
        errors = ("tv", "l2", "people", "ratio") if self.goal.measure == "tv" else (self.goal.measure, "people")
        return {name: getattr(option, name) for name in ("name", *errors, "report_bytes", "words")}

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data, for JSON."""
        return {
            "promise": str(self.promise),
            "reports": self.reports,
            "n": self.n,
            **self.goal.to_dict(),
            "reason": self.reason,
            "options": [self._row(option) for option in self.options],
        }

    def against_n(self) -> pd.DataFrame:
        """The error of each option with fewer and with more people: name, n, and the error (for the total variation also the l2)."""
        import pandas as pd

        middle = float(self.n or self.options[0].people or 1000)
        people = np.unique(np.geomspace(max(10.0, middle / 30), max(100.0, middle * 30), _POINTS).round())
        found = self._expectations(self.promise, [option.mechanism for option in self.options])
        return pd.DataFrame([row | {"n": int(n)} for n in people for row in self._errors(found, int(n))])

    def against_epsilon(self) -> pd.DataFrame:
        """The error of every mechanism with smaller and larger budgets: name, epsilon (the smallest budget), and the error."""
        import pandas as pd

        n = self.n or self.options[0].people or 1000
        rows = []
        for ratio in _RATIOS:
            try:
                promise = self.promise.scaled(ratio)
                found = self._expectations(promise, candidates_for(promise.divided(self.reports), self.goal.settings))
            except SottovoceError:
                continue  # beyond the budgets that there are
            rows += [row | {"epsilon": promise.strictest} for row in self._errors(found, n)]
        return pd.DataFrame(rows)

    def _expectations(self, promise: Promise, mechanisms: Sequence[Mechanism]) -> Expectations:
        return self.goal.expectations(promise, mechanisms, self.p, None, self.reports)

    def _errors(self, found: Expectations, n: int) -> list[dict[str, Any]]:
        return [
            {"name": mechanism.name, self.goal.measure: curve.error(n)} | ({} if curve.square is None else {"l2": curve.square / n})
            for mechanism, curve in zip(found.mechanisms, found.curves, strict=True)
        ]


def plan(
    domain: Domain | int,
    epsilon: float | None = None,
    *,
    sensitive: Iterable[Item] | int | None = None,
    budgets: Mapping[Any, float] | None = None,
    tags: Iterable[str] | None = None,
    prior: Any = None,
    notion: str | None = None,
    n: int | None = None,
    target: float | None = None,
    p: ArrayLike | None = None,
    item: Item | None = None,
    group: Iterable[Item] | None = None,
    margin: str | Sequence[str] | None = None,
    within: float | None = None,
    find: float | None = None,
    confidence: float | None = None,
    at_most: float | None = None,
    about: str | None = None,
) -> Plan:
    """Rank the mechanisms that keep a guarantee by their expected error.

    The guarantee is `epsilon` for every answer alike (LDP), for the `sensitive` ones (ULDP), also for those that people mark themselves
    under `tags`, or under a `prior` (LIP). Or give each answer a budget in `budgets`: for some of them (IPLDP), for all of them
    (MinID-LDP), or with `notion="item_uldp"`. You can use numbers in place of the domain and of the sensitive items.

    Give `n`, the people you have, to get the expected error, or the error that is good enough to get the people needed, or both to learn
    whether it's possible. The error is one of these:

    - `target`: the expected total variation, half the sum of the errors of all shares.
    - `within`: the half-width z·√Var of the interval of a share, at the `confidence` (0.95): of one `item`, of a `group` of items (their
      sum), of every label of an axis (`margin`, with several axes: every combination), or of every item if you name none of these.
    - `about` and `within` for numbers and scales: the half-width of the interval of the "mean", the "median", the "lower quartile" or the
      "upper quartile", or the expected "distance" W₁ between the distributions, all in the units of the numbers and, without `p`, for
      equal shares. The distance is also the default goal for numbers.
    - `find`: the share of an item that is distinguished from zero with a power of 0.8, while with the `confidence` no item without people
      is (Bonferroni over all items). With `n` you get the smallest such share.

    All of this is for the population `p` (with tags, over the items and the tags), or for the worst one. For `within`, each share is then
    the one with the widest interval, up to `at_most`. Errors are those of the unbiased estimate. Under a prior they are those of
    `method="mmse"`, about the people who answered.

    Options whose errors differ by at most 1% tie. Of these, one with a much shorter report comes first, then the one that is best with
    10,000 people, so that plans with `n` and with an error name the same one.

    Contradictory arguments raise a `ParameterError`.

    >>> found = plan(400, 1.0, sensitive=76, target=0.05)
    >>> found.options[0].name, found.options[0].people < found.options[-1].people
    ('ubd', True)
    >>> plan(Domain(["hiv", "flu", "none"]), 1.0, item="hiv", within=0.02).options[0].people
    18104
    """
    promise = Promise.of(domain, epsilon, sensitive, budgets, tags, prior, notion)
    goal = goal_of(
        promise.domain,
        target=target,
        item=item,
        group=group,
        margin=margin,
        within=within,
        find=find,
        confidence=confidence,
        at_most=at_most,
        about=about,
    )
    return planned(promise, goal, n, p)


def planned(
    promise: Promise, goal: Goal, n: int | None = None, p: ArrayLike | None = None, reports: int = 1, usual_n: int = PEOPLE
) -> Plan:
    """The plan for a promise, which each person's reports keep together. Ties are decided as with `usual_n` people."""
    if n is None and goal.asked is None:
        raise ParameterError(f"The plan has no goal. Give n (the number of people), {goal.wanted} or both.")
    people = None if n is None else checked_people(n)
    if people == 0:
        raise ParameterError("n is 0. Give at least 1.")
    if goal.bounded and p is not None:
        raise ParameterError("Got both at_most and p. Give one of them, since p contains the shares.")
    if promise.prior is not None and p is not None:
        raise ParameterError("Got both a prior and p. Leave out p, since the prior is the population.")
    candidates = candidates_for(promise.divided(reports), goal.settings)
    shares = None if p is None else checked_shares(candidates[0], p)
    found = goal.expectations(promise, candidates, shares, people, reports)
    alike = people == usual_n or not goal.counts_people or promise.prior is not None
    usual = found if alike else goal.expectations(promise, found.mechanisms, shares, usual_n, reports)
    order = ranked(goal, found, people, usual, usual_n)
    closest = order[0].instead_of
    target = goal.asked if goal.measure == "tv" else None
    why = reason(goal, order, found.floor, people, found.left_out)
    options = tuple(_option(each, goal.measure) for each in order)
    return Plan(options, why, people, target, promise, shares, reports, goal, None if closest is None else closest.mechanism)


def _option(each: Ranked, measure: str) -> Option:
    known = {name: each.error if name == measure else None for name in ("tv", "half_width", "smallest", "w1")}
    return Option(
        each.mechanism,
        each.name,
        people=each.people,
        l2=each.square,
        ratio=each.ratio,
        report_bytes=each.report_bytes,
        words=each.words,
        **known,
    )
