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
