"""The sampling loop of Hadamard response."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.sampling_kernels import below, kept
from sottovoce.loops import loop, part


@part
def parity(value):
    odd = 0
    while value:
        value &= value - 1
        odd ^= 1
    return odd


@part
def codeword(row, index, odd):
    """The index-th column in which row `row` of a Sylvester Hadamard matrix has the sign (−1)^odd."""
    low_bit = row & -row
    column = ((index & ~(low_bit - 1)) << 1) | (index & (low_bit - 1))
    if parity(column & row) != odd:
        column |= low_bit
    return column


@loop(lambda codes, *_: 3 * len(codes))
def hadamard(codes, words, block, length, include, keep, keep_empty, filled, out, flags):
    """Hadamard report: a column inside the item's half-block with a word below `include`, otherwise one outside."""
    position = 0
    available = len(words)
    half = block >> 1
    for i in range(len(codes)):
        begin = position
        code = np.int64(codes[i])
        if code >= 0:
            if position == available:
                return i, begin
            base, row = (code // (block - 1)) * block, 1 + code % (block - 1)
            inside = words[position] < include
            position += 1
            index, position = below(np.uint64(half if inside else length - half), words, position)
            if position < 0:
                return i, begin
            if index < half:
                out[i] = base + codeword(row, index, 0 if inside else 1)
            else:
                index -= half
                out[i] = index if index < base else index + block
        else:
            index, position = below(np.uint64(length), words, position)
            if position < 0 or position == available:
                return i, begin
            out[i] = index
            position = kept(flags, i, words, position, keep if filled[index] else keep_empty)
    return len(codes), position
