"""Which mechanism, and how many people? Every mechanism that keeps the promise asked for, ranked by the error to expect."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.arrays import Floats
from sottovoce.domain import Domain, Item
from sottovoce.errors import ParameterError, SottovoceError
from sottovoce.mechanisms import Mechanism, identity
from sottovoce.policy import Promise
from sottovoce.tallies.arguments import checked_people, checked_shares
from sottovoce.utility.candidates import candidates_for, least_loss
from sottovoce.utility.cost import bytes_per_report, words_per_report
from sottovoce.utility.losses import losses, worst_case

if TYPE_CHECKING:
    import pandas as pd


#: Losses are proportional to 1/n (l2) and 1/√n (l1, tv); they are computed for this many people, where counts are normal.
_MANY = 10**12
#: The least total variation that can be asked for.
_LEAST = 1e-9
#: Budgets at which a plan is drawn, relative to those asked for, and the points of a curve over people.
_RATIOS, _POINTS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0), 25


@dataclass(frozen=True)
class Option:
    """A mechanism that keeps the promise, and what to expect of it.

    `tv` and `l2` are the expected total variation and squared error with the plan's number of people (None without one); `people` is the
    number needed for the target; `ratio` compares the worst-case l2 (under a prior: the l2) with the least that any mechanism can have
    (None where that is unknown); `report_bytes` is the size of a report, `words` the 64-bit words of randomness that a device draws for it.
    """

    mechanism: Mechanism = field(repr=False)
    name: str
    tv: float | None
    l2: float | None
    people: int | None
    ratio: float | None
    report_bytes: int
    words: float


@dataclass(frozen=True)
class Plan:
    """The options, best first, and why the first is first."""

    options: tuple[Option, ...]
    reason: str
    n: int | None
    target: float | None
    promise: Promise = field(repr=False)
    p: Floats | None = field(default=None, repr=False)
    reports: int = 1

    @property
    def best(self) -> Mechanism:
        """The mechanism with the least error."""
        return self.options[0].mechanism

    def to_frame(self) -> pd.DataFrame:
        """A row for each option, best first."""
        import pandas as pd

        return pd.DataFrame([self._row(option) for option in self.options])

    @staticmethod
    def _row(option: Option) -> dict[str, Any]:
        return {name: getattr(option, name) for name in ("name", "tv", "l2", "people", "ratio", "report_bytes", "words")}

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data, for JSON."""
        return {
            "promise": str(self.promise),
            "reports": self.reports,
            "n": self.n,
            "target": self.target,
            "reason": self.reason,
            "options": [self._row(option) for option in self.options],
        }

    def against_n(self) -> pd.DataFrame:
        """What to expect of each option with fewer and with more people: name, n, tv, l2."""
        import pandas as pd

        middle = float(self.n or self.options[0].people or 1000)
        people = np.unique(np.geomspace(max(10.0, middle / 30), max(100.0, middle * 30), _POINTS).round())
        expected = _expected(self.promise, [option.mechanism for option in self.options], self.p, reports=self.reports)
        rows = [
            {"name": option.name, "n": int(n), "tv": one.tv / math.sqrt(n), "l2": one.l2 / n}
            for option, one in zip(self.options, expected.losses, strict=True)
            for n in people
        ]
        return pd.DataFrame(rows)

    def against_epsilon(self) -> pd.DataFrame:
        """What to expect of every mechanism if all budgets were smaller or larger: name, epsilon (the smallest budget), tv, l2."""
        import pandas as pd

        n = self.n or self.options[0].people or 1000
        rows = []
        for ratio in _RATIOS:
            try:
                promise = self.promise.scaled(ratio)
                candidates = candidates_for(promise.divided(self.reports))
            except SottovoceError:
                continue  # beyond the budgets that there are
            for mechanism, one in zip(candidates, _expected(promise, candidates, self.p, reports=self.reports).losses, strict=True):
                rows.append({"name": mechanism.name, "epsilon": promise.strictest, "tv": one.tv / math.sqrt(n), "l2": one.l2 / n})
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        names = {"report_bytes": "bytes", "ratio": "to the limit"}
        frame = self.to_frame().dropna(axis=1, how="all").rename(columns=names)
        shown = {
            "tv": "{:.4f}".format,
            "l2": "{:.3g}".format,
            "people": "{:,}".format,
            "to the limit": "{:.2f}".format,
            "words": lambda words: f"{words:,.0f}" if words >= 100 else f"{words:.1f}",
        }
        table = frame.to_string(index=False, formatters={column: form for column, form in shown.items() if column in frame})
        return f"{textwrap.fill(self.reason, 100)}\n{table}"


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
) -> Plan:
    """Rank the mechanisms that keep a promise by the error to expect of them.

    The promise is `epsilon` for every answer alike (LDP), for the `sensitive` ones (ULDP), also for those that people mark themselves
    under `tags`, or under a `prior` (LIP); or a budget for each answer in `budgets`: for some of them (IPLDP), for all of them (MinID-LDP),
    or with `notion="item_uldp"`. Numbers may stand for the domain and for what is sensitive.

    With `n` the errors to expect, with `target` (an expected total variation) the people needed, with both whether it can be done; for the
    population `p` (with tags, over the items and the tags), or for the worst one. Errors are those of the unbiased estimate; under a prior
    those of `method="mmse"`, about the people who answered.

    >>> found = plan(400, 1.0, sensitive=76, target=0.05)
    >>> found.options[0].name, found.options[0].people < found.options[-1].people
    ('ubd', True)
    """
    return planned(Promise.of(domain, epsilon, sensitive, budgets, tags, prior, notion), n, target, p)


def planned(promise: Promise, n: int | None = None, target: float | None = None, p: ArrayLike | None = None, reports: int = 1) -> Plan:
    """The plan for a promise, which each person's reports keep together."""
    if n is None and target is None:
        raise ParameterError("give n, the people you have, or target, the total variation that you can accept (or both)")
    people = None if n is None else checked_people(n)
    if people == 0:
        raise ParameterError("n is 0; a plan needs people")
    if target is not None and (isinstance(target, bool) or not isinstance(target, (int, float, np.floating))):
        raise ParameterError(f"the target is {target!r}; it is a total variation, for example 0.05")
    if target is not None and not _LEAST <= float(target) < 1:
        raise ParameterError(f"the target is {target!r}; a total variation lies strictly between 0 and 1 (from {_LEAST:g} on)")
    if promise.prior is not None and p is not None:
        raise ParameterError("under a prior the population is the prior; leave out the other one")
    candidates = candidates_for(promise.divided(reports))
    shares = None if p is None else checked_shares(candidates[0], p)
    goal = None if target is None else float(target)
    many = _expected(promise, candidates, shares, reports=reports)
    here = many if people is None else _expected(promise, candidates, shares, people, reports)
    order = sorted(range(len(candidates)), key=lambda k: _rank(candidates[k], here.losses[k]))
    options = tuple(_option(candidates[k], here.losses[k], many.losses[k], many.ratios[k], people, goal) for k in order)
    where = (
        "of method 'mmse' under the prior, about the people who answer"
        if promise.prior
        else "for the worst population"
        if p is None
        else "for this population"
    )
    return Plan(options, _reason(options, here.floor, people, goal, where), people, goal, promise, shares, reports)


def _rank(mechanism: Mechanism, loss: _Loss) -> tuple[float, int, float]:
    """The error comes first; of mechanisms that do not differ in it, the one with the shorter report, then the one that draws less."""
    return round(math.log(loss.tv), 6) if loss.tv > 0 else -math.inf, bytes_per_report(mechanism), words_per_report(mechanism)


@dataclass(frozen=True)
class _Loss:
    """The losses of one person's report: tv·√n and l2·n."""

    tv: float
    l2: float


@dataclass(frozen=True)
class _Expectations:
    """The losses of each candidate, and of answers without protection; the ratios to the limit."""

    losses: list[_Loss]
    floor: float
    ratios: list[float | None]


def _expected(promise: Promise, candidates: Sequence[Mechanism], p: Floats | None, n: int = _MANY, reports: int = 1) -> _Expectations:
    limit = least_loss(promise.divided(reports), candidates)
    if promise.prior is not None:
        left = [each.channel.posterior_variance(promise.prior.p) for each in candidates]
        found = [_Loss(float(np.sqrt(2 * each / math.pi).sum()) / 2, float(each.sum())) for each in left]
        return _Expectations(found, 0.0, [None if not limit else each.l2 / limit for each in found])
    worst = [worst_case(each, _MANY) for each in candidates]
    size = len(candidates[0].inputs)
    populations = [*(case.p for case in worst), np.full(size, 1 / size)] if p is None else [p]
    ratios = [None if limit is None else case.losses.l2 * _MANY / limit for case in worst]
    open_channel = identity(candidates[0].inputs)
    found = [_over(each, populations, n, reports) for each in candidates]
    return _Expectations(found, _over(open_channel, populations, n, reports).tv, ratios)


def _over(mechanism: Mechanism, populations: Sequence[Floats], n: int, reports: int) -> _Loss:
    """The largest over the uniform population and those with the largest l2 for one mechanism or another: all are asked the same."""
    found = [_of_people(mechanism, p, n, reports) for p in populations]
    return _Loss(max(each.tv for each in found), max(each.l2 for each in found))


def expected_tv(mechanism: Mechanism, p: Floats, n: int, reports: int = 1) -> float:
    """The expected total variation of the unbiased estimate, with n people who give several reports each."""
    return _of_people(mechanism, p, n, reports).tv / math.sqrt(n)


def expected_variance(mechanism: Mechanism, p: Floats, n: int, reports: int = 1) -> Floats:
    """The variance of each share of the unbiased estimate, with n people who give several reports each.

    The noise is that of all reports, the choice of the people that of n.
    """
    return losses(mechanism, p, n * reports).per_item + p * (1 - p) * (1 - 1 / reports) / n


def _of_people(mechanism: Mechanism, p: Floats, n: int, reports: int) -> _Loss:
    """The losses with n people who give several reports each, times the power of n with which they fall."""
    if reports == 1:
        found = losses(mechanism, p, n)
        return _Loss(found.tv * math.sqrt(n), found.l2 * n)
    variance = expected_variance(mechanism, p, n, reports) * n
    return _Loss(float(np.sqrt(2 * variance / math.pi).sum()) / 2, float(variance.sum()))


def _option(mechanism: Mechanism, here: _Loss, many: _Loss, ratio: float | None, n: int | None, target: float | None) -> Option:
    return Option(
        mechanism,
        mechanism.name,
        None if n is None else here.tv / math.sqrt(n),
        None if n is None else here.l2 / n,
        None if target is None else _people(many.tv, target),
        ratio,
        bytes_per_report(mechanism),
        words_per_report(mechanism),
    )


def _people(tv: float, target: float) -> int:
    """How many people bring the total variation down to the target."""
    return max(1, math.ceil((tv / target) ** 2))


def _reason(options: tuple[Option, ...], floor: float, n: int | None, target: float | None, where: str) -> str:
    best, others = options[0], options[1:2]
    bare = "" if floor == 0 else f" Without any protection it would be {floor / math.sqrt(n):.4f}." if n else ""
    if n is not None:
        assert best.tv is not None
        rest = "".join(_next(other.name, f"{best.tv:.4f}", f"{other.tv:.4f}", "is at") for other in others)
        text = f"{best.name} has the least expected error with {n:,} people: a total variation of {best.tv:.4f} {where}{rest}.{bare}"
        if target is not None:
            return f"{text} {_verdict(best, floor, n, target)}"
        remedy = "ask more people, or allow a larger epsilon" if best.tv > 1.2 * floor / math.sqrt(n) else "ask more people"
        worth = "Above 1 the estimate says nothing" if best.tv > 1 else "That is hardly better than a guess"
        return f"{text} {worth}: {remedy}." if best.tv > 0.5 else text
    assert target is not None
    rest = "".join(_next(other.name, f"{best.people:,}", f"{other.people:,}", "needs") for other in others)
    text = f"{best.name} needs the fewest people for a total variation of {target:g} {where}: {best.people:,}{rest}."
    return f"{text} Without any protection it would take {_people(floor, target):,}." if floor else text


def _next(name: str, best: str, other: str, verb: str) -> str:
    """The second option, beside the first."""
    return f"; {name} does as well" if best == other else f"; the next best, {name}, {verb} {other}"


def _verdict(best: Option, floor: float, n: int, target: float) -> str:
    """Whether a target can be met by the people that there are, and what to change where it cannot."""
    assert best.tv is not None
    assert best.people is not None
    if best.tv <= target:
        return f"The target of {target:g} is met; {best.people:,} people would suffice."
    if floor / math.sqrt(n) > target:
        return (
            f"The target of {target:g} is out of reach: even unprotected answers of {n:,} people would miss it, and it takes "
            f"{_people(floor, target):,} of those. Ask {best.people:,} people, or accept a larger error."
        )
    return f"The target of {target:g} is missed: ask {best.people:,} people, allow a larger epsilon, or accept a larger error."
