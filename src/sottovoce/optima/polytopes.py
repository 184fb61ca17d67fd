"""The columns that a guarantee allows: Σ P·ρ = 1, with bounds on odds, which are linear in ρ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.optima.solvers import csr_array, linprog

_EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
#: The solver's word for "there is no such column".
_EMPTY = 2


class UnsolvedError(ArithmeticError):
    """The solver gave up because the numbers are too close for doubles."""


class Polytope(Protocol):
    """Columns ρ with Σ P·ρ = 1 and low ≤ ρ ≤ high, among other constraints. There may be further variables after the entries of ρ."""

    @property
    def prior(self) -> Floats: ...

    @property
    def low(self) -> Floats: ...

    @property
    def high(self) -> Floats: ...

    @property
    def sharpness(self) -> float:
        """The relative error with which corners are known."""
        ...

    @property
    def effort(self) -> int:
        """How often one search may ask for a corner."""
        ...

    def best(self, objective: Floats, low: Floats, high: Floats) -> Floats | None:
        """The corner at which a linear objective of ρ is largest, within narrower bounds. None if there is none."""
        ...

    def parts(self, low: Floats, high: Floats, point: Floats, error: Floats) -> list[tuple[Floats, Floats]]:
        """Two narrower pairs of bounds that together cover the given ones, with a smaller `error` (of each entry, at a point) in both."""
        ...


def halves(low: Floats, high: Floats, place: int, value: float) -> list[tuple[Floats, Floats]]:
    """Split the bounds at a value of one entry (not too close to its ends)."""
    width = high[place] - low[place]
    middle = float(np.clip(value, low[place] + 0.05 * width, high[place] - 0.05 * width))
    above, below = low.copy(), high.copy()
    above[place], below[place] = middle, middle
    return [(low, below), (above, high)]


@dataclass(frozen=True)
class Box:
    """Only bounds (LIP with one prior): filled by gain per weight."""

    prior: Floats
    low: Floats
    high: Floats
    sharpness: ClassVar[float] = 1e-9
    effort: ClassVar[int] = 4_000

    @classmethod
    def of(cls, prior: Floats, epsilon: float) -> Box:
        """The box e^{−ε} ≤ ρ ≤ e^ε. An item alone takes at most what the others leave."""
        low = np.full(len(prior), math.exp(-epsilon))
        return cls(prior, low, np.minimum(math.exp(epsilon), (1 - low * (1 - prior)) / prior))

    def best(self, objective: Floats, low: Floats, high: Floats) -> Floats | None:
        weight = self.prior * (high - low)
        room = 1 - float(self.prior @ low)
        if room < -1e-12 or float(weight.sum()) < room - 1e-12:
            return None
        order = np.argsort(-objective / self.prior, kind="stable")
        used = np.cumsum(weight[order])
        before = used - weight[order]
        filled = np.divide(room - before, weight[order], out=np.zeros_like(used), where=weight[order] > 0)
        column = low.copy()
        column[order] += (high - low)[order] * np.clip(filled, 0.0, 1.0)
        return column

    def parts(self, low: Floats, high: Floats, point: Floats, error: Floats) -> list[tuple[Floats, Floats]]:
        place = int(np.argmax(error))
        return halves(low, high, place, float(point[place]))


@dataclass(frozen=True)
class Cone:
    """Any guarantee about odds: `rows`·(ρ, further variables) ≥ 0."""

    prior: Floats
    rows: Any  # a sparse array
    low: Floats
    high: Floats
    sharpness: ClassVar[float] = 1e-7
    effort: ClassVar[int] = 2_000

    def best(self, objective: Floats, low: Floats, high: Floats) -> Floats | None:
        further = self.rows.shape[1] - len(self.prior)
        scale = max(1e-300, float(np.abs(objective).max()))
        for options in (_EXACT, {}):
            solved = linprog(
                -np.append(objective / scale, np.zeros(further)),
                A_ub=-self.rows,
                b_ub=np.zeros(self.rows.shape[0]),
                A_eq=np.append(self.prior, np.zeros(further))[None, :],
                b_eq=[1.0],
                bounds=np.stack([low, high], axis=1),
                method="highs-ds",
                options=options,
            )
            if solved.status in {0, _EMPTY}:
                return np.clip(solved.x, low, high) if solved.status == 0 else None
        raise UnsolvedError(solved.message)

    def parts(self, low: Floats, high: Floats, point: Floats, error: Floats) -> list[tuple[Floats, Floats]]:
        place = int(np.argmax(error))
        return halves(low, high, place, float(point[place]))

    def bounded(self) -> Self:
        """Add the bounds of each entry that follow from the rows."""
        low, high = self.low.copy(), self.high.copy()
        for place, unit in enumerate(np.eye(len(self.prior))):
            least, most = self.best(-unit, self.low, self.high), self.best(unit, self.low, self.high)
            if least is not None and most is not None:
                low[place], high[place] = min(least[place], most[place]), max(least[place], most[place])
        return replace(self, low=low, high=high)


@dataclass(frozen=True)
class PriorsCone(Cone):
    """LIP for several priors: e^{−ε}·M ≤ ρ ≤ e^ε·m, with m and M (the last two variables) the least and the largest Σ P'·ρ."""

    grow: float = math.nan

    def parts(self, low: Floats, high: Floats, point: Floats, error: Floats) -> list[tuple[Floats, Floats]]:
        """If m or M causes most of the error, by keeping entries from their bounds, it is split, which moves all bounds at once."""
        entries, (least, most) = point[:-2], point[-2:]
        held = [float(error[entries >= least * self.grow * (1 - 1e-9)].sum()), float(error[entries * self.grow <= most * (1 + 1e-9)].sum())]
        side = int(np.argmax(held))
        place = len(entries) + side
        if held[side] <= error.max() or high[place] - low[place] <= 1e-9 * high[place]:
            return super().parts(low, high, point, error)
        return [self._narrowed(*bounds) for bounds in halves(low, high, place, float(point[place]))]

    def _narrowed(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        low, high = low.copy(), high.copy()
        high[:-2] = np.minimum(high[:-2], self.grow * high[-2])
        low[:-2] = np.maximum(low[:-2], low[-1] / self.grow)
        return low, np.maximum(low, high)


def _cone(prior: Floats, rows: Floats) -> Cone:
    return Cone(prior, csr_array(rows), np.zeros(len(prior)), 1 / prior).bounded()


def for_secrets(prior: Floats, secrets: Floats, epsilon: float) -> Cone:
    """LIP with a latent secret, of rows Pr(X = x | G = g): e^{−ε} ≤ Σ_x Pr(x|g)·ρ_x ≤ e^ε (Σ P·ρ is 1)."""
    grow = math.exp(epsilon)
    return _cone(prior, np.concatenate([grow * prior - secrets, grow * secrets - prior]))


def for_priors(prior: Floats, corners: Floats, epsilon: float) -> PriorsCone:
    """LIP for every mixture of some priors."""
    size, grow = len(prior), math.exp(epsilon)
    nothing, every = np.zeros((len(corners), 1)), np.ones((len(corners), 1))
    unit, one, zero = np.eye(size), np.ones((size, 1)), np.zeros((size, 1))
    rows = [
        np.hstack([corners, -every, nothing]),  # Σ P'·ρ ≥ m
        np.hstack([-corners, nothing, every]),  # Σ P'·ρ ≤ M
        np.hstack([-unit, grow * one, zero]),
        np.hstack([grow * unit, zero, -one]),
    ]
    ratios = corners / prior
    low = np.append(np.zeros(size), [1 / grow, float(ratios.min(axis=1).max())])
    high = np.append(1 / prior, [float(ratios.max(axis=1).min()), max(grow, float(ratios.min(axis=1).max()))])
    return PriorsCone(prior, csr_array(np.concatenate(rows)), low, high, grow).bounded()


def for_scenarios(prior: Floats, scenarios: Sequence[Floats], pairs: Sequence[tuple[int, int]] | None, epsilon: float) -> Cone:
    """Pufferfish: Σ_x Pr(x|g)·ρ_x ≤ e^ε·Σ_x Pr(x|h)·ρ_x for every pair of secrets, both ways, in every scenario."""
    grow, rows = math.exp(epsilon), []
    for table in scenarios:
        chosen = pairs or [(g, h) for g in range(len(table)) for h in range(g)]
        rows += [grow * table[h] - table[g] for pair in chosen for g, h in (pair, pair[::-1])]
    return _cone(prior, np.array(rows))
