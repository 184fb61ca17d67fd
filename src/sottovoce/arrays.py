"""The kinds of arrays that everything is made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Shares, probabilities, weights.
Floats = NDArray[np.float64]
#: How often something was counted.
Counts = NDArray[np.int64]
#: Which items something is true of.
Mask = NDArray[np.bool_]


def is_nan(value: object) -> bool:
    """Whether a value is NaN, of any type of number.

    >>> is_nan(np.float32("nan")), is_nan("nan"), is_nan(None)
    (True, False, False)
    """
    return bool(value != value)  # noqa: PLR0124 - only NaN differs from itself
