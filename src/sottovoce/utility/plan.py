"""Which mechanism, and how many people? Every mechanism that keeps the promise asked for, ranked by the error to expect."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.domain import Domain, Item
from sottovoce.errors import ParameterError
from sottovoce.mechanisms import (
    Mechanism,
    hadamard,
    identity,
    idue,
    iprr,
    krr,
    olh,
    oue,
    rappor,
    subset_selection,
    ubd,
    urap,
    urr,
    utility_optimized,
)
from sottovoce.mechanisms.base import checked_domain, mask_of
from sottovoce.optima.uldp import uldp_limit
from sottovoce.policy import budget_map, positive_epsilon
from sottovoce.tallies.tally import checked_people, checked_shares
from sottovoce.utility.losses import losses, worst_case

if TYPE_CHECKING:
    import pandas as pd

#: Losses are proportional to 1/n (l2) and 1/√n (l1, tv); they are computed for this many people, where counts are normal.
_MANY = 10**12


@dataclass(frozen=True)
class Option:
    """A mechanism that keeps the promise, and what to expect of it.

    `tv` and `l2` are the expected total variation and squared error with the plan's number of people, for its population or the worst of
    those that are worst for one option or another;
    `people` is the number needed for the target; `ratio` compares the worst-case l2 with the least that any mechanism can have (None where
    that is unknown); `report_bytes` is the size of a report.
    """

    mechanism: Mechanism = field(repr=False)
    name: str
    tv: float | None
    l2: float | None
    people: int | None
    ratio: float | None
    report_bytes: int


@dataclass(frozen=True)
class Plan:
    """The options, best first, and why the first is first."""

    options: tuple[Option, ...]
    reason: str
    n: int | None
    target: float | None

    @property
    def best(self) -> Mechanism:
        """The mechanism with the least error."""
        return self.options[0].mechanism

    def to_frame(self) -> pd.DataFrame:
        """A row for each option, best first."""
        import pandas as pd

        names = ("name", "tv", "l2", "people", "ratio", "report_bytes")
        return pd.DataFrame([{name: getattr(option, name) for name in names} for option in self.options])

    def __str__(self) -> str:
        frame = self.to_frame().dropna(axis=1, how="all").rename(columns={"report_bytes": "bytes", "ratio": "to the limit"})
        shown = {"tv": "{:.4f}".format, "l2": "{:.3g}".format, "people": "{:,}".format, "to the limit": "{:.2f}".format}
        table = frame.to_string(index=False, formatters={column: form for column, form in shown.items() if column in frame})
        return f"{textwrap.fill(self.reason, 100)}\n{table}"


def plan(
    domain: Domain,
    epsilon: float | None = None,
    *,
    sensitive: Iterable[Item] | None = None,
    budgets: Mapping[Any, float] | None = None,
    n: int | None = None,
    target: float | None = None,
    p: ArrayLike | None = None,
) -> Plan:
    """Rank the mechanisms for a promise: `epsilon` for every answer alike (LDP), with `sensitive` for those alone (ULDP), or `budgets`.

    With `n` the errors to expect, with `target` (an expected total variation) the people needed; for the population `p`, or for the worst
    one. Budgets for some of the answers ask for IPLDP, budgets for all of them for MinID-LDP.

    >>> found = plan(Domain(400), 1.0, sensitive=range(76), target=0.05)
    >>> found.options[0].name, found.options[0].people < found.options[-1].people
    ('ubd', True)
    """
    if (n is None) == (target is None):
        raise ParameterError("give either n, the people you have, or target, the total variation that you can accept")
    people = None if n is None else checked_people(n)
    if people == 0:
        raise ParameterError("n is 0; a plan needs people")
    if target is not None and (isinstance(target, bool) or not isinstance(target, (int, float, np.floating)) or not 0 < float(target) < 1):
        raise ParameterError(f"the target is {target!r}; a total variation lies strictly between 0 and 1, for example 0.05")
    candidates, limit = _candidates(checked_domain(domain), epsilon, sensitive, budgets)
    worst = [worst_case(each, _MANY) for each in candidates]
    populations = [case.p for case in worst] if p is None else [checked_shares(candidates[0], p)]
    expected = [_Expected.over(each, populations, people or _MANY) for each in candidates]
    ratios = [None if limit is None else case.losses.l2 * _MANY / limit for case in worst]
    order = sorted(range(len(candidates)), key=lambda k: expected[k].tv)
    options = tuple(_option(candidates[k], expected[k], ratios[k], people, target) for k in order)
    floor = _Expected.over(identity(domain), populations, people or _MANY).tv
    return Plan(
        options, _reason(options, floor, people, target, "the worst population" if p is None else "this population"), people, target
    )


def _candidates(
    domain: Domain, epsilon: float | None, sensitive: Iterable[Item] | None, budgets: Mapping[Any, float] | None
) -> tuple[list[Mechanism], float | None]:
    """The mechanisms that keep the promise, and the limit of n·l2 in the worst case, where it is known."""
    if budgets is not None:
        if epsilon is not None or sensitive is not None:
            raise ParameterError("budgets say what is sensitive, and how much; leave out epsilon and sensitive")
        checked = budget_map(budgets)
        if len(checked) == len(domain):
            return [idue(domain, checked, "opt0"), krr(domain, min(checked.values())), oue(domain, min(checked.values()))], None
        return [iprr(domain, checked), urr(domain, min(checked.values()), list(checked))], None
    if epsilon is None:
        raise ParameterError("a plan needs a promise: give epsilon (and what is sensitive), or budgets")
    epsilon = positive_epsilon(epsilon)
    if sensitive is None:
        makers: list[Callable[[Domain, float], Mechanism]] = [krr, rappor, oue, olh, hadamard]
        best = max(uldp_limit(len(domain), len(domain), epsilon).sizes)  # a single one, where all items are sensitive
        found = [make(domain, epsilon) for make in makers] + [subset_selection(domain, epsilon, size=min(best, max(1, len(domain) - 1)))]
        return found, uldp_limit(len(domain), len(domain), epsilon).value
    mask = mask_of(domain, sensitive)
    marked = domain.decode(np.flatnonzero(mask))
    if mask.all():
        return _candidates(domain, epsilon, None, None)
    part = domain.subset(marked)
    found = [
        urr(domain, epsilon, marked),
        urap(domain, epsilon, marked, theta="optimal"),
        utility_optimized(oue(part, epsilon), domain),
        ubd(domain, epsilon, marked),
    ]
    return found, uldp_limit(len(domain), len(part), epsilon).value


@dataclass(frozen=True)
class _Expected:
    """The losses of one person's report: l2·n and tv·√n, the largest over some populations."""

    tv: float
    l2: float

    @classmethod
    def over(cls, mechanism: Mechanism, populations: Sequence[Any], n: int) -> _Expected:
        """Over the populations that are worst for one mechanism or another, so that all of them are asked the same."""
        found = [losses(mechanism, p, n) for p in populations]
        return cls(max(each.tv for each in found) * math.sqrt(n), max(each.l2 for each in found) * n)


def _option(mechanism: Mechanism, expected: _Expected, ratio: float | None, n: int | None, target: float | None) -> Option:
    return Option(
        mechanism,
        mechanism.name,
        None if n is None else expected.tv / math.sqrt(n),
        None if n is None else expected.l2 / n,
        None if target is None else max(1, math.ceil((expected.tv / float(target)) ** 2)),
        ratio,
        int(mechanism.channel.reports_from_bytes(b"").records().shape[1]),
    )


def _reason(options: tuple[Option, ...], floor: float, n: int | None, target: float | None, where: str) -> str:
    best, others = options[0], options[1:2]
    if n is not None:
        assert best.tv is not None
        rest = "".join(f"; the next best, {other.name}, is at {other.tv:.4f}" for other in others)
        text = f"{best.name} has the least expected error with {n:,} people: a total variation of {best.tv:.4f} for {where}{rest}."
        bare = floor / math.sqrt(n)
        remedy = "ask more people, or allow a larger epsilon" if best.tv > 1.2 * bare else "ask more people"
        guess = f" That is hardly better than a guess: {remedy}." if best.tv > 0.5 else ""
        return f"{text} Without any protection it would be {bare:.4f}.{guess}"
    assert target is not None
    rest = "".join(f"; the next best, {other.name}, needs {other.people:,}" for other in others)
    text = f"{best.name} needs the fewest people for a total variation of {target:g} in {where}: {best.people:,}{rest}."
    return f"{text} Without any protection it would take {max(1, math.ceil((floor / target) ** 2)):,}."
