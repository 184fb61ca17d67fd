"""The loops of the estimators, compiled."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.kernels import bucket, compiled


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
def pass_over_bytes(records, times, base, partial, first, second):
    """One pass over set-valued reports, eight items at a time.

    `partial[b, v]` is the sum of p·(high − low) over the items of byte b that are set in v. Returns Σ log(p·g), Σ 1/(p·g) and Σ 1/(p·g)²,
    and adds the last two, report by report, to the entries of its bytes in `first` and `second`.
    """
    value, one, two = 0.0, 0.0, 0.0
    width = records.shape[1]
    for i in range(len(records)):
        mean = base
        for b in range(width):
            mean += partial[b, records[i, b]]
        value += times[i] * np.log(mean)
        w = times[i] / mean
        ww = w / mean
        one += w
        two += ww
        for b in range(width):
            first[b, records[i, b]] += w
            second[b, records[i, b]] += ww
    return value, one, two


@compiled
def pass_over_items(starts, items, times, base, gains, first, second):
    """The same for reports that contain few items, listed: `first` and `second` are per item."""
    value, one, two = 0.0, 0.0, 0.0
    for i in range(len(times)):
        mean = base
        for k in range(starts[i], starts[i + 1]):
            mean += gains[items[k]]
        value += times[i] * np.log(mean)
        w = times[i] / mean
        ww = w / mean
        one += w
        two += ww
        for k in range(starts[i], starts[i + 1]):
            first[items[k]] += w
            second[items[k]] += ww
    return value, one, two


@compiled
def list_items(records, starts, items):
    """The items of every report, one after the other; `starts` has the place of each report."""
    place = 0
    for i in range(len(records)):
        starts[i] = place
        for b in range(records.shape[1]):
            bits = records[i, b]
            for j in range(8):
                if (bits >> j) & 1:
                    items[place] = 8 * b + j
                    place += 1
    starts[len(records)] = place


@compiled
def pass_over_hashes(seeds, buckets, g, times, base, base_empty, gains, first, second):
    """One pass over hashed reports: an item is in a report when its bucket under the report's function is the one reported.

    Reports that no item is in weigh `base_empty` instead of `base`; their sums come behind those of the others.
    """
    value = 0.0
    sums = np.zeros(4)
    inside = np.empty(len(gains), dtype=np.float64)
    for i in range(len(seeds)):
        seed, reported = seeds[i], np.uint64(buckets[i])
        gained, members = 0.0, 0.0
        for item in range(len(gains)):
            hit = 1.0 if bucket(seed, item, g) == reported else 0.0
            inside[item] = hit
            gained += hit * gains[item]
            members += hit
        mean = base + gained if members > 0 else base_empty
        value += times[i] * np.log(mean)
        w = times[i] / mean
        ww = w / mean
        if members > 0:
            sums[0] += w
            sums[1] += ww
            for item in range(len(gains)):
                first[item] += w * inside[item]
                second[item] += ww * inside[item]
        else:
            sums[2] += w
            sums[3] += ww
    return value, sums
