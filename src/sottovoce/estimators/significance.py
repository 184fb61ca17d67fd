"""Which items can be distinguished from zero: a test for each item, and a rule that allows for testing many of them.

If no one has an item, the number of reports that support it is binomial, whatever the remaining items are. The p-value of an item is
the chance of so many reports, or more. Where reports of several groups are weighted, or take more than two values, it's that of the
mean reading, corrected for its skewness.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.errors import ParameterError
from sottovoce.estimators.intervals import Spread
from sottovoce.estimators.inversion import inversion_of
from sottovoce.special import binomial_tail, normal_tail

#: Below this an exact tail is worth its time, and below this variance of a count a normal one isn't close enough.
_SMALL, _NORMAL_FROM = 0.1, 1e4
#: What is controlled: the expected part of false ones among the items found, or the chance of a single false one.
CONTROLS = ("fdr", "familywise")


def significant(p_values: Floats, level: Any = 0.05, control: Any = "fdr") -> Mask:
    """The items whose p-values are small enough: by Benjamini and Hochberg's rule ("fdr"), or Holm's ("familywise").

    >>> significant(np.array([0.001, 0.03, 0.4]), 0.05, "fdr").tolist()
    [True, True, False]
    """
    if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < 1:
        raise ParameterError(f"The level is {level!r}. Give a number strictly between 0 and 1, for example 0.05.")
    if control not in CONTROLS:
        raise ParameterError(f"control is {control!r}. Choose 'fdr' or 'familywise'.")
    order, count = np.argsort(p_values, kind="stable"), len(p_values)
    ranks = np.arange(1, count + 1)
    bounds = float(level) * (ranks / count if control == "fdr" else 1 / (count - ranks + 1))
    below = p_values[order] <= bounds
    kept = int(np.flatnonzero(below)[-1:].sum() + below.any()) if control == "fdr" else int(np.argmin(np.append(below, False)))
    found = np.zeros(count, dtype=np.bool_)
    found[order[:kept]] = True
    return found


def p_values(spread: Spread) -> Floats:
    """The chance, for each item, of readings as high as they are or higher if no one has it."""
    found = _skewed(spread)
    if len(spread.blocks) > 1 or len(spread.mean) != spread.blocks[0].channel.size:
        return found
    block = spread.blocks[0]
    chances = inversion_of(block.channel).chances
    if chances is None:
        return found
    other = chances[1]
    few = (found < _SMALL) | (block.n * other * (1 - other) < _NORMAL_FROM)  # the others are normal, and not small
    found[few] = binomial_tail(block.counts[few], block.n, other[few])
    return found


def _skewed(spread: Spread) -> Floats:
    """The normal tail at the deviate z with z + (z² − 1)·skewness/6 = mean/σ (Cornish and Fisher, second order)."""
    variance, skew = spread.second[1], spread.third[1]
    noisy = variance > 0
    scale = np.sqrt(np.where(noisy, variance, 1.0))
    bend, height = skew / scale**3 / 6, spread.mean / scale
    inside = np.maximum(0.0, 1 + 4 * bend * (bend + height))
    z = np.where(np.abs(bend) > 1e-9, (np.sqrt(inside) - 1) / np.where(np.abs(bend) > 1e-9, 2 * bend, 1.0), height)
    return np.where(noisy, normal_tail(z), np.where(spread.mean > 0, 0.0, 1.0))
