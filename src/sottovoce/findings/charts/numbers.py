"""Charts of numbers: how they are distributed and which share lies below each number, with the intervals as bands."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from sottovoce.arrays import Floats
from sottovoce.findings.charts.style import INK, INTERVAL, PALETTE
from sottovoce.findings.figures import Figure, UpTo
from sottovoce.findings.formatting import as_percent
from sottovoce.findings.results import Findings
from sottovoce.findings.share_table import Scale

#: The colour of the truth, if it is known.
_TRUTH = "#D55E00"
#: The width from which on there is room for words and many ticks.
_WIDE = 400
#: The width of the numbers at the left, and of these with their ticks, in sizes of the text.
_NUMBERS, _ROOM = 3.3, 3.7
#: The room for the half of the last number that stands beyond the end of the axis, in sizes of the text.
_LAST = 0.9
#: The width of a letter, in sizes of the text.
_LETTER = 0.6
#: A band is cut off at so many times the height of the highest line.
_HIGHEST = 4
#: How much a band of ranges covers: it is the least certain mark, and the line on it must stay clear.
_PALE = 0.55
#: The width of a typical interval, in heights of the highest line, above which the line says nothing.
_WIDEST = 1


def _even(widths: Floats, most: float) -> bool:
    """Whether all widths are nearly the same: edges are rounded."""
    return bool(np.allclose(widths, widths.mean(), rtol=most))


class _Bins:
    """Where bins are drawn. An open bin is drawn as wide as the one beside it."""

    def __init__(self, edges: Floats, whose: str) -> None:
        self.whose = whose
        drawn = edges.copy()
        if not np.isfinite(drawn[0]):
            drawn[0] = 2 * drawn[1] - drawn[2] if np.isfinite(drawn[2]) else drawn[1] - 1
        if not np.isfinite(drawn[-1]):
            drawn[-1] = 2 * drawn[-2] - drawn[-3]
        self.edges, widths = drawn, np.diff(drawn)
        self.alike = _even(widths, 0.01)
        self.log = bool(drawn[0] > 0) and not self.alike and _even(np.diff(np.log(drawn)), 0.15)
        self.divisors = np.ones(len(widths)) if self.alike or self.log else widths

    @property
    def title(self) -> str:
        """What the chart of ranges shows. There is no title at its side."""
        return f"Share of {self.whose} in each range{', for each unit' * (not (self.alike or self.log))}"

    @property
    def scale(self) -> alt.Scale:
        return alt.Scale(domain=[float(self.edges[0]), float(self.edges[-1])], nice=False, zero=False, type="log" if self.log else "linear")


def numbers_chart(findings: Findings, width: int, whose: str = "the people", size: int = 11, upto: Sequence[UpTo] | None = None) -> Any:
    """Draw the cumulative shares above the share of each range, on one axis of numbers. The shares are those of `whose` answers.

    `upto` are the cumulative shares, if they aren't those of the findings.
    """
    return alt.vconcat(*numbers_charts(findings, width, whose, size, upto), spacing=18)


def numbers_charts(
    findings: Findings, width: int, whose: str = "the people", size: int = 11, upto: Sequence[UpTo] | None = None
) -> Sequence[Any]:
    """The cumulative shares, which the reports show best, and the share of each range.

    If the intervals of single ranges are much wider than the shares, only the cumulative shares are drawn.
    """
    edges = findings.study.domain.edges
    assert edges is not None
    bins = _Bins(edges, whose)
    mean = next((each for each in findings.figures if each.name == "mean" and each.value is not None and not each.remark), None)
    inner = width - round((_ROOM + _LAST) * size) - 2
    shares = findings.cumulative if upto is None else upto
    alone = bool(shares) and _unreadable(findings, bins)
    first = _cumulative(findings, shares, bins, inner, size, alone=alone)
    return [first] if alone else [first, _density(findings, bins, inner, mean, size)]


def _unreadable(findings: Findings, bins: _Bins) -> bool:
    """Whether the band is so wide that the line says nothing: at the typical range, more than the highest line."""
    interval = findings.interval
    if interval is None:
        return False
    return float(np.median((interval.high - interval.low) / bins.divisors)) > _WIDEST * float((findings.p / bins.divisors).max())


def _mean_rule(bins: _Bins, mean: Figure, size: int) -> list[Any]:
    """A dashed line at the mean, with the number above the chart."""
    assert mean.value is not None
    right = mean.value > (bins.edges[0] + bins.edges[-1]) / 2
    rule = alt.Chart(pd.DataFrame({"x": [mean.value], "label": [mean.words]}))
    beside: dict[str, Any] = {"align": "right" if right else "left", "dx": -5 if right else 5, "dy": -size / 2 - 2, "fontSize": size}
    text = rule.mark_text(color=INK, **beside).encode(x="x:Q", y=alt.value(0), text="label:N")
    return [rule.mark_rule(color=INK, strokeDash=[4, 3]).encode(x="x:Q"), text]


def _density(findings: Findings, bins: _Bins, width: int, mean: Figure | None, size: int) -> Any:
    heights = findings.p / bins.divisors
    frame = pd.DataFrame({"x": bins.edges[:-1], "x2": bins.edges[1:], "y": heights, "zero": 0.0})
    interval = findings.interval
    x = alt.X("x:Q", title=None, scale=bins.scale, axis=_across(width))
    lines = max(float(each.max()) for each in (heights, *(shares / bins.divisors for shares in findings.beside.values())))
    highest = lines if interval is None else max(lines, float((interval.high / bins.divisors).max()))
    cut = highest > _HIGHEST * lines
    scale = Scale.up_to(min(highest, _HIGHEST * lines))
    form = f".{max(0, -math.floor(math.log10(scale.ticks[1]) + 1e-9) - 2)}%" if bins.divisors[0] == 1 else "~g"
    axis = alt.Axis(format=form, values=list(scale.ticks), grid=True, minExtent=_NUMBERS * size)
    upright: dict[str, Any] = {"title": None, "axis": axis, "scale": alt.Scale(domain=[0, scale.high], nice=False)}
    base = alt.Chart(frame)
    layers = []
    if interval is not None:
        frame["low"], frame["high"] = (ends / bins.divisors for ends in interval)
        band = base.mark_rect(color=INTERVAL, opacity=_PALE, stroke=None, clip=True)
        layers.append(band.encode(x=x, x2="x2:Q", y=alt.Y("low:Q", **upright), y2="high:Q"))
    else:
        layers.append(base.mark_rect(color=INTERVAL, stroke=None, clip=True).encode(x=x, x2="x2:Q", y=alt.Y("y:Q", **upright), y2="zero:Q"))
    layers += [_steps(bins, {"estimate": heights}, PALETTE[0], 2.2)]
    if findings.beside:
        layers += [_steps(bins, {name: shares / bins.divisors for name, shares in findings.beside.items()}, _TRUTH, 1.6)]
    if mean is not None:
        layers += _mean_rule(bins, mean, size)
    band = f", with {as_percent(findings.level)} intervals{' that reach beyond the chart' * cut}" if interval is not None else ""
    others = f" (orange: {', '.join(findings.beside)})" if findings.beside else ""
    return alt.layer(*layers).properties(width=width, height=180, title=_title(f"{bins.title}{band}{others}", width, size, 20))


def _steps(bins: _Bins, lines: Mapping[str, Floats], color: str, thickness: float) -> Any:
    """Lines that go up and down at the edges."""
    parts = [
        pd.DataFrame({"x": np.repeat(bins.edges, 2)[1:-1], "y": np.repeat(heights, 2), "line": name, "at": np.arange(2 * len(heights))})
        for name, heights in lines.items()
    ]
    lined = alt.Chart(pd.concat(parts)).mark_line(color=color, strokeWidth=thickness, strokeJoin="round")
    return lined.encode(x="x:Q", y="y:Q", detail="line:N", order="at:Q")


def _band(findings: Findings, cumulative: Sequence[UpTo], bins: _Bins) -> Any:
    """The intervals of the shares up to some numbers. They are 0 and 1 at the ends, and reach to the line."""
    values = [bins.edges[0], *(each.value for each in cumulative), bins.edges[-1]]
    line = np.interp(values, bins.edges, np.concatenate([[0.0], np.cumsum(findings.p)]).clip(0, 1))
    low = np.minimum([0.0, *(each.low for each in cumulative), 1.0], line)
    high = np.maximum([0.0, *(each.high for each in cumulative), 1.0], line)
    frame = pd.DataFrame({"x": values, "y": low.clip(0, 1), "high": high.clip(0, 1)})
    return alt.Chart(frame).mark_area(color=INTERVAL, stroke=None)


def _cumulative(findings: Findings, shares_below: Sequence[UpTo], bins: _Bins, width: int, size: int, *, alone: bool) -> Any:
    """The share below each number. If it is drawn `alone`, its title says why."""
    x = alt.X("x:Q", title=None, scale=bins.scale, axis=_across(width))
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], grid=True, minExtent=_NUMBERS * size)
    y = alt.Y("y:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=axis)
    layers = [_band(findings, shares_below, bins).encode(x=x, y=y, y2="high:Q")] if shares_below else []
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
        layers += _named(quartiles, bins, width, size)
    band = f", with {as_percent(findings.level)} intervals" * bool(shares_below)
    others = f" (orange: {', '.join(findings.beside)})" if findings.beside else ""
    words = f"Share of {bins.whose} with a smaller number{band}{others}"
    if alone:
        words += ". The shares of single ranges are too uncertain to draw"
    return alt.layer(*layers).properties(width=width, height=260, title=_title(words, width, size, 10))


def _named(quartiles: Sequence[Figure], bins: _Bins, width: int, size: int) -> list[Any]:
    """The names of the quartiles, each beside its interval, where there is no line: to the right below it, or to the left above it.

    In a narrow chart they have two lines.
    """
    between = " " if width >= _WIDE else "\n"
    named = [f"{each.name.replace(' ', between)} {each.cells[0]}" for each in quartiles]
    letters = max(len(line) for text in named for line in text.split("\n"))
    room = bins.edges[-1] - (bins.edges[-1] - bins.edges[0]) * _LETTER * size * letters / width
    sides: list[Any] = []
    for right in (True, False):
        rows = [
            (each.q, each.high if right else each.low, text)
            for each, text in zip(quartiles, named, strict=True)
            if (bins.log or (each.high or 0.0) <= room) == right
        ]
        look: dict[str, Any] = {"align": "left", "dx": 7, "dy": size * 0.4, "baseline": "top"}
        if not right:
            look = {"align": "right", "dx": -7, "dy": -size * 0.4, "baseline": "bottom"}
        chart = alt.Chart(pd.DataFrame(rows, columns=["q", "x", "text"])).encode(x="x:Q", y="q:Q", text="text:N")
        sides += [chart.mark_text(**look, fontSize=size, color=INK, lineBreak="\n")] if rows else []
    return sides


def _title(text: str, width: int, size: int, offset: int) -> alt.TitleParams:
    """A title above a chart, at its left edge, wrapped to its width."""
    lines = textwrap.wrap(text, max(20, round((width + 60) / (0.55 * size))))
    return alt.TitleParams(lines, anchor="start", frame="bounds", fontSize=size, fontWeight="normal", offset=offset)


def _across(width: int) -> alt.Axis:
    """The axis of the numbers."""
    return alt.Axis(grid=False, tickCount=8 if width >= _WIDE else 4, labelOverlap=True, labelSeparation=8, labelFlush=False)
