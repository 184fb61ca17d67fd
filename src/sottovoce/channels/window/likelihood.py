"""The likelihood of window reports, in O(K + L) for each pass, and Newton's steps on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Counts, Floats
from sottovoce.channels.likelihood import Likelihood, Slope, impossible
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

    def through(self, columns: Floats) -> tuple[Floats, Floats]:
        seen = self.counts > 0
        return self.counts[seen], self.passes.chances(columns.T).T[seen]

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
