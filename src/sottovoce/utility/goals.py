"""Goals of plans: a total variation, or shares within so many points (`utility.finding` has the one for rare items).

Each goal turns a mechanism into a curve of its error over the number of people, and describes both in words.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.errors import UnsupportedError
from sottovoce.estimators.intervals import deviate
from sottovoce.mechanisms import Mechanism, identity
from sottovoce.policy import Promise
from sottovoce.utility.expectations import Curve, Expectations, Root, expected_losses
from sottovoce.utility.moments import group_moments, item_moments


@dataclass(frozen=True)
class Goal(ABC):
    """The goal of a plan. `asked` is the error that is good enough, or None if the number of people is given instead."""

    #: The attribute of an option with the error.
    measure: ClassVar[str]
    #: What to give if there are no people yet, and what to do if the error is too large.
    wanted: ClassVar[str]
    settle: ClassVar[str] = "accept a larger error"
    #: Whether tables show how many times the error of the best option each option has.
    compares: ClassVar[bool] = False
    #: Whether the errors of few people are more than those of many, divided by the root of the people.
    counts_people: ClassVar[bool] = False
    #: Settings of mechanisms that suit this goal better than those that they are planned with.
    settings: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    asked: float | None

    @abstractmethod
    def expectations(self, promise: Promise, options: Sequence[Mechanism], p: Floats | None, n: int | None, reports: int) -> Expectations:
        """What to expect of each option."""

    @abstractmethod
    def short(self, error: float) -> str:
        """A short text for an error."""

    @abstractmethod
    def phrase(self, error: float) -> str:
        """An error with its unit, for a sentence."""

    @abstractmethod
    def cell(self, error: float) -> str:
        """An error in a table."""

    @property
    def purpose(self) -> str:
        """The goal after "needs the fewest people"."""
        assert self.asked is not None
        return f"for {self.phrase(self.asked)}"

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What is asked, as plain data."""

    @property
    @abstractmethod
    def heads(self) -> tuple[str, str]:
        """The headings of the columns for errors and people."""

    @property
    @abstractmethod
    def legend(self) -> str:
        """What the columns of a table mean."""

    @property
    @abstractmethod
    def axis(self) -> str:
        """The title of an axis of errors."""

    @property
    def bounded(self) -> bool:
        """Whether the shares of the worst population were bounded."""
        return False

    def useless(self, error: float) -> str:
        """A remark about an error that is too large to be useful, otherwise empty."""
        return ""


@dataclass(frozen=True)
class TotalVariation(Goal):
    """The expected total variation of all shares: half the sum of their errors."""

    measure = "tv"
    counts_people = True
    wanted = "target (the total variation that you can accept)"

    def expectations(self, promise: Promise, options: Sequence[Mechanism], p: Floats | None, n: int | None, reports: int) -> Expectations:
        return expected_losses(promise, options, p, n, reports)

    def short(self, error: float) -> str:
        return f"{error:.4f}" if error != self.asked else f"{error:g}"

    def phrase(self, error: float) -> str:
        return f"a total variation of {self.short(error)}"

    def cell(self, error: float) -> str:
        return f"{error:.4f}"

    def to_dict(self) -> dict[str, Any]:
        return {"target": self.asked}

    @property
    def heads(self) -> tuple[str, str]:
        return "tv", "people"

    @property
    def legend(self) -> str:
        return (
            "tv: expected total variation, half the sum of the errors of all shares; to the limit: times the least squared error possible"
        )

    @property
    def axis(self) -> str:
        return "expected total variation"

    def useless(self, error: float) -> str:
        return "Above 1 the estimate says nothing" if error > 1 else "That is hardly better than a guess" if error > 0.5 else ""


class ReadingGoal(Goal):
    """A goal that follows from the moments of readings."""

    def expectations(self, promise: Promise, options: Sequence[Mechanism], p: Floats | None, n: int | None, reports: int) -> Expectations:
        if promise.prior is not None or promise.tags:
            with_ = "under a prior" if promise.prior is not None else "with tags"
            raise UnsupportedError(f"Plans {with_} only support the total variation. Give target or n, and leave out the rest.")
        curves: dict[Mechanism, tuple[Curve, str]] = {}
        left_out = {}
        for each in options:
            try:
                curves[each] = self.curve(each, p, reports)
            except UnsupportedError as error:
                left_out[each.name] = error
        if not curves:
            raise UnsupportedError(f"No mechanism can be planned for this: {next(iter(left_out.values()))}")
        found = [curve for curve, _ in curves.values()]
        floor = self.curve(identity(options[0].inputs), p, reports)[0]
        return Expectations(list(curves), found, found, floor, [None] * len(found), [where for _, where in curves.values()], list(left_out))

    @abstractmethod
    def curve(self, mechanism: Mechanism, p: Floats | None, reports: int) -> tuple[Curve, str]:
        """The errors of one mechanism, and for which population."""


@dataclass(frozen=True)
class Within(ReadingGoal):
    """Shares within ± `asked`: the half-width z·√Var(T) of their intervals, each at its own `confidence`.

    T is the unbiased estimate of the share v of an item, or of a group of items (the rows of `groups`, None for every item by itself), with
    n·Var(T) = v·M₁ + (1 − v)·M₀ − v² (`utility.moments`). Of several shares the one with the widest interval counts. Without a population
    each share is the worst that it can be, from 0 to `at_most`. `about` names what is estimated in sentences, `head` in a table.

    >>> from sottovoce import Domain, plan
    >>> survey = Domain.product(sex=["f", "m"], age=["young", "old"])
    >>> plan(survey, 1.0, margin="age", within=0.02, n=10_000).options[0].half_width <= 0.02
    False
    >>> plan(survey, 1.0, margin="age", within=0.02).options[0].people
    26591
    """

    measure = "half_width"
    wanted = "within (the half-width that you can accept)"

    about: str
    head: str
    groups: Mask | None = field(repr=False, compare=False)
    item: int | None = None
    confidence: float = 0.95
    at_most: float = 1.0

    def curve(self, mechanism: Mechanism, p: Floats | None, reports: int) -> tuple[Curve, str]:
        if self.groups is None:
            moments, shares = item_moments(mechanism, p), p
        else:
            moments, shares = group_moments(mechanism, self.groups, p), None if p is None else self.groups @ p
        shares = moments.worst(reports, self.at_most) if shares is None else shares
        variance = moments.variance(shares, reports)
        widest = int(np.argmax(variance)) if self.item is None else self.item
        bound = f" up to {percent(self.at_most)}" if self.bounded else ""
        where = "for this population" if p is not None else f"at the worst share{bound} ({percent(float(shares[widest]))})"
        return Root(deviate(self.confidence) * math.sqrt(float(variance[widest]))), where

    @property
    def bounded(self) -> bool:
        return self.at_most < 1

    def short(self, error: float) -> str:
        return f"± {100 * error:.3g} points"

    def phrase(self, error: float) -> str:
        return f"{self.short(error)} on {self.about}"

    def cell(self, error: float) -> str:
        return f"{100 * error:.2f}"

    def to_dict(self) -> dict[str, Any]:
        known = {"goal": f"half-width on {self.about}", "within": self.asked, "confidence": self.confidence}
        return known if not self.bounded else known | {"at_most": self.at_most}

    @property
    def heads(self) -> tuple[str, str]:
        return f"± points on {self.head}", "people" if self.asked is None else f"people for {self.short(self.asked)} on {self.head}"

    @property
    def legend(self) -> str:
        return f"± points: how far the {percent(self.confidence)} interval reaches to either side, in percentage points"

    @property
    def axis(self) -> str:
        return f"half-width of the {percent(self.confidence)} interval of {self.about}"

    def useless(self, error: float) -> str:
        return "An interval that wide says nothing" if error > 0.5 else "That is hardly better than a guess" if error > 0.25 else ""


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{100 * share:.3g}%"
