"""The sampling loop of direct channels."""

from __future__ import annotations

import numpy as np

from sottovoce.loops import loop

_BIT = np.uint64(1)


@loop(lambda codes, words, cumulative, guide, shift, noise, out: len(out))
def direct(codes, words, cumulative, guide, shift, noise, out):
    """Draw a direct report: the first noise item whose cumulative threshold exceeds the word, or the truth if there is none.

    `guide` starts the search at most a step or two away. `noise` ends with −1, which stands for the truth.
    """
    last = np.uint64(len(cumulative))
    for i in range(len(out)):
        word = words[i]
        share = np.uint64(guide[word >> shift])
        while share < last and cumulative[share] <= word:
            share += _BIT
        named = noise[share]
        out[i] = codes[i] if named < 0 else named
