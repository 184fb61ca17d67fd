"""The log-likelihood of reports: its value, gradient and curvature, from counts, from counts with a matrix, or from reports."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.channels.groups import Groups
from sottovoce.errors import UnsupportedError

#: Entries of a matrix up to which reports are written out as rows of it: products of small matrices are quicker than passes.
_SMALL = 1 << 16


@dataclass(frozen=True)
class Slope:
    """At p: the log-likelihood Σ log(p·g), its gradient Σ g/(p·g), the diagonal of its Hessian Σ g²/(p·g)², and a summary of the rest.

    Along directions that keep the sum of p, the Hessian is about diag(curvature) + weight·m·mᵀ with m = cross/weight: the spread of the
    scores around their mean, item by item, and their mean. (Exactly so, with no mean, for direct parts.) The second powers are undefined if
    the curvature wasn't asked for.
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
    """Sums over the reports of one piece: Σ log(p·g), Σ g/(p·g), Σ g²/(p·g)², Σ g/(p·g)² and Σ 1/(p·g)²."""

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
        """The slope, once the sums include all reports of the piece."""
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


@dataclass(frozen=True)
class Along:
    """The log-likelihood at p, its slopes along some directions d, and Σ (d·g)(d·g)ᵀ/(p·g)² over the reports."""

    value: float
    slopes: Floats
    information: Floats

    @classmethod
    def of_means(cls, times: Floats, means: Floats, moves: Floats) -> Along:
        """Reports with the chances `means`, which move by the rows of `moves` along the directions, each seen so many times."""
        if means.min(initial=1.0) <= 0:
            return cls(-math.inf, np.zeros(moves.shape[1]), np.zeros((moves.shape[1], moves.shape[1])))
        first = times / means
        weighted = moves * (first / means)[:, None]
        return cls(float((times * np.log(means)).sum()), first @ moves, moves.T @ weighted)

    def __add__(self, other: Along) -> Along:
        return Along(self.value + other.value, self.slopes + other.slopes, self.information + other.information)


def impossible(size: int) -> Slope:
    """The slope if some report is impossible at p: the log-likelihood is −∞."""
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

    @property
    def counted(self) -> Floats | None:
        """The counts that the piece consists of. None if its reports must be read."""
        return None

    def separable(self) -> SeparableLikelihood | None:
        """The piece itself, if its terms are c_y·log(s·p_y + t_y), so that it can be maximised exactly."""
        return None

    def hessian(self, p: Floats) -> Floats:
        """Σ g·gᵀ/(p·g)² over the reports, for pieces that are `counted`."""
        raise UnsupportedError("There is no Hessian for reports that are read one by one. Use the expected curvature.")

    #: Whether `newton` is quick, however many items there are.
    narrow: bool = False

    def newton(self, p: Floats, diagonal: Floats, slope: Floats) -> Floats:
        """The move v with Σ v = 0 that maximises slope·v − ½·vᵀ(hessian(p) + diag(diagonal))·v, for pieces that are `narrow`."""
        raise UnsupportedError("Only a Hessian with a narrow band can be solved without computing all of it. Use `hessian`.")

    def through(self, columns: Floats) -> tuple[Floats, Floats]:
        """How often each report was seen, and its chance if items follow each of the columns, for pieces that are `counted`."""
        raise UnsupportedError("There is no table of chances for reports that are read one by one. Use the likelihood of the reports.")

    def along(self, p: Floats, directions: Floats) -> Along:
        """The log-likelihood at p along some directions (columns), for pieces that are `counted`."""
        times, chances = self.through(np.column_stack([p, directions]))
        return Along.of_means(times, chances[:, 0], chances[:, 1:])

    def coarser(self, groups: Groups) -> Likelihood | None:
        """The likelihood of the shares of groups of neighbours, spread evenly within each, and of reports merged alike. None if unknown."""
        return None

    def simplest(self) -> Likelihood:
        """The same likelihood in a form that is faster for few reports."""
        return self


@dataclass(frozen=True)
class SeparableLikelihood(Likelihood):
    """Terms c_y·log(s·p_y + t_y), one per item, with the counts c of a direct channel or of reports that reveal their item."""

    counts: Floats
    s: float
    t: Floats

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    def grouped(self, groups: Groups) -> SeparableLikelihood:
        """The likelihood of the shares of groups, of which a report names one."""
        return SeparableLikelihood(groups.totals(self.counts), self.s, groups.totals(self.t))

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

    @property
    def counted(self) -> Floats:
        return self.counts

    def separable(self) -> SeparableLikelihood:
        return self

    def coarser(self, groups: Groups) -> SeparableLikelihood:
        return self.grouped(groups)

    def through(self, columns: Floats) -> tuple[Floats, Floats]:
        seen = self.counts > 0
        return self.counts[seen], self.s * columns[seen] + np.outer(self.t[seen], columns.sum(axis=0))

    def hessian(self, p: Floats) -> Floats:
        mean = self.s * p + self.t
        second = np.divide(self.counts, mean**2, out=np.zeros_like(mean), where=self.counts > 0)
        cross = self.s * second * self.t
        return np.asarray(np.diag(self.s**2 * second) + np.add.outer(cross, cross) + float((second * self.t**2).sum()))


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

    @property
    def counted(self) -> Floats:
        return self.times

    def through(self, columns: Floats) -> tuple[Floats, Floats]:
        return self.times, self.rows @ columns

    def hessian(self, p: Floats) -> Floats:
        scaled = self.rows * (np.sqrt(self.times) / (self.rows @ p))[:, None]
        return np.asarray(scaled.T @ scaled)


class ReportsLikelihood(Likelihood):
    """The likelihood of reports, one after the other. It can be split into parts whose sums add up to those of the whole."""

    times: Floats
    low: Floats

    @property
    def n(self) -> float:
        return float(self.times.sum())

    @abstractmethod
    def sums(self, p: Floats, *, curved: bool = True) -> Sums:
        """One pass over the reports. The second powers are undefined if the curvature wasn't asked for."""

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        return self.sums(p, curved=curved).slope

    def simplest(self) -> Likelihood:
        """The same likelihood as a matrix if that is small, otherwise these reports."""
        return self.as_matrix() if len(self.times) * len(self.low) <= _SMALL else self

    @abstractmethod
    def as_matrix(self) -> MatrixLikelihood:
        """A row of likelihoods for each distinct report."""

    @abstractmethod
    def records(self) -> NDArray[np.uint8]:
        """A row of bytes for each distinct report."""

    @abstractmethod
    def of_records(self, data: bytes | memoryview) -> Self:
        """The likelihood of such rows, each of which occurs once. They aren't checked again."""


def total(parts: Sequence[Likelihood], p: Floats, *, curved: bool = True) -> Slope:
    """The slope of the whole log-likelihood."""
    nothing = np.zeros_like(p)
    return sum((part.at(p, curved=curved) for part in parts), start=Slope(0.0, nothing, nothing, nothing, nothing, 0.0))
