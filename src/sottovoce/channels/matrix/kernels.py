"""The sampling loop of matrix channels."""

from __future__ import annotations

import numpy as np

from sottovoce.loops import loop


@loop(lambda codes, words, cumulative, last, out: 2 * len(out))
def matrix(codes, words, cumulative, last, out):
    """Draw a matrix report: the first one whose cumulative threshold exceeds the word. The last possible one gets what is left."""
    for i in range(len(out)):
        row = cumulative[codes[i]]
        low, high = 0, np.int64(last[codes[i]])
        while low < high:
            middle = (low + high) >> 1
            if row[middle] <= words[i]:
                low = middle + 1
            else:
                high = middle
        out[i] = low
