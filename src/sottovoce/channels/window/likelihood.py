"""The likelihood of window reports, in O(K + L) for each pass, and Newton's steps on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Counts, Floats
from sottovoce.channels.groups import Groups
from sottovoce.channels.likelihood import Likelihood, MatrixLikelihood, Slope, impossible
from sottovoce.channels.model import Model
from sottovoce.channels.window.chains import Chains
from sottovoce.channels.window.passes import Passes


@dataclass(frozen=True)
class WindowLikelihood(Likelihood):
    """Σ_y c_y·log((p·Q)_y) for the counts c of the reports."""

    counts: Floats
    passes: Passes
    chains: Chains
    narrow = True

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    @property
    def counted(self) -> Floats:
        return self.counts

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        seen, mean = self.counts > 0, self.passes.chances(p)
        if mean[seen].min() <= 0:
            return impossible(len(p))
        value = float((self.counts[seen] * np.log(mean[seen])).sum())
        first = np.divide(self.counts, mean, out=np.zeros_like(mean), where=seen)
        gradient = self.passes.scores(first)
        if not curved:
            return Slope(value, gradient, gradient, gradient, gradient, 0.0)
        second = self._second(mean)
        return Slope.scattered(value, gradient, self.passes.squares(second), self.passes.scores(second), float(second.sum()))

    def coarser(self, groups: Groups) -> MatrixLikelihood:
        spread = np.zeros((groups.count, len(groups.labels)))
        spread[groups.labels, np.arange(len(groups.labels))] = 1.0
        chances = self.passes.chances(spread / spread.sum(axis=1, keepdims=True))
        places = np.arange(len(self.counts)) * groups.count // len(groups.labels)
        counts = np.bincount(places, self.counts).astype(np.float64)
        seen = counts > 0
        merged = np.add.reduceat(chances, np.flatnonzero(np.diff(places, prepend=-1)), axis=1)
        return MatrixLikelihood(np.ascontiguousarray(merged.T[seen]), counts[seen])

    def through(self, columns: Floats) -> tuple[Floats, Floats]:
        passes, seen = self.passes, np.flatnonzero(self.counts)
        protected, shown = seen[seen < passes.length], seen[seen >= passes.length] - passes.length
        sums = np.concatenate([np.zeros((1, columns.shape[1])), np.cumsum(columns[passes.inside], axis=0)])
        low, high = (ends[protected] for ends in passes.ends)
        found = passes.gain * (sums[high] - sums[low]) + np.outer(passes.noise[protected], sums[-1])
        if len(passes.free):
            free = columns[passes.free]
            found = np.vstack([found + np.outer(passes.kept[protected], free.sum(axis=0)), passes.shown * free[shown]])
        return self.counts[seen], found

    def _second(self, mean: Floats) -> Floats:
        return np.divide(self.counts, mean**2, out=np.zeros_like(mean), where=self.counts > 0)

    def hessian(self, p: Floats) -> Floats:
        passes, second = self.passes, self._second(self.passes.chances(p))
        protected = second[: passes.length]
        cross = passes.scores(np.concatenate([protected * passes.noise, np.zeros(len(second) - passes.length)]))
        square = float((protected * passes.noise**2).sum())
        found = passes.gram(protected) + np.add.outer(cross, cross) - square
        found[passes.free, passes.free] += passes.shown**2 * second[passes.length :]
        return np.asarray(found)

    def newton(self, p: Floats, diagonal: Floats, slope: Floats) -> Floats:
        return self.chains.step(self._second(self.passes.chances(p)), diagonal, slope)


class WindowModel(Model):
    """Counts per report are sufficient."""

    def of_counts(self, counts: Counts) -> WindowLikelihood:
        passes = self.channel.passes
        return WindowLikelihood(counts.astype(np.float64), passes, self._chains(passes))

    def _chains(self, passes: Passes) -> Chains:
        if not hasattr(self, "_known"):
            self._known = Chains(passes)
        return self._known
