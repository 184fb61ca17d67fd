"""The privacy guarantee of a study: a notion with its parameters, over a domain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from sottovoce.catalogue import NotionEntry, promisable
from sottovoce.domain import Domain, Item
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.policy.budgets import budget_map, positive_epsilon
from sottovoce.policy.items import Bot, checked_domain, mask_of
from sottovoce.policy.prior import Prior
from sottovoce.policy.wording import factor, shown


@dataclass(frozen=True)
class Promise:
    """A notion with its parameters, over a domain: what a plan is made for and what a study keeps."""

    domain: Domain
    notion: str
    epsilon: float | None = None
    sensitive: tuple[Item, ...] = ()
    budgets: Mapping[Any, float] | None = None
    tags: tuple[str, ...] = ()
    prior: Prior | None = None

    @classmethod
    def of(
        cls,
        domain: Domain | int,
        epsilon: float | None,
        sensitive: Iterable[Item] | int | None,
        budgets: Mapping[Any, float] | None,
        tags: Iterable[str] | None,
        prior: Any,
        notion: str | None,
    ) -> Promise:
        """The promise that the arguments ask for, or an error that shows which of them contradict each other."""
        items = checked_domain(Domain(int(domain)) if isinstance(domain, (int, np.integer)) else domain)
        if notion is not None and notion not in (known := promisable()):
            raise ParameterError(f"Plans don't support the notion {notion!r}. Choose one of {', '.join(known)}.")
        if budgets is not None:
            found = cls._with_budgets(items, epsilon, sensitive, budgets, tags, prior, notion)
        else:
            if epsilon is None:
                raise ParameterError(
                    "The guarantee is missing. Give epsilon (and sensitive items or a prior, if you need them), or budgets."
                )
            found = cls._with_epsilon(items, positive_epsilon(epsilon), sensitive, tags, prior)
        everything = found.notion == "ldp" and len(found.sensitive) == len(items)
        if notion is not None and notion != found.notion and not (notion == "uldp" and everything):
            raise ParameterError(f"The notion is {notion!r}, but the other arguments ask for {found.notion!r}. Leave out one or the other.")
        return found

    @classmethod
    def _with_budgets(
        cls, domain: Domain, epsilon: Any, sensitive: Any, budgets: Any, tags: Any, prior: Any, notion: str | None
    ) -> Promise:
        if epsilon is not None or sensitive is not None:
            raise ParameterError("Budgets replace epsilon and sensitive. Leave these two out.")
        if tags is not None or prior is not None:
            raise ParameterError("`budgets` can't be combined with tags or a prior. Leave one of them out.")
        checked = budget_map(budgets)
        for item in checked:
            domain.code(item)
        asked = "all" if len(checked) == len(domain) else "some"
        suited = {key: each.budgets for key, each in promisable().items() if each.budgets}
        name = notion or next(key for key, budgets in suited.items() if budgets == asked)
        if name not in suited:
            raise ParameterError(f"Budgets don't work with {name!r}. Use {_either(suited)}, or give epsilon instead of budgets.")
        if suited[name] == "all" and asked == "some":
            others = _either(key for key, budgets in suited.items() if budgets == "some")
            raise ParameterError(
                f"Some items have no budget, and {name!r} needs one for every item. Add the missing ones, or use {others}."
            )
        return cls(domain, name, budgets=checked)

    @classmethod
    def _with_epsilon(cls, domain: Domain, epsilon: float, sensitive: Any, tags: Any, prior: Any) -> Promise:
        if prior is not None:
            if sensitive is not None or tags is not None:
                raise ParameterError("A prior can't be combined with sensitive items or tags. Leave one of them out.")
            return cls(domain, "lip", epsilon, prior=Prior.of(prior).for_items(len(domain)))
        if isinstance(sensitive, (int, np.integer)) and not isinstance(sensitive, bool):
            if not 1 <= sensitive <= len(domain):
                raise ParameterError(f"The domain doesn't have {sensitive} sensitive items. Give a number from 1 to {len(domain)}.")
            sensitive = domain.decode(np.arange(sensitive))
        marked = () if sensitive is None else tuple(domain.decode(np.flatnonzero(mask_of(domain, sensitive))))
        if tags is not None:
            if not isinstance(tags, Iterable):
                raise ParameterError(f"The tags are {tags!r}. Give a list of names, for example ['home'].")
            names = (tags,) if isinstance(tags, str) else tuple(tags)
            return cls(domain, "uldp", epsilon, marked, tags=names)
        return cls(domain, "uldp" if 0 < len(marked) < len(domain) else "ldp", epsilon, marked)

    @property
    def strictest(self) -> float:
        """The smallest budget of any item."""
        return min(self.budgets.values()) if self.budgets else self.epsilon or 0.0

    def scaled(self, ratio: float) -> Promise:
        """The same promise with all budgets multiplied by a ratio."""
        if self.budgets is not None:
            return replace(self, budgets=budget_map({item: budget * ratio for item, budget in self.budgets.items()}))
        assert self.epsilon is not None
        return replace(self, epsilon=positive_epsilon(self.epsilon * ratio))

    def divided(self, reports: int) -> Promise:
        """The promise for each of so many reports, so that together they keep this one: every budget divided and rounded down."""
        if reports == 1:
            return self
        if self._entry.single:
            raise UnsupportedError(self._entry.single)
        if self.budgets is not None:
            return replace(self, budgets=budget_map({item: _share(budget, reports) for item, budget in self.budgets.items()}))
        assert self.epsilon is not None
        return replace(self, epsilon=positive_epsilon(_share(self.epsilon, reports)))

    @property
    def bots(self) -> tuple[Bot, ...]:
        """The stand-ins for what people mark themselves, one for each tag."""
        return tuple(Bot(tag) for tag in self.tags)

    def claim(self) -> Any:
        """The promise as a notion, which can check a mechanism."""
        entry = self._entry
        assert entry.arguments is not None
        return entry.thing(*entry.arguments(self))

    def uniform(self) -> Promise:
        """The promise with the smallest budget for every item that has one, which implies this one for some notions."""
        marked = tuple(self.budgets or ())
        notion = "uldp" if len(marked) < len(self.domain) else "ldp"
        return replace(self, notion=notion, epsilon=self.strictest, sensitive=marked, budgets=None)

    def part(self, name: str) -> Any:
        """The value for a parameter of a constructor, by the parameter's name. It's empty or None if the promise has no such part."""
        marked = list(self.budgets or self.sensitive)
        match name:
            case "epsilon":
                return self.strictest
            case "sensitive":
                return marked
            case "budgets":
                return self.budgets or dict.fromkeys(marked or self.domain, self.strictest)
            case "claim":
                return self.claim()
            case _:
                return {"tags": self.tags, "prior": self.prior}[name]

    @property
    def _entry(self) -> NotionEntry:
        return promisable()[self.notion]

    def __str__(self) -> str:
        if self.budgets is not None:
            low, high = (factor(pick(self.budgets.values())) for pick in (min, max))
            return f"{self._entry.label}, {len(self.budgets)} of {len(self.domain)} items with factors from {low} to {high}"
        assert self.epsilon is not None
        about = f", {len(self.sensitive)} of {len(self.domain)} items sensitive" if self.notion == "uldp" else f", {len(self.domain)} items"
        own = f", own sensitive items under {len(self.tags)} tags" if self.tags else ""
        return f"{self._entry.label} at ε = {shown(self.epsilon)}{about}{own}"


def _share(budget: float, parts: int) -> float:
    """The largest double that can be taken so many times without exceeding the budget."""
    share = budget / parts
    return share if Fraction(share) * parts <= Fraction(budget) else math.nextafter(share, 0.0)


def _either(names: Iterable[str]) -> str:
    """Names as a choice: 'a', 'b' or 'c'."""
    *first, last = (repr(name) for name in names)
    return f"{', '.join(first)} or {last}" if first else last
