"""The loops of `auto`: how likely each share of each item is."""

from __future__ import annotations

import math

import numpy as np

from sottovoce.loops import loop, part

#: The least number of shares at which the likelihood of an item is computed.
NODES = 64
#: Cells from which on the shares are aligned with them; fewer are covered by equal steps.
_FEW = 6


@part
def item_likelihood(v, j, single, counts, people, own, other, pseudo, mean, second, squares):
    """The log-likelihood that item j has the share v.

    Counts are Poisson where every report counts for one item (`single`) and binomial otherwise. `pseudo` has the count, the odds and the
    slope of reports that were read one by one. The mean reading of all others is normal.
    """
    value = 0.0
    for m in range(counts.shape[0]):
        chance = other[m, j] + (own[m, j] - other[m, j]) * v
        if counts[m, j] > 0:
            value += counts[m, j] * math.log(chance) if chance > 0 else -np.inf
        if single[m]:
            value -= people[m] * chance
        elif people[m] > counts[m, j]:
            value += (people[m] - counts[m, j]) * math.log1p(-chance) if chance < 1 else -np.inf
    if pseudo[0, j] > 0:
        value += pseudo[0, j] * math.log(v + pseudo[1, j])
    value -= pseudo[2, j] * v
    if squares[j] > 0:
        variance = v * second[0, j] + (1 - v) * second[1, j] - squares[j] * v * v
        value -= 0.5 * (math.log(variance) + (mean[j] - v) * (mean[j] - v) / variance) if variance > 0 else np.inf
    return value


@loop(lambda low, high, bottom, width, alike, *rest: (NODES + rest[-1].shape[1]) * len(low))
def tabulate(
    low, high, bottom, width, alike, single, counts, people, own, other, pseudo, mean, second, squares, peak, likely, first, square
):
    """The likelihood of each item, averaged over cells of its share: [0, bottom), cells of `width` in its logarithm, and exactly `alike`.

    Writes the greatest log-likelihood to `peak`, and relative to it the averages of 1, v and v² to `likely`, `first` and `square`.
    """
    last = likely.shape[1] - 1
    cells = last - 1
    most = NODES + cells + 2
    shares, steps, places, values = np.empty(most), np.empty(most), np.empty(most, np.int64), np.empty(most)
    for j in range(len(low)):
        shares[0], steps[0], places[0] = 0.0, 1.0, 0
        shares[1], steps[1], places[1] = alike, 1.0, last
        count = 2
        under = max(low[j], bottom)
        begin = math.log(under / bottom) / width
        end = max(math.log(max(min(high[j], 1.0), under) / bottom) / width, begin + 1e-6)
        if end - begin < _FEW:
            step = (end - begin) / NODES
            for i in range(NODES):
                place = begin + (i + 0.5) * step
                shares[count], steps[count], places[count] = bottom * math.exp(place * width), step, 1 + min(int(place), cells - 1)
                count += 1
        else:
            lowest, highest = int(begin), min(int(end), cells - 1)
            parts = max(1, NODES // (highest - lowest + 1))
            for cell in range(lowest, highest + 1):
                for i in range(parts):
                    shares[count] = bottom * math.exp((cell + (i + 0.5) / parts) * width)
                    steps[count], places[count] = 1.0 / parts, 1 + cell
                    count += 1
        peak[j] = -np.inf
        for i in range(count):
            values[i] = item_likelihood(shares[i], j, single, counts, people, own, other, pseudo, mean, second, squares)
            peak[j] = max(peak[j], values[i])
        for i in range(count):
            weight = steps[i] * math.exp(values[i] - peak[j])
            likely[j, places[i]] += weight
            first[j, places[i]] += weight * shares[i]
            square[j, places[i]] += weight * shares[i] * shares[i]


@loop(lambda shares, *rest: shares.size)
def at_shares(shares, single, counts, people, own, other, pseudo, mean, second, squares, found):
    """The log-likelihood of each item at some shares of its own, a row for each item."""
    for j in range(shares.shape[0]):
        for i in range(shares.shape[1]):
            found[j, i] = item_likelihood(shares[j, i], j, single, counts, people, own, other, pseudo, mean, second, squares)


@loop(lambda shifts, law, likely, *_: likely.size)
def weigh(shifts, law, likely, first, square, found):
    """Sums of a table over the cells, weighted by a law that is shifted by whole cells for each item. The rest of its mass is at 0.

    Cell k of an item with the shift s is k − s cells from its mean, and entry len(law)//2 of the law is that of its mean.
    """
    cells = likely.shape[1] - 2
    middle = len(law) // 2
    for j in range(len(shifts)):
        total, moment, power, mass = 0.0, 0.0, 0.0, 0.0
        for k in range(cells):
            place = middle + k - shifts[j]
            if 0 <= place < len(law):
                mass += law[place]
                total += law[place] * likely[j, k + 1]
                moment += law[place] * first[j, k + 1]
                power += law[place] * square[j, k + 1]
        found[0, j] = total + max(0.0, 1 - mass) * likely[j, 0]
        found[1, j] = moment + max(0.0, 1 - mass) * first[j, 0]
        found[2, j] = power + max(0.0, 1 - mass) * square[j, 0]
