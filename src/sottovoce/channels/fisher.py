"""The Fisher information of a report about the shares of a population, and the least variance that follows from it.

With Q(y|x) the channel and m = p·Q, the information is I = Σ_y Q(y|·)Q(y|·)ᵀ/m(y). Shares sum to 1, so only directions along the simplex
matter: a term a_i + a_j in the entries of I changes nothing. Scores can therefore be taken around any constant, and are taken around that
of a report that depends on no item. A report that only one item can produce adds 1/p_j, which is infinite if no one has the item: its share
is then known to be 0. The same goes for a mixture of shares if only reports without a sender would reveal it. Shares of 0 are treated as
limits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.errors import UnsupportedError

#: Below this, an information matrix with a unit diagonal is singular in some shares.
_SINGULAR = 1e-13
#: The most items for which a whole matrix is written out.
_MOST_WRITTEN = 1 << 13


class Core(ABC):
    """Information about some of the items, those marked `inside`, by products with its inverse."""

    inside: Mask

    @property
    @abstractmethod
    def variances(self) -> Floats:
        """The diagonal of the inverse."""

    @abstractmethod
    def solved(self, rows: Floats) -> Floats:
        """Each row times the inverse."""

    @abstractmethod
    def along(self, directions: Floats) -> Floats:
        """The information along some directions (columns) of the items inside."""


@dataclass(frozen=True, eq=False)
class MatrixCore(Core):
    """An information that is written as a matrix over the items inside."""

    inside: Mask
    matrix: Floats

    @cached_property
    def _inverse(self) -> Floats:
        if len(self.matrix) > _MOST_WRITTEN:
            raise _too_many(len(self.matrix))
        information = np.diag(self.matrix)
        if (information <= 0).any():
            raise unidentified()
        scale = 1 / np.sqrt(information)
        return _inverse(self.matrix * np.outer(scale, scale)) * np.outer(scale, scale)

    @property
    def variances(self) -> Floats:
        return np.diag(self._inverse)

    def solved(self, rows: Floats) -> Floats:
        return rows @ self._inverse

    def along(self, directions: Floats) -> Floats:
        return np.asarray(directions.T @ self.matrix @ directions)


@dataclass(frozen=True)
class Fisher:
    """The information of a report at the shares p, up to terms a_i + a_j: diag(diagonal + revealed/p) + rowsᵀ·diag(weights)·rows + matrix.

    `revealed` is the chance that the holder of an item sends a report that only this item can produce. `fixed` are mixtures of shares
    (rows) that are known to be 0. A `core` adds information about items for which `diagonal` and `revealed` have none. There is no `matrix`
    then.
    """

    p: Floats
    revealed: Floats
    diagonal: Floats
    rows: Floats
    weights: Floats
    matrix: Floats | None = None
    fixed: Floats | None = None
    core: Core | None = None

    @classmethod
    def from_matrix(cls, p: Floats, matrix: Floats, revealed: Floats | None = None, fixed: Floats | None = None) -> Fisher:
        """The information as a whole matrix."""
        nothing = np.zeros(len(p))
        return cls(p, nothing if revealed is None else revealed, nothing, np.zeros((0, len(p))), np.zeros(0), matrix, fixed)

    @classmethod
    def mean(cls, parts: Sequence[Fisher], chances: Sequence[float]) -> Fisher:
        """The information when one of several channels, which the report shows, is drawn with the given chances. None has a core."""
        assert all(part.core is None for part in parts)
        matrices = [chance * part.matrix for part, chance in zip(parts, chances, strict=True) if part.matrix is not None]
        return cls(
            parts[0].p,
            np.asarray(sum(chance * part.revealed for part, chance in zip(parts, chances, strict=True))),
            np.asarray(sum(chance * part.diagonal for part, chance in zip(parts, chances, strict=True))),
            np.vstack([part.rows for part in parts]),
            np.concatenate([chance * part.weights for part, chance in zip(parts, chances, strict=True)]),
            np.asarray(sum(matrices)) if matrices else None,
        )

    def along(self, directions: Floats) -> Floats:
        """The information along some directions (columns) that keep the sum of the shares, all of which are positive."""
        rows = self.rows @ directions
        found = directions.T @ (directions * (self.diagonal + self.revealed / self.p)[:, None]) + (rows.T * self.weights) @ rows
        if self.core is not None:
            found += self.core.along(directions[self.core.inside])
        return np.asarray(found if self.matrix is None else found + directions.T @ self.matrix @ directions)

    def variances(self) -> Floats:
        """The least variance of an unbiased estimate of each share from one report: the inverse along the simplex."""
        if len(self.p) == 1:
            return np.zeros(1)
        if self.core is not None:
            return self._by_core(self.core)
        last = int(np.argmax(self.p))  # its share is what the others leave
        others = np.delete(np.arange(len(self.p)), last)
        short = self.matrix is None and self.fixed is None and len(self.rows) + 1 < len(others)
        one, total = self._by_rows(others, last) if short else self._by_matrix(others, last)
        found = np.empty(len(self.p))
        found[others], found[last] = one, total
        return np.maximum(found, 0.0)

    def _by_matrix(self, others: np.ndarray, last: int) -> tuple[Floats, float]:
        if len(self.p) > _MOST_WRITTEN:
            raise _too_many(len(self.p))
        whole = (self.rows.T * self.weights) @ self.rows + np.diag(self.diagonal)
        whole += 0.0 if self.matrix is None else self.matrix
        own = whole[last, last] + self.revealed[last] / self.p[last]
        inner = whole[np.ix_(others, others)] - whole[others, last][:, None] - whole[last, others] + own
        finite = np.diag(inner).copy()
        p, revealed = self.p[others], self.revealed[others]
        scale = np.sqrt(_over(p, finite * p + revealed, finite))
        inner *= np.outer(scale, scale)
        np.fill_diagonal(inner, 1.0)
        basis = None if self.fixed is None else _null_space(self.fixed[:, others] * scale)
        inverse = _inverse(inner if basis is None else basis.T @ inner @ basis)
        inverse = inverse if basis is None else basis @ inverse @ basis.T
        return scale**2 * np.diag(inverse), float(scale @ inverse @ scale)

    def _by_core(self, core: Core) -> Floats:
        """By the matrix inversion lemma around the core and the diagonal, then along the simplex."""
        others = ~core.inside
        known, diagonal = np.zeros(len(self.p)), self.diagonal[others]
        known[core.inside] = core.variances
        known[others] = _over(self.p[others], diagonal * self.p[others] + self.revealed[others], diagonal)
        rows = np.vstack([self.rows, np.ones(len(self.p))])
        solved = rows * known
        solved[:, core.inside] = core.solved(rows[:, core.inside])
        inner = np.eye(len(self.rows)) + self.weights[:, None] * (self.rows @ solved[:-1].T)
        middle = np.linalg.solve(inner, self.weights[:, None] * solved[:-1])
        total = solved[-1] - (self.rows @ solved[-1]) @ middle
        return np.asarray(np.maximum(0.0, known - (solved[:-1] * middle).sum(axis=0) - total**2 / total.sum()))

    def _by_rows(self, others: np.ndarray, last: int) -> tuple[Floats, float]:
        """By the matrix inversion lemma, in time that grows as the number of items."""
        p, diagonal = self.p[others], self.diagonal[others]
        known = _over(p, diagonal * p + self.revealed[others], diagonal)
        own = self.diagonal[last] + self.revealed[last] / self.p[last]
        rows = np.vstack([self.rows[:, others] - self.rows[:, [last]], np.ones(len(others))])
        weights = np.append(self.weights, own)
        inner = np.eye(len(rows)) + weights[:, None] * ((rows * known) @ rows.T)
        middle = np.linalg.solve(inner, weights[:, None] * rows) * known
        sums = middle.sum(axis=1)
        return known - known * (rows * middle).sum(axis=0), float(known.sum() - (rows @ known) @ sums)


def _over(p: Floats, scaled: Floats, plain: Floats) -> Floats:
    """p/scaled, and 1/plain where both are 0: 1 over `plain`, to which what is revealed divided by p was added."""
    if ((p > 0) & (scaled <= 0)).any() or ((p == 0) & (scaled <= 0) & (plain <= 0)).any():
        raise unidentified()
    return np.where(scaled > 0, p / np.where(scaled > 0, scaled, 1.0), 1 / np.where(plain > 0, plain, 1.0))


def _too_many(items: int) -> UnsupportedError:
    return UnsupportedError(f"The bound of this mechanism needs a matrix, and {items:,} items are too many for that. Use fewer items.")


def unidentified() -> UnsupportedError:
    return UnsupportedError(
        "The reports of this mechanism don't distinguish all populations, so there is no unbiased estimate. Use another mechanism."
    )


def _inverse(matrix: Floats) -> Floats:
    """The inverse of a positive definite matrix whose diagonal is about 1."""
    try:
        root = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        raise unidentified() from None
    if len(matrix) and float(np.diag(root).min()) ** 2 < _SINGULAR:
        raise unidentified()
    return np.asarray(np.linalg.inv(matrix))


def _null_space(rows: Floats) -> Floats:
    """An orthonormal basis of the vectors that are orthogonal to all rows, as columns."""
    lengths = np.linalg.norm(rows, axis=1)
    _, sizes, basis = np.linalg.svd(rows[lengths > 0] / lengths[lengths > 0][:, None])
    return np.asarray(basis[int((sizes > 1e-9).sum()) :].T)


def of_matrix(p: Floats, matrix: Floats) -> Fisher:
    """The information of a listed channel, report by report."""
    named = matrix > 0
    alone = named.sum(axis=0) == 1
    holders = named[:, alone].argmax(axis=0)
    revealed = np.bincount(holders, matrix[holders, np.flatnonzero(alone)], minlength=len(p)).astype(np.float64)
    shared = matrix[:, ~alone & named.any(axis=0)]
    neutral, chances = shared.mean(axis=0), p @ shared
    sent = chances > 1e-290
    scores = shared[:, sent] - neutral[sent]
    information = (scores / chances[sent]) @ scores.T
    return Fisher.from_matrix(p, information, revealed, None if sent.all() else shared[:, ~sent].T)
