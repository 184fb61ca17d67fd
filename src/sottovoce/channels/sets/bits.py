"""Sets of items as bits, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def bits_of(sets: Sequence[Sequence[int]], size: int) -> NDArray[np.bool_]:
    """Sets of items as rows of bits."""
    member = np.zeros((len(sets), size), dtype=np.bool_)
    for row, items in enumerate(sets):
        member[row, list(items)] = True
    return member


def items_of(words: NDArray[np.uint64]) -> list[int]:
    """The items in one set, from its words: bit by bit while they are few, in bulk otherwise."""
    if words.size > 1:
        return np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), bitorder="little").nonzero()[0].tolist()
    bits = int.from_bytes(words.astype("<u8", copy=False).tobytes(), "little")
    items = []
    while bits:
        low = bits & -bits
        items.append(low.bit_length() - 1)
        bits ^= low
    return items
