"""The sampling loop of unary channels."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.sampling_kernels import kept
from sottovoce.loops import loop

_ZERO = np.uint64(0)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_BIT = np.uint64(1)
_63 = np.uint64(63)


@loop(lambda codes, words, planes, *_: 5 * len(codes) * len(planes))
def unary(codes, words, planes, active, own, keep, keep_empty, out, flags):
    """Draw a unary report: bit j is whether a uniform 64-bit number is below the threshold of item j.

    The numbers are read bit-sliced, 64 items at a time: each word is the next bit (from the top) of 64 of them, and reading stops as soon
    as every comparison in the group is decided.
    """
    position = 0
    groups = planes.shape[0]
    available = len(words)
    for i in range(len(codes)):
        begin = position
        code = np.int64(codes[i])
        home, lane, mine = -1, _ZERO, _ZERO
        if code >= 0:
            home, lane, mine = code >> 6, _BIT << np.uint64(code & 63), own[code]
        filled = _ZERO
        for group in range(groups):
            undecided = active[group]
            mask, present = _ALL, _ZERO
            if group == home:
                mask, present = ~lane, lane
                undecided = (undecided & mask) | (lane if mine > _ZERO else _ZERO)
            result = _ZERO
            level = 0
            while undecided != _ZERO and level < 64:
                if position == available:
                    return i, begin
                word = words[position]
                position += 1
                plane = planes[group, level] & mask
                plane |= present & (_ZERO - ((mine >> (_63 - np.uint64(level))) & _BIT))
                result |= undecided & plane & ~word
                undecided &= ~(plane ^ word)
                level += 1
            out[i, group] = result
            filled |= result
        if code < 0:
            if position == available:
                return i, begin
            position = kept(flags, i, words, position, keep if filled != _ZERO else keep_empty)
    return len(codes), position
