"""The loops of the estimators, compiled."""

from __future__ import annotations

import math

import numba
import numpy as np

from sottovoce.channels.kernels import compiled
from sottovoce.tallies.kernels import ABREAST, begin_hashes, contained


def summing(function):
    """Machine code as of `compiled`, whose sums of fractions may be taken in any order, several terms at a time."""
    return numba.njit(function, cache=True, nogil=True, fastmath={"reassoc", "nsz"})


#: The place of a single set bit, from the top six bits of its product with a de Bruijn sequence.
DE_BRUIJN = np.uint64(0x03F7_9D71_B4CB_0A89)
PLACES = np.zeros(64, dtype=np.int64)
PLACES[[((1 << k) * int(DE_BRUIJN) & (1 << 64) - 1) >> 58 for k in range(64)]] = np.arange(64)

#: The shares at which the posterior of an item is computed.
NODES = 192


@compiled
def shares(mu, counts, odds, p):
    """p_y for the multiplier: Newton from below on the convex, falling function Σ_m c_m/(p + r_m) − μ. Returns Σp and its slope in μ."""
    total, slope = 0.0, 0.0
    blocks = counts.shape[0]
    for y in range(counts.shape[1]):
        start, pull = 0.0, 0.0
        for m in range(blocks):
            if counts[m, y] > 0:
                start = max(start, counts[m, y] / mu - odds[m, y])
                pull += counts[m, y] / odds[m, y] if odds[m, y] > 0 else np.inf
        if pull <= mu:
            p[y] = 0.0
            continue
        value = start
        for _ in range(100):
            excess, steep = -mu, 0.0
            for m in range(blocks):
                if counts[m, y] > 0:
                    share = counts[m, y] / (value + odds[m, y])
                    excess += share
                    steep += share / (value + odds[m, y])
            step = excess / steep
            if step <= 1e-16 * value:
                break
            value += step
        p[y] = value
        total += value
        steep = 0.0
        for m in range(blocks):
            if counts[m, y] > 0:
                steep += counts[m, y] / (value + odds[m, y]) ** 2
        slope -= 1.0 / steep
    return total, slope


@compiled
def add_log(value, product, mean, times):
    """Add times·log(mean) to log(product) + value: a report that came once is multiplied, which takes a tenth of the time."""
    if times != 1.0 or not 1e-100 < mean < 1e100:
        return value + times * np.log(mean), product
    product *= mean
    if 1e-100 < product < 1e100:
        return value, product
    return value + np.log(product), 1.0


@compiled
def weigh(means, times, weights, squares):
    """Σ log(p·g), Σ 1/(p·g) and Σ 1/(p·g)² over some reports; the last two, report by report, go to `weights` and `squares`."""
    value, product, one, two = 0.0, 1.0, 0.0, 0.0
    for k in range(len(times)):
        value, product = add_log(value, product, means[k], times[k])
        weights[k] = times[k] / means[k]
        squares[k] = weights[k] / means[k]
        one += weights[k]
        two += squares[k]
    return value + np.log(product), one, two


#: Reports that are gone through together, 64 items at a time.
_NEAR = 512
_BIT0, _BIT1, _BIT2, _BIT3 = (np.uint64(1 << k) for k in range(4))


@compiled
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


@summing
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


@compiled
def pass_over_words(words, rows, times, base, gains, first, second):
    """One pass over set-valued reports, some of them at a time, so that loops go over whole vectors of reports.

    `gains` is p·(high − low) per item, filled up with zeros to whole words, and so are `first` and `second` (which may be empty: not
    asked for). Returns Σ log(p·g), Σ 1/(p·g) and Σ 1/(p·g)², and adds the last two, report by report, to the items of the report.
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


@compiled
def pass_over_items(starts, items, times, base, gains, first, second):
    """The same for reports that contain few items, listed: `first` and `second` are per item."""
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


@compiled
def list_items(words, rows, starts, items):
    """The items of some reports, each report's from its place in `starts` on."""
    for i in range(len(rows)):
        place = starts[i]
        for group in range(words.shape[1]):
            word = words[rows[i], group]
            while word != np.uint64(0):
                lowest = word & (~word + np.uint64(1))
                items[place] = 64 * group + PLACES[(lowest * DE_BRUIJN) >> np.uint64(58)]
                place += 1
                word ^= lowest


@compiled
def hash_rows(words, hashes):
    """A number for each row of words, the same for equal rows and hardly ever for others."""
    for i in range(len(words)):
        value = np.uint64(0)
        for group in range(words.shape[1]):
            value = (value ^ words[i, group]) * np.uint64(0x9E37_79B9_7F4A_7C15)
            value ^= value >> np.uint64(32)
        hashes[i] = value


@compiled
def rows_differ(words, others):
    """Whether any row differs from the row that is named for it."""
    for i in range(len(words)):
        if others[i] != i:
            for group in range(words.shape[1]):
                if words[i, group] != words[others[i], group]:
                    return True
    return False


@compiled
def first_items(words, marked, found):
    """The first item of each report among the marked ones (−1: none; −2: the report is empty)."""
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


@compiled
def gather_hashed(running, people, gain, gained, found):
    """Add the gain of an item to the reports that it is in, and note that they contain something."""
    for k in range(people):
        inside = contained(running, k)
        gained[k] += gain if inside else 0.0
        found[k] |= np.uint32(inside)


@summing
def scatter_hashed(running, people, weights):
    """The sum of the weights of the reports that an item is in."""
    total = 0.0
    for k in range(people):
        total += weights[k] if contained(running, k) else 0.0
    return total


@summing
def scatter_both(running, people, weights, squares):
    """The same for two kinds of weights."""
    one, two = 0.0, 0.0
    for k in range(people):
        inside = 1.0 if contained(running, k) else 0.0
        one += weights[k] * inside
        two += squares[k] * inside
    return one, two


@compiled
def pass_over_hashes(seeds, buckets, g, times, base, base_empty, gains, first, second):
    """One pass over hashed reports: an item is in a report when its bucket under the report's function is the one reported.

    Reports that no item is in weigh `base_empty` instead of `base`; their sums come behind those of the others. Hashing anew costs less
    than to remember which items a report contains.
    """
    value = 0.0
    sums = np.zeros(4)
    running, found = np.empty(4 * ABREAST, dtype=np.uint32), np.empty(ABREAST, dtype=np.uint32)
    means, weights, squares = np.empty(ABREAST), np.empty(ABREAST), np.empty(ABREAST)
    for begin in range(0, len(seeds), ABREAST):
        those = slice(begin, min(begin + ABREAST, len(seeds)))
        people = those.stop - begin
        begin_hashes(seeds[those], buckets[those], g, running)
        means[:], found[:] = 0.0, 0
        for item in range(len(gains)):
            gather_hashed(running, people, gains[item], means, found)
        for k in range(people):
            means[k] = base + means[k] if found[k] else base_empty
        value += weigh(means, times[those], weights, squares)[0]
        for k in range(people):
            place = 0 if found[k] else 2
            sums[place] += weights[k]
            sums[place + 1] += squares[k]
        begin_hashes(seeds[those], buckets[those], g, running)
        for item in range(len(gains)):
            if len(second):
                one, two = scatter_both(running, people, weights, squares)
                first[item] += one
                second[item] += two
            else:
                first[item] += scatter_hashed(running, people, weights)
    return value, sums


@compiled
def quantile(v, z, second, third, mixed, squares, cubes, j):
    """The quantile at the deviate z of the mean reading of item j, when its share is v (Cornish and Fisher, second order)."""
    variance = v * second[0, j] + (1 - v) * second[1, j] - squares[j] * v * v
    skew = v * third[0, j] + (1 - v) * third[1, j] - 3 * v * (v * mixed[0, j] + (1 - v) * mixed[1, j]) + 2 * cubes[j] * v**3
    if variance <= 0:
        return v
    return v + z * np.sqrt(variance) + (z * z - 1) / 6 * skew / variance


#: Shares on which the limits are bracketed before they are bisected: 0, powers of 1/4, and the same below 1.
_BRACKETS = np.concatenate([[0.0], 0.25 ** np.arange(20, 0, -1), [0.5], 1 - 0.25 ** np.arange(1, 21), [1.0]])


@compiled
def bisected(inside, outside, target, z, second, third, mixed, squares, cubes, j):
    """Between a share that is within the interval and one that is not: the last that is."""
    while abs(outside - inside) > 1e-12 * max(inside, outside):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        reached = quantile(middle, z, second, third, mixed, squares, cubes, j)
        if (z > 0 and reached >= target) or (z < 0 and reached <= target):
            inside = middle
        else:
            outside = middle
    return inside


@compiled
def limits(seen, z, second, third, mixed, squares, cubes, low, high):
    """The least share whose upper quantile reaches the mean reading seen, and the greatest whose lower quantile does not pass it.

    Near 0 and 1 the corrected quantiles are not monotone: where hardly a report is expected to speak for an item, whatever its share, no
    share has a lower quantile below what is seen, and none is excluded. A mean reading is read as at most 1.5 deviations above 1.
    """
    last = len(_BRACKETS) - 1
    for j in range(len(seen)):
        target = min(seen[j], 1 + 1.5 * np.sqrt(max(0.0, second[0, j] - squares[j])))
        k = 0
        while k < last and quantile(_BRACKETS[k], z, second, third, mixed, squares, cubes, j) < target:
            k += 1
        found = bisected(_BRACKETS[k], _BRACKETS[max(0, k - 1)], target, z, second, third, mixed, squares, cubes, j)
        low[j] = min(found, target)
        k = last
        while k >= 0 and quantile(_BRACKETS[k], -z, second, third, mixed, squares, cubes, j) > target:
            k -= 1
        if k < 0:
            high[j] = 1.0
            continue
        found = bisected(_BRACKETS[k], _BRACKETS[min(last, k + 1)], target, -z, second, third, mixed, squares, cubes, j)
        high[j] = max(found, min(target, 1.0))


@compiled
def item_likelihood(v, j, counts, people, own, other, mean, second, squares):
    """The log-likelihood that item j has the share v: binomial for counted groups, normal for the mean reading of the others."""
    value = 0.0
    for m in range(counts.shape[0]):
        chance = other[m, j] + (own[m, j] - other[m, j]) * v
        if counts[m, j] > 0:
            value += counts[m, j] * np.log(chance) if chance > 0 else -np.inf
        if people[m] > counts[m, j]:
            value += (people[m] - counts[m, j]) * np.log1p(-chance) if chance < 1 else -np.inf
    if squares[j] > 0:
        variance = v * second[0, j] + (1 - v) * second[1, j] - squares[j] * v * v
        value -= 0.5 * (np.log(variance) + (mean[j] - v) ** 2 / variance) if variance > 0 else np.inf
    return value


@compiled
def prior_weights(spread, heights, step, weights):
    """The masses of a log-normal prior with mean 1 at nodes with the given logarithms, behind the mass of everything below them."""
    root = spread * np.sqrt(2.0)
    weights[0] = 0.5 * math.erfc(-(heights[0] - step / 2 + spread * spread / 2) / root)
    scale = step / (spread * np.sqrt(2 * np.pi))
    for i in range(len(heights)):
        weights[i + 1] = scale * np.exp(-(((heights[i] + spread * spread / 2) / root) ** 2))


@compiled
def shrink(low, high, spreads, size, counts, people, own, other, mean, second, squares, mixture, evidence, p, variance):
    """Empirical Bayes, item by item, on nodes that cover the shares between `low` and `high`.

    Adds to `evidence[k]` the logarithm of the marginal likelihood under the k-th spread (0: all items alike), and, where `mixture` weighs
    the spreads, writes the posterior mean and variance of the share.
    """
    nodes = NODES
    heights, masses, likely = np.empty(nodes), np.empty(nodes + 1), np.empty(nodes + 1)
    for j in range(len(low)):
        top = max(high[j], 1e-300)
        bottom = min(max(low[j], 1e-7 * top), 0.999999 * top)
        step = np.log(top / bottom) / (nodes - 1)
        likely[0] = item_likelihood(bottom / 2, j, counts, people, own, other, mean, second, squares) if low[j] < bottom else -np.inf
        for i in range(nodes):
            heights[i] = np.log(bottom * size) + i * step
            likely[i + 1] = item_likelihood(bottom * np.exp(i * step), j, counts, people, own, other, mean, second, squares)
        alike = item_likelihood(1.0 / size, j, counts, people, own, other, mean, second, squares)
        peak = likely.max()
        found, spread_out = 0.0, 0.0
        for k in range(len(spreads)):
            if mixture[k] < 0:
                continue
            if spreads[k] == 0:
                evidence[k] += alike
                found += mixture[k] / size
                spread_out += mixture[k] / size**2
                continue
            prior_weights(spreads[k], heights, step, masses)
            total, moment, square = 0.0, 0.0, 0.0
            for i in range(nodes + 1):
                weight = masses[i] * np.exp(likely[i] - peak)
                value = bottom / 2 if i == 0 else np.exp(heights[i - 1]) / size
                total += weight
                moment += weight * value
                square += weight * value * value
            evidence[k] += peak + np.log(total) if total > 0 else -np.inf
            if total > 0:
                found += mixture[k] * moment / total
                spread_out += mixture[k] * square / total
        p[j], variance[j] = found, spread_out - found * found
