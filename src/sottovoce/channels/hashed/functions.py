"""The public hash functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.hashed import kernels

#: Seeds of the whole family: two numbers of 31 bits.
SEED_LIMIT = 1 << 62


def public_seeds(count: int) -> NDArray[np.uint64]:
    """The first `count` seeds of a fixed public sequence (Weyl steps through the mixing function of SplitMix64)."""
    state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E37_79B9_7F4A_7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return (state ^ (state >> np.uint64(31))) & np.uint64(SEED_LIMIT - 1)


def even_seeds(count: int) -> NDArray[np.uint64]:
    """So many seeds whose first numbers are spread evenly. Few functions treat neighbours alike, and a random choice might miss all of
    them.
    """
    generator = np.random.Generator(np.random.PCG64(0))
    steps, beginnings = np.arange(count), generator.permutation(count)
    numbers = [((each + generator.random(count)) / count * ((1 << 31) - 1)).astype(np.uint64) for each in (steps, beginnings)]
    return np.asarray((numbers[0] << np.uint64(31)) | numbers[1])


def bucket_table(size: int, buckets: int, seeds: NDArray[Any]) -> NDArray[np.int64]:
    """An array (seeds, items): the bucket of every item under every seed."""
    return kernels.bucket_table(np.asarray(seeds, dtype=np.uint64), size, buckets)
