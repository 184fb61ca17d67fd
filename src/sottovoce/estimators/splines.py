"""Smooth functions of an ordered item, as columns: cubic B-splines, and how rough their combinations are."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Floats

#: More items than this share that many splines. Fewer have a column each.
MOST = 40


def basis(size: int, most: int = MOST) -> Floats:
    """A row for each of the items: all columns (splines at even distances) sum to 1, and even steps of them make a straight line.

    >>> bool(np.allclose(basis(64).sum(axis=1), 1)), basis(5).shape
    (True, (5, 5))
    """
    if size <= most:
        return np.eye(size)
    pieces = most - 3
    place = (np.arange(size) + 0.5) / size * pieces
    piece = np.minimum(place.astype(np.int64), pieces - 1)
    x = place - piece
    values = np.stack([(1 - x) ** 3, 3 * x**3 - 6 * x**2 + 4, -3 * x**3 + 3 * x**2 + 3 * x + 1, x**3], axis=1) / 6
    found = np.zeros((size, most))
    found[np.arange(size)[:, None], piece[:, None] + np.arange(4)] = values
    return found


def roughness(count: int) -> Floats:
    """P with βᵀPβ the sum of the squared second differences of β: zero for straight lines."""
    second = np.diff(np.eye(count), 2, axis=0)
    return np.asarray(second.T @ second)
