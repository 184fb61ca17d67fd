"""The definitions taken literally, over every report of an exact matrix. They are slow, and every closed form is checked against them.

`matrix[x][y]` is Q(y|x) as a Fraction. Each function returns the largest ratio (not its logarithm), infinity if a
denominator vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[Any]
Ratio = Fraction | float


def _ratio(above: Fraction, below: Fraction) -> Ratio:
    if below == 0:
        return math.inf if above > 0 else Fraction(0)
    return above / below


def _largest(ratios: Iterable[Ratio]) -> Ratio:
    return max(ratios, default=Fraction(0))


def is_invertible(matrix: Matrix, y: int, sensitive: Sequence[int] = ()) -> bool:
    """Whether a single item can produce report y, and that item is not sensitive."""
    holders = [x for x in range(len(matrix)) if matrix[x][y] > 0]
    return len(holders) == 1 and holders[0] not in sensitive


def ldp(matrix: Matrix) -> Ratio:
    """max Q(y|x)/Q(y|x')."""
    items = range(len(matrix))
    return _largest(_ratio(matrix[x][y], matrix[z][y]) for y in range(matrix.shape[1]) for x in items for z in items if x != z)


def uldp(matrix: Matrix, sensitive: Sequence[int]) -> Ratio:
    """max Q(y|x)/Q(y|x') over the reports that are not invertible."""
    protected = [y for y in range(matrix.shape[1]) if not is_invertible(matrix, y, sensitive)]
    return ldp(matrix[:, protected])


def osldp(matrix: Matrix, sensitive: Sequence[int]) -> Ratio:
    """max Q(y|x)/Q(y|x') over sensitive x."""
    outputs = range(matrix.shape[1])
    return _largest(_ratio(matrix[x][y], matrix[z][y]) for y in outputs for x in sensitive for z in range(len(matrix)) if x != z)


def ipldp(matrix: Matrix, sensitive: Sequence[int]) -> dict[int, Ratio]:
    """For each sensitive report y, max Q(y|x)/Q(y|x'), infinity for all if an item without a budget is named by others."""
    items = range(len(matrix))
    free = [y for y in items if y not in sensitive]
    if any(matrix[x][y] != 0 for y in free for x in items if x != y) or any(matrix[y][y] == 0 for y in free):
        return dict.fromkeys(sensitive, math.inf)
    return {y: _largest(_ratio(matrix[x][y], matrix[z][y]) for x in items for z in items) for y in sensitive}


def pair(matrix: Matrix, x: int, z: int) -> Ratio:
    """max_y Q(y|x)/Q(y|z)."""
    return _largest(_ratio(matrix[x][y], matrix[z][y]) for y in range(matrix.shape[1]))


def idldp(matrix: Matrix, items: Iterable[int]) -> dict[int, Ratio]:
    """For each item, the largest ratio over the pairs that it is part of."""
    others = range(len(matrix))
    return {x: _largest(max(pair(matrix, x, z), pair(matrix, z, x)) for z in others if z != x) for x in items}


def item_uldp(matrix: Matrix, sensitive: Sequence[int]) -> dict[int, Ratio]:
    """For each sensitive item, how far a report raises it against any other, or a free item against it, unless it reveals a free item."""
    matrix = matrix[:, [y for y in range(matrix.shape[1]) if not is_invertible(matrix, y, sensitive)]]
    items = range(len(matrix))
    return {
        x: _largest(
            [
                *(pair(matrix, x, z) for z in items if z != x),
                *(pair(matrix, z, x) for z in items if z not in sensitive),
            ]
        )
        for x in sensitive
    }


def pufferfish(matrix: Matrix, above: Sequence[Sequence[Fraction]], below: Sequence[Sequence[Fraction]]) -> Ratio:
    """max Pr(y|g)/Pr(y|h) over rows g of `above` and h of `below`, each a distribution of items."""

    def given(rows: Sequence[Sequence[Fraction]], y: int) -> list[Fraction]:
        return [sum((weight * matrix[x][y] for x, weight in enumerate(row) if weight), Fraction(0)) for row in rows]

    return _largest(_ratio(g, h) for y in range(matrix.shape[1]) for g, h in product(given(above, y), given(below, y)))


def lip(matrix: Matrix, prior: Sequence[Fraction], secrets: Sequence[Sequence[Fraction]] | None = None) -> Ratio:
    """The larger of max Pr(y)/Pr(y|g) and max Pr(y|g)/Pr(y)."""
    count = len(matrix)
    rows = [[Fraction(int(x == g)) for x in range(count)] for g in range(count)] if secrets is None else secrets
    return max(pufferfish(matrix, [prior], rows), pufferfish(matrix, rows, [prior]))


def identifiability(matrix: Matrix, prior: Sequence[Fraction]) -> Ratio:
    """max P_x·Q(y|x)/(P_x'·Q(y|x'))."""
    return ldp(np.array([[weight * entry for entry in row] for weight, row in zip(prior, matrix, strict=True)], dtype=object))


def leakage(matrix: Matrix) -> Fraction:
    """Σ_y max_x Q(y|x)."""
    return sum((max(column) for column in matrix.T.tolist()), Fraction(0))


def information(matrix: Matrix, prior: Sequence[Fraction]) -> float:
    """The mutual information of item and report, in nats."""
    total = 0.0
    for y in range(matrix.shape[1]):
        mean = sum((weight * matrix[x][y] for x, weight in enumerate(prior)), Fraction(0))
        for x, weight in enumerate(prior):
            if matrix[x][y] > 0:
                total += float(weight * matrix[x][y]) * (math.log(matrix[x][y] / mean))
    return total
