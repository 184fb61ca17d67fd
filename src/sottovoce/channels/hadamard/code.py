"""The code of Hadamard response: which sets of items its reports stand for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


def walsh(table: NDArray[Any]) -> NDArray[Any]:
    """The fast Walsh-Hadamard transform of each row (its length a power of two)."""
    rows, length = table.shape
    width = 1
    while width < length:
        pairs = table.reshape(rows, -1, 2, width)
        table = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], axis=2).reshape(rows, -1)
        width *= 2
    return table


def _half(doubled: NDArray[Any]) -> NDArray[Any]:
    """Exact halves, whatever the numbers are."""
    if doubled.dtype.kind == "i":
        return doubled // 2
    return doubled * Fraction(1, 2) if doubled.dtype.kind == "O" else doubled / 2


@dataclass(frozen=True)
class HadamardCode:
    """Items fill blocks of `block` − 1. Item x is row 1 + x mod (block − 1) of the Hadamard matrix of its block.

    The set of report y contains the items of y's block whose row has the sign + in column y.
    """

    items: int
    block: int
    blocks: int

    @property
    def length(self) -> int:
        """The number of reports."""
        return self.block * self.blocks

    def rows_of(self, weights: NDArray[Any]) -> NDArray[Any]:
        """The weights of the items in the shape (blocks, block), zero where there is no item."""
        laid = np.zeros((self.blocks, self.block), dtype=weights.dtype)
        codes = np.arange(self.items)
        laid[codes // (self.block - 1), 1 + codes % (self.block - 1)] = weights
        return laid

    def set_sums(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Σ of the weights of the items in each report's set, exact for integers and fractions."""
        laid = self.rows_of(weights)
        return _half(walsh(laid) + laid.sum(axis=1, keepdims=True)).reshape(-1)

    def item_sums(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Σ of the counts of the reports whose set contains each item. (The matrix is its own transpose.)"""
        table = counts.reshape(self.blocks, self.block)
        items = np.arange(self.items)
        homes, rows = items // (self.block - 1), 1 + items % (self.block - 1)
        return _half(walsh(table)[homes, rows] + table.sum(axis=1)[homes])

    def member(self, reports: NDArray[Any]) -> NDArray[np.bool_]:
        """An n×items array: is item j in the set of report i?"""
        return self.contains(reports[:, None], np.arange(self.items))

    def contains(self, reports: NDArray[Any], items: Any) -> NDArray[np.bool_]:
        """Whether the set of each report contains the item."""
        reports = reports.astype(np.int64)
        even = np.bitwise_count((reports % self.block) & (1 + items % (self.block - 1))) % 2 == 0
        return even & (reports // self.block == items // (self.block - 1))
