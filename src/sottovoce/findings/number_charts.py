"""Charts of numbers: how they are distributed, with the intervals as a band, and which share lies below each number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from sottovoce.arrays import Floats
from sottovoce.findings.charts import INK, PALETTE
from sottovoce.findings.figures import Figure
from sottovoce.findings.formatting import as_percent
from sottovoce.findings.results import Findings

#: The colour of the truth, if it is known.
_TRUTH = "#D55E00"


class _Bins:
    """Where bins are drawn. An open bin is drawn as wide as the one beside it."""

    def __init__(self, edges: Floats) -> None:
        drawn = edges.copy()
        if not np.isfinite(drawn[0]):
            drawn[0] = 2 * drawn[1] - drawn[2] if np.isfinite(drawn[2]) else drawn[1] - 1
        if not np.isfinite(drawn[-1]):
            drawn[-1] = 2 * drawn[-2] - drawn[-3]
        self.edges, widths = drawn, np.diff(drawn)
        self.alike = bool(np.allclose(widths, widths[0], rtol=1e-6))
        self.log = bool(drawn[0] > 0 and not self.alike and np.allclose(ratios := drawn[1:] / drawn[:-1], ratios[0], rtol=1e-6))
        self.divisors = np.ones(len(widths)) if self.alike or self.log else widths

    @property
    def title(self) -> str:
        return "share of the people" if self.alike or self.log else "share of the people, for each unit"

    @property
    def scale(self) -> alt.Scale:
        return alt.Scale(domain=[float(self.edges[0]), float(self.edges[-1])], nice=False, zero=False, type="log" if self.log else "linear")


def numbers_chart(findings: Findings, width: int) -> Any:
    """The density above the cumulative shares, on one axis of numbers."""
    edges = findings.study.domain.edges
    assert edges is not None
    bins, mean = _Bins(edges), next((figure for figure in findings.figures if figure.name == "mean" and figure.value is not None), None)
    size = width - 90
    return alt.vconcat(_density(findings, bins, size, mean), _cumulative(findings, bins, size), spacing=18)


def _density(findings: Findings, bins: _Bins, width: int, mean: Figure | None) -> Any:
    heights = findings.p / bins.divisors
    frame = pd.DataFrame({"x": bins.edges[:-1], "x2": bins.edges[1:], "y": heights, "zero": 0.0})
    interval = findings.interval
    x = alt.X("x:Q", title=None, scale=bins.scale, axis=alt.Axis(grid=False, tickCount=8))
    y = alt.Y("y:Q", title=bins.title, axis=alt.Axis(format="%" if bins.divisors[0] == 1 else "~g", tickCount=5, grid=True))
    base = alt.Chart(frame)
    layers = [base.mark_rect(color=PALETTE[0], opacity=0.35, stroke=None).encode(x=x, x2="x2:Q", y=y, y2="zero:Q")]
    if interval is not None:
        frame["low"], frame["high"] = (ends / bins.divisors for ends in interval)
        layers.append(base.mark_rect(color=INK, opacity=0.16, stroke=None).encode(x=x, x2="x2:Q", y="low:Q", y2="high:Q"))
    layers += [_steps(bins, {"estimate": heights}, PALETTE[0], 2.2)]
    if findings.beside:
        layers += [_steps(bins, {name: shares / bins.divisors for name, shares in findings.beside.items()}, _TRUTH, 1.6)]
    if mean is not None:
        rule = alt.Chart(pd.DataFrame({"x": [mean.value], "said": [mean.words]}))
        layers.append(rule.mark_rule(color=INK, strokeDash=[4, 3]).encode(x="x:Q"))
        layers.append(rule.mark_text(color=INK, align="left", dx=5, dy=6, fontSize=11).encode(x="x:Q", y=alt.value(0), text="said:N"))
    band = f"; band: {as_percent(findings.level)} intervals of each range" if interval is not None else ""
    others = f"; orange: {', '.join(findings.beside)}" if findings.beside else ""
    title = alt.TitleParams(f"line: estimate{band}{others}", anchor="start", fontSize=11, fontWeight="normal")
    return alt.layer(*layers).properties(width=width, height=220, title=title)


def _steps(bins: _Bins, lines: Mapping[str, Floats], color: str, thickness: float) -> Any:
    """Lines that go up and down at the edges."""
    parts = [
        pd.DataFrame({"x": np.repeat(bins.edges, 2)[1:-1], "y": np.repeat(heights, 2), "line": name, "at": np.arange(2 * len(heights))})
        for name, heights in lines.items()
    ]
    lined = alt.Chart(pd.concat(parts)).mark_line(color=color, strokeWidth=thickness, strokeJoin="round")
    return lined.encode(x="x:Q", y="y:Q", detail="line:N", order="at:Q")


def _cumulative(findings: Findings, bins: _Bins, width: int) -> Any:
    """Which share lies below each number."""
    x = alt.X("x:Q", title=None, scale=bins.scale, axis=alt.Axis(grid=False, tickCount=8))
    y = alt.Y("y:Q", title="share up to here", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1]))
    layers = []
    for name, shares in {**findings.beside, "estimate": findings.p}.items():
        frame = pd.DataFrame({"x": bins.edges, "y": np.concatenate([[0.0], np.cumsum(shares)]).clip(0, 1)})
        color, thickness = (PALETTE[0], 2.2) if name == "estimate" else (_TRUTH, 1.6)
        layers.append(alt.Chart(frame).mark_line(color=color, strokeWidth=thickness).encode(x=x, y=y))
    quartiles = [figure for figure in findings.figures if figure.q is not None and figure.low is not None and figure.high is not None]
    if quartiles:
        limits = np.array([[figure.low, figure.high] for figure in quartiles], dtype=np.float64).clip(bins.edges[0], bins.edges[-1])
        frame = pd.DataFrame({"q": [figure.q for figure in quartiles], "low": limits[:, 0], "high": limits[:, 1]})
        ends = alt.Chart(frame).mark_rule(color=INK, strokeWidth=1.6)
        layers.append(ends.encode(x="low:Q", x2="high:Q", y="q:Q"))
        layers += [
            alt.Chart(frame).mark_tick(color=INK, thickness=1.6, size=9, orient="vertical").encode(x=f"{end}:Q", y="q:Q")
            for end in ("low", "high")
        ]
    title = alt.TitleParams(
        "cumulative" + "; lines: intervals of the quartiles" * bool(quartiles), anchor="start", fontSize=11, fontWeight="normal"
    )
    return alt.layer(*layers).properties(width=width, height=150, title=title)
