"""Whether numbers are a distribution: the one rule for priors, rows of matrices, and shares."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: How far a sum may be from 1: numbers that people write, or that a computation rounded.
TOLERANCE = 1e-9


def sums_to_one(total: Fraction) -> bool:
    """Whether a total is 1, but for rounding."""
    return abs(total - 1) <= TOLERANCE


def is_distribution(values: NDArray[np.float64] | Sequence[Fraction]) -> bool:
    """Whether no entry is negative and they sum to 1. For a table, whether every row is a distribution.

    >>> is_distribution(np.array([0.5, 0.5])), is_distribution([Fraction(1, 2)]), is_distribution(np.array([np.nan, 1.0]))
    (True, False, False)
    """
    if isinstance(values, np.ndarray):
        sums: Any = values.sum(axis=-1)
        return bool((values >= 0).all() and (np.abs(sums - 1) <= TOLERANCE).all())
    return all(value >= 0 for value in values) and sums_to_one(sum(values, Fraction(0)))
