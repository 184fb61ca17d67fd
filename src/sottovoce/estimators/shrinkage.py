"""`auto`: an estimate that shrinks as much as the reports ask for.

The shares of the items are taken as draws from a log-normal distribution with mean 1/K and an unknown spread σ: 0 when all items are
alike, around 2 for a Zipf law. How likely the reports are under each σ is computed item by item (the number of reports that speak for an
item is binomial, whatever the other items are), and the estimate is the posterior mean under σ, averaged over σ by the root of how likely
it is: shares that sum to 1 do not speak independently of each other, and chance piles reports up where a model does not expect it.
Beforehand much of the weight is on "all alike", and a spread is the less likely the larger it is, so that noise alone is not taken for
differences. What the shares lack to a sum of 1 is spread over them by their variance. Where reports are plenty the prior does not matter;
where they say little the estimate falls back to uniform.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.estimators import kernels
from sottovoce.estimators.decoders import project
from sottovoce.estimators.intervals import spread
from sottovoce.estimators.inversion import inversion_of
from sottovoce.parallel import in_threads
from sottovoce.tallies import Block

SPREADS = np.concatenate([[0.0], np.geomspace(0.1, 3.5, 30)])


#: The power to which the likelihood of a spread is taken. Items are not independent: with two of them, one number is counted twice.
TEMPER = 0.5


def beliefs(size: int) -> Floats:
    """The weight of each spread before the reports. With many items half is on none, and the rest falls with the spread; with few items,
    among which chance makes less of a show, there is less of both.
    """
    many = size / (size + 20)
    rest = SPREADS[1:] ** -many
    return np.concatenate([[0.5 * many], (1 - 0.5 * many) * rest / rest.sum()])


#: Normal deviates beyond which a share is not considered.
_REACH = 9.0
#: Spreads with less weight than this are left out of the average.
_NEGLIGIBLE = 1e-6
#: Items between two signs of progress.
_ITEMS = 1 << 13
#: The least variance of a share, relative to the largest.
_LEAST = 1e-12


def shrunk(blocks: Sequence[Block], watch: Callable[[float], None] = lambda done: None) -> tuple[Floats, dict[str, float]]:
    """The estimate, and what was chosen: the mean spread, and the weight of "all items alike". `watch` hears which part is done."""
    # reports that contain an item or not, and nothing else: the number that do is binomial
    chances_of = [(block, inversion_of(block.channel).chances) for block in blocks]
    counted = [block for block, chance in chances_of if chance is not None]
    read = [block for block, chance in chances_of if chance is None]
    size = blocks[0].channel.size
    chances = [chance for _, chance in chances_of if chance is not None]
    counts, own, other = (
        np.array(rows, dtype=np.float64).reshape(len(counted), size)
        for rows in ([block.counts for block in counted], [chance[0] for chance in chances], [chance[1] for chance in chances])
    )
    people = np.array([block.n for block in counted], dtype=np.float64)
    normal = spread(read) if read else None
    nothing = np.zeros(size)
    mean, second, squares = (nothing, np.zeros((2, size)), nothing) if normal is None else (normal.mean, normal.second, normal.squares)
    low, high = spread(blocks).limits(_REACH)

    def sweep(mixture: Floats) -> tuple[Floats, Floats, Floats]:
        """The evidence for each spread, and the mean and variance of each share under the mixture."""

        def part(first: int, rows: slice) -> tuple[Floats, Floats, Floats]:
            items = slice(first + rows.start, first + rows.stop)
            evidence, p, variance = np.zeros(len(SPREADS)), np.empty(len(low[items])), np.empty(len(low[items]))
            tables = counts[:, items], people, own[:, items], other[:, items], mean[items], second[:, items], squares[items]
            kernels.shrink(low[items], high[items], SPREADS, size, *tables, mixture, evidence, p, variance)
            return evidence, p, variance

        found = []
        for start in range(0, size, _ITEMS):
            end = min(start + _ITEMS, size)
            found += in_threads(end - start, kernels.NODES * len(SPREADS), partial(part, start))
            watch(end / size)
        evidence, p, variance = zip(*found, strict=True)
        return np.sum(evidence, axis=0), np.concatenate(p), np.concatenate(variance)

    evidence, _, _ = sweep(np.zeros(len(SPREADS)))
    weights = beliefs(size) * np.exp(TEMPER * (evidence - evidence.max()))
    weights /= weights.sum()
    kept = np.where(weights > _NEGLIGIBLE, weights, 0.0)
    kept /= kept.sum()
    _, p, variance = sweep(np.where(kept > 0, kept, -1.0))
    least = _LEAST * float(variance.max()) or 1.0
    return project(p, 1 / np.maximum(variance, least)), {"spread": float(weights @ SPREADS), "alike": float(weights[0])}
