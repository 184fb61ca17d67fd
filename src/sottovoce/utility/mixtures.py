"""Forms of several parts that divide ε as suits them best, for topics that can't all be reported jointly.

A form has at most one joint report, and any number of topics that are reported alone. Budgets are multiples of ε/48. Starting with the
forms of other strategies, the form that helps most at the current prices is added until none helps much, as in `designs`. The
search for that form is not exhaustive: for each budget of the joint report, its topics are chosen first and the others divide the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.utility.designs import Kind, balanced, fewer, joint_error, partial_blocks, simpler, truth
from sottovoce.utility.strategy import Asked, PlannedPart, Strategy

#: Steps of budgets, rounds of the search, and forms that are added in a round.
STEPS, _ROUNDS, _AT_ONCE = 48, 60, 4
#: Budgets, in steps, at which the best topics are looked for.
_SHARES = (3, 6, 9, 12, 16, 24, 36, 48)
#: The search ends when no form helps by more than this part of the error.
_CLOSE = 2e-3
#: Budgets are multiples of a number with so many binary digits behind the point, so that their sums are exact.
_EXACT = 1 << 40

_Form = tuple[PlannedPart, ...]


def mixed(topics: Sequence[Asked], epsilon: float, by_itself: Callable[[int, Floats], Floats], known: Sequence[Strategy]) -> Strategy:
    """The best mixture of forms that the search finds, beginning with those of known strategies.

    `by_itself(topic, budgets)` is one over n times the squared error of a topic that is asked alone.
    """
    search = _Search(topics, epsilon, by_itself)
    forms = list(dict.fromkeys(form for strategy in known for form in strategy.forms))
    information = np.stack([search.information(form) for form in forms], axis=1)
    weights = np.array([topic.weight for topic in topics])
    chances = np.full(len(forms), 1 / len(forms))
    for _ in range(_ROUNDS):
        chances = balanced(information, weights, chances)
        reached = information @ chances
        error, prices = float(weights @ (1 / reached)), weights / reached**2
        columns = [(form, search.information(form)) for form in search.most_helpful(prices) if form not in forms]
        fresh = [(form, column) for form, column in columns if float(prices @ column) > (1 + _CLOSE) * error]
        if not fresh:
            break
        forms += [form for form, _ in fresh]
        information = np.column_stack([information, *(column for _, column in fresh)])
        chances = np.concatenate([chances * 0.8, np.full(len(fresh), 0.2 / len(fresh))])
    kept, information, chances = simpler(forms, information, weights, balanced(information, weights, chances))
    kept, chances, information = fewer(kept, chances, information)
    return Strategy("mixed", tuple(kept), tuple(chances.tolist()), tuple((1 / (information @ chances)).tolist()), tuple(weights.tolist()))


class _Search:
    """Searches for the forms that help most at given prices of the information about each topic."""

    def __init__(self, topics: Sequence[Asked], epsilon: float, by_itself: Callable[[int, Floats], Floats]) -> None:
        unit = math.floor(epsilon / STEPS * _EXACT) / _EXACT
        self.budgets = np.array([*(unit * step for step in range(STEPS)), epsilon])
        self.topics, self.by_itself = topics, by_itself
        self.kinds = [Kind(topic.size, math.inf, topic.weight, topic.joins, (q,)) for q, topic in enumerate(topics)]
        tables = [by_itself(q, self.budgets[1:]) for q in range(len(topics))]
        self.alone = np.array([[0.0, *table] for table in tables])

    def information(self, form: _Form) -> Floats:
        """The information of a person with a form about each topic."""
        found = np.zeros(len(self.topics))
        for part in form:
            if len(part.topics) == 1:
                found[part.topics[0]] = self.by_itself(part.topics[0], np.array([part.epsilon]))[0]
            else:
                combinations = math.prod(self.topics[q].size for q in part.topics)
                for q in part.topics:
                    found[q] = 1 / joint_error(self.topics[q].size, combinations, part.epsilon)
        return found

    def most_helpful(self, prices: Floats) -> list[_Form]:
        """A few forms, the best first."""
        blocks = [(u, worth, counts) for u, worth, counts in partial_blocks(self.kinds, prices) if sum(counts) > 1]
        combinations, factors = np.array([u for u, _, _ in blocks], dtype=np.float64), np.array([worth for _, worth, _ in blocks])
        tables = prices[:, None] * self.alone

        @cache
        def rest(block: tuple[int, ...]) -> _Divided:
            return _Divided(tables, _promising(tables, block))

        found: list[tuple[float, tuple[int, ...], int]] = [(rest(()).worth(STEPS), (), 0)]
        for step in range(1, STEPS + 1) if blocks else ():
            worths = factors * truth(combinations, float(self.budgets[step])) ** 2
            best = int(np.argmax(worths))
            block = tuple(q for q, count in enumerate(blocks[best][2]) if count)
            found.append((float(worths[best]) + rest(block).worth(STEPS - step), block, step))
        found.sort(key=lambda each: -each[0])
        return [self._form(block, step, rest(block).budgets(STEPS - step)) for _, block, step in found[:_AT_ONCE]]

    def _form(self, block: tuple[int, ...], step: int, alone: dict[int, int]) -> _Form:
        parts = [PlannedPart(block, float(self.budgets[step]))] * bool(block)
        parts += [PlannedPart((q,), float(self.budgets[each])) for q, each in alone.items()]
        return tuple(sorted(parts, key=lambda part: part.topics))


def _promising(tables: Floats, block: Sequence[int]) -> list[int]:
    """The topics outside a block that may be worth asking alone: for each budget, as many of the best ones as it can pay for."""
    worth = tables.copy()
    worth[list(block)] = -1.0
    found = {q for step in _SHARES for q in np.argsort(-worth[:, step], kind="stable")[: STEPS // step].tolist() if worth[q, step] > 0}
    return sorted(found)


class _Divided:
    """The best division of every number of steps of budget over topics that are asked alone, topic by topic."""

    def __init__(self, tables: Floats, topics: Sequence[int]) -> None:
        self.best = np.zeros(STEPS + 1)
        self.spent: list[tuple[int, list[int]]] = []
        before = np.arange(STEPS + 1)[:, None] - np.arange(STEPS + 1)[None]  # what is left for the topics before, by spending
        for q in topics:
            tried = np.where(before >= 0, self.best[before] + tables[q][None], -np.inf)
            self.spent.append((q, tried.argmax(axis=1).tolist()))
            self.best = tried.max(axis=1)

    def worth(self, steps: int) -> float:
        return float(self.best[steps])

    def budgets(self, steps: int) -> dict[int, int]:
        """How many steps each topic gets, if any."""
        found = {}
        for q, spent in reversed(self.spent):
            if spent[steps]:
                found[q] = spent[steps]
            steps -= spent[steps]
        return found
