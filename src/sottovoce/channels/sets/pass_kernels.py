"""Loops over reports that are sets: the sums for their likelihood, and the search for equal or revealing reports."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.likelihood_kernels import add_log, weigh
from sottovoce.loops import loop, part

#: The place of a single set bit, from the top six bits of its product with a de Bruijn sequence.
DE_BRUIJN = np.uint64(0x03F7_9D71_B4CB_0A89)
PLACES = np.zeros(64, dtype=np.int64)
PLACES[[((1 << k) * int(DE_BRUIJN) & (1 << 64) - 1) >> 58 for k in range(64)]] = np.arange(64)


#: Reports that are gone through together, 64 items at a time.
_NEAR = 512
_BIT0, _BIT1, _BIT2, _BIT3 = (np.uint64(1 << k) for k in range(4))


@part
def gather(column, gains, means):
    """Add the gains of the items that are set in a column of words to the means of the reports."""
    for item in range(0, 64, 4):
        shift = np.uint64(item)
        gain0, gain1, gain2, gain3 = gains[item], gains[item + 1], gains[item + 2], gains[item + 3]
        for k in range(_NEAR):
            bits, mean = column[k] >> shift, means[k]
            mean += gain0 if bits & _BIT0 else 0.0
            mean += gain1 if bits & _BIT1 else 0.0
            mean += gain2 if bits & _BIT2 else 0.0
            mean += gain3 if bits & _BIT3 else 0.0
            means[k] = mean


@part(any_order=True)
def scatter(column, weights, sums):
    """Add the weights of the reports to the sums of the items that are set in them."""
    for item in range(0, 64, 4):
        shift = np.uint64(item)
        sum0, sum1, sum2, sum3 = 0.0, 0.0, 0.0, 0.0
        for k in range(_NEAR):
            bits, weight = column[k] >> shift, weights[k]
            sum0 += weight if bits & _BIT0 else 0.0
            sum1 += weight if bits & _BIT1 else 0.0
            sum2 += weight if bits & _BIT2 else 0.0
            sum3 += weight if bits & _BIT3 else 0.0
        sums[item] += sum0
        sums[item + 1] += sum1
        sums[item + 2] += sum2
        sums[item + 3] += sum3


@loop()
def pass_over_words(words, rows, times, base, gains, first, second):
    """One pass over set-valued reports in batches, so that loops run over whole vectors of reports.

    `gains` is p·(high − low) per item, padded with zeros to whole words, and so are `first` and `second` (which may be empty if they aren't
    needed). Returns Σ log(p·g), Σ 1/(p·g) and Σ 1/(p·g)², and adds the last two, report by report, to the items of the report.
    """
    value, one, two = 0.0, 0.0, 0.0
    column = np.zeros(_NEAR, dtype=np.uint64)
    means, weights, squares = np.empty(_NEAR), np.zeros(_NEAR), np.zeros(_NEAR)
    for begin in range(0, len(rows), _NEAR):
        those = rows[begin : begin + _NEAR]
        weights[len(those) :], squares[len(those) :] = 0.0, 0.0
        means[:] = base
        for group in range(words.shape[1]):
            for k in range(len(those)):
                column[k] = words[those[k], group]
            gather(column, gains[64 * group : 64 * group + 64], means)
        sums = weigh(means, times[begin : begin + _NEAR], weights, squares)
        value, one, two = value + sums[0], one + sums[1], two + sums[2]
        for group in range(words.shape[1]):
            for k in range(len(those)):
                column[k] = words[those[k], group]
            scatter(column, weights, first[64 * group : 64 * group + 64])
            if len(second):
                scatter(column, squares, second[64 * group : 64 * group + 64])
    return value, one, two


@loop()
def pass_over_items(starts, items, times, base, gains, first, second):
    """The same for reports that contain few items, as lists. `first` and `second` are per item."""
    value, product, one, two = 0.0, 1.0, 0.0, 0.0
    curved = len(second) > 0
    for i in range(len(times)):
        mean = base
        for k in range(starts[i], starts[i + 1]):
            mean += gains[items[k]]
        value, product = add_log(value, product, mean, times[i])
        w = times[i] / mean
        ww = w / mean
        one += w
        two += ww
        if curved:
            for k in range(starts[i], starts[i + 1]):
                first[items[k]] += w
                second[items[k]] += ww
        else:
            for k in range(starts[i], starts[i + 1]):
                first[items[k]] += w
    return value + np.log(product), one, two


@loop(lambda words, rows, *_: 8 * len(rows) * words.shape[1])
def list_items(words, rows, starts, items):
    """List the items of some reports, each report's from its offset in `starts`."""
    for i in range(len(rows)):
        place = starts[i]
        for group in range(words.shape[1]):
            word = words[rows[i], group]
            while word != np.uint64(0):
                lowest = word & (~word + np.uint64(1))
                items[place] = 64 * group + PLACES[(lowest * DE_BRUIJN) >> np.uint64(58)]
                place += 1
                word ^= lowest


@part
def mixed_in(value, word):
    """Combine a hash with one more word. Also for whole columns."""
    value = (value ^ word) * np.uint64(0x9E37_79B9_7F4A_7C15)
    return value ^ (value >> np.uint64(32))


def hash_columns(words, hashes):
    """The same as `hash_rows`, faster for few rows: a column at a time."""
    hashes[:] = 0
    for column in words.T:
        hashes[:] = mixed_in(hashes, column)


@loop(lambda words, hashes: words.size // 16, plain=hash_columns)
def hash_rows(words, hashes):
    """A hash of each row of words, equal for equal rows and almost never for others."""
    for i in range(len(words)):
        value = np.uint64(0)
        for group in range(words.shape[1]):
            value = mixed_in(value, words[i, group])
        hashes[i] = value


@loop(lambda words, others: words.size // 16, plain=lambda words, others: bool((words != words[others]).any()))
def rows_differ(words, others):
    """Whether any row differs from the row that is named for it."""
    for i in range(len(words)):
        if others[i] != i:
            for group in range(words.shape[1]):
                if words[i, group] != words[others[i], group]:
                    return True
    return False


@loop(lambda words, *_: 2 * words.size)
def first_items(words, marked, found):
    """The first item of each report among the marked ones (−1 for none, −2 for an empty report)."""
    for i in range(len(words)):
        found[i] = -2
        for group in range(words.shape[1]):
            word = words[i, group]
            if word != np.uint64(0):
                found[i] = max(found[i], -1)
                word &= marked[group]
                if word != np.uint64(0):
                    lowest = word & (~word + np.uint64(1))
                    found[i] = 64 * group + PLACES[(lowest * DE_BRUIJN) >> np.uint64(58)]
                    break
