"""The sampling loops of window channels."""

from __future__ import annotations

import numpy as np

from sottovoce.loops import loop

_BIT = np.uint64(1)


@loop(lambda codes, words, cumulative, guide, shift, gain, out: len(out))
def window(codes, words, cumulative, guide, shift, gain, out):
    """Window report: the first noise report whose cumulative threshold exceeds the word; beyond the noise, a place in the window.

    `guide` starts the search at most a step or two away.
    """
    last = np.uint64(len(cumulative))
    total = cumulative[len(cumulative) - 1]
    for i in range(len(out)):
        word = words[i]
        if word >= total:
            out[i] = np.uint64(codes[i]) + (word - total) // gain
            continue
        share = np.uint64(guide[word >> shift])
        while share < last and cumulative[share] <= word:
            share += _BIT
        out[i] = share


@loop(lambda codes, words, ranks, tables, guides, shift, gain, out: 2 * len(out))
def lifted_window(codes, words, ranks, tables, guides, shift, gain, out):
    """The same by the place among the sensitive items; a free item (rank −1 − k) draws from the second table, or is shown as the k-th."""
    last = np.uint64(tables.shape[1])
    for i in range(len(out)):
        word = words[i]
        rank = ranks[codes[i]]
        row = 0 if rank >= 0 else 1
        total = tables[row, tables.shape[1] - 1]
        if word >= total:
            if rank >= 0:
                out[i] = np.uint64(rank) + (word - total) // gain
            else:
                out[i] = last + np.uint64(-1 - rank)
            continue
        share = np.uint64(guides[row, word >> shift])
        while share < last and tables[row, share] <= word:
            share += _BIT
        out[i] = share
