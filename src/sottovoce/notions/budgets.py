"""Notions with a budget for each item: IPLDP (per report) and ID-LDP (per pair of answers)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import log_above
from sottovoce.catalogue import notion
from sottovoce.channels.columns import NOTHING, Extreme, largest
from sottovoce.domain import Item
from sottovoce.errors import UnsupportedError
from sottovoce.notions.base import Certificate, Judged, Notion, all_items, revealed, witness
from sottovoce.policy import Frozen, budget_map
from sottovoce.policy.wording import factor


@dataclass(unsafe_hash=True)
class _Budgets(Frozen, Notion):
    budgets: Mapping[Any, float]

    def __init__(self, budgets: Mapping[Any, float]) -> None:
        self.budgets = budget_map(budgets)

    def _verdict(self, mechanism: Judged, worst: Extreme, levels: ItemLevels) -> Certificate:
        budgets = np.fromiter(self.budgets.values(), dtype=np.float64, count=len(self.budgets))
        holds = bool((levels.values_in_order <= budgets).all())
        exposed = worst.ratio == math.inf
        level = math.inf if exposed else float(levels.values_in_order.max())
        return Certificate(self, holds and not exposed, level, witness(mechanism, worst), levels=levels, judged=mechanism)

    def _by_budget(self, mechanism: Judged, extreme: Callable[[NDArray[np.bool_]], Extreme]) -> Certificate:
        """The extreme of the items of each budget."""
        budgets, worst = self._per_item(mechanism), NOTHING
        levels: dict[float, float] = {}
        for budget in sorted(set(self.budgets.values())):
            found = extreme(budgets == budget)
            levels[budget] = max(0.0, log_above(found.ratio))
            worst = largest([worst, found])
        values = np.fromiter((levels[budget] for budget in self.budgets.values()), dtype=np.float64, count=len(self.budgets))
        return self._verdict(mechanism, worst, ItemLevels(self.budgets, values))

    def _per_item(self, mechanism: Judged) -> NDArray[np.float64]:
        """The budget of every item, infinite for items without one."""
        budgets = np.full(mechanism.channel.size, math.inf)
        for item, budget in self.budgets.items():
            budgets[mechanism.inputs.code(item)] = budget
        return budgets


class ItemLevels(Mapping[Any, float]):
    """A level for each item that has a budget, without a copy of the items."""

    def __init__(self, budgets: Mapping[Any, float], values: NDArray[np.float64]) -> None:
        self._budgets, self.values_in_order = budgets, values

    def __getitem__(self, item: Any) -> float:
        return float(self.values_in_order[self._places[item]])

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {item: place for place, item in enumerate(self._budgets)}

    def __iter__(self) -> Iterator[Any]:
        return iter(self._budgets)

    def __len__(self) -> int:
        return len(self._budgets)

    def __repr__(self) -> str:
        return repr(dict(self))


@notion(
    says="a budget for each reported item; items without one are named only by people who have them",
    source="IPLDP paper, Definition 3",
    key="ipldp",
    label="IPLDP",
    takes=("budgets of some items",),
    budgets="some",
    arguments=lambda promise: (promise.budgets,),
    single="Several reports under 'ipldp' don't add up item by item. Ask for one report, or use 'item_uldp'.",
)
class IPLDP(_Budgets):
    """(D_S, E)-IPLDP (Li, Zhu, Zhang & Xie, Definition 3): reports are items, and each sensitive one has its own budget.

    Q(y|x) ≤ e^{ε_y}·Q(y|x') for every sensitive y and all x, x'. An item without a budget is named only by people with that item.
    """

    title: ClassVar[str] = "item-oriented personalized local differential privacy"

    def check(self, mechanism: Judged) -> Certificate:
        channel = mechanism.channel
        if not channel.names_items:
            raise UnsupportedError("IPLDP needs a channel whose reports are items. Use iprr, or IDLDP for reports that are sets.")
        codes = np.fromiter(map(mechanism.inputs.code, self.budgets), dtype=np.int64, count=len(self.budgets))
        free = np.ones(channel.size, dtype=np.bool_)
        free[codes] = False
        columns = channel.columns
        kinds, places = columns.alike(codes)
        extremes = [columns.within(int(code)) for code in kinds]
        known = [max(0.0, log_above(extreme.ratio)) for extreme in extremes]
        levels = ItemLevels(self.budgets, np.array(known)[places])
        shared = columns.shared(free)
        if shared is not None:
            return self._verdict(mechanism, Extreme(math.inf, shared, shared, None), levels)
        over = places[levels.values_in_order > np.fromiter(self.budgets.values(), dtype=np.float64, count=len(codes))]
        return self._verdict(mechanism, largest([extremes[place] for place in (over[:1] if len(over) else range(len(extremes)))]), levels)

    def raises(self, item: Item) -> float:
        """A report that names another sensitive answer raises the odds by the budget of that one."""
        return max(self.budgets.values()) if item in self.budgets else math.inf

    def promise(self) -> str:
        low, high = min(self.budgets.values()), max(self.budgets.values())
        return (
            "Every sensitive item has its own limit. A report that names the item changes the odds between any two answers by at most "
            f"a factor of {factor(low)} for the most sensitive item and {factor(high)} for the least sensitive."
        )

    def limits(self) -> list[str]:
        return [
            (
                "The budget that counts is that of the item in the report, not that of your answer. Even if your answer is very sensitive, "
                "a report that names a less sensitive item can change its odds by the larger factor of that item."
            ),
            "Items without a budget aren't protected. A report that names one reveals the answer.",
        ]


@notion(
    says="Q(y|x) ≤ e^{min(ε_x, ε_x')}·Q(y|x') (MinID-LDP)",
    source="IPLDP paper, Definition 2",
    key="minid",
    label="MinID-LDP",
    takes=("budgets of all items",),
    budgets="all",
    arguments=lambda promise: (promise.budgets,),
    uniform=True,
)
class IDLDP(_Budgets):
    """E-MinID-LDP (IPLDP paper, Definition 2 with r = min): Q(y|x) ≤ e^{min(ε_x, ε_x')}·Q(y|x') for every report y.

    An item without a budget has no protection of its own, only that of the item it is compared with. So an item of budget ε isn't
    distinguished from any item, in either direction, by more than e^ε. `levels` contains, for each item, the tightest budget of the
    items that share its budget.
    """

    title: ClassVar[str] = "input-discriminative local differential privacy (MinID-LDP)"

    def check(self, mechanism: Judged) -> Certificate:
        columns, everything = mechanism.channel.columns, all_items(mechanism)
        exposed = revealed(mechanism, everything)
        return self._by_budget(
            mechanism, lambda mine: exposed or largest([columns.largest_pair(mine, everything), columns.largest_pair(everything, mine)])
        )

    def raises(self, item: Item) -> float:
        """No answer is distinguished from one with a budget by more than that budget."""
        return self.budgets.get(item, math.inf)

    def promise(self) -> str:
        low, high = min(self.budgets.values()), max(self.budgets.values())
        return (
            "Seeing your report changes the odds between your answer and any other by at most the smaller of the two answers' factors "
            f"({factor(low)} for the most sensitive, {factor(high)} for the least)."
        )

    def limits(self) -> list[str]:
        return [
            "Two answers with large budgets are protected from each other only by their larger factor, whatever other budgets there are."
        ]


@notion(
    says="Q(y|x) ≤ e^{ε_x}·Q(y|x') for sensitive x, and e^{ε_x'} for x without a budget; except for reports that only one answer without "
    "a budget can produce",
    source="",
    see="decisions/0008-budgets-and-free-items.md",
    key="item_uldp",
    label="ULDP with item budgets",
    takes=("budgets of some items",),
    budgets="some",
    arguments=lambda promise: (promise.budgets,),
    uniform=True,
)
class ItemULDP(_Budgets):
    """(X_S, E)-ULDP with a budget for each sensitive item: like IPLDP, for reports of any kind.

    For every report y but those that only one item without a budget can produce: Q(y|x) ≤ e^{ε_x}·Q(y|x') for sensitive x and every x', and
    Q(y|x) ≤ e^{ε_x'}·Q(y|x') for sensitive x' and every x without a budget. With equal budgets it follows from ULDP. MinID-LDP implies
    it, and it implies OSLDP at the largest budget. `levels` are the tightest budgets of the items that share one.
    """

    title: ClassVar[str] = "utility-optimized local differential privacy with a budget for each item"

    def check(self, mechanism: Judged) -> Certificate:
        columns, everything = mechanism.channel.columns, all_items(mechanism)
        free = ~np.isfinite(self._per_item(mechanism))
        exposed = revealed(mechanism, ~free)

        def extreme(mine: NDArray[np.bool_]) -> Extreme:
            raised = columns.largest_pair(mine, everything)
            return exposed or largest([raised, columns.largest_pair(free, mine)] if free.any() else [raised])

        return self._by_budget(mechanism, extreme)

    def raises(self, item: Item) -> float:
        """No report makes an answer likelier, against any other, by more than its own budget."""
        return self.budgets.get(item, math.inf)

    def promise(self) -> str:
        low, high = min(self.budgets.values()), max(self.budgets.values())
        return (
            "Every sensitive answer has its own limit. No report raises its odds against any other answer by more than a factor of "
            f"{factor(low)} for the most sensitive answer and {factor(high)} for the least sensitive. "
            "If your answer isn't sensitive, the report may reveal it."
        )

    def limits(self) -> list[str]:
        return [
            (
                "The budget limits how much a report can raise the odds of an answer. A report in favour of another sensitive answer can "
                "lower the odds of yours by the larger factor of that answer."
            ),
            "Answers without a budget aren't protected. A report may reveal one, and so that your answer isn't sensitive.",
        ]
