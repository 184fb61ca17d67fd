"""The log-likelihood of reports: its value, its gradient and its curvature; of counts, and of counts with a matrix."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Slope:
    """At p: the log-likelihood Σ log(p·g), its gradient Σ g/(p·g), the diagonal of its Hessian Σ g²/(p·g)², and what is known of the rest.

    Along directions that keep the sum of p, the Hessian is about diag(curvature) + weight·m·mᵀ with m = cross/weight: the spread of the
    scores around their mean, item by item, and their mean. (Exactly so, with no mean, for direct parts.) The second powers are garbage
    where the curvature was not asked for.
    """

    value: float
    gradient: Floats
    squares: Floats
    curvature: Floats
    cross: Floats
    weight: float

    @classmethod
    def scattered(cls, value: float, gradient: Floats, squares: Floats, cross: Floats, weight: float) -> Slope:
        """With Σ g/(p·g)² as `cross` and Σ 1/(p·g)² as `weight`, the scores scatter around their mean."""
        return cls(value, gradient, squares, np.maximum(squares - cross**2 / weight, 0.0) if weight > 0 else squares, cross, weight)

    def __add__(self, other: Slope) -> Slope:
        return Slope(
            self.value + other.value,
            self.gradient + other.gradient,
            self.squares + other.squares,
            self.curvature + other.curvature,
            self.cross + other.cross,
            self.weight + other.weight,
        )


@dataclass(frozen=True)
class Sums:
    """What adds up over the reports of one piece: Σ log(p·g), Σ g/(p·g), Σ g²/(p·g)², Σ g/(p·g)² and Σ 1/(p·g)²."""

    value: float
    gradient: Floats
    squares: Floats
    cross: Floats
    weight: float

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.value + other.value,
            self.gradient + other.gradient,
            self.squares + other.squares,
            self.cross + other.cross,
            self.weight + other.weight,
        )

    @property
    def slope(self) -> Slope:
        """The slope, when all reports of the piece are in the sums."""
        return Slope.scattered(self.value, self.gradient, self.squares, self.cross, self.weight)

    def to_bytes(self) -> bytes:
        """The numbers one after the other."""
        numbers = np.concatenate([[self.value, self.weight], self.gradient, self.squares, self.cross])
        return numbers.astype("<f8", copy=False).tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read what `to_bytes` wrote."""
        numbers = np.frombuffer(data, dtype="<f8").astype(np.float64, copy=False)
        gradient, squares, cross = numbers[2:].reshape(3, -1)
        return cls(float(numbers[0]), gradient, squares, cross, float(numbers[1]))


def impossible(size: int) -> Slope:
    """Where some report cannot have been made: the log-likelihood is −∞ and has no slope."""
    nothing = np.zeros(size)
    return Slope(-math.inf, nothing, nothing, nothing, nothing, 0.0)


class Likelihood(ABC):
    """The log-likelihood of a block, or of a piece of it."""

    @property
    @abstractmethod
    def n(self) -> float:
        """The number of reports (pseudo-counts may be fractions)."""

    @abstractmethod
    def at(self, p: Floats, *, curved: bool = True) -> Slope: ...


@dataclass(frozen=True)
class DirectLikelihood(Likelihood):
    """Counts c_y of a direct channel (or of anything with terms c_y·log(s·p_y + t_y))."""

    counts: Floats
    s: float
    t: Floats

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        seen = self.counts > 0
        mean = self.s * p + self.t
        if mean[seen].min() <= 0:
            return impossible(len(p))
        value = float((self.counts[seen] * np.log(mean[seen])).sum())
        first = np.divide(self.counts, mean, out=np.zeros_like(mean), where=seen)
        second = np.divide(first, mean, out=np.zeros_like(mean), where=seen)
        gradient = self.s * first + float((first * self.t).sum())
        squares = self.s * (self.s + 2 * self.t) * second + float((second * self.t**2).sum())
        return Slope(value, gradient, squares, self.s**2 * second, np.zeros_like(p), 0.0)


@dataclass(frozen=True)
class MatrixLikelihood(Likelihood):
    """Rows g of likelihoods (one per distinct report, any scale) and how often each occurs."""

    rows: Floats
    times: Floats

    @property
    def n(self) -> float:
        return float(self.times.sum())

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        mean = self.rows @ p
        if mean.min() <= 0:
            return impossible(len(p))
        value = float((self.times * np.log(mean)).sum())
        first = self.times / mean
        second = first / mean
        return Slope.scattered(value, first @ self.rows, second @ self.rows**2, second @ self.rows, float(second.sum()))


def total(parts: Sequence[Likelihood], p: Floats, *, curved: bool = True) -> Slope:
    """The slope of the whole log-likelihood."""
    nothing = np.zeros_like(p)
    return sum((part.at(p, curved=curved) for part in parts), start=Slope(0.0, nothing, nothing, nothing, nothing, 0.0))
