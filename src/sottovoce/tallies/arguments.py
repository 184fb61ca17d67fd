"""What simulations and predictions are told, checked: a distribution, and a number of people."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import ParameterError
from sottovoce.mechanisms import Mechanism
from sottovoce.policy import is_distribution


def checked_shares(mechanism: Mechanism, p: Any) -> NDArray[np.float64]:
    """A distribution over the items that the mechanism takes, or a `ParameterError`."""
    try:
        shares = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("P is a list of numbers, one for each item") from None
    size = len(mechanism.inputs)
    if shares.shape != (size,) or not is_distribution(shares):
        raise ParameterError(f"P must give each of the {size} items a probability, and sum to 1")
    return shares


def checked_people(n: Any) -> int:
    """A number of people, or a `ParameterError`."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n < 1 << 62:
        raise ParameterError(f"n is {n!r}. The number of people is a non-negative integer (below 2^62)")
    return int(n)
