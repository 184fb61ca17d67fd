"""Notions of privacy and the certificates they issue.

A notion is a definition. Its `check` computes the tightest level of a channel, from the integers that are sampled.
Levels are rounded up to the next double, so `level <= epsilon` decides exactly whether the guarantee is kept.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, Protocol

import numpy as np

from sottovoce.arithmetic import log_above
from sottovoce.arrays import Mask
from sottovoce.channels import Channel
from sottovoce.channels.columns import Extreme, Pattern, Ratio
from sottovoce.domain import Domain, Item
from sottovoce.errors import BudgetError, DomainError, ParameterError
from sottovoce.policy import Frozen
from sottovoce.printable import Plottable


class Judged(Protocol):
    """What a notion needs of a mechanism: its channel, and its items."""

    @property
    def channel(self) -> Channel: ...

    @property
    def inputs(self) -> Domain: ...


@dataclass(frozen=True, slots=True)
class Witness:
    """Where the level is attained: on seeing `report`, `item` becomes more likely against `other` (None: against the prior)."""

    report: Any
    item: Item | None
    other: Item | None


@dataclass(frozen=True)
class Certificate(Plottable):
    """A notion's verdict on a channel.

    `level` is the tightest ε, rounded up. `attained` is whether some report reaches it (otherwise it is an upper bound). `levels`
    contains the tightest ε per item if the notion has one for each. `ratio` is what `level` is the logarithm
    of, for forms of a questionnaire.
    """

    notion: Notion
    holds: bool
    level: float
    witness: Witness | None
    attained: bool = True
    levels: Mapping[Item, float] = field(default_factory=dict)
    judged: Judged | None = field(default=None, repr=False, compare=False)
    ratio: Ratio | None = field(default=None, repr=False, compare=False)

    def explain(self, *, limits: bool = True) -> str:
        """The verdict in plain language: the guarantee, what a report can do to the odds of each item, and what isn't protected.

        Leave out the `limits` if you list them yourself.
        """
        from sottovoce.notions.explain import explanation

        return explanation(self, limits=limits)

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain data, for JSON. A level that isn't finite is None."""
        finite = {str(item): level if math.isfinite(level) else None for item, level in self.levels.items()}
        plain = {"notion": type(self.notion).__name__, "holds": self.holds, "attained": self.attained, "promise": self.notion.promise()}
        return plain | {"epsilon": self.level if math.isfinite(self.level) else None, "levels": finite, "limits": self.notion.limits()}

    def __bool__(self) -> bool:
        return self.holds


def _judging(check: Callable[[Any, Judged], Certificate]) -> Callable[[Any, Judged], Certificate]:
    """Wrap `check` so that it validates its argument."""

    @wraps(check)
    def guarded(notion: Any, mechanism: Judged) -> Certificate:
        if not (hasattr(mechanism, "channel") and hasattr(mechanism, "inputs")):
            raise ParameterError(f"A notion can't check {type(mechanism).__name__}. Give a mechanism, for example krr(domain, 1.0).")
        return check(notion, mechanism)

    return guarded


class Notion(ABC):
    """A definition of privacy with its parameters."""

    #: What the definition is called in text.
    title: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        """Make `check` refuse anything that isn't a mechanism."""
        super().__init_subclass__(**options)
        if "check" in cls.__dict__:
            setattr(cls, "check", _judging(cls.check))  # noqa: B010 - the same method, guarded: an assignment would change its type

    @abstractmethod
    def check(self, mechanism: Judged) -> Certificate:
        """The certificate of this notion for a mechanism."""

    @abstractmethod
    def promise(self) -> str:
        """The guarantee in one or two sentences, for respondents."""

    def limits(self) -> list[str]:
        """What the notion doesn't protect, even if it's kept."""
        return []

    def raises(self, item: Item) -> float:
        """The ε by which all reports together can raise the log-odds of an answer, whatever someone believed before.

        Infinite for answers that aren't protected, and if the notion has no such bound.
        """
        return math.inf


@dataclass(unsafe_hash=True)  # safe: fields are set once
class EpsilonNotion(Frozen, Notion):
    """A notion with a single level. Infinity guarantees nothing."""

    epsilon: float

    def __init__(self, epsilon: float) -> None:
        try:
            value = float("nan") if isinstance(epsilon, (bool, str, bytes)) else float(epsilon)
        except (TypeError, ValueError):
            raise BudgetError(f"The epsilon of {type(self).__name__} is {epsilon!r}. Give a positive number, for example 1.0.") from None
        if not value > 0:
            raise BudgetError(f"The epsilon of {type(self).__name__} is {epsilon!r}. Give a positive number, for example 1.0.")
        self.epsilon = value

    def _verdict(self, mechanism: Judged, extreme: Extreme, *, attained: bool = True) -> Certificate:
        level = max(0.0, log_above(extreme.ratio))
        return Certificate(self, level <= self.epsilon, level, witness(mechanism, extreme), attained, {}, mechanism)


def witness(mechanism: Judged, extreme: Extreme) -> Witness:
    def item(code: int | None) -> Item | None:
        return None if code is None else mechanism.inputs.item(code)

    report = extreme.report
    if isinstance(report, Pattern):
        report = mechanism.channel.example(report.inside, report.outside)
    return Witness(report, item(extreme.item), item(extreme.other))


def all_items(mechanism: Judged) -> Mask:
    return np.ones(mechanism.channel.size, dtype=np.bool_)


def revealed(mechanism: Judged, among: Mask) -> Extreme | None:
    """An item of the mask that has a report which only it can produce, with an infinite ratio."""
    codes = np.flatnonzero(mechanism.channel.columns.invertible & among)
    if len(codes) == 0:
        return None
    code = int(codes[0])
    other = next((x for x in (0, 1) if x != code and x < mechanism.channel.size), None)
    return None if other is None else Extreme(float("inf"), mechanism.channel.revealing(code), code, other)


def widest(mechanism: Judged) -> Extreme:
    """The largest ratio between any two items over all reports, infinite if a report shows its item."""
    columns = mechanism.channel.columns
    if columns.widest is not None:
        return columns.widest
    everything = all_items(mechanism)
    return revealed(mechanism, everything) or columns.largest_pair(everything, everything)


def item_set(items: Iterable[Item]) -> frozenset[Hashable]:
    """The items of a claim as a set.

    A notion doesn't know the domain, so a string is read letter by letter. Write ["hiv"] for one item.
    """
    try:
        return frozenset(items)
    except TypeError:
        raise DomainError(f"The sensitive items are {items!r}. Give a list of items.") from None


def sensitive_mask(mechanism: Judged, sensitive: frozenset[Hashable]) -> Mask:
    mask = np.zeros(mechanism.channel.size, dtype=np.bool_)
    mask[[mechanism.inputs.code(item) for item in sensitive]] = True
    return mask
