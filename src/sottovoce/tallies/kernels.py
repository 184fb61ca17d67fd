"""Counting loops, compiled: one pass over the reports, memory bounded by the number of items."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.kernels import bucket, compiled

#: Vertical counters of this many bits are emptied before they can overflow.
_PLANES = 16
_ROWS = (1 << _PLANES) - 8
#: Rows that are counted together, column after column.
_NEAR = 256


@compiled
def full_adder(a, b, c):
    """Add three bits in each of 64 lanes: the sum and the carry."""
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@compiled
def ripple(planes, level, carry):
    """Add `carry`, worth 2^level, to the vertical counter."""
    while carry != np.uint64(0):
        kept = planes[level]
        planes[level] = kept ^ carry
        carry &= kept
        level += 1


@compiled
def empty_counters(planes, low, counts):
    """Add vertical counters, and the carries still below them, to `counts`; begin them anew."""
    for group in range(len(planes)):
        for level in range(3):
            ripple(planes[group], level, low[group, level])
        for lane in range(min(64, len(counts) - 64 * group)):
            total = np.int64(0)
            for level in range(_PLANES):
                total += np.int64((planes[group, level] >> np.uint64(lane)) & np.uint64(1)) << level
            counts[64 * group + lane] += total
    planes[:] = np.uint64(0)
    low[:] = np.uint64(0)


@compiled
def count_bits(words, counts):
    """Add the column sums of packed bits to `counts`.

    Every column of words keeps a vertical counter: a binary number per lane, its bits spread over sixteen words. Eight rows are summed
    by seven full adders (Harley and Seal) before one carry ripples into the counter, so that 64 sums cost a few instructions a row.
    Some rows at a time, for all columns, so that they stay near.
    """
    rows, groups = words.shape
    planes = np.zeros((groups, _PLANES), dtype=np.uint64)
    low = np.zeros((groups, 3), dtype=np.uint64)
    whole, held = rows >> 3 << 3, 0
    for start in range(0, whole, _NEAR):
        end = min(start + _NEAR, whole)
        if held + _NEAR > _ROWS:
            empty_counters(planes, low, counts)
            held = 0
        held += end - start
        for group in range(groups):
            ones, twos, fours = low[group, 0], low[group, 1], low[group, 2]
            for i in range(start, end, 8):
                ones, a = full_adder(ones, words[i, group], words[i + 1, group])
                ones, b = full_adder(ones, words[i + 2, group], words[i + 3, group])
                twos, c = full_adder(twos, a, b)
                ones, a = full_adder(ones, words[i + 4, group], words[i + 5, group])
                ones, b = full_adder(ones, words[i + 6, group], words[i + 7, group])
                twos, d = full_adder(twos, a, b)
                fours, eights = full_adder(fours, c, d)
                ripple(planes[group], 3, eights)
            low[group, 0], low[group, 1], low[group, 2] = ones, twos, fours
    for i in range(whole, rows):
        for group in range(groups):
            ripple(planes[group], 0, words[i, group])
    empty_counters(planes, low, counts)


@compiled
def count_codes(codes, tables):
    """Count codes: four tables in turn, so that equal neighbours do not wait for one another."""
    whole = len(codes) >> 2 << 2
    for i in range(0, whole, 4):
        tables[0, codes[i]] += 1
        tables[1, codes[i + 1]] += 1
        tables[2, codes[i + 2]] += 1
        tables[3, codes[i + 3]] += 1
    for i in range(whole, len(codes)):
        tables[0, codes[i]] += 1


@compiled
def count_support(seeds, buckets, g, counts):
    """Add to `counts` how many hashed reports each item supports: its bucket under the report's function is the one reported."""
    for i in range(len(seeds)):
        seed, reported = seeds[i], np.uint64(buckets[i])
        for item in range(len(counts)):
            counts[item] += bucket(seed, item, g) == reported


@compiled
def count_pairs(first, second, width, counts):
    """Count pairs (first, second), laid out in rows of `width`."""
    for i in range(len(first)):
        counts[first[i] * width + second[i]] += 1
