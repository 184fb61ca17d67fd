"""The loop over hash functions that gives the moments of groups of items."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.hashed.kernels import bucket
from sottovoce.loops import loop


@loop(lambda seeds, labels, *_: len(seeds) * len(labels))
def group_moments(seeds, labels, sizes, within, p, buckets, gain, noise, unit, found):
    """Add the moments of each group under each hash function: E[Φ_G²], E[Φ_G·Φ] and E[Φ²], Φ the sums of a report's readings.

    `found[0]` is for reports of the group's members, `found[1]` for those of all people.
    """
    count = len(sizes)
    items = len(labels)
    held = np.zeros((buckets, count))
    mine = np.zeros((buckets, count))
    whole = np.zeros(buckets)
    everybody = np.zeros(buckets)
    for i in range(len(seeds)):
        held[:] = 0.0
        mine[:] = 0.0
        whole[:] = 0.0
        everybody[:] = 0.0
        for x in range(items):
            b = np.int64(bucket(seeds[i], x, buckets))
            held[b, labels[x]] += 1.0
            mine[b, labels[x]] += within[x]
            whole[b] += 1.0
            everybody[b] += p[x]
        for b in range(buckets):
            all_items = (whole[b] - items / buckets) * unit
            chance = noise + gain * everybody[b]
            for g in range(count):
                value = (held[b, g] - sizes[g] / buckets) * unit
                own = noise + gain * mine[b, g]
                found[0, 0, g] += own * value * value
                found[0, 1, g] += own * value * all_items
                found[0, 2, g] += own * all_items * all_items
                found[1, 0, g] += chance * value * value
                found[1, 1, g] += chance * value * all_items
                found[1, 2, g] += chance * all_items * all_items
