"""What is asked of a mechanism, and which mechanisms keep it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from sottovoce.domain import Domain, Item
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.mechanisms import (
    Bot,
    Mechanism,
    OptimalMechanism,
    hadamard,
    idue,
    iprr,
    ipue,
    krr,
    lh_lip,
    olh,
    optimal_lip,
    oue,
    pum,
    rappor,
    rr_lip,
    subset_selection,
    ubd,
    ue_lip,
    urap,
    urr,
    utility_optimized,
)
from sottovoce.mechanisms.base import checked_domain, mask_of
from sottovoce.notions import IDLDP, IPLDP, LDP, LIP, ULDP, ItemULDP, Notion
from sottovoce.notions.words import factor, shown
from sottovoce.optima.uldp import uldp_limit
from sottovoce.policy import Prior, budget_map, positive_epsilon

#: The notions that a plan can be made for.
NOTIONS = ("ldp", "uldp", "ipldp", "minid", "item_uldp", "lip")
#: Items up to which the best channel for a prior is sought for a plan, and up to which the best bits are.
_SOLVED, _SEARCHED = 20, 2000


@dataclass(frozen=True)
class Promise:
    """A notion with its parameters, over a domain: what a plan is made for."""

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
        """The promise that a request asks for, or an error that says what contradicts what."""
        items = checked_domain(Domain(int(domain)) if isinstance(domain, (int, np.integer)) else domain)
        if notion is not None and notion not in NOTIONS:
            raise ParameterError(f"there is no plan for the notion {notion!r}; plans are made for {', '.join(NOTIONS)}")
        if budgets is not None:
            found = cls._with_budgets(items, epsilon, sensitive, budgets, tags, prior, notion)
        else:
            if epsilon is None:
                raise ParameterError("a plan needs a promise: give epsilon (and what is sensitive, or a prior), or budgets")
            found = cls._with_epsilon(items, positive_epsilon(epsilon), sensitive, tags, prior)
        everything = found.notion == "ldp" and len(found.sensitive) == len(items)
        if notion is not None and notion != found.notion and not (notion == "uldp" and everything):
            raise ParameterError(f"the notion is {notion!r}, and the rest of the request speaks of {found.notion!r}; leave one of them out")
        return found

    @classmethod
    def _with_budgets(
        cls, domain: Domain, epsilon: Any, sensitive: Any, budgets: Any, tags: Any, prior: Any, notion: str | None
    ) -> Promise:
        if epsilon is not None or sensitive is not None:
            raise ParameterError("budgets say what is sensitive, and how much; leave out epsilon and sensitive")
        if tags is not None or prior is not None:
            raise ParameterError("budgets go with neither tags nor a prior: there is no mechanism for both; leave one out")
        checked = budget_map(budgets)
        for item in checked:
            domain.code(item)
        name = notion or ("minid" if len(checked) == len(domain) else "ipldp")
        if name not in {"ipldp", "minid", "item_uldp"}:
            raise ParameterError(f"budgets ask for 'ipldp', 'minid' or 'item_uldp', not for {name!r}; give epsilon instead of budgets")
        if name == "minid" and len(checked) < len(domain):
            raise ParameterError("under 'minid' every item has a budget; give the others one, or ask for 'ipldp' or 'item_uldp'")
        return cls(domain, name, budgets=checked)

    @classmethod
    def _with_epsilon(cls, domain: Domain, epsilon: float, sensitive: Any, tags: Any, prior: Any) -> Promise:
        if prior is not None:
            if sensitive is not None or tags is not None:
                raise ParameterError("a prior goes with neither sensitive items nor tags: there is no mechanism for both; leave one out")
            return cls(domain, "lip", epsilon, prior=Prior.of(prior).for_items(len(domain)))
        if isinstance(sensitive, (int, np.integer)) and not isinstance(sensitive, bool):
            if not 1 <= sensitive <= len(domain):
                raise ParameterError(f"{sensitive} items are sensitive and the domain has {len(domain)}; give a number between 1 and that")
            sensitive = domain.decode(np.arange(sensitive))
        marked = () if sensitive is None else tuple(domain.decode(np.flatnonzero(mask_of(domain, sensitive))))
        if tags is not None:
            if not isinstance(tags, Iterable):
                raise ParameterError(f"the tags are {tags!r}; give a list of names, for example ['home']")
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
        """What each of so many reports may promise, so that together they keep this promise: every budget divided, and rounded down."""
        if reports == 1:
            return self
        if self.notion == "lip":
            raise UnsupportedError("several reports under a prior do not add up; ask for one report per person, or leave out the prior")
        if self.notion == "ipldp":
            raise UnsupportedError("several reports under 'ipldp' do not add up item by item; ask for one report, or promise 'item_uldp'")
        if self.budgets is not None:
            return replace(self, budgets=budget_map({item: _share(budget, reports) for item, budget in self.budgets.items()}))
        assert self.epsilon is not None
        return replace(self, epsilon=positive_epsilon(_share(self.epsilon, reports)))

    @property
    def bots(self) -> tuple[Bot, ...]:
        """The stand-ins for what people mark themselves, one for each tag."""
        return tuple(Bot(tag) for tag in self.tags)

    def claim(self) -> Notion:
        """The promise as a notion, which can judge a mechanism."""
        if self.budgets is not None:
            return IPLDP(self.budgets) if self.notion == "ipldp" else (IDLDP if self.notion == "minid" else ItemULDP)(self.budgets)
        assert self.epsilon is not None
        if self.prior is not None:
            return LIP(self.epsilon, self.prior)
        return ULDP(self.epsilon, [*self.sensitive, *self.bots]) if self.notion == "uldp" else LDP(self.epsilon)

    def __str__(self) -> str:
        if self.budgets is not None:
            what = {"ipldp": "IPLDP", "minid": "MinID-LDP", "item_uldp": "ULDP with item budgets"}[self.notion]
            low, high = (factor(pick(self.budgets.values())) for pick in (min, max))
            return f"{what}, {len(self.budgets)} of {len(self.domain)} items with factors from {low} to {high}"
        assert self.epsilon is not None
        about = f", {len(self.sensitive)} of {len(self.domain)} items sensitive" if self.notion == "uldp" else f", {len(self.domain)} items"
        own = f", own sensitive items under {len(self.tags)} tags" if self.tags else ""
        return f"{self.notion.upper()} at ε = {shown(self.epsilon)}{about}{own}"

    def candidates(self) -> list[Mechanism]:
        """The mechanisms that keep the promise."""
        domain, marked = self.domain, list(self.sensitive)
        if self.budgets is not None:
            return self._for_budgets(self.budgets)
        assert self.epsilon is not None
        if self.prior is not None:
            return self._for_prior(self.prior, self.epsilon)
        if self.tags:
            makers: list[Callable[..., Mechanism]] = [urr, partial(urap, theta="optimal"), ubd, _lifted_oue]
            return [pum(domain, self.epsilon, self.tags, marked, base=make) for make in makers]
        if self.notion == "ldp":
            best = max(uldp_limit(len(domain), len(domain), self.epsilon).sizes)  # a single one, where all items are sensitive
            subset = partial(subset_selection, size=min(best, max(1, len(domain) - 1)))
            return [make(domain, self.epsilon) for make in (krr, rappor, oue, olh, hadamard, subset)]
        return [make(domain, self.epsilon, marked) for make in (urr, partial(urap, theta="optimal"), _lifted_oue, ubd)]

    def _for_budgets(self, budgets: Mapping[Any, float]) -> list[Mechanism]:
        domain, lowest, marked = self.domain, min(budgets.values()), list(budgets)
        if self.notion == "minid":
            return [idue(domain, budgets), *replace(self, notion="ldp", epsilon=lowest, budgets=None).candidates()]
        if self.notion == "ipldp":
            return [iprr(domain, budgets), urr(domain, lowest, marked)]
        found = [ipue(domain, budgets), iprr(domain, budgets)]
        uniform = replace(
            self, notion="uldp" if len(marked) < len(domain) else "ldp", epsilon=lowest, sensitive=tuple(marked), budgets=None
        )
        return found + uniform.candidates()

    def _for_prior(self, prior: Prior, epsilon: float) -> list[Mechanism]:
        domain, size = self.domain, len(self.domain)
        found = [
            rr_lip(domain, epsilon, prior),
            ue_lip(domain, epsilon, prior, theta="optimal" if size <= _SEARCHED else "paper"),
            krr(domain, epsilon),
        ]
        if size <= _SEARCHED:
            found.append(lh_lip(domain, epsilon, prior, functions=64))
        if size <= _SOLVED:
            found.append(optimal_lip(domain, epsilon, prior))
        return found

    def limit(self, candidates: Sequence[Mechanism]) -> float | None:
        """The least that n times the squared error can be for any mechanism, in the worst case (or under the prior); None where unknown."""
        if self.prior is not None:
            return next((each.loss - each.gap for each in candidates if isinstance(each, OptimalMechanism)), None)
        if self.epsilon is None:
            return None
        size = len(self.domain) + len(self.tags)
        return uldp_limit(size, size if self.notion == "ldp" else len(self.sensitive) + len(self.tags), self.epsilon).value


def _share(budget: float, parts: int) -> float:
    """The largest double that can be taken so many times without exceeding the budget."""
    share = budget / parts
    return share if Fraction(share) * parts <= Fraction(budget) else math.nextafter(share, 0.0)


def _lifted_oue(domain: Domain, epsilon: float, sensitive: Iterable[Item]) -> Mechanism:
    return utility_optimized(oue(domain.subset(sensitive), epsilon), domain)
