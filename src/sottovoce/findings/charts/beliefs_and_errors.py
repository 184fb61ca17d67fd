"""Charts of beliefs that a guarantee allows, and of the errors of mechanisms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sottovoce.channels.columns import Ratio
from sottovoce.errors import UnsupportedError
from sottovoce.findings.charts.style import INK, PALETTE, alt, styled
from sottovoce.notions.beliefs import of_hundred
from sottovoce.study.simulation import Trial

#: Points of a curve.
_POINTS = 201


def belief_chart(odds: Mapping[str, tuple[Ratio, Ratio]], width: int) -> Any:
    """How far a report can move the belief that someone has an answer: up to the upper line, down to the lower one.

    For each level, `odds` are the largest factors by which the odds of a protected answer can rise and fall.
    """
    known = {name: ends for name, ends in odds.items() if math.isfinite(ends[0])}
    if not known:
        raise UnsupportedError(
            "Can't chart a guarantee without a finite level, because a report can make any belief certain. Use one with a finite ε."
        )
    before = np.linspace(0, 1, _POINTS)
    names = [name or "guarantee" for name in known]
    rows = [
        pd.DataFrame(
            {"before": before, "high": _after(before, float(up)), "low": _after(before, 1 / float(down)), "name": name or "guarantee"}
        )
        for name, (up, down) in known.items()
    ]
    axis, scale = alt.Axis(format=".0%", tickCount=5), alt.Scale(domain=[0, 1])
    x = alt.X("before:Q", title="belief before the report", axis=axis, scale=scale)
    y = alt.Y("high:Q", title="belief after the report", axis=axis, scale=scale)
    legend = None if len(names) == 1 else alt.Undefined
    color = alt.Color("name:N", sort=names, title="level", legend=legend, scale=alt.Scale(range=list(PALETTE)))
    size = min(width - 80, 380)
    base = alt.Chart(pd.concat(rows), width=size, height=size)
    band = base.mark_area(opacity=0.25).encode(x=x, y=y, y2="low:Q", color=color)
    same = alt.Chart(pd.DataFrame({"x": [0, 1]})).mark_line(color=INK, strokeDash=[3, 3], strokeWidth=1).encode(x="x:Q", y="x:Q")
    lines = [base.mark_line(strokeWidth=2).encode(x=x, y=alt.Y(f"{end}:Q"), color=color) for end in ("high", "low")]
    texts = [f"{f'{name}: ' if name else ''}1 in 100 becomes at most {of_hundred(up):g} in 100" for name, (up, _) in known.items()]
    texts = [*(f"{name}: nothing is hidden" for name in odds if name not in known), *texts]
    sensitive = any(math.isinf(down) for _, down in known.values())
    heading = f"What a report can do to a belief about {'a sensitive' if sensitive else 'an'} answer"
    notes = [*texts[:6], "dashed: nothing is learned"]
    return styled(alt.layer(band, same, *lines).properties(title=alt.TitleParams(heading, subtitle=notes, anchor="start")))


def _after(before: Any, factor: float) -> Any:
    """Bayes' rule with odds changed by a factor."""
    odds = min(max(factor, 1e-300), 1e300)
    return before * odds / (before * odds + (1 - before))


def errors_chart(trials: Sequence[Trial], width: int, *, simulated: bool) -> Any:
    """Draw a dot for the mean error of each mechanism and method, with a line up to the error that nine runs of ten stay below."""
    parts = [field for field in ("mechanism", "method") if len({getattr(each, field) for each in trials}) > 1] or ["method"]
    names = [" · ".join(getattr(each, field) for field in parts) for each in trials]
    frame = pd.DataFrame({"name": names, "tv": [each.tv for each in trials], "most": [each.tv_most for each in trials]})
    frame["shown"] = [f"{100 * each.tv:.3g}%" for each in trials]
    y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=260))
    x = alt.X("tv:Q", title="part of the people put at wrong answers (total variation)", axis=alt.Axis(format="~p", tickCount=5))
    base = alt.Chart(frame, width=width - 180, height=26 * len(trials)).encode(y=y)
    dots = base.mark_circle(size=90, opacity=1, color=PALETTE[0]).encode(x=x)
    texts = base.mark_text(align="left", dx=8, color=INK).encode(x=alt.X("most:Q" if simulated else "tv:Q"), text="shown:N")
    if not simulated:
        return styled(dots + texts)
    lines = base.mark_rule(color="#9ec5ee", strokeWidth=6, strokeCap="round").encode(x=x, x2="most:Q")
    title = alt.TitleParams(
        "Errors to expect", subtitle="dot: mean of all runs; line: up to what 9 runs of 10 stayed below", anchor="start"
    )
    return styled((lines + dots + texts).properties(title=title))
