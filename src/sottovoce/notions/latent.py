"""Latent secrets, and local Pufferfish privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from sottovoce.catalogue import notion
from sottovoce.channels.columns import largest
from sottovoce.errors import PriorError
from sottovoce.notions.base import Certificate, EpsilonNotion, Judged
from sottovoce.policy import is_distribution
from sottovoce.policy.wording import factor


@dataclass(frozen=True, slots=True)
class Secrets:
    """A secret G correlated with the item: rows[g][x] = Pr(X = x | G = g), exact, each row summing to 1."""

    rows: tuple[tuple[Fraction, ...], ...]

    @classmethod
    def of(cls, rows: Secrets | Sequence[Sequence[Any]]) -> Secrets:
        if isinstance(rows, Secrets):
            return rows
        exact = []
        if not isinstance(rows, Sequence | np.ndarray):
            raise PriorError(f"The secrets are {rows!r}. Give the rows Pr(X = x | G = g), one for each value of the secret.")
        for g, row in enumerate(rows):
            try:
                entries = [entry if isinstance(entry, Fraction) else Fraction(float(entry)) for entry in row]
            except (TypeError, ValueError, OverflowError):
                raise PriorError(f"The row of secret {g} contains something that isn't a finite number. Correct it.") from None
            total = sum(entries, Fraction(0))
            if not is_distribution(entries):
                raise PriorError(
                    f"The row of secret {g} isn't a distribution, its sum is {float(total)!r}. Give Pr(X = x | G = {g}) for every item."
                )
            exact.append(tuple(entry / total for entry in entries))
        if len(exact) < 2 or len({len(row) for row in exact}) != 1:
            raise PriorError(
                "The secret has fewer than two values, or rows of different lengths. Give at least two rows with one probability per item."
            )
        return cls(tuple(exact))

    def for_items(self, count: int) -> Secrets:
        if len(self.rows[0]) != count:
            raise PriorError(
                f"The rows of the secret have {len(self.rows[0])} entries and the domain {count} items. Give one entry per item."
            )
        return self


def _checked(pairs: Any) -> tuple[tuple[int, int], ...]:
    """Pairs of two different secrets, or a `PriorError`."""
    try:
        found = tuple((g, h) for g, h in pairs)
    except (TypeError, ValueError):
        found = ()
    if not found or any(isinstance(x, bool) or not isinstance(x, (int, np.integer)) for pair in found for x in pair):
        raise PriorError(f"The pairs of secrets are {pairs!r}. Give at least one pair of two numbers, for example [(0, 1)].")
    if any(g == h for g, h in found):
        raise PriorError("A pair of secrets names the same secret twice. Give two different ones.")
    return tuple((int(g), int(h)) for g, h in found)


@notion(says="Pr(y|g) ≤ e^ε·Pr(y|g') for pairs of secrets", source="LIP paper, Definition 5")
@dataclass(unsafe_hash=True)
class Pufferfish(EpsilonNotion):
    """Local ε-Pufferfish: Pr(y|g) ≤ e^ε·Pr(y|g') for all pairs of secrets, scenarios and reports (LIP paper, Definition 5).

    `scenarios` is one table of rows Pr(X = x | G = g), or a list of several. `pairs` limits the pairs of secrets that are compared.
    """

    scenarios: tuple[Secrets, ...]
    pairs: tuple[tuple[int, int], ...] | None
    title: ClassVar[str] = "local Pufferfish privacy"

    def __init__(self, epsilon: float, scenarios: Sequence[Any], pairs: Sequence[tuple[int, int]] | None = None) -> None:
        if not isinstance(scenarios, Sequence | np.ndarray) or len(scenarios) == 0:
            raise PriorError("Pufferfish needs a scenario. Give the rows Pr(X = x | G = g) of at least one.")
        several = isinstance(scenarios[0], Secrets) or (isinstance(scenarios[0][0], Sequence) or getattr(scenarios[0][0], "ndim", 0) > 0)
        super().__init__(epsilon)
        self.scenarios = tuple(Secrets.of(table) for table in (scenarios if several else [scenarios]))
        self.pairs = None if pairs is None else _checked(pairs)

    def check(self, mechanism: Judged) -> Certificate:
        columns = mechanism.channel.columns
        extremes = []
        for scenario in self.scenarios:
            rows = scenario.for_items(mechanism.channel.size).rows
            pairs = self.pairs or [(g, h) for g in range(len(rows)) for h in range(g)]
            if any(not 0 <= index < len(rows) for both in pairs for index in both):
                raise PriorError(f"A pair of secrets names one that doesn't exist. Use the numbers 0 to {len(rows) - 1}.")
            for g, h in pairs:
                extremes += [columns.largest_ratio(rows[g], rows[h]), columns.largest_ratio(rows[h], rows[g])]
        return self._verdict(mechanism, largest(extremes), attained=columns.every_set)

    def promise(self) -> str:
        which = "any two values" if self.pairs is None else "the two values of each stated pair"
        return f"Seeing your report changes the odds between {which} of the secret by at most a factor of {factor(self.epsilon)}."

    def limits(self) -> list[str]:
        return ["The answer itself is protected only as far as it depends on the secret.", "The guarantee assumes the stated scenarios."]
