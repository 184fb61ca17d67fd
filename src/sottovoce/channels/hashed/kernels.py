"""Hash functions, the sampling loop of hashed channels, and the loops that count their reports."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.sampling_kernels import below, kept
from sottovoce.loops import loop, part

_PRIME = np.uint64((1 << 31) - 1)
_31 = np.uint64(31)


@part
def bucket(seed, item, buckets):
    """((a·item + b) mod 2^31 − 1) scaled to the buckets. a and b are the high and low 31 bits of the seed. Also for whole arrays."""
    value = ((seed >> _31) & _PRIME) * np.uint64(item) + (seed & _PRIME)
    value = (value & _PRIME) + (value >> _31)
    value = (value & _PRIME) + (value >> _31)
    value -= _PRIME * np.uint64(value >= _PRIME)
    return (value * np.uint64(buckets)) >> _31


def bucket_array(seeds, items, buckets):
    """The same for whole arrays: quick for few seeds, if memory doesn't matter."""
    return bucket(seeds[:, None], np.arange(items, dtype=np.uint64), buckets)


def bucket_blocks(seeds, items, buckets):
    """The same as `bucket_table`, faster for few seeds."""
    table = np.empty((len(seeds), items), dtype=np.int64)
    step = max(1, (1 << 18) // items)
    for begin in range(0, len(seeds), step):
        table[begin : begin + step] = bucket_array(seeds[begin : begin + step], items, buckets)
    return table


@loop(lambda seeds, items, buckets: len(seeds) * items // 16, plain=bucket_blocks)
def bucket_table(seeds, items, buckets):
    """Buckets of all items under all seeds."""
    table = np.empty((len(seeds), items), dtype=np.int64)
    for i in range(len(seeds)):
        for item in range(items):
            table[i, item] = bucket(seeds[i], item, buckets)
    return table


@loop(lambda codes, *_: 3 * len(codes))
def hashed(codes, words, mask, seeds, buckets, cumulative, items, keep, keep_empty, out, out_seeds, flags):
    """Draw a hashed report: the first word selects the hash function, the second draws a direct report of the bucket."""
    position = 0
    available = len(words)
    for i in range(len(codes)):
        begin = position
        if available - position < 2:
            return i, begin
        seed = words[position] & mask
        out_seeds[i] = seed
        code = np.int64(codes[i])
        table = cumulative[0]
        if len(seeds):
            table = cumulative[seed]
            seed = seeds[seed]
        if code >= 0:
            word = words[position + 1]
            position += 2
            if word < table[buckets - 1]:
                low, high = 0, buckets - 1
                while low < high:
                    middle = (low + high) >> 1
                    if table[middle] <= word:
                        low = middle + 1
                    else:
                        high = middle
                out[i] = low
            else:
                out[i] = bucket(seed, code, buckets)
        else:
            index, position = below(np.uint64(buckets), words, position + 1)
            if position < 0 or position == available:
                return i, begin
            out[i] = index
            threshold = keep_empty
            for item in range(items):
                if bucket(seed, item, buckets) == np.uint64(index):
                    threshold = keep
                    break
            position = kept(flags, i, words, position, threshold)
    return len(codes), position


#: Hashed reports whose functions run side by side, and where their parts stand: values at an item, steps, beginnings and widths of buckets.
ABREAST = 256
VALUE, STEP, LOW, SPAN = 0, ABREAST, 2 * ABREAST, 3 * ABREAST
PRIME = np.uint32((1 << 31) - 1)
_ONE = np.uint64(1)
#: Entries that are compared at a time while loops run in plain Python.
_BLOCK = 1 << 18


@part
def begin_hashes(seeds, buckets, g, running):
    """Start at item 0, with several reports side by side.

    From one item to the next, a·item + b mod 2^31 − 1 grows by a, and the item is in the reported bucket if the number is within a range.
    So each item takes a few operations on 32 bits, without a product.
    """
    wide = np.uint64(g)
    for k in range(len(seeds)):
        reported = np.uint64(buckets[k])
        low = ((reported << _31) + wide - _ONE) // wide
        high = (((reported + _ONE) << _31) + wide - _ONE) // wide
        running[VALUE + k] = (seeds[k] & _PRIME) % _PRIME
        running[STEP + k] = ((seeds[k] >> _31) & _PRIME) % _PRIME
        running[LOW + k] = low
        running[SPAN + k] = high - low


@part
def contained(running, k):
    """Whether the item is in report k, then step to the next item."""
    value = running[VALUE + k]
    after = np.uint32(value + running[STEP + k])
    running[VALUE + k] = min(after, np.uint32(after - PRIME))
    return np.uint32(value - running[LOW + k]) < running[SPAN + k]


@part
def support(running, people):
    """How many reports contain the item, then step to the next item."""
    total = np.uint32(0)
    for k in range(people):
        total = np.uint32(total + np.uint32(contained(running, k)))
    return total


def count_array(seeds, buckets, g, counts):
    """The same as `count_support`, faster for few reports."""
    step = max(1, _BLOCK // len(counts))
    for begin in range(0, len(seeds), step):
        those = slice(begin, begin + step)
        counts += (bucket_array(seeds[those], len(counts), g) == buckets[those, None]).sum(axis=0)


@loop(lambda seeds, buckets, g, counts: len(seeds) * len(counts) // 16, plain=count_array)
def count_support(seeds, buckets, g, counts):
    """Add to `counts` how many hashed reports support each item (its bucket under the report's function is the reported one)."""
    running = np.empty(4 * ABREAST, dtype=np.uint32)
    for begin in range(0, len(seeds), ABREAST):
        people = min(ABREAST, len(seeds) - begin)
        if people < 16:
            for i in range(begin, begin + people):
                for item in range(len(counts)):
                    counts[item] += bucket(seeds[i], item, g) == np.uint64(buckets[i])
            continue
        begin_hashes(seeds[begin : begin + people], buckets[begin : begin + people], g, running)
        for item in range(len(counts)):
            counts[item] += support(running, people)


@loop(lambda first, *_: 2 * len(first))
def count_pairs(first, second, width, counts):
    """Count pairs (first, second), laid out in rows of `width`."""
    for i in range(len(first)):
        counts[np.int64(first[i]) * width + np.int64(second[i])] += 1
