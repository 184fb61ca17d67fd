"""A channel as the collector sees it: the columns (Q(y|x))_x of its reports y, up to a factor that depends on y alone.

Nearly every channel is a *set system with two weights per item*: a report y is a set of items, and Q(y|x) is proportional to `high[x]` if x
is in y and to `low[x]` if not. Direct reports are the one-item sets, unary reports all sets, subset selection the sets of size k, Hadamard
response a list of sets, hashed reports the sets of items that share a bucket. An *invertible* item also has reports that only it can
produce, and has one weight in all others. The same two weights are the likelihood that estimators maximise, and all that a notion of
privacy needs.

Everything here is exact: weights are Fractions, made from the integers that are sampled.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Mask
from sottovoce.errors import UnsupportedError
from sottovoce.policy import Prior

Ratio = Fraction | float


@dataclass(frozen=True, slots=True)
class Pattern:
    """A kind of report: it contains the first items, and not the others."""

    inside: tuple[int, ...]
    outside: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Extreme:
    """The largest value of a ratio, and where it is attained: a report, and the items in the numerator and the denominator."""

    ratio: Ratio
    report: Any = None
    item: int | None = None
    other: int | None = None


NOTHING = Extreme(Fraction(0))


def ratio(numerator: Fraction, denominator: Fraction) -> Ratio:
    if denominator == 0:
        return math.inf if numerator > 0 else Fraction(0)
    return numerator / denominator


def largest(extremes: Iterable[Extreme]) -> Extreme:
    return max(extremes, key=lambda extreme: extreme.ratio, default=NOTHING)


class Columns(ABC):
    """The questions that notions of privacy ask of a channel."""

    #: Which items have a report that only they can produce.
    invertible: Mask
    #: Whether every set that the columns speak of is the set of some report (otherwise ratios over sets are upper bounds).
    every_set: bool = True
    #: The largest ratio between any two items over all reports, if it is known without listing the items.
    widest: Extreme | None = None

    @abstractmethod
    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        """max Q(y|x)/Q(y|x') over x ≠ x' of the two masks and the reports y that are not invertible.

        With a prior, the posterior odds P_x·Q(y|x)/(P_x'·Q(y|x')).
        """

    @abstractmethod
    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        """max Pr(y)/Q(y|x) and max Q(y|x)/Pr(y) over all x and the reports y that are not invertible."""

    @abstractmethod
    def protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme: ...

    def largest_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        """max (Σ_x above_x·Q(y|x)) / (Σ_x below_x·Q(y|x)) over all reports y, invertible ones included."""
        revealed = (Extreme(ratio(above[j], below[j]), (j,)) for j in np.flatnonzero(self.invertible).tolist())
        return largest([self.protected_ratio(above, below), *revealed])

    def kinds(self, items: NDArray[np.int64]) -> NDArray[np.intp]:
        """A number for each of some items, equal only for items that the channel treats alike. By default no two are."""
        return items.astype(np.intp)

    # what notions ask of channels whose reports are the items themselves

    def within(self, y: int) -> Extreme:
        """max Q(y|x)/Q(y|x') over all x and x', for the report y."""
        raise UnsupportedError("Budgets for single reports need a channel whose reports are items. Use another notion for this channel.")

    def alike(self, reports: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """One report for each kind of column, and the kind of every report. By default each is its own kind."""
        return reports, np.arange(len(reports))

    def shared(self, free: Mask) -> int | None:
        """One of the marked items that other people can name too, or that its holder never names. None if there is none."""
        raise UnsupportedError("Budgets for single reports need a channel whose reports are items. Use another notion for this channel.")


@dataclass(frozen=True)
class SetColumns(Columns):
    """Columns of sets, by classes of items with equal weights. `size` is the size of every set, or None for all sets.

    Invertible items are in no set: their low weight applies to every report that doesn't reveal them. `empty` has the weights per class at
    the empty set, if they differ from the low ones (lifted channels).
    """

    classes: NDArray[np.intp]
    low: tuple[Fraction, ...]
    high: tuple[Fraction, ...]
    size: int | None
    invertible: Mask
    empty: tuple[Fraction, ...] | None = None
    every_set: bool = True

    @cached_property
    def _variable(self) -> NDArray[np.intp]:
        """The items that sets can contain."""
        return np.flatnonzero(~self.invertible)

    def best_set(self, values: Callable[[int], Fraction]) -> list[int]:
        """The admissible set with the largest total value."""
        scored = [(values(int(j)), int(j)) for j in self._variable]
        if self.size is not None:
            scored.sort(key=lambda pair: pair[0], reverse=True)
            return [j for _, j in scored[: self.size]]
        chosen = [j for value, j in scored if value > 0]
        if not chosen and self.empty is not None and scored:
            return [max(scored)[1]]
        return chosen

    def _absent(self, group: int) -> Fraction:
        """The smallest weight that an item of the class can have: it is in every set when the sets hold all items."""
        return self.high[group] if self.size is not None and self.size >= len(self._variable) else self.low[group]

    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        if len(self._variable) == 0:
            return NOTHING
        weigh = (lambda item: Fraction(1)) if prior is None else prior.fraction
        top = self._two_best(numerators, self.high, 1, prior)
        bottom = self._two_best(denominators, tuple(self._absent(c) for c in range(len(self.low))), -1, prior)
        pairs = [
            Extreme(ratio(up * weigh(x), down * weigh(other)), self._pattern(x, other), x, other)
            for up, x in top
            for down, other in bottom
            if x != other
        ]
        if self.empty is not None:
            above, below = self._two_best(numerators, self.empty, 1, prior), self._two_best(denominators, self.empty, -1, prior)
            pairs += [
                Extreme(ratio(up * weigh(x), down * weigh(other)), self._empty_report, x, other)
                for up, x in above
                for down, other in below
                if x != other
            ]
        return largest(pairs)

    def kinds(self, items: NDArray[np.int64]) -> NDArray[np.intp]:
        return 2 * self.classes[items] + self.invertible[items]

    @property
    def _empty_report(self) -> Pattern:
        return Pattern((), tuple(self._variable.tolist()))

    def _pattern(self, x: int, other: int) -> Pattern:
        return Pattern(() if self.invertible[x] else (x,), () if self.invertible[other] else (other,))

    def _two_best(self, mask: Mask, weights: Sequence[Fraction], sign: int, prior: Prior | None) -> list[tuple[Fraction, int]]:
        """The two items of the mask with the most extreme (prior-weighted) weight: two, so that one of them differs from a rival."""
        items = np.flatnonzero(mask)
        groups = self.classes[items]
        candidates: list[tuple[Fraction, Fraction, int]] = []
        if prior is None:
            order = np.argsort(groups, kind="stable")
            starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
            for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
                weight = weights[groups[order[start]]]
                candidates += [(weight, weight, int(items[order[k]])) for k in range(start, min(end, start + 2))]
        else:
            candidates = [(weights[g] * prior.weights[j], weights[g], int(j)) for j, g in zip(items.tolist(), groups.tolist(), strict=True)]
        candidates.sort(key=lambda candidate: candidate[0] * sign, reverse=True)
        return [(weight, item) for _, weight, item in candidates[:2]]

    def _rarest(self, prior: Prior) -> dict[int, int]:
        """The item of smallest prior in each class, because beliefs about it can move the most."""
        rarest: dict[int, int] = {}
        weights = prior.weights
        for item, group in zip(self._variable.tolist(), self.classes[self._variable].tolist(), strict=True):
            if group not in rarest or weights[item] < weights[rarest[group]]:
                rarest[group] = item
        return rarest

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        mass = [0] * len(self.low)
        for weight, group in zip(prior.weights, self.classes.tolist(), strict=True):
            mass[group] += weight
        gain = [high - low for low, high in zip(self.low, self.high, strict=True)]
        base = sum((m * low for m, low in zip(mass, self.low, strict=True)), Fraction(0))
        everything = sum((m * g for m, g in zip(mass, gain, strict=True)), Fraction(0))
        gains = _OrderedGains([(prior.weights[j] * gain[self.classes[j]], j) for j in self._variable.tolist()])
        count = len(self._variable)
        up, down = NOTHING, NOTHING
        for group, item in self._rarest(prior).items():
            own = prior.weights[item] * gain[group]
            if self.size is None:
                most, least = everything - own, Fraction(0)
            else:
                most, least = gains.most_without(own, self.size), gains.least_without(own, self.size - 1)
            if self.size is None or self.size < count:
                up = largest([up, Extreme((base + most) / (prior.total * self.low[group]), None, item)])
            down = largest([down, Extreme(prior.total * self.high[group] / (base + own + least), None, item)])
        others = count - 1 if self.size is None else self.size
        return gains.shown(up, others, own=False), gains.shown(down, 0 if self.size is None else self.size - 1, own=True)

    def protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        """Dinkelbach's iteration: at the best ratio λ no admissible set makes above − λ·below positive. Exact and finite."""
        if len(self._variable) == 0:
            return NOTHING
        groups = self.classes.tolist()
        low_above = sum((above[j] * self.low[g] for j, g in enumerate(groups)), Fraction(0))
        low_below = sum((below[j] * self.low[g] for j, g in enumerate(groups)), Fraction(0))
        gain = [high - low for low, high in zip(self.low, self.high, strict=True)]
        best = NOTHING
        while True:
            bar = best.ratio
            chosen = self.best_set(lambda j: gain[groups[j]] * (above[j] - bar * below[j]))  # noqa: B023 - used within the round
            value = ratio(
                low_above + sum((above[j] * gain[groups[j]] for j in chosen), Fraction(0)),
                low_below + sum((below[j] * gain[groups[j]] for j in chosen), Fraction(0)),
            )
            if value <= best.ratio:
                break
            best = Extreme(value, tuple(chosen))
            if value == math.inf:
                break
        if self.empty is not None:
            numerator = sum((above[j] * self.empty[g] for j, g in enumerate(groups)), Fraction(0))
            denominator = sum((below[j] * self.empty[g] for j, g in enumerate(groups)), Fraction(0))
            best = largest([best, Extreme(ratio(numerator, denominator), ())])
        return best


class _OrderedGains:
    """Items by what they add to Pr(y): sums of the largest or smallest few, leaving one item out."""

    def __init__(self, gains: list[tuple[Fraction, int]]) -> None:
        self._pairs = sorted(gains)
        self._sorted = [gain for gain, _ in self._pairs]
        self._sums = [Fraction(0), *accumulate(self._sorted)]

    def most_without(self, own: Fraction, count: int) -> Fraction:
        total = len(self._sorted)
        count = min(count, total - 1)
        if count and own >= self._sorted[total - count]:
            return self._sums[total] - self._sums[total - count - 1] - own
        return self._sums[total] - self._sums[total - count]

    def least_without(self, own: Fraction, count: int) -> Fraction:
        if count and own <= self._sorted[count - 1]:
            return self._sums[count + 1] - own
        return self._sums[count]

    def shown(self, extreme: Extreme, count: int, *, own: bool) -> Extreme:
        """The extreme with its report: the item and the `count` others that add least, or the `count` others that add most."""
        if extreme.item is None:
            return extreme
        others = [j for _, j in self._pairs if j != extreme.item]
        if own:
            return replace(extreme, report=Pattern((extreme.item, *others[:count]), tuple(others[count:])))
        return replace(extreme, report=Pattern(tuple(others[len(others) - count :]), (extreme.item,)))
