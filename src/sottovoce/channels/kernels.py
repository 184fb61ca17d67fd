"""The sampling loops. Each reads words in the order that `spec/sampling.md` fixes, report after report.

A loop that runs out of words in the middle of a report stops before it and says how many reports it finished and how
many words those took; the caller brings more words. `NEUTRAL` (−1) as a code asks for a draw that depends on no item.
"""

from __future__ import annotations

import numpy as np

from sottovoce.loops import loop, part

NEUTRAL = -1
_ZERO = np.uint64(0)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_BIT = np.uint64(1)
_PRIME = np.uint64((1 << 31) - 1)
_31 = np.uint64(31)
_33 = np.uint64(33)
_63 = np.uint64(63)


@loop(lambda codes, size: len(codes) // 3)
def outside(codes, size):
    """Whether any code is not one of 0 .. size − 1, in one pass."""
    found = False
    limit = np.uint64(size)
    for i in range(len(codes)):
        found |= np.uint64(codes[i]) >= limit
    return found


@loop(lambda codes, words, cumulative, guide, shift, noise, out: len(out))
def direct(codes, words, cumulative, guide, shift, noise, out):
    """Direct report: the first noise item whose cumulative threshold exceeds the word; the truth where there is none.

    `guide` starts the search at most a step or two away; `noise` ends with −1, which stands for the truth.
    """
    last = np.uint64(len(cumulative))
    for i in range(len(out)):
        word = words[i]
        share = np.uint64(guide[word >> shift])
        while share < last and cumulative[share] <= word:
            share += _BIT
        named = noise[share]
        out[i] = codes[i] if named < 0 else named


@loop(lambda codes, words, cumulative, last, out: 2 * len(out))
def matrix(codes, words, cumulative, last, out):
    """Matrix report: the first whose cumulative threshold exceeds the word; the last possible one takes what is left."""
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


@part
def kept(flags, i, words, position, threshold):
    """A neutral draw leaves only if the next word is below `threshold`; otherwise the report names the item itself."""
    flags[i] = words[position] >= threshold
    return position + 1


@loop(lambda codes, words, planes, *_: 5 * len(codes) * len(planes))
def unary(codes, words, planes, active, own, keep, keep_empty, out, flags):
    """Unary report: bit j says whether a uniform 64-bit number lies below the threshold of item j.

    The numbers are read bit-sliced, 64 items at a time: each word is the next bit (from the top) of 64 of them, and
    reading stops as soon as every comparison in the group is decided.
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


@part
def below(bound, words, position):
    """An exactly uniform integer below `bound` by rejection, and the next position (−1 when the words ran out)."""
    while position < len(words):
        word = words[position]
        position += 1
        rest = word % bound
        if word - rest <= _ALL - (bound - _BIT):
            return np.int64(rest), position
    return np.int64(0), -1


@loop(lambda codes, words, items, share, sizes, *_: len(codes) * (3 + int(max(sizes))))
def subset(codes, words, items, share, sizes, includes, keeps, out, flags):
    """Subset report: own item in with a word below `include`, the others by Floyd's uniform selection.

    Where there are two sizes, each with its thresholds, a word below `share` chooses the first.
    """
    position = 0
    available = len(words)
    for i in range(len(codes)):
        begin = position
        code = np.int64(codes[i])
        kind = 0
        if len(sizes) > 1:
            if position == available:
                return i, begin
            kind = 0 if words[position] < share else 1
            position += 1
        size, include, keep = sizes[kind], includes[kind], keeps[kind]
        for group in range(out.shape[1]):
            out[i, group] = _ZERO
        others, wanted, own = items, size, items
        if code >= 0:
            if position == available:
                return i, begin
            others, own = items - 1, code
            if words[position] < include or size == items:
                wanted = size - 1
                out[i, code >> 6] |= _BIT << np.uint64(code & 63)
            position += 1
        for j in range(others - wanted, others):
            chosen, position = below(np.uint64(j + 1), words, position)
            if position < 0:
                return i, begin
            place = chosen + (chosen >= own)
            if (out[i, place >> 6] >> np.uint64(place & 63)) & _BIT:
                place = j + (j >= own)
            out[i, place >> 6] |= _BIT << np.uint64(place & 63)
        if code < 0:
            if position == available:
                return i, begin
            position = kept(flags, i, words, position, keep)
    return len(codes), position


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


@part
def bucket(seed, item, buckets):
    """((a·item + b) mod 2^31 − 1) scaled to the buckets; a and b are the high and low 31 bits of the seed. Also of whole arrays."""
    value = ((seed >> _31) & _PRIME) * np.uint64(item) + (seed & _PRIME)
    value = (value & _PRIME) + (value >> _31)
    value = (value & _PRIME) + (value >> _31)
    value -= _PRIME * np.uint64(value >= _PRIME)
    return (value * np.uint64(buckets)) >> _31


def bucket_array(seeds, items, buckets):
    """The same as a whole: quick for few seeds, where memory does not matter."""
    return bucket(seeds[:, None], np.arange(items, dtype=np.uint64), buckets)


def bucket_blocks(seeds, items, buckets):
    """What `bucket_table` does, for few seeds: many of them at once."""
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
    """Hashed report: the first word chooses the hash function, the second is a direct report of the bucket."""
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


@loop(lambda protected, flags, codes, *_: 4 * protected.size)
def scatter(protected, flags, codes, places, out):
    """Spread bits over the sensitive items to their places in the whole domain; invertible reports set their own bit."""
    for i in range(len(out)):
        if flags[i]:
            code = np.int64(codes[i])
            out[i, code >> 6] |= _BIT << np.uint64(code & 63)
            continue
        for group in range(protected.shape[1]):
            bits = protected[i, group]
            while bits:
                low = bits & (_ZERO - bits)
                lane = 0
                while (low >> np.uint64(lane)) != _BIT:
                    lane += 1
                place = places[(group << 6) + lane]
                out[i, place >> 6] |= _BIT << np.uint64(place & 63)
                bits ^= low
