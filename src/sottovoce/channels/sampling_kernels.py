"""What the sampling loops share. Each reads words in the order that `spec/sampling.md` defines, report after report.

A loop that runs out of words in the middle of a report stops before it, and returns how many reports it finished and how many words those
took. The caller brings more words. `NEUTRAL` (−1) as a code asks for a draw that depends on no item.
"""

from __future__ import annotations

import numpy as np

from sottovoce.loops import loop, part

#: The code that asks for a draw which depends on no item.
NEUTRAL = -1
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_BIT = np.uint64(1)


@loop(lambda codes, size: len(codes) // 3)
def outside(codes, size):
    """Whether any code is not one of 0 .. size − 1, in one pass."""
    found = False
    limit = np.uint64(size)
    for i in range(len(codes)):
        found |= np.uint64(codes[i]) >= limit
    return found


@part
def kept(flags, i, words, position, threshold):
    """Keep a neutral draw only if the next word is below `threshold`. Otherwise the report names the item itself."""
    flags[i] = words[position] >= threshold
    return position + 1


@part
def below(bound, words, position):
    """Draw an exactly uniform integer below `bound` by rejection. Returns it with the next position (−1 if the words ran out)."""
    while position < len(words):
        word = words[position]
        position += 1
        rest = word % bound
        if word - rest <= _ALL - (bound - _BIT):
            return np.int64(rest), position
    return np.int64(0), -1
