"""The method 'smooth': distributions of ordered items that are as smooth, or as spiky, as the reports ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.groups import Groups
from sottovoce.domain import Domain
from sottovoce.estimators import splines
from sottovoce.estimators.along import Counted, evidence
from sottovoce.estimators.smoothing import BENDING, averaged, family, priors, softmax, weights
from sottovoce.estimators.spikes import APART, BELIEF, cells_of, spiky
from sottovoce.estimators.spikes import BENDING as SPIKY_BENDING
from sottovoce.tallies import Block

#: Smooth columns, and cells with a part of their own, along each axis of a grid.
_GRID_COLUMNS, _GRID_CELLS = 12, 25
#: More items than the first number are merged into so many as the second says, where reports can be merged alike.
_MANY, _MERGED = 256, 128
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
    reports = evidence(blocks)
    basis, rough, cells = whole = _columns(domain.shape)
    fine = len(domain.axes) == 1 and len(domain) > _MANY
    merged = reports.coarser(_neighbours(len(domain))) if fine and isinstance(reports, Counted) else None
    if merged is not None:
        reports, basis, cells = merged, _mean(basis), _mean(cells)
    fits = family(reports, basis, priors(rough))
    progress(0.3)
    smooth = len(fits)
    fits = fits + spiky(reports, basis, cells, rough, max(fit.evidence for fit in fits))
    if merged is not None:
        fits = [replace(fit, p=softmax(whole[0 if k < smooth else 2] @ fit.beta)) for k, fit in enumerate(fits)]
    beliefs = [(1 - BELIEF) / len(BENDING)] * smooth + [BELIEF / _SPIKY_FITS] * (len(fits) - smooth)
    counted = weights(fits, beliefs)
    spikes = float(counted[smooth:].sum())
    bending = float(np.exp(counted @ np.log([fit.prior.bending for fit in fits])))
    return Smoothed(averaged(fits, counted), {"bending": bending, "spikes": spikes}, _words(spikes))


def _neighbours(size: int) -> Groups:
    return Groups(np.arange(size) * _MERGED // size, _MERGED)


def _mean(columns: Floats) -> Floats:
    """The mean of the columns over neighbours that are merged."""
    groups = _neighbours(len(columns))
    sizes = np.bincount(groups.labels)
    return np.stack([groups.totals(column) for column in columns.T], axis=1) / sizes[:, None]


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
