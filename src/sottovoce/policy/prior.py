"""Priors: what is already known about the population, as exact integers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import PriorError
from sottovoce.policy.distribution import sums_to_one

__all__ = ["Prior", "PriorSet"]


def _exact(value: Any, position: int) -> Fraction:
    try:
        number = float("nan") if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        raise PriorError(f"Number {position + 1} of the prior is {value!r}. Give a number.") from None
    if not math.isfinite(number) or number <= 0:
        raise PriorError(
            f"Number {position + 1} of the prior is {value!r}, which isn't a positive number. "
            "Remove impossible items from the domain, or give them a small probability."
        )
    return value if isinstance(value, Fraction) else Fraction(number)


def _common_denominator(values: Iterable[Any]) -> tuple[list[int], int]:
    """The values as integers over one denominator, exactly. That of doubles is a power of two."""
    try:
        entries = list(values)
    except TypeError:
        raise PriorError(f"The prior is {values!r}. Give one probability per item, in the order of the items.") from None
    if isinstance(values, (str, bytes, set, frozenset, dict)):
        raise PriorError("The prior has no order. Give a list with one probability per item, in the order of the items.")
    if not entries:
        raise PriorError("The prior is empty. Give one probability per item.")
    if not any(isinstance(entry, Fraction) for entry in entries):
        try:
            doubles = np.array(
                entries if all(isinstance(entry, (int, float, np.number)) for entry in entries) else [None], dtype=np.float64
            )
        except (TypeError, ValueError, OverflowError):
            doubles = np.full(1, np.nan)
        if doubles.ndim == 1 and np.isfinite(doubles).all() and (doubles > 0).all():
            mantissas, exponents = np.frexp(doubles)
            places = 53 - min(int(exponents.min()), 0)
            shifts = (exponents + (places - 53)).tolist()
            integers = np.ldexp(mantissas, 53).astype(np.int64).tolist()
            return [integer << shift for integer, shift in zip(integers, shifts, strict=True)], 1 << places
    fractions = [_exact(value, position) for position, value in enumerate(entries)]
    denominator = math.lcm(*(entry.denominator for entry in fractions))
    return [entry.numerator * (denominator // entry.denominator) for entry in fractions], denominator


@dataclass(frozen=True, slots=True)
class Prior:
    """A strictly positive distribution: item k has probability weights[k]/total, exactly.

    >>> Prior.of([0.25, 0.75]).weights
    (1, 3)
    """

    weights: tuple[int, ...]
    total: int

    @classmethod
    def of(cls, values: Prior | Iterable[Any]) -> Prior:
        """Read a distribution from numbers that sum to 1 within 1e-9. What is left is normalised exactly."""
        if isinstance(values, Prior):
            return values
        weights, denominator = _common_denominator(values)
        total = sum(weights)
        if not sums_to_one(Fraction(total, denominator)):
            raise PriorError(f"The prior sums to {float(Fraction(total, denominator)):.12g}. Divide it by its sum.")
        divisor = math.gcd(total, *weights)
        return cls(tuple(weight // divisor for weight in weights), total // divisor)

    def for_items(self, count: int) -> Prior:
        """This prior if it covers `count` items, otherwise a `PriorError`."""
        if len(self.weights) != count:
            raise PriorError(f"The prior has {len(self.weights)} entries and the domain {count} items. Give one entry per item.")
        return self

    def __len__(self) -> int:
        return len(self.weights)

    def fraction(self, item: int) -> Fraction:
        return Fraction(self.weights[item], self.total)

    @property
    def p(self) -> NDArray[np.float64]:
        """The probabilities as doubles."""
        return np.array([weight / self.total for weight in self.weights])

    @property
    def smallest(self) -> Fraction:
        return Fraction(min(self.weights), self.total)


@dataclass(frozen=True, slots=True)
class PriorSet:
    """Every mixture of finitely many priors: "the prior is one of these, or anything between them".

    Pr(y) is linear in the prior, so a bound at the corners is one for the whole set.
    """

    corners: tuple[Prior, ...]

    @classmethod
    def of(cls, priors: PriorSet | Sequence[Any]) -> PriorSet:
        if isinstance(priors, PriorSet):
            return priors
        if isinstance(priors, (str, bytes)) or not isinstance(priors, Iterable):
            raise PriorError(f"The set of priors is {priors!r}. Give a list of priors.")
        corners = tuple(Prior.of(prior) for prior in priors)
        if not corners:
            raise PriorError("The set of priors is empty. Give at least one prior.")
        if len({len(corner) for corner in corners}) > 1:
            raise PriorError("The priors of the set differ in length. Give each one entry per item.")
        return cls(corners)

    @classmethod
    def interval(cls, low: float, high: float) -> PriorSet:
        """Two items, the second with a probability anywhere in [low, high] (the setting of LIP, Proposition 2)."""
        if not 0 < low <= high < 1:
            raise PriorError(f"The interval [{low!r}, {high!r}] isn't inside (0, 1). Give two probabilities, the smaller one first.")
        return cls.of([[1 - Fraction(bound), Fraction(bound)] for bound in (low, high)])

    @property
    def smallest(self) -> Fraction:
        return min(corner.smallest for corner in self.corners)

    @property
    def mean(self) -> Prior:
        """The prior in the middle of the corners."""
        items = range(len(self.corners[0]))
        return Prior.of([sum((corner.fraction(x) for corner in self.corners), Fraction(0)) / len(self.corners) for x in items])
