"""The sampling loop of subset channels."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.sampling_kernels import below, kept
from sottovoce.loops import loop

_ZERO = np.uint64(0)
_BIT = np.uint64(1)


@loop(lambda codes, words, items, share, sizes, *_: 3 * len(codes) * (3 + int(max(sizes))))
def subset(codes, words, items, share, sizes, includes, keeps, out, flags):
    """Draw a subset report: it contains the own item if a word is below `include`. The others follow by Floyd's uniform selection.

    With two sizes, each with its thresholds, a word below `share` selects the first.
    """
    position = 0
    available = len(words)
    for i in range(len(codes)):
        begin = position
        code = np.int64(codes[i])
        kind = 0
        if len(sizes) > 1:
            if position == available:
                return i, begin
            kind = 0 if words[position] < share else 1
            position += 1
        size, include, keep = sizes[kind], includes[kind], keeps[kind]
        for group in range(out.shape[1]):
            out[i, group] = _ZERO
        others, wanted, own = items, size, items
        if code >= 0:
            if position == available:
                return i, begin
            others, own = items - 1, code
            if words[position] < include or size == items:
                wanted = size - 1
                out[i, code >> 6] |= _BIT << np.uint64(code & 63)
            position += 1
        for j in range(others - wanted, others):
            chosen, position = below(np.uint64(j + 1), words, position)
            if position < 0:
                return i, begin
            place = chosen + (chosen >= own)
            if (out[i, place >> 6] >> np.uint64(place & 63)) & _BIT:
                place = j + (j >= own)
            out[i, place >> 6] |= _BIT << np.uint64(place & 63)
        if code < 0:
            if position == available:
                return i, begin
            position = kept(flags, i, words, position, keep)
    return len(codes), position
