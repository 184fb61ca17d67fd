"""The method 'smooth': distributions of ordered items that are as smooth, or as spiky, as the reports ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.domain import Domain
from sottovoce.estimators import splines
from sottovoce.estimators.along import evidence
from sottovoce.estimators.smoothing import BENDING, averaged, family, priors, weights
from sottovoce.estimators.spikes import APART, BELIEF, cells_of, spiky
from sottovoce.estimators.spikes import BENDING as SPIKY_BENDING
from sottovoce.tallies import Block

#: Smooth columns, and cells with a part of their own, along each axis of a grid.
_GRID_COLUMNS, _GRID_CELLS = 16, 25
#: How many fits with spikes there are, if none is left out.
_SPIKY_FITS = len(SPIKY_BENDING) * len(APART)


@dataclass(frozen=True)
class Smoothed:
    """The shares, how smooth they are, and that in words."""

    p: Floats
    chosen: dict[str, float]
    note: str


def smoothed(blocks: Sequence[Block], domain: Domain, progress: Callable[[float], None]) -> Smoothed:
    """The mean of smooth and spiky fits, weighted by how likely they make the reports."""
    said = evidence(blocks)
    basis, rough, cells = _columns(domain.shape)
    fits = family(said, basis, priors(rough))
    progress(0.3)
    smooth = len(fits)
    fits = fits + spiky(said, basis, cells, rough, max(fit.evidence for fit in fits))
    beliefs = [(1 - BELIEF) / len(BENDING)] * smooth + [BELIEF / _SPIKY_FITS] * (len(fits) - smooth)
    counted = weights(fits, beliefs)
    spikes = float(counted[smooth:].sum())
    bending = float(np.exp(counted @ np.log([fit.prior.bending for fit in fits])))
    return Smoothed(averaged(fits, counted), {"bending": bending, "spikes": spikes}, _words(spikes))


def _columns(shape: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """The smooth columns over all items, the matrix P of their roughness, and the columns of cells."""
    if len(shape) == 1:
        basis = splines.basis(shape[0])
        return basis, splines.roughness(basis.shape[1]), cells_of(shape[0])
    along = [splines.basis(length, _GRID_COLUMNS) for length in shape]
    counts = [columns.shape[1] for columns in along]
    rough = [
        _product([splines.roughness(count) if k == axis else np.eye(count) for k, count in enumerate(counts)]) for axis in range(len(shape))
    ]
    cells = [cells_of(length, _GRID_CELLS, _GRID_CELLS) for length in shape]
    return _product(along), np.asarray(sum(rough)), _product(cells)


def _product(tables: Sequence[Floats]) -> Floats:
    """The columns of a grid: the products of those of its axes."""
    found = tables[0]
    for table in tables[1:]:
        found = np.asarray(np.kron(found, table))
    return found


def _words(spikes: float) -> str:
    if spikes > 0.5:
        return "The answers pile up at some values, so neighbours don't look alike and each share is estimated by itself."
    return "Neighbours look alike, and each share follows those beside it."
