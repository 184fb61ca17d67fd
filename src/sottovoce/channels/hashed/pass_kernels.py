"""Loops over hashed reports: the sums that their likelihood needs."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.hashed.kernels import ABREAST, begin_hashes, contained
from sottovoce.channels.likelihood_kernels import weigh
from sottovoce.loops import loop, part


@part
def gather_hashed(running, people, gain, gained, found):
    """Add the gain of an item to the reports that contain it, and note that they aren't empty."""
    for k in range(people):
        inside = contained(running, k)
        gained[k] += gain if inside else 0.0
        found[k] |= np.uint32(inside)


@part(any_order=True)
def scatter_hashed(running, people, weights):
    """The sum of the weights of the reports that an item is in."""
    total = 0.0
    for k in range(people):
        total += weights[k] if contained(running, k) else 0.0
    return total


@part(any_order=True)
def scatter_both(running, people, weights, squares):
    """The same for two kinds of weights."""
    one, two = 0.0, 0.0
    for k in range(people):
        inside = 1.0 if contained(running, k) else 0.0
        one += weights[k] * inside
        two += squares[k] * inside
    return one, two


@loop()
def pass_over_hashes(seeds, buckets, g, times, base, base_empty, gains, first, second):
    """One pass over hashed reports: a report contains an item if the item's bucket under the report's function is the reported one.

    Reports without any item have the weight `base_empty` instead of `base`, and their sums come after those of the others. Hashing again
    costs less than storing which items a report contains.
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
