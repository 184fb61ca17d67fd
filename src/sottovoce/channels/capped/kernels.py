"""The sampling loop of capped channels."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.sampling_kernels import below
from sottovoce.loops import loop, part

_ZERO = np.uint64(0)
_BIT = np.uint64(1)


@part
def padded(code, starts, ways, boxes, items, own):
    """Write the items of a padded set to `own`, in order: its boxes or its mark, then the first dummies."""
    if code >= starts[-1]:
        own[0], size = boxes + (code - starts[-1]), 1
    else:
        size = 0
        while code >= starts[size + 1]:
            size += 1
        place, box = code - starts[size], boxes
        for member in range(size - 1, -1, -1):
            box -= 1
            while ways[box, member + 1] > place:
                box -= 1
            place -= ways[box, member + 1]
            own[member] = box
    for dummy in range(len(own) - size):
        own[size + dummy] = items + dummy


@loop(lambda codes, words, starts, ways, boxes, items, chosen, *_: 4 * len(codes) * (items + 2 * chosen))
def capped(codes, words, starts, ways, boxes, items, chosen, include, out):
    """Draw a report that meets the padded set if a word is below `include`, otherwise one that misses it. Both are uniform.

    A report that meets it begins with an item of the set, and others follow by Floyd's selection. With i items of the set, it can come
    about in i ways, so it is kept with a chance of 1/i and otherwise drawn again.
    """
    position = 0
    cap = len(starts) - 2
    everything = items + cap
    own, others, inside = np.zeros(cap, dtype=np.int64), np.zeros(items, dtype=np.int64), np.zeros(everything, dtype=np.bool_)
    for i in range(len(codes)):
        begin = position
        padded(np.int64(codes[i]), starts, ways, boxes, items, own)
        for place in range(everything):
            inside[place] = False
        for member in range(cap):
            inside[own[member]] = True
        number = 0
        for place in range(everything):
            if not inside[place]:
                others[number] = place
                number += 1
        if position == len(words):
            return i, begin
        meets = words[position] < include
        position += 1
        again = True
        while again:
            again = False
            for group in range(out.shape[1]):
                out[i, group] = _ZERO
            first = np.int64(-1)
            if meets:
                member, position = below(np.uint64(cap), words, position)
                if position < 0:
                    return i, begin
                first = own[member]
                out[i, first >> 6] |= _BIT << np.uint64(first & 63)
            free = everything - 1 if meets else items
            wanted = chosen - 1 if meets else chosen
            for j in range(free - wanted, free):
                drawn, position = below(np.uint64(j + 1), words, position)
                if position < 0:
                    return i, begin
                place = drawn + (drawn >= first) if meets else others[drawn]
                if (out[i, place >> 6] >> np.uint64(place & 63)) & _BIT:
                    place = j + (j >= first) if meets else others[j]
                out[i, place >> 6] |= _BIT << np.uint64(place & 63)
            if meets:
                shared = 0
                for member in range(cap):
                    shared += np.int64((out[i, own[member] >> 6] >> np.uint64(own[member] & 63)) & _BIT)
                if shared > 1:
                    drawn, position = below(np.uint64(shared), words, position)
                    if position < 0:
                        return i, begin
                    again = drawn > 0
    return len(codes), position
