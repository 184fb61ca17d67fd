"""How sets of sensitive items become sets of all items."""

from __future__ import annotations

import numpy as np

from sottovoce.loops import loop

_ZERO = np.uint64(0)
_BIT = np.uint64(1)


#: Reports that are spread at a time in plain Python.
_ROWS = 1 << 12


def _scatter_columns(protected, flags, codes, places, out):
    """The same by whole columns."""
    for start in range(0, len(out), _ROWS):
        rows = slice(start, start + _ROWS)
        words, revealed = np.ascontiguousarray(protected[rows].astype("<u8", copy=False)), np.flatnonzero(flags[rows])
        bits = np.zeros((len(words), 64 * out.shape[1]), dtype=np.uint8)
        bits[:, places] = np.unpackbits(words.view(np.uint8), axis=1, count=len(places), bitorder="little")
        bits[revealed] = 0
        bits[revealed, codes[rows][revealed]] = 1
        out[rows] |= np.packbits(bits, axis=1, bitorder="little").view("<u8")


@loop(lambda protected, flags, codes, places, out: out.size // 4, plain=_scatter_columns)
def scatter(protected, flags, codes, places, out):
    """Spread bits over the sensitive items to their places in the whole domain. Invertible reports set their own bit."""
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
