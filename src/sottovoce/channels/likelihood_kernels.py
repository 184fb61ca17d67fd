"""What the passes over reports share: sums of logarithms and of inverse powers."""

from __future__ import annotations

import numpy as np

from sottovoce.loops import part


@part
def add_log(value, product, mean, times):
    """Add times·log(mean) to log(product) + value. A report that came once is multiplied, which takes a tenth of the time."""
    if times != 1.0 or not 1e-100 < mean < 1e100:
        return value + times * np.log(mean), product
    product *= mean
    if 1e-100 < product < 1e100:
        return value, product
    return value + np.log(product), 1.0


@part
def weigh(means, times, weights, squares):
    """Σ log(p·g), Σ 1/(p·g) and Σ 1/(p·g)² over some reports. The last two also go, report by report, to `weights` and `squares`."""
    value, product, one, two = 0.0, 1.0, 0.0, 0.0
    for k in range(len(times)):
        value, product = add_log(value, product, means[k], times[k])
        weights[k] = times[k] / means[k]
        squares[k] = weights[k] / means[k]
        one += weights[k]
        two += squares[k]
    return value + np.log(product), one, two
