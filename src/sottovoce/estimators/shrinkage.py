"""`auto`: an estimate that shrinks as much as the reports ask for.

The shares of the items are draws from one of several priors: all alike, log-normal with some spread, two groups, which are a few prominent
items and a background, or one item and all others alike (see `priors.py`). If the domain has neighbours or several axes, there are also
priors whose means follow the neighbours or the margins. Under each prior the reports have a likelihood, item by item (see
`item_evidence.py`), and a posterior mean.

That the shares sum to 1 is evidence too. Under a prior, and under its posterior, the sum has a mean and a variance. The likelihood is
multiplied by how much denser the sum is at 1 with the reports than before them. The posterior means are conditioned on it: what they
lack to 1 is spread over the items by their variance, and over a background by the error of its level. The estimate is the average of
these means, weighted by belief times likelihood. If reports are plenty, the prior does not matter. If they say little, the estimate
falls back to uniform.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np

from sottovoce.arrays import Counts, Floats
from sottovoce.channels.inversion import Linear
from sottovoce.estimators import item_kernels
from sottovoce.estimators.intervals import spread
from sottovoce.estimators.item_evidence import ItemEvidence, are_read, of_reports, of_totals
from sottovoce.estimators.neighbours import predicted
from sottovoce.estimators.one_apart import one_apart
from sottovoce.estimators.priors import BELIEF_IN_LOCAL, LOCAL_SPREADS, WIDTH, Scale, belief_in_one, priors
from sottovoce.parallel import in_threads
from sottovoce.tallies import Block

#: How often reports are read again around the last estimate.
_READINGS = 2
#: Priors with less weight than this are left out of the average.
_NEGLIGIBLE = 1e-6
#: Items that are worked on at a time.
_ITEMS = 1 << 12


@dataclass(frozen=True)
class Shrunk:
    """The estimate, the weight of each kind of prior, and the mean spread."""

    p: Floats
    weights: dict[str, float]
    spread: float

    @property
    def chosen(self) -> dict[str, float]:
        """The mean spread, the weight of "all alike", and that of every other kind of prior but a plain spread."""
        return {"spread": self.spread, "alike": self.weights["alike"]} | {
            kind: weight for kind, weight in self.weights.items() if kind not in ("alike", "spread")
        }

    @property
    def note(self) -> str:
        """What the estimate found, in words."""
        kind = max(self.weights, key=self.weights.__getitem__)
        if kind == "alike":
            return "All items look alike."
        if kind == "near":
            return "Neighbouring items look alike."
        if kind == "product":
            return "The axes look independent of each other."
        if kind == "one" and len(self.p) > 2:
            return f"One item has {self.p.max():.0%}, and the others look alike."
        largest = np.sort(self.p)[::-1].cumsum()
        few = int(np.searchsorted(largest, 0.5)) + 1
        if kind == "few" and few <= max(1, len(self.p) // 10):
            return f"A few items hold most: {few} of {len(self.p)} {'has' if few == 1 else 'have'} {largest[few - 1]:.0%}."
        if kind == "few":
            return "Some items stand out from the others."
        return "The items differ widely." if self.spread > 1 else "The items differ little." if self.spread < 0.5 else "The items differ."


def shrunk(blocks: Sequence[Block], watch: Callable[[float], None] = lambda done: None) -> Shrunk:
    """The estimate from some blocks. `watch` hears which part is done."""
    means = predicted(blocks[0].mechanism.inputs, _unbiased([block.totals() for block in blocks]))
    rounds = 1 + (_READINGS if are_read(blocks) else 0)
    found = _Average(of_totals(blocks), means, partial(_watched, watch, 0, rounds)).shrunk()
    for again in range(1, rounds):
        found = _Average(of_reports(blocks, found.p), means, partial(_watched, watch, again, rounds)).shrunk()
    return found


def _watched(watch: Callable[[float], None], before: int, rounds: int, done: float) -> None:
    watch((before + done) / rounds)


def _unbiased(blocks: Sequence[Block]) -> Linear:
    """The unbiased estimate, with the variances of a flat population: those of the counts are 0 for items that no one was seen to have."""
    around, equal = spread(blocks), 1 / blocks[0].channel.size
    return Linear(around.mean, equal * around.second[0] + (1 - equal) * around.second[1] - equal**2 * around.squares)


class _Average:
    """The average over all priors, given the evidence and the predictions of the items from others."""

    def __init__(self, evidence: ItemEvidence, means: Sequence[tuple[str, Floats, float]], watch: Callable[[float], None]) -> None:
        self._evidence, self._means, self._watch = evidence, means, watch
        self._scale, self._priors = Scale(evidence.size), priors(evidence.size)
        if means:
            everything = np.arange(evidence.size, dtype=np.int64)
            self._first, self._kind, self._times = everything, everything, np.ones(evidence.size)
        else:
            self._first, self._kind, self._times = evidence.distinct()
        self._tables = lru_cache(maxsize=1)(self._tabulated)

    @cached_property
    def _parts(self) -> list[slice]:
        return [slice(start, start + _ITEMS) for start in range(0, len(self._first), _ITEMS)]

    @cached_property
    def _local(self) -> list[tuple[Floats, float]]:
        """The priors with means of the items' own: means and spread."""
        return [(means, sigma) for _, means, _ in self._means for sigma in LOCAL_SPREADS]

    @property
    def _kinds(self) -> list[str]:
        return [*self._priors.kinds, *(kind for kind, _, _ in self._means for _ in LOCAL_SPREADS)]

    @property
    def _beliefs(self) -> Floats:
        """The logarithm of the belief in each prior."""
        local = [math.log(BELIEF_IN_LOCAL / len(LOCAL_SPREADS)) - cost for _, _, cost in self._means for _ in LOCAL_SPREADS]
        return np.concatenate([self._believed(self._priors.beliefs), local])

    def _believed(self, beliefs: Floats | float) -> Floats:
        """The logarithm of beliefs, less what predictions of the items from others have."""
        return np.asarray(np.log(beliefs) + math.log(1 - BELIEF_IN_LOCAL * len(self._means)))

    @property
    def _before(self) -> tuple[Floats, Floats]:
        """The variance of the sum of the shares under each prior, and the spread of the shares."""
        local = [float((means**2).sum()) * math.expm1(sigma**2) for means, sigma in self._local]
        variances = np.concatenate([self._evidence.size * self._priors.variances(self._scale), local])
        return variances, np.concatenate([self._priors.spreads, [self._spread_of(variance) for variance in local]])

    def _spread_of(self, variance: float) -> float:
        """The spread of log-normal shares whose sum has a variance."""
        return math.sqrt(math.log1p(variance * self._evidence.size))

    def shrunk(self) -> Shrunk:
        every = np.arange(len(self._kinds), dtype=np.int64)
        fit, sums, variances, level = (np.zeros(len(every)) for _ in range(4))
        for number, part in enumerate(self._parts):
            times = self._times[part]
            logs, mean, variance = self._posterior(part, every)
            fit, sums, variances = fit + times @ logs, sums + times @ mean, variances + times @ variance
            level += times @ self._background(mean, every)
            self._watch((number + 1) / (len(self._parts) + 1))
        before, spreads = self._before
        fixed = before <= 0  # all alike: the sum is 1 whatever the reports are
        before = np.where(fixed, 1.0, before + level**2)
        dense = np.where(fixed, 1.0, np.maximum(variances + level**2, 1e-30))
        shift = np.where(fixed, 0.0, (1 - sums) / dense)
        fit += np.where(fixed, 0.0, 0.5 * (np.log(before / dense) - (1 - sums) * shift))
        apart, weight_apart = np.zeros(self._evidence.size), -math.inf
        belief = belief_in_one(self._evidence.size, predicted=bool(self._means))
        if belief > 0:
            likelihood, apart = one_apart(self._evidence)
            weight_apart = float(self._believed(belief)) + likelihood
        weights = np.append(self._beliefs + fit, weight_apart)
        weights = np.exp(weights - weights.max())
        weights /= weights.sum()
        kept = np.flatnonzero(weights[:-1] > _NEGLIGIBLE).astype(np.int64)
        p = self._averaged(kept, shift[kept], level[kept], weights[kept]) + weights[-1] * apart
        by_kind: dict[str, float] = dict.fromkeys([*self._kinds, "one"], 0.0)
        for kind, weight in zip([*self._kinds, "one"], weights.tolist(), strict=True):
            by_kind[kind] += weight
        own = self._spread_of(float(((apart - 1 / self._evidence.size) ** 2).sum()))
        return Shrunk(np.asarray(p / p.sum()), by_kind, float(weights @ np.append(spreads, own)))

    def _background(self, mean: Floats, rows: Counts) -> Floats:
        """How far each item moves with the level of the background, one standard deviation up."""
        levels, below = (np.concatenate([each, np.zeros(len(self._local))])[rows] for each in (self._priors.levels, self._priors.below))
        return np.where(mean < below, mean * levels, 0.0)

    def _averaged(self, kept: Counts, shift: Floats, level: Floats, weights: Floats) -> Floats:
        """The weighted sum over the priors that are kept of their posterior means given the sum, negative ones cut."""
        given_sum = []
        for part in self._parts:
            _, mean, variance = self._posterior(part, kept)
            given_sum.append(np.maximum(mean + (variance + self._background(mean, kept) * level) * shift, 0.0))
        shares = np.concatenate(given_sum)
        shares = shares / np.maximum(self._times @ shares, 1e-300)
        self._watch(1.0)
        return np.asarray((shares @ weights)[self._kind])

    def _posterior(self, part: slice, rows: Counts) -> tuple[Floats, Floats, Floats]:
        """For some items and priors: the log-likelihood of the reports, and the mean and variance of the share given them."""
        peak, likely, first, square = self._tables(part.start)
        shared = rows[rows < len(self._priors.kinds)]
        masses = self._priors.masses[shared].T
        sums = np.stack([likely @ masses, first @ masses, square @ masses])
        if len(shared) < len(rows):
            local = [self._local[row - len(self._priors.kinds)] for row in rows[len(shared) :]]
            own = np.empty((len(local), 3, len(peak)))
            for found, (means, sigma) in zip(own, local, strict=True):
                shifts = np.rint((np.log(means[part]) - self._scale.edges[0]) / WIDTH).astype(np.int64)
                item_kernels.weigh(shifts, _centred(self._scale.cells, sigma), likely, first, square, found)
            sums = np.concatenate([sums, own.transpose(1, 2, 0)], axis=2)
        total = np.maximum(sums[0], 1e-300)
        mean = sums[1] / total
        return peak[:, None] + np.log(total), mean, np.maximum(sums[2] / total - mean**2, 0.0)

    def _tabulated(self, start: int) -> tuple[Floats, Floats, Floats, Floats]:
        """The likelihood of the items of a part, cell by cell."""
        items, scale = self._first[start : start + _ITEMS], self._scale
        columns = scale.cells + 2

        def tabulate(rows: slice) -> tuple[Floats, Floats, Floats, Floats]:
            e = self._evidence.of(items[rows])
            peak = np.empty(e.size)
            likely, first, square = (np.zeros((e.size, columns)) for _ in range(3))
            tables = e.single, e.counts, e.people, e.own, e.other, e.pseudo, e.mean, e.second, e.squares
            item_kernels.tabulate(e.low, e.high, scale.bottom, WIDTH, 1 / scale.size, *tables, peak, likely, first, square)
            return peak, likely, first, square

        found = in_threads(len(items), 8 * columns, tabulate)
        peak, likely, first, square = (np.concatenate(pieces) for pieces in zip(*found, strict=True))
        return peak, likely, first, square


@lru_cache(maxsize=32)
def _centred(cells: int, sigma: float) -> Floats:
    """The masses of log-normal shares in cells around their mean, which lies in the middle."""
    edges = WIDTH * (np.arange(-cells, cells + 2) - 0.5)
    below = np.array([0.5 * math.erfc(-(edge / sigma + sigma / 2) / math.sqrt(2.0)) for edge in edges])
    return np.diff(below)
