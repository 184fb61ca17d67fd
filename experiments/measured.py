"""Numbers with their Monte-Carlo errors, and the lines of a result that they stand in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class Measured:
    """A number with its Monte-Carlo error (a standard error; nan: unknown; 0: exact), known from so many degrees of freedom (runs less one).

    >>> Measured(2.0, 0.1) / Measured(1.0, 0.0)
    2.00 ± 0.10
    """

    value: float
    error: float = 0.0
    freedom: float = math.inf

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> Measured:
        """The figure of a line of a result."""
        return cls(float(row["mean"]), float(row["error"]), float(row["runs"]) - 1)

    def __truediv__(self, other: Measured) -> Measured:
        """The ratio of two independent figures."""
        ratio = self.value / other.value
        error = abs(ratio) * math.hypot(self.error / self.value, other.error / other.value) if self.value else math.nan
        return Measured(ratio, error, min(self.freedom, other.freedom))

    def __sub__(self, other: Measured) -> Measured:
        """The difference of two independent figures."""
        return Measured(self.value - other.value, math.hypot(self.error, other.error), min(self.freedom, other.freedom))

    def __repr__(self) -> str:
        if self.error == 0:
            return _plain(self.value)
        if not math.isfinite(self.error):
            return f"{_plain(self.value)} (one run)"
        digits = max(0, 1 - math.floor(math.log10(self.error))) if self.error < 10 else 0
        if abs(self.value) < 1e-2:
            power = math.floor(math.log10(abs(self.value))) if self.value else math.floor(math.log10(self.error))
            scaled, error = self.value / 10.0**power, self.error / 10.0**power
            places = min(3, max(0, 1 - math.floor(math.log10(error))))
            return f"({scaled:.{places}f} ± {error:.{places}f})e{power}"
        return f"{self.value:,.{min(digits, 4)}f} ± {self.error:,.{min(digits, 4)}f}"


def _plain(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def matches(columns: Mapping[str, NDArray[Any]], where: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Which lines have these values in their columns; floats are compared as they were written."""
    each = [np.isclose(columns[name], value) if isinstance(value, float) else columns[name] == value for name, value in where.items()]
    return np.logical_and.reduce(each)


def pick(frame: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """The lines of a result that have these values."""
    return frame[matches({name: frame[name].to_numpy() for name in where}, where)] if where else frame


def measured(frame: pd.DataFrame, **where: Any) -> Measured:
    """The figure of the one line that has these values."""
    found = pick(frame, **where)
    if len(found) != 1:
        raise LookupError(f"{len(found)} lines have {where}, but exactly one should")
    return Measured.of(found.iloc[0])
