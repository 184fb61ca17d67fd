"""The Fisher information of Hadamard response, inverted exactly by halving.

A report contains item x if the sign H(x, y) is +, so its gain is (H(0, y) + H(x, y))/2 times that of the channel. Over the rows 0 … m − 1
of a block, row 0 standing for no item, the information of the signs is V(x, x') = Σ_y H(x, y)·H(x', y)·d(y)/N. It depends on x XOR x'
alone, and over all N rows its eigenvalues are d. Halves of the rows, by their highest bit, see halves d₀ and d₁ of these:

- Up to N/2 rows are rows of a matrix of half the size, with the eigenvalues (d₀ + d₁)/2.
- Of more rows, the first N/2 have that matrix, which is inverted at once. What they leave to the others (the Schur complement) is again
  such a matrix, with the eigenvalues 2·d₀·d₁/(d₀ + d₁).

Either way half the size is left, so the diagonal of the inverse takes N·log N steps, as a transform does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats, Mask
from sottovoce.channels.fisher import Core, Fisher, unidentified
from sottovoce.channels.hadamard.code import HadamardCode, walsh
from sottovoce.channels.set_fisher import SetWeights, around


def of_code(sets: SetWeights, code: HadamardCode, filled: Mask) -> Fisher:
    """The information of the sets of a code, whose items have the same weights. `filled` marks the sets that aren't empty."""
    gain = float(sets.gain[0])
    if gain <= 0:
        raise unidentified()
    means = sets.start(sets.kept) + gain * code.set_sums(sets.p[sets.inside])
    if sets.kept_empty is not None:
        means[~filled] = sets.start(sets.kept_empty)
    weights = 1 / (code.length * means)
    core = CodedCore(sets.inside, code, (gain**2 / 4 * code.block) * weights.reshape(code.blocks, code.block))
    return around(sets, core, gain * code.item_sums(weights), float(weights[filled].sum()), float(weights[~filled].sum()))


@dataclass(frozen=True, eq=False)
class CodedCore(Core):
    """The information of the gains of all items, from the eigenvalues for each block.

    Of the shares of rows, that of row 0 is the sum of all others: z = (1, −1, −1, …) is uninformative. So the inverse is that of V, less
    V⁻¹z·zᵀV⁻¹/zᵀV⁻¹z.
    """

    inside: Mask
    code: HadamardCode
    eigenvalues: Floats

    @cached_property
    def _parts(self) -> list[_Part]:
        """The full blocks, and the one that has some items."""
        full, rest = divmod(self.code.items, self.code.block - 1)
        parts = [_Part(self.eigenvalues[:full], self.code.block)] if full else []
        return [*parts, _Part(self.eigenvalues[full : full + 1], rest + 1)] if rest else parts

    @property
    def variances(self) -> Floats:
        return np.concatenate([part.variances.ravel() for part in self._parts])

    def solved(self, rows: Floats) -> Floats:
        start, found = 0, np.empty_like(rows)
        for part in self._parts:
            end = start + part.variances.size
            for row, out in zip(rows, found, strict=True):
                out[start:end] = part.solved(row[start:end])
            start = end
        return found

    def along(self, directions: Floats) -> Floats:
        """Row 0 of a block moves by the sum of its items."""
        start, count = 0, directions.shape[1]
        found = np.zeros((count, count))
        for part in self._parts:
            blocks, end = len(part.eigenvalues), start + part.variances.size
            rows = np.zeros((count, *part.eigenvalues.shape))
            rows[:, :, 1 : part.taken] = directions[start:end].T.reshape(count, blocks, -1)
            rows[:, :, 0] = rows.sum(axis=2)
            seen = walsh(rows.reshape(count * blocks, -1)).reshape(count, -1)
            found += (seen * (part.eigenvalues.ravel() / part.eigenvalues.shape[1])) @ seen.T
            start = end
        return found


@dataclass(frozen=True, eq=False)
class _Part:
    """Blocks in each of which the first so many rows are taken, row 0 among them."""

    eigenvalues: Floats
    taken: int

    @cached_property
    def _constraint(self) -> tuple[Floats, Floats]:
        """V⁻¹z, and zᵀV⁻¹z."""
        rows = np.zeros_like(self.eigenvalues)
        rows[:, : self.taken] = -1.0
        rows[:, 0] = 1.0
        solved = solve(self.eigenvalues, self.taken, rows)
        return solved, (rows * solved).sum(axis=1, keepdims=True)

    @cached_property
    def variances(self) -> Floats:
        """For each block and item."""
        solved, total = self._constraint
        return (inverse_diagonal(self.eigenvalues, self.taken) - solved**2 / total)[:, 1 : self.taken]

    def solved(self, row: Floats) -> Floats:
        """The inverse times a number for each item."""
        solved, total = self._constraint
        rows = np.zeros_like(self.eigenvalues)
        rows[:, 1 : self.taken] = row.reshape(len(rows), -1)
        found = solve(self.eigenvalues, self.taken, rows) - solved * ((solved * rows).sum(axis=1, keepdims=True) / total)
        return found[:, 1 : self.taken].ravel()


def _halves(table: NDArray[np.float64]) -> tuple[Floats, Floats]:
    half = table.shape[-1] // 2
    return table[..., :half], table[..., half:]


def inverse_diagonal(eigenvalues: Floats, taken: int) -> Floats:
    """The diagonal of the inverse of each matrix (its eigenvalues a row) over its first rows, 0 after them.

    On the way it is that of T·V⁻¹·T, for matrices T of the same kind with eigenvalues t: one for each setting of the bits done so far.
    """
    d, size = eigenvalues[:, None, :], eigenvalues.shape[1]
    t, found = np.ones_like(d), np.zeros((len(d), 1, 1))
    while taken < d.shape[-1]:
        half = d.shape[-1] // 2
        (d0, d1), (t0, t1) = _halves(d), _halves(t)
        if taken <= half:
            d, more = (d0 + d1) / 2, np.zeros((1, 1, 2))
            t = np.stack([t0 + t1, t0 - t1], axis=2) / 2
        else:
            both = d0 + d1
            more = np.stack([((t0 + t1) ** 2 / both).mean(axis=-1), ((t0 - t1) ** 2 / both).mean(axis=-1)], axis=2) / 2
            d, t = 2 * d0 * d1 / both, np.stack([(t0 * d1 - t1 * d0) / both, (t0 * d1 + t1 * d0) / both], axis=2)
            taken -= half
        found = (found + more).reshape(len(d), -1, 1)
        t = t.reshape(len(d), -1, half)
    found = found + (t**2 / d).mean(axis=-1, keepdims=True)
    return np.repeat(found[..., 0], size // found.shape[1], axis=1)


def solve(eigenvalues: Floats, taken: int, rows: Floats) -> Floats:
    """The inverse of each matrix over its first rows times a row of numbers, which are 0 behind them."""
    size = eigenvalues.shape[1]
    if taken == size:
        return np.asarray(walsh(walsh(rows) / eigenvalues) / size)
    (d0, d1), (first, second), half = _halves(eigenvalues), _halves(rows), size // 2
    both = d0 + d1
    if taken <= half:
        return np.concatenate([solve(both / 2, taken, first), np.zeros_like(second)], axis=1)
    ratio, seen = (d0 - d1) / both, walsh(first)
    left = second - walsh(ratio * seen) / half
    left[:, taken - half :] = 0.0
    last = solve(2 * d0 * d1 / both, taken - half, left)
    return np.concatenate([walsh(2 * seen / both - ratio * walsh(last)) / half, last], axis=1)
