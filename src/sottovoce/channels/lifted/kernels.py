"""How sets of sensitive items become sets of all items."""

from __future__ import annotations

import numpy as np

from sottovoce.loops import loop

_ZERO = np.uint64(0)
_BIT = np.uint64(1)


@loop(lambda protected, flags, codes, *_: 4 * protected.size)
def scatter(protected, flags, codes, places, out):
    """Spread bits over the sensitive items to their places in the whole domain; invertible reports set their own bit."""
    for i in range(len(out)):
        if flags[i]:
            code = np.int64(codes[i])
            out[i, code >> 6] |= _BIT << np.uint64(code & 63)
            continue
        for group in range(protected.shape[1]):
            bits = protected[i, group]
            while bits:
                low = bits & (_ZERO - bits)
                lane = 0
                while (low >> np.uint64(lane)) != _BIT:
                    lane += 1
                place = places[(group << 6) + lane]
                out[i, place >> 6] |= _BIT << np.uint64(place & 63)
                bits ^= low
