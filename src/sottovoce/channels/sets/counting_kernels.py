"""Count how often each item is in many sets: one pass over packed bits, with memory bounded by the number of items."""

from __future__ import annotations

import numpy as np

from sottovoce.loops import loop, part

#: Entries that are unpacked at a time while loops run in plain Python.
_BLOCK = 1 << 18
#: Words that are counted side by side, and rows of them that are summed before anything is carried.
_SIDE, _DEEP = 64, 8
#: Where the sums of 2 and 4 stand in a counter, behind those of 1; then a carry, and the higher sums, each with a carry that waits.
_TWOS, _FOURS, _CARRY, _HIGHER = _SIDE, 2 * _SIDE, 3 * _SIDE, 4 * _SIDE


@part
def full_adder(a, b, c):
    """Add three bits in each of 64 lanes: the sum and the carry."""
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@part
def add_eight(words, apart, counter, carry):
    """Add eight rows of bits to a vertical counter by seven full adders (Harley and Seal). The carry is worth eight.

    The loop has constant length and few arrays, each with its own offset, so that the compiler vectorises it.
    """
    row0, row1, row2, row3 = words, words[apart:], words[2 * apart :], words[3 * apart :]
    row4, row5, row6, row7 = words[4 * apart :], words[5 * apart :], words[6 * apart :], words[7 * apart :]
    for p in range(_SIDE):
        ones, a = full_adder(counter[p], row0[p], row1[p])
        ones, b = full_adder(ones, row2[p], row3[p])
        twos, c = full_adder(counter[_TWOS + p], a, b)
        ones, a = full_adder(ones, row4[p], row5[p])
        ones, b = full_adder(ones, row6[p], row7[p])
        twos, d = full_adder(twos, a, b)
        fours, eights = full_adder(counter[_FOURS + p], c, d)
        counter[p], counter[_TWOS + p], counter[_FOURS + p], carry[p] = ones, twos, fours, eights


@part
def carry_on(counter, before):
    """Propagate the carry, after `before` earlier ones: every level keeps one back, and passes two of them on together."""
    carry, place = counter[_CARRY:_HIGHER], _HIGHER
    while before & 1:
        kept, waiting = counter[place : place + _SIDE], counter[place + _SIDE : place + 2 * _SIDE]
        for p in range(_SIDE):
            kept[p], carry[p] = full_adder(kept[p], waiting[p], carry[p])
        place += 2 * _SIDE
        before >>= 1
    waiting = counter[place + _SIDE : place + 2 * _SIDE]
    for p in range(_SIDE):
        waiting[p] = carry[p]


@part
def add_lanes(words, begin, groups, weight, counts):
    """Add `weight` for every bit that is set. The words are those of the groups from `begin` on, over and over."""
    for p in range(len(words)):
        word, first = words[p], 64 * ((begin + p) % groups)
        part = counts[first : min(first + 64, len(counts))]
        for lane in range(len(part)):
            part[lane] += np.int64((word >> np.uint64(lane)) & np.uint64(1)) * weight


@part
def empty_counter(counter, carried, begin, width, groups, counts):
    """Add a vertical counter that took `carried` carries to `counts`."""
    for level in range(3):
        add_lanes(counter[level * _SIDE : level * _SIDE + width], begin, groups, 1 << level, counts)
    place, weight = _HIGHER, _DEEP
    while carried:
        add_lanes(counter[place : place + width], begin, groups, weight, counts)
        if carried & 1:
            add_lanes(counter[place + _SIDE : place + _SIDE + width], begin, groups, weight, counts)
        place, weight, carried = place + 2 * _SIDE, 2 * weight, carried >> 1


@part
def count_deep(words, width, groups, counts):
    """Add the sums of words that are `width` apart, a multiple of `groups`. Returns how many words could be summed so.

    Eight parts of the words are read side by side, each from start to end, because memory is fastest that way. Past the end of a row, the
    counters continue with the next one, so that all loops have one length. Those sums aren't used.
    """
    tiles = (width + _SIDE - 1) // _SIDE
    blocks = max(0, len(words) - tiles * _SIDE + width) // (_DEEP * width)
    if blocks == 0:
        return 0
    levels, carried = 0, blocks
    while carried:
        levels, carried = levels + 1, carried >> 1
    counters = np.zeros((tiles, _HIGHER + 2 * _SIDE * levels), dtype=np.uint64)
    for block in range(blocks):
        for tile in range(tiles):
            counter, start = counters[tile], block * width + tile * _SIDE
            if block & 1:
                add_eight(words[start:], blocks * width, counter, counter[_CARRY:_HIGHER])
                carry_on(counter, block)
            else:
                add_eight(words[start:], blocks * width, counter, counter[_HIGHER + _SIDE : _HIGHER + 2 * _SIDE])
    for tile in range(tiles):
        begin = tile * _SIDE
        empty_counter(counters[tile], blocks, begin, min(_SIDE, width - begin), groups, counts)
    return blocks * _DEEP * width


def unpack_and_count(words, counts):
    """The same as `count_bits`, faster for few words: one byte per bit, and no loop that takes seconds to compile."""
    step = max(1, _BLOCK // len(counts))
    for begin in range(0, len(words), step):
        octets = words[begin : begin + step].astype("<u8").view(np.uint8)
        counts += np.unpackbits(octets, axis=1, count=len(counts), bitorder="little").sum(axis=0, dtype=np.int64)


@loop(lambda words, counts: words.size // 16, plain=unpack_and_count)
def count_bits(words, counts):
    """Add the column sums of packed bits to `counts`.

    Every column of words has a vertical counter: a binary number per lane, its bits spread over words. Rows are joined until they fill the
    counters, apart from an eighth at most.
    """
    groups = words.shape[1]
    flat = np.ascontiguousarray(words).reshape(-1)
    together = max(1, _SIDE // groups)
    while -(together * groups) % _SIDE * 8 > together * groups:
        together += 1
    done = count_deep(flat, together * groups, groups, counts)
    done += count_deep(flat[done:], groups, groups, counts)
    add_lanes(flat[done:], 0, groups, 1, counts)
