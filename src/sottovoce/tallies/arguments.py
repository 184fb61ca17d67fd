"""Checks of what simulations and predictions take: a distribution, and a number of people."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.domain import Domain
from sottovoce.domain.columns import by_item, is_missing
from sottovoce.errors import ParameterError
from sottovoce.mechanisms import Mechanism
from sottovoce.policy import is_distribution


def checked_shares(mechanism: Mechanism, p: Any) -> NDArray[np.float64]:
    """Check a distribution over the items that the mechanism takes."""
    if (given := shares_by_item(mechanism.inputs, p)) is not None:
        return given
    try:
        shares = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("p isn't a list of numbers. Give one for each item.") from None
    size = len(mechanism.inputs)
    if shares.shape != (size,) or not is_distribution(shares):
        raise ParameterError(f"p isn't a distribution over the {size} items. Give each a probability, with a sum of 1.")
    return shares


def shares_by_item(domain: Domain, given: Any) -> NDArray[np.float64] | None:
    """A distribution from shares or counts that stand beside their items, such as `column.value_counts()`. None for anything else."""
    if (known := by_item(given, domain)) is None:
        return None
    weights = np.zeros(len(domain))
    for item, weight in known.items():
        code = domain.code(item)
        if is_missing(weight) or isinstance(weight, (str, bytes)) or not 0 <= weight < np.inf:
            raise ParameterError(f"The share or count of {item!r} is {weight!r}. Give a number that isn't negative.")
        weights[code] += weight
    if not weights.sum() > 0:
        raise ParameterError("All shares are zero. Give at least one item a share or a count.")
    return np.asarray(weights / weights.sum())


def checked_people(n: Any) -> int:
    """Check a number of people."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n < 1 << 62:
        raise ParameterError(f"n is {n!r}. Give a number of people from 0 to 2^62 − 1.")
    return int(n)
