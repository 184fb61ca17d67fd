"""Where expectation-maximisation begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.estimators import decoders
from sottovoce.estimators.inversion import invert_all
from sottovoce.policy import is_distribution
from sottovoce.tallies import Block

#: The least share that an item begins with, as a part of an equal one: a share of 0 would stay 0.
_LEAST = 1e-3


def start_of(blocks: Sequence[Block], start: Any, alpha: float) -> Floats:
    """The distribution that `start` names or gives: equal shares without one."""
    size = blocks[0].channel.size
    if start is None or (isinstance(start, str) and start == "uniform"):
        return np.full(size, 1 / size)
    p = _named(blocks, start, alpha) if isinstance(start, str) else _given(start, size)
    p = np.maximum(p, _LEAST / size)
    return np.asarray(p / p.sum())


def observed(blocks: Sequence[Block]) -> Floats:
    """The counts of the items, as if the reports were answers."""
    counts = [block.channel.statistic.of_items(block.counts) for block in blocks]
    return decoders.normalized(np.sum(counts, axis=0).astype(np.float64))


def _named(blocks: Sequence[Block], start: str, alpha: float) -> Floats:
    match start:
        case "threshold":
            linear = invert_all(blocks)
            return decoders.thresholded(linear.p, decoders.exceeds(linear.p, np.sqrt(linear.variance), alpha))
        case "observed":
            if not all(block.channel.statistic.counts_items for block in blocks):
                raise UnsupportedError("start='observed' needs reports that name or contain items. Use start='uniform'.")
            return observed(blocks)
    raise ParameterError(f"start is {start!r}. Use 'uniform', 'threshold' or 'observed', or give a share for each item.")


def _given(start: Any, size: int) -> Floats:
    try:
        p = np.asarray(start, dtype=np.float64)
    except (TypeError, ValueError):
        p = np.zeros(0)
    if p.shape != (size,) or not is_distribution(p):
        raise ParameterError(f"`start` isn't a distribution over the {size} items. Give each a share that isn't negative, with a sum of 1.")
    return p
