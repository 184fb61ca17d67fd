"""Averages over all reports (mutual information, leakage) without listing the reports.

The mutual information of a set-valued channel needs E[M log M], where M = start + Σ_{j ∈ y} gain_j is the (relative) probability of the
random set y. The distribution of M is built item by item from few atoms. When atoms are merged, Jensen's inequality gives the sign of the
error: replacing atoms by their mean lowers E[M log M], spreading them to the ends of a cell (keeping the mean) raises it. Both are
computed, so the result is bracketed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.special import xlogy

#: Outward widening that covers the rounding of double arithmetic in these sums, relative to 1 + |value|: once, and for each term.
_ROUNDING, _PER_TERM = 1e-12, 2e-15
_MOST_ATOMS = 1 << 12


@dataclass(frozen=True, slots=True)
class Bounds:
    """A real number known to lie between two doubles."""

    low: float
    high: float

    @classmethod
    def around(cls, low: float, high: float | None = None, *, terms: int = 1) -> Bounds:
        """Bounds widened outward by the rounding of the sums of so many terms that led to them."""
        high = low if high is None else high
        share = _ROUNDING + _PER_TERM * terms
        return cls(low - share * (1 + abs(low)), high + share * (1 + abs(high)))


def total_xlogx(values: Floats) -> float:
    """Σ v log v, with 0 log 0 = 0."""
    return float(xlogy(values, values).sum())


@dataclass(frozen=True)
class _Atoms:
    values: Floats
    masses: Floats

    def joined(self, other: _Atoms) -> _Atoms:
        return _Atoms(np.concatenate([self.values, other.values]), np.concatenate([self.masses, other.masses]))

    def moved(self, gain: float, share: float) -> _Atoms:
        return _Atoms(self.values + gain, self.masses * share)

    def thinned(self, most: int, *, spread: bool) -> _Atoms:
        """At most `most` atoms with the same mass and mean: merged to means, or spread to the ends of their cells."""
        keep = self.masses > 0
        values, masses = self.values[keep], self.masses[keep]
        if len(values) <= most:
            return _Atoms(values, masses)
        edges = np.linspace(values.min(), values.max(), most // 2 + 1)
        width = edges[1] - edges[0]
        if width <= 0:
            return _Atoms(values[:1], np.array([masses.sum()]))
        cell = np.minimum(((values - edges[0]) / width).astype(np.int64), most // 2 - 1)
        if not spread:
            mass: Floats = np.bincount(cell, masses, minlength=most // 2).astype(np.float64)
            full = mass > 0
            return _Atoms(np.bincount(cell, masses * values, minlength=most // 2)[full] / mass[full], mass[full])
        right = np.clip((values - edges[cell]) / width, 0, 1)
        left = np.bincount(cell, masses * (1 - right), minlength=most // 2 + 1)
        return _Atoms(edges, (left + np.bincount(cell + 1, masses * right, minlength=most // 2 + 1)).astype(np.float64))

    def mean_xlogx(self) -> float:
        return float((self.masses * xlogy(self.values, self.values)).sum())


def mean_xlogx_independent(start: float, gains: Floats, chances: Floats) -> tuple[float, float]:
    """Bounds on E[M log M] when item j is in the set with probability chances[j], independently."""

    def run(*, spread: bool) -> float:
        atoms = _Atoms(np.array([start]), np.array([1.0]))
        for gain, chance in zip(gains, chances, strict=True):
            atoms = atoms.moved(0.0, 1 - chance).joined(atoms.moved(gain, chance)).thinned(_MOST_ATOMS, spread=spread)
        return atoms.mean_xlogx()

    return run(spread=False), run(spread=True)


def mean_xlogx_subsets(start: float, gains: Floats, size: int) -> tuple[float, float]:
    """Bounds on E[M log M] when the set is uniform among those of `size` items."""
    count = len(gains)
    most = max(64, (1 << 16) // (size + 1))

    def run(*, spread: bool) -> float:
        layers: dict[int, _Atoms] = {0: _Atoms(np.array([start]), np.array([1.0]))}
        for seen, gain in enumerate(gains):
            following: dict[int, _Atoms] = {}
            for taken, atoms in layers.items():
                chance = (size - taken) / (count - seen)
                for target, part in ((taken, atoms.moved(0.0, 1 - chance)), (taken + 1, atoms.moved(gain, chance))):
                    if part.masses.any():
                        following[target] = following[target].joined(part) if target in following else part
            layers = {taken: atoms.thinned(most, spread=spread) for taken, atoms in following.items()}
        return layers[size].mean_xlogx()

    return run(spread=False), run(spread=True)
