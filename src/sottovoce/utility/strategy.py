"""The parts of strategies: topics to plan for, parts of forms with their budgets, and forms with their chances."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Asked:
    """A topic to plan for: how many answers it has, its weight, and its error if it's asked alone.

    `alone(ε)` is n times the squared error, summed over the items. `joins` is whether it can be reported jointly with others, and `smooth`
    whether its error has no jumps as the budget grows. (Windows have jumps, since half-widths are whole numbers.)
    """

    name: str
    size: int
    alone: Callable[[float], float] = field(repr=False)
    weight: float = 1.0
    joins: bool = True
    smooth: bool = True


@dataclass(frozen=True)
class PlannedPart:
    """Topics (their places) that are reported jointly, and the budget of that report."""

    topics: tuple[int, ...]
    epsilon: float


@dataclass(frozen=True)
class Strategy:
    """Forms, each a choice of parts, the chance of each form, and n times the squared error of every topic."""

    kind: str
    forms: tuple[tuple[PlannedPart, ...], ...]
    chances: tuple[float, ...]
    errors: tuple[float, ...]
    weights: tuple[float, ...]

    @property
    def total(self) -> float:
        """The weighted sum of the errors, by which strategies are ranked."""
        return math.fsum(weight * error for weight, error in zip(self.weights, self.errors, strict=True))

    @property
    def asked(self) -> tuple[int, int]:
        """The fewest and the most topics that a form asks."""
        counts = [sum(len(part.topics) for part in form) for form in self.forms]
        return min(counts), max(counts)

    @property
    def inclusion(self) -> tuple[float, ...]:
        """The chance that a person is asked about each topic."""
        found = np.zeros(len(self.errors))
        for form, chance in zip(self.forms, self.chances, strict=True):
            for part in form:
                found[list(part.topics)] += chance
        return tuple(found.tolist())
