"""Budgets (ε): how much a report may reveal."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

from sottovoce.errors import BudgetError
from sottovoce.policy.frozen import FrozenMap

#: Below this a channel is indistinguishable from pure noise for any number of people that exists.
SMALLEST_EPSILON = 1e-6
#: Above this the odds exceed what a table out of 2^64 can express, and nothing is protected anyway.
LARGEST_EPSILON = 40.0


def positive_epsilon(epsilon: float, what: str = "epsilon") -> float:
    """The budget as a float, or a `BudgetError` that explains what is wrong with it.

    >>> positive_epsilon(1)
    1.0
    """
    if isinstance(epsilon, (bool, str, bytes)):
        raise BudgetError(f"{what} is {epsilon!r}. Give a positive number, for example 1.0.")
    try:
        value = float(epsilon)
    except OverflowError:
        value = math.inf
    except (TypeError, ValueError):
        raise BudgetError(f"{what} is {epsilon!r}. Give a positive number, for example 1.0.") from None
    if math.isnan(value) or value <= 0:
        raise BudgetError(f"{what} is {epsilon!r}. Give a positive number, for example 1.0.")
    if math.isinf(value):
        raise BudgetError(f"{what} is infinite, which protects nothing. Give a number up to {LARGEST_EPSILON:g}.")
    if value > LARGEST_EPSILON:
        raise BudgetError(
            f"{what} is {value:g}. Above {LARGEST_EPSILON:g} nothing is protected, so use at most that. Usual values are 0.5 to 4."
        )
    if value < SMALLEST_EPSILON:
        raise BudgetError(
            f"{what} is {value:g}. Below {SMALLEST_EPSILON:g} no number of people is enough for an estimate. "
            "Use a larger budget, or don't ask the question."
        )
    return value


def budget_map(budgets: Mapping[Any, float]) -> FrozenMap[float]:
    """Budgets per item, each validated. A `BudgetError` names the item."""
    if not isinstance(budgets, Mapping):
        raise BudgetError(f"The budgets are {budgets!r}. Give a mapping from item to epsilon, for example {{'hiv': 0.1}}.")
    if not budgets:
        raise BudgetError("No item has a budget. Give at least one sensitive item its epsilon, for example {'hiv': 0.1}.")
    if isinstance(budgets, FrozenMap):
        return budgets
    known: dict[Any, float] = {}
    for item, epsilon in budgets.items():
        if isinstance(epsilon, bool) or not isinstance(epsilon, Hashable) or epsilon not in known:
            known[epsilon] = positive_epsilon(epsilon, f"The budget of item {item!r}")
    return FrozenMap({item: known[epsilon] for item, epsilon in budgets.items()})
