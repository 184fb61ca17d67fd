"""Newton's steps on the likelihood of window reports, in the running sums of the shares.

With F_j = p_0 + … + p_j over the sensitive items in order, the chance of a report is t_y + u·(F_y − F_{y−W}), and a share is
F_j − F_{j−1}. The Hessian of the likelihood links each F_y with F_{y−W}, and that of a barrier (or a prior) for the shares links
neighbours. Both together are a narrow band around the diagonal, if the F are taken in the right order: as they are, which gives a band
of W, or chain by chain of those that are a multiple of W apart, from both ends to the middle, which gives a band of about 2K/W. One of
the two is at most √(2K), so a step takes O(K²).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.channels.window.passes import Passes
from sottovoce.later import later

linalg = later("scipy.linalg")

Places = NDArray[np.int64]


class Chains:
    """The band of one channel, and its solution."""

    def __init__(self, passes: Passes) -> None:
        self._passes = passes
        self._count = len(passes.inside) - 1  # the last sum is that of all sensitive items

    @cached_property
    def _order(self) -> Places:
        """The place of each F_j in the band."""
        places, width = np.arange(self._count), self._passes.width
        residues = places % width
        columns = np.where(2 * residues < width, 2 * residues, 2 * (width - 1 - residues) + 1)
        folded = np.empty_like(places)
        folded[np.lexsort((places, columns))] = places
        return min((places, folded), key=self._band_of)

    def _band_of(self, order: Places) -> int:
        links = [order[1:] - order[:-1], order[self._passes.width :] - order[: -self._passes.width]]
        return int(np.abs(np.concatenate(links)).max(initial=0))

    @cached_property
    def _links(self) -> tuple[tuple[Places, Places], tuple[Places, Places]]:
        """Where in the band the links of neighbours are, and those of F_y with F_{y−W}."""

        def where(one: Places, other: Places) -> tuple[Places, Places]:
            return np.abs(one - other), np.minimum(one, other)

        order, width = self._order, self._passes.width
        return where(order[1:], order[:-1]), where(order[width:], order[:-width])

    def step(self, second: Floats, diagonal: Floats, slope: Floats) -> Floats:
        """The v with Σ v = 0 that maximises slope·v − ½·Σ_y second_y·(v·Q)_y² − ½·Σ diagonal·v²."""
        passes, count, width = self._passes, self._count, self._passes.width
        w, d, g = second[: passes.length], diagonal[passes.inside], slope[passes.inside]
        curved = passes.gain**2 * w
        band = np.zeros((self._band_of(self._order) + 1, count))
        main = curved[:count] + curved[width : width + count] + d[:-1] + d[1:]
        band[0, self._order] = main
        neighbours, apart = self._links
        np.add.at(band, neighbours, -d[1:-1])
        np.add.at(band, apart, -curved[width:count])
        rest = g[:-1] - g[1:]
        if not len(passes.free):
            return self._shares(self._solved(band, rest[:, None])[:, 0], 0.0)
        return self._bordered(band, w, d, g, rest, second, diagonal, slope)

    def _bordered(
        self, band: Floats, w: Floats, d: Floats, g: Floats, rest: Floats, second: Floats, diagonal: Floats, slope: Floats
    ) -> Floats:
        """With free items the sum s of all sensitive ones changes too, and what they lose the free ones get."""
        passes, count, width = self._passes, self._count, self._passes.width
        lean = passes.noise - passes.kept + passes.gain * (np.arange(passes.length) >= count)
        border = passes.gain * (w * lean)[:count] - passes.gain * (w * lean)[width : width + count]
        if count:
            border[-1] -= d[-1]
        stiff = diagonal[passes.free] + passes.shown**2 * second[passes.length :]
        loose = 1 / stiff
        mean = float(slope[passes.free] @ loose / loose.sum())
        corner = float(w @ lean**2) + d[-1] + 1 / float(loose.sum())
        solved = self._solved(band, np.stack([rest, border], axis=1))
        moved = (g[-1] - mean - float(border @ solved[:, 0])) / (corner - float(border @ solved[:, 1]))
        found = self._shares(solved[:, 0] - moved * solved[:, 1], moved)
        found[passes.free] = (slope[passes.free] - mean - moved / float(loose.sum())) * loose
        return found

    def _solved(self, band: Floats, right: Floats) -> Floats:
        if not self._count:
            return right
        ordered = np.empty_like(right)
        ordered[self._order] = right
        try:
            return np.asarray(linalg.solveh_banded(band, ordered, lower=True, check_finite=False)[self._order])
        except np.linalg.LinAlgError:
            return np.full_like(right, np.nan)

    def _shares(self, sums: Floats, total: float) -> Floats:
        found = np.zeros(len(self._passes.sensitive))
        found[self._passes.inside] = np.diff(sums, prepend=0.0, append=total)
        return found
