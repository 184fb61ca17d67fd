"""Spikes: answers that pile up at some values, such as round numbers, which no smooth distribution describes.

In these fits the logarithm of each share has a part of its own besides the smooth one, normal with some standard deviation. They are as
comparable with smooth fits as these are with each other: by their evidence, which is what notices spikes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.estimators.along import Evidence
from sottovoce.estimators.smoothing import HOPELESS, Fit, Prior, family, priors

#: More items than the first number share so many cells with a part of their own as the second says.
MOST_CELLS, FEWER_CELLS = 128, 64
#: The standard deviations of these parts, and how much bending costs beside them.
APART = (0.5, 1.0, 2.0, 4.0)
BENDING = (1e1, 1e3, 1e5)
#: What is believed of all fits with spikes together, before any report.
BELIEF = 0.1


def cells_of(size: int, most: int = MOST_CELLS, fewer: int = FEWER_CELLS) -> Floats:
    """Columns that mark the items of each cell: one item each, or neighbours together if there are many items.

    >>> cells_of(5, 4, 2).T.tolist()
    [[1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 1.0]]
    """
    count = size if size <= most else fewer
    return np.asarray((np.arange(size)[:, None] * count // size == np.arange(count)).astype(np.float64))


def spiky(reports: Evidence, basis: Floats, cells: Floats, rough: Floats, best: float) -> list[Fit]:
    """Fits in which each cell has a part of its own. The search stops at larger parts once the evidence falls far below the best."""
    found: list[Fit] = []
    before = -np.inf
    smooth = cells.T @ basis / cells.sum(axis=0)[:, None]
    for apart in APART:
        fits = family(reports, cells, list(_priors(smooth, rough, apart)))
        found += fits
        reached = max(fit.evidence for fit in fits)
        best = max(best, reached)
        if reached < min(before, best - HOPELESS):
            break
        before = reached
    return found


def _priors(smooth: Floats, rough: Floats, apart: float) -> Iterator[Prior]:
    for prior in priors(rough, BENDING):
        covariance = smooth @ np.linalg.solve(prior.precision, smooth.T) + apart**2 * np.eye(len(smooth))
        yield Prior(np.asarray(np.linalg.inv(covariance), dtype=np.float64), -float(np.linalg.slogdet(covariance)[1]), prior.bending, apart)
