"""Root errors against each other, as charts and as figures of claims."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from experiments.bounds import ROUNDING
from experiments.charts import Axis, curves
from experiments.lip.mechanism_names import ORDER
from experiments.lip.simulation import POSTERIOR
from experiments.measured import Measured, matches, pick
from experiments.verdicts import Claim, all_judged, all_of, settled

ERROR = "root mean squared error per person"
#: What charts are drawn along.
PROMISED, LEVEL, ANSWERS = Axis("epsilon", "promised ε"), Axis("level", "certified level of LIP"), Axis("size", "number of answers")
_UNSEEN = Measured(math.nan)


def rooted(frame: pd.DataFrame, *metrics: str) -> pd.DataFrame:
    """The lines of the squared errors (those that were simulated, if no metric is named), as root errors."""
    part = frame[frame["metric"].isin(metrics or ("mse",))]
    root = np.sqrt(part["mean"])
    return part.assign(mean=root, error=part["error"] / (2 * root.where(root > 0)), predicted=np.sqrt(part["predicted"]))


def error_chart(frame: pd.DataFrame, x: Axis = PROMISED, **options: Any) -> Any:
    """Root errors against the promised ε (or another column), the estimates dashed differently."""
    return curves(rooted(frame), x, ERROR, **{"dash": "estimate", "order": ORDER} | options)


def exact_chart(frame: pd.DataFrame, x: Axis = PROMISED, **options: Any) -> Any:
    """The same with the errors to expect in the place of the simulated ones, where they are known."""
    known = frame["predicted"].notna()
    mean, error = frame["mean"].where(~known, frame["predicted"]), frame["error"].where(~known, 0.0)
    return error_chart(frame.assign(mean=mean, error=error, predicted=math.nan), x, **options)


def level_chart(frame: pd.DataFrame, x: Axis = PROMISED, panels: str | None = None) -> Any:
    """The certified level of each mechanism against what it promises (or another column)."""
    shown = pick(frame, metric="mse").assign(error=0.0, predicted=math.nan)
    shown = shown.drop_duplicates(["mechanism", "level", x.column, panels or "mechanism"])
    return curves(shown.assign(mean=shown["level"]), x, "certified level of LIP", panels=panels, dash="", log_y=False, order=ORDER)


@dataclass(frozen=True)
class Ratio:
    """A ratio of root errors somewhere: as theory says, and as simulated, if it was."""

    where: str
    exact: Measured
    seen: Measured = _UNSEEN

    def __str__(self) -> str:
        seen = f" (simulated {self.seen})" if math.isfinite(self.seen.value) else ""
        digits = 7 if abs(self.exact.value - 1) < 1e-3 else 4  # a ratio next to 1 shows on which side it is
        exact = f"{self.exact.value:.{digits}g}" if self.exact.error == 0 else str(self.exact)
        return f"{exact} at {self.where}{seen}"


#: How the values of settings are called; others by themselves.
_CALLED = {"epsilon": "ε = {:g}", "correlation": "ρ = {:g}", "size": "{} answers"}
#: A series of the table: a mechanism that is read by the posterior, a mechanism and another reading, or these with more values.
Line = str | tuple[str, str] | dict[str, Any]


def named(place: Mapping[str, Any]) -> str:
    """What a place is called: the values of its settings."""
    return ", ".join(_CALLED.get(name, "{}").format(value) for name, value in place.items())


class Errors:
    """The root errors of a table at its places (the values of the columns `by`): by theory where there is one, otherwise simulated."""

    def __init__(self, frame: pd.DataFrame, by: Sequence[str], lines: pd.DataFrame | None = None) -> None:
        self._lines = rooted(frame, "mse", "exact") if lines is None else lines
        self._by = list(by)
        # single lines are looked up thousands of times, which takes a frame ten times as long
        self._columns = {str(name): self._lines[name].to_numpy() for name in self._lines}
        self._records = self._lines.to_dict("records")

    def exact(self, line: Line, **place: Any) -> Measured:
        row = self._row(line, place)
        return Measured(float(row["predicted"])) if math.isfinite(row["predicted"]) else Measured.of(row)

    def seen(self, line: Line, **place: Any) -> Measured:
        return Measured.of(self._row(line, place))

    def places(self, line: Line, by: Sequence[str] | None = None, **fixed: Any) -> list[dict[str, Any]]:
        """The places at which there is such a line."""
        found = pick(self._lines, **_values(line) | fixed)[self._by if by is None else list(by)]
        return [{str(name): value for name, value in place.items()} for place in found.drop_duplicates().to_dict("records")]

    def over(self, above: Line, below: Line, *, by: Sequence[str] | None = None, least: float = -1.0, **fixed: Any) -> list[Ratio]:
        """One error over another wherever there is the other, and it is larger than `least`; only where the settings have the fixed values."""
        return [
            Ratio(
                named(place),
                self.exact(above, **fixed | place) / self.exact(below, **fixed | place),
                self.seen(above, **fixed | place) / self.seen(below, **fixed | place),
            )
            for place in self.places(below, by, **fixed)
            if self.exact(below, **fixed | place).value > least
        ]

    def _row(self, line: Line, place: dict[str, Any]) -> Any:
        where = place | _values(line)
        found = np.flatnonzero(matches(self._columns, where))
        if len(found) != 1:
            raise LookupError(f"{len(found)} lines have {where}, but exactly one should")
        return self._records[found[0]]


def _values(line: Line) -> dict[str, Any]:
    if isinstance(line, str):
        return {"mechanism": line, "estimate": POSTERIOR}
    return {"estimate": POSTERIOR} | line if isinstance(line, dict) else {"mechanism": line[0], "estimate": line[1]}


def true_levels(lines: pd.DataFrame, by: Sequence[str], *, over_epsilon: bool = True) -> list[Ratio]:
    """The certified levels of these lines at their places, over the promised ε or by themselves."""
    return [
        Ratio(named({name: row[name] for name in by}), Measured(row["level"] / (row["epsilon"] if over_epsilon else 1.0)))
        for row in lines.to_dict("records")
    ]


def ends(ratios: Sequence[Ratio]) -> str:
    """The least and the largest of some ratios."""
    ranked = sorted(ratios, key=lambda each: each.exact.value)
    return str(ranked[0]) if len(ranked) == 1 else f"{ranked[0]} to {ranked[-1]}"


def above_one(ratios: Iterable[Ratio], *, strictly: bool = False) -> str:
    """Whether all ratios are at least 1 (or more than that)."""
    return between(ratios, low=1 + (ROUNDING if strictly else -ROUNDING))


def between(ratios: Iterable[Ratio], low: float = -math.inf, high: float = math.inf) -> str:
    """Whether all ratios lie between two bounds."""
    return all_judged([each.exact for each in ratios], low, high)


def both(claim: str, where: str, text: str, printed: Sequence[Ratio], corrected: Sequence[Ratio], because: str) -> Claim:
    """A claim about ratios that should be at least 1: for the mechanisms as printed, and for those that keep the promise."""
    found = f"{text}: as printed {ends(printed)}; corrected {ends(corrected)}"
    return settled(claim, where, found, all_of([above_one(printed), above_one(corrected)]), because)
