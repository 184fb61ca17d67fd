"""Checks of what simulations and predictions take: a distribution, and a number of people."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import ParameterError
from sottovoce.mechanisms import Mechanism
from sottovoce.policy import is_distribution


def checked_shares(mechanism: Mechanism, p: Any) -> NDArray[np.float64]:
    """Check a distribution over the items that the mechanism takes."""
    try:
        shares = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("p isn't a list of numbers. Give one for each item.") from None
    size = len(mechanism.inputs)
    if shares.shape != (size,) or not is_distribution(shares):
        raise ParameterError(f"p isn't a distribution over the {size} items. Give each a probability, with a sum of 1.")
    return shares


def checked_people(n: Any) -> int:
    """Check a number of people."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n < 1 << 62:
        raise ParameterError(f"n is {n!r}. Give a number of people from 0 to 2^62 − 1.")
    return int(n)
