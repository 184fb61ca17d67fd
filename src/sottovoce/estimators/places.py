"""Places among ordered items, from 0 to K: F(place) is the share of the items before it, a part of an item counting in proportion."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Floats


def below(size: int, place: float) -> Floats:
    """The weights of the items in F(place).

    >>> below(4, 2.5).tolist()
    [1.0, 1.0, 0.5, 0.0]
    """
    return np.clip(place - np.arange(size), 0.0, 1.0)


def place_of(p: Floats, share: float) -> float:
    """The place at which the shares add up to this one (the middle of all such places)."""
    sums = np.concatenate([[0.0], np.cumsum(p) / p.sum()])
    first = int(np.searchsorted(sums, share - 1e-12, side="left"))
    last = int(np.searchsorted(sums, share + 1e-12, side="right"))
    if last > first:  # reached exactly at one of the edges, or all along empty items
        return (first + last - 1) / 2
    return first - 1 + float((share - sums[first - 1]) / (sums[first] - sums[first - 1]))
