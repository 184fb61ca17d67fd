"""The best way to ask a questionnaire, among everything that it could be: the oracle for planned strategies.

A form is any choice of disjoint blocks of topics with budgets that sum to ε, in steps of ε/60. The best mixture of all forms is a convex
problem. It is solved by adding the best form at the current prices, found by dynamic programming over all sets of topics and all budgets,
so that the result comes with a bound on how far it is from the least possible. Nothing here is shared with the planner.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

STEPS = 60


def told_alone(size: int, epsilon: float) -> float:
    """One over n times the squared error, summed over the answers: the best of all sizes of subsets."""
    odds, found = math.exp(epsilon), 0.0
    for d in range(1, size):
        own = d * odds / (d * odds + size - d)
        other = (own * (d - 1) + (1 - own) * d) / (size - 1)
        found = max(found, (own - other) ** 2 / (size * (d / size) * (1 - d / size)))
    return found


def told_jointly(size: int, combinations: int, epsilon: float) -> float:
    """The same in a block: randomized response over all combinations."""
    truth = (math.exp(epsilon) - 1) / (combinations + math.exp(epsilon) - 1)
    return truth**2 / (1 - 1 / size)


class AllForms:
    """All forms of a questionnaire; `joins` says which of its topics can be in blocks."""

    def __init__(self, sizes: Sequence[int], weights: Sequence[float], epsilon: float, joins: Sequence[bool]) -> None:
        self.count, self.weights = len(sizes), np.array(weights)
        self.told: dict[int, np.ndarray] = {}
        for number in range(1, self.count + 1):
            for block in itertools.combinations(range(self.count), number):
                if number > 1 and not all(joins[q] for q in block):
                    continue
                table, combinations = np.zeros((self.count, STEPS + 1)), math.prod(sizes[q] for q in block)
                for q, step in itertools.product(block, range(1, STEPS + 1)):
                    budget = epsilon * step / STEPS
                    table[q, step] = told_alone(sizes[q], budget) if number == 1 else told_jointly(sizes[q], combinations, budget)
                self.told[sum(1 << q for q in block)] = table

    def best(self, prices: np.ndarray) -> tuple[float, np.ndarray]:
        """What the best form is worth at these prices, and what it tells about each topic."""
        everything = (1 << self.count) - 1
        worth = np.zeros((everything + 1, STEPS + 1))
        choice = np.zeros((everything + 1, STEPS + 1, 2), dtype=np.int64)
        for topics in range(1, everything + 1):
            first = topics & -topics
            worth[topics] = worth[topics ^ first]  # the first topic isn't asked
            for block, table in self.told.items():
                if block & ~topics or not block & first:
                    continue
                mine = prices @ table
                for steps in range(STEPS + 1):
                    tried = mine[: steps + 1] + worth[topics ^ block][steps::-1]
                    spent = int(tried.argmax())
                    if tried[spent] > worth[topics, steps]:
                        worth[topics, steps], choice[topics, steps] = tried[spent], (block, spent)
        found, topics, steps = np.zeros(self.count), everything, STEPS
        while topics:
            block, spent = choice[topics, steps].tolist()
            if block:
                found += self.told[block][:, spent]
            topics, steps = topics ^ (block or topics & -topics), steps - spent
        return float(worth[everything, STEPS]), found

    def least_error(self) -> float:
        """The least weighted sum of squared errors, within 0.2 %."""
        columns = [self.told[1 << q][:, STEPS] for q in range(self.count)]
        chances, bound = np.full(self.count, 1 / self.count), 0.0
        for _ in range(300):
            matrix = np.array(columns).T
            for _ in range(3000):
                reached = matrix @ chances
                error, worth = float(self.weights @ (1 / reached)), (self.weights / reached**2) @ matrix
                if worth.max() <= (1 + 1e-4) * error:
                    break
                chances = chances * np.sqrt(worth / error)
                chances /= chances.sum()
            value, column = self.best(self.weights / reached**2)
            bound = max(bound, 2 * error - value)  # the error is convex in the chances
            if bound >= (1 - 2e-3) * error:
                return error
            columns.append(column)
            chances = np.append(chances * 0.8, 0.2)
        raise AssertionError("the search did not end")


def questionnaires(count: int, seed: int) -> list[tuple[list[int], list[float], float, list[bool]]]:
    """Random questionnaires: sizes, weights, ε, and which topics can be reported jointly. In every other one all can."""
    random = np.random.default_rng(seed)
    found = []
    for number in range(count):
        topics = int(random.integers(2, 6))
        few, many = random.choice([2, 2, 3, 4, 5], topics), random.integers(2, 21, topics)
        sizes = [int(each) for each in (few if random.random() < 0.5 else many)]
        weights = [float(each) for each in random.choice([0.5, 1.0, 2.0], topics)]
        joins = [bool(number % 2 == 0 or random.random() < 0.5) for _ in range(topics)]
        found.append((sizes, weights, float(random.uniform(0.5, 8.0)), joins))
    return found
