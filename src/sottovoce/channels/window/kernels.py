"""The sampling loops of window channels."""

from __future__ import annotations

import numpy as np

from sottovoce.loops import loop, part

_BIT = np.uint64(1)


@part
def _place(word, cumulative, guide, shift):
    """The first place whose cumulative threshold exceeds the word. `guide` starts the search at most a step or two away."""
    last = np.uint64(len(cumulative))
    place = np.uint64(guide[word >> shift])
    while place < last and cumulative[place] <= word:
        place += _BIT
    return place


@loop(lambda codes, words, cumulative, guide, shift, length, out: len(out))
def window(codes, words, cumulative, guide, shift, length, out):
    """Draw a window report: a place below `length` is a report of the noise, and higher ones are the places of the own window.

    The branch would be unpredictable, so there is none, which saves a third of the time.
    """
    for i in range(len(out)):
        place = _place(words[i], cumulative, guide, shift)
        out[i] = place + np.uint64(place >= length) * (np.uint64(codes[i]) - length)


@loop(lambda codes, words, ranks, cumulative, guide, kept, kept_guide, shift, length, out: 2 * len(out))
def lifted_window(codes, words, ranks, cumulative, guide, kept, kept_guide, shift, length, out):
    """The same by the place among the sensitive items. A free item (rank −1 − k) draws from `kept`, or is revealed as the k-th."""
    for i in range(len(out)):
        rank = ranks[codes[i]]
        if rank >= 0:
            place = _place(words[i], cumulative, guide, shift)
            out[i] = place + np.uint64(place >= length) * (np.uint64(rank) - length)
        else:
            place = _place(words[i], kept, kept_guide, shift)
            out[i] = place if place < length else length + np.uint64(-1 - rank)
