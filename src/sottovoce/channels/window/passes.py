"""Sums over the matrix of a window channel in O(K + L), by sums over the reports up to each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats, Mask

Places = NDArray[np.int64]


def between(values: Floats, low: Places, high: Places) -> Floats:
    """Σ values[low:high] along the last axis, for several pairs of ends.

    Differences of running sums lose digits, so the rounding of each addition is kept, exactly, and added up too.
    """
    sums = np.cumsum(values, axis=-1)
    before = np.concatenate([np.zeros_like(sums[..., :1]), sums[..., :-1]], axis=-1)
    added = sums - before
    lost = np.cumsum((before - (sums - added)) + (values - added), axis=-1)
    start = np.zeros_like(sums[..., :1])
    sums, lost = np.concatenate([start, sums], axis=-1), np.concatenate([start, lost], axis=-1)
    return np.asarray((sums[..., high] - sums[..., low]) + (lost[..., high] - lost[..., low]))


@dataclass(frozen=True, eq=False)
class Passes:
    """Q(y|x) = t_y + u·1[r ≤ y ≤ r + 2h] for the r-th sensitive item, and `kept_y` then `shown` for a free one."""

    half: int
    gain: float
    noise: Floats
    sensitive: Mask
    kept: Floats
    shown: float

    @property
    def length(self) -> int:
        """The number of reports that show no item."""
        return len(self.noise)

    @property
    def width(self) -> int:
        """How many reports a window has."""
        return 2 * self.half + 1

    @cached_property
    def inside(self) -> Places:
        """The sensitive items."""
        return np.flatnonzero(self.sensitive)

    @cached_property
    def free(self) -> Places:
        """The free items."""
        return np.flatnonzero(~self.sensitive)

    @cached_property
    def ends(self) -> tuple[Places, Places]:
        """The places, among the sensitive items, of those in whose window each report is: the first, and one behind the last."""
        reports, count = np.arange(self.length), len(self.inside)
        return np.maximum(reports - 2 * self.half, 0), np.minimum(reports + 1, count)

    @cached_property
    def windows(self) -> tuple[Places, Places]:
        """The first report of the window of each sensitive item, and one behind the last."""
        first = np.arange(len(self.inside))
        return first, first + self.width

    def chances(self, p: Floats) -> Floats:
        """p·Q along the last axis: the chance of each report when items follow p."""
        inside, free = p[..., self.inside], p[..., self.free]
        found = self.noise * inside.sum(axis=-1, keepdims=True) + self.gain * between(inside, *self.ends)
        if not len(self.free):
            return np.asarray(found)
        return np.concatenate([found + self.kept * free.sum(axis=-1, keepdims=True), self.shown * free], axis=-1)

    def scores(self, r: Floats) -> Floats:
        """Q·r: the sum over the reports for each item."""
        return self._gathered(r, self.noise, self.gain, self.kept, self.shown)

    def squares(self, r: Floats) -> Floats:
        """The same with the squares of the entries of Q."""
        return self._gathered(r, self.noise**2, self.gain * (self.gain + 2 * self.noise), self.kept**2, self.shown**2)

    def _gathered(self, r: Floats, noise: Floats, gain: Floats | float, kept: Floats, shown: float) -> Floats:
        found, protected = np.empty(len(self.sensitive)), r[: self.length]
        found[self.inside] = float(noise @ protected) + between(gain * protected, *self.windows)
        if len(self.free):
            found[self.free] = float(kept @ protected) + shown * r[self.length :]
        return found

    def gram(self, w: Floats) -> Floats:
        """Σ_y w_y·q_y·q_yᵀ over the protected reports, with q_y less t_y: Q's columns up to what depends on no item. O(K²)."""
        count, found = len(self.inside), np.zeros((len(self.sensitive), len(self.sensitive)))
        w = w[: self.length]
        sums = np.concatenate([[0.0], np.cumsum(w)])
        places = np.arange(count)
        first, last = np.maximum.outer(places, places), np.minimum.outer(places, places) + self.width
        found[np.ix_(self.inside, self.inside)] = self.gain**2 * np.where(last > first, sums[np.maximum(last, first)] - sums[first], 0.0)
        if len(self.free):
            less = self.kept - self.noise
            mixed = np.repeat((self.gain * between(w * less, *self.windows))[:, None], len(self.free), axis=1)
            found[np.ix_(self.inside, self.free)], found[np.ix_(self.free, self.inside)] = mixed, mixed.T
            found[np.ix_(self.free, self.free)] = float(w @ less**2)
        return found
