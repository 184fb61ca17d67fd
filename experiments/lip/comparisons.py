"""Root errors against each other, as charts and as figures of claims."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from experiments.charts import curves
from experiments.lip.names import ORDER
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, all_judged, all_of, settled

ERROR = "root of MSE, for each person"
#: A ratio of exact errors that is nearer to 1 than this is 1.
_SAME = 1e-6


def rooted(frame: pd.DataFrame, metric: str = "mse") -> pd.DataFrame:
    """The lines of the squared errors, as root errors."""
    part = pick(frame, metric=metric)
    root = np.sqrt(part["mean"])
    return part.assign(mean=root, error=part["error"] / (2 * root.where(root > 0)), predicted=np.sqrt(part["predicted"]))


def error_chart(frame: pd.DataFrame, **options: Any) -> Any:
    """Root errors against the promised ε (or another column), the estimates dashed differently."""
    usual: dict[str, Any] = {"metric": ERROR, "dash": "estimate", "x": "epsilon", "label": "promised ε", "order": ORDER}
    return curves(rooted(frame), **usual | options)


def exact_chart(frame: pd.DataFrame, **options: Any) -> Any:
    """The same with the errors to expect in the place of the simulated ones, where they are known."""
    known = frame["predicted"].notna()
    return error_chart(
        frame.assign(mean=frame["mean"].where(~known, frame["predicted"]), error=frame["error"].where(~known, 0.0), predicted=math.nan),
        **options,
    )


def level_chart(frame: pd.DataFrame, **options: Any) -> Any:
    """The certified level of each mechanism against what it promises (or another column)."""
    usual: dict[str, Any] = {
        "metric": "certified level of LIP",
        "dash": "",
        "x": "epsilon",
        "label": "promised ε",
        "log_y": False,
        "order": ORDER,
    }
    chosen = usual | options
    shown = pick(frame, metric="mse").assign(error=0.0, predicted=math.nan)
    shown = shown.drop_duplicates(["mechanism", "level", chosen["x"], chosen.get("panels") or "mechanism"])
    return curves(shown.assign(mean=shown["level"]), **chosen)


@dataclass(frozen=True)
class Ratio:
    """A ratio of root errors somewhere: as theory says, and as simulated."""

    where: str
    exact: Measured
    seen: Measured

    def __str__(self) -> str:
        seen = f" (simulated {self.seen})" if math.isfinite(self.seen.value) else ""
        digits = 7 if abs(self.exact.value - 1) < 1e-3 else 4  # a ratio next to 1 shows on which side it is
        exact = f"{self.exact.value:.{digits}g}" if self.exact.error == 0 else str(self.exact)
        return f"{exact} at {self.where}{seen}"


class Errors:
    """The root errors of a table: by theory where there is one, otherwise simulated."""

    def __init__(self, frame: pd.DataFrame, metric: str = "mse") -> None:
        self._roots = rooted(frame, metric)

    def exact(self, **where: Any) -> Measured:
        row = self._row(where)
        return Measured(float(row["predicted"])) if math.isfinite(row["predicted"]) else self.seen(**where)

    def seen(self, **where: Any) -> Measured:
        return Measured.of(self._row(where))

    def _row(self, where: dict[str, Any]) -> Any:
        found = pick(self._roots, **where)
        if len(found) != 1:
            raise LookupError(f"{len(found)} lines have {where}; one is wanted")
        return found.iloc[0]

    def ratio(self, where: str, above: dict[str, Any], below: dict[str, Any]) -> Ratio:
        return Ratio(where, self.exact(**above) / self.exact(**below), self.seen(**above) / self.seen(**below))


def ends(ratios: Sequence[Ratio]) -> str:
    """The least and the largest of some ratios."""
    ranked = sorted(ratios, key=lambda each: each.exact.value)
    return str(ranked[0]) if len(ranked) == 1 else f"{ranked[0]} to {ranked[-1]}"


def above_one(ratios: Iterable[Ratio], *, strictly: bool = False) -> str:
    """Whether all ratios are at least 1 (or more than that)."""
    return between(ratios, low=1 + (_SAME if strictly else -_SAME))


def between(ratios: Iterable[Ratio], low: float = -math.inf, high: float = math.inf) -> str:
    """Whether all ratios lie between two bounds."""
    return all_judged([each.exact for each in ratios], low, high)


def both(claim: str, where: str, text: str, printed: Sequence[Ratio], corrected: Sequence[Ratio], because: str) -> Claim:
    """A claim about ratios that should be at least 1: for the mechanisms as printed, and for those that keep the promise."""
    found = f"{text}: as printed {ends(printed)}; corrected {ends(corrected)}"
    return settled(claim, where, found, all_of([above_one(printed), above_one(corrected)]), because)
