"""Charts of findings: shares with intervals, maps of grids, marginals of product domains."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from sottovoce.arrays import Floats
from sottovoce.estimators.remarks import VAGUE
from sottovoce.findings.charts.map_legend import PAPER
from sottovoce.findings.charts.maps import map_chart
from sottovoce.findings.charts.numbers import numbers_chart
from sottovoce.findings.charts.style import INK, INTERVAL, PALETTE, styled
from sottovoce.findings.formatting import as_percent
from sottovoce.findings.results import Findings
from sottovoce.findings.shares import MAYBE_ZERO, Shares
from sottovoce.names import escaped

#: Shares that are drawn, and items up to which two axes are drawn as one list.
_MOST = 40
#: The height of a line of a label.
_LINE = 13
#: A narrow chart, for telephones.
NARROW = 420
#: Colours and shapes of what stands beside the estimate.
_BESIDE = (("#D55E00", "diamond"), ("#009E73", "square"), ("#CC79A7", "triangle-up"), ("#E69F00", "triangle-down"))


def findings_chart(findings: Findings, width: int = 640, size: int = 11) -> Any:
    """Draw the chart that suits the domain: a map for a grid, a density for numbers, dots on intervals otherwise.

    If there are many items, the chart shows those that are distinguishable from zero, or the axes if there are none. Text has `size`
    pixels.

    >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
    >>> from sottovoce.findings.display.estimates import findings_of
    >>> e = estimate(Tally.simulate(krr(Domain("abc"), 2.0), [0.2, 0.3, 0.5], 10_000, SeededSource(1)))
    >>> chart = findings_chart(findings_of(e), width=400)
    >>> "layer" in chart.to_dict()
    True
    """
    return styled(plain_chart(findings, width, size), size=size)


def plain_shares(shares: Shares, level: float, width: int, title: str) -> Any:
    """Draw some shares for a chart of several (if there are many, the largest). `title` names what they are shares of."""
    order = list(range(len(shares.p))) if len(shares.p) <= _MOST else np.argsort(-shares.p, kind="stable")[:_MOST].tolist()
    shown = replace(shares.take(order), labels=[escaped(shares.labels[k]) for k in order])
    heading = f"the {_MOST} largest of {len(shares.p):,} items" if len(order) < len(shares.p) else ""
    panel = _Panel(width, f"{as_percent(level)} intervals", shown, room_for(shown.labels, width), title)
    return panel.chart(heading)


def plain_chart(findings: Findings, width: int, size: int = 11) -> Any:
    """The chart of some findings, for a chart of several."""
    if findings.mapped:
        return map_chart(findings, width)
    if findings.study.domain.edges is not None:
        return numbers_chart(findings, width, size=size)
    domain, order = findings.study.domain, findings.order(_MOST)
    crossed = len(domain.axes) == 2 and len(domain) > _MOST
    items = findings.shares.take(order)
    label_width = room_for([*items.labels, *(label for each in findings.margins for label in each.labels)], width)
    parts, kind = _margins(findings, width, label_width), _kind(findings)
    if crossed:
        parts.append(_crossing(findings, width, label_width))
    elif order:
        parts.append(_Panel(width, kind, items, label_width).chart(_items_title(findings, len(order))))
    if not parts:
        lines = textwrap.wrap(findings.words, width // 7)
        text = alt.Chart(pd.DataFrame({"text": ["\n".join(lines)]}), width=width - 30, height=_LINE * (1 + len(lines)))
        parts = [text.mark_text(align="left", lineBreak="\n", color=INK, x=0, baseline="middle").encode(text="text:N")]
    return alt.vconcat(*parts, spacing=24).resolve_scale(color="independent", shape="independent") if len(parts) > 1 else parts[0]


def _margins(findings: Findings, width: int, label_width: int) -> list[Any]:
    """A panel for each axis, all on one scale. The first one has the legend, and the last one has the scale."""
    panels = [_Panel(width, _kind(findings), each, label_width) for each in findings.margins]
    if not panels:
        return []
    low, high = min(panel.ends[0] for panel in panels), max(panel.ends[1] for panel in panels)
    drawn = [
        panel.chart(escaped(panel.shares.name), ends=(low, high), first=k == 0, last=k == len(panels) - 1) for k, panel in enumerate(panels)
    ]
    return [alt.vconcat(*drawn, spacing=8).resolve_scale(color="independent", shape="independent")]


def _kind(findings: Findings) -> str:
    """The intervals in words."""
    return f"{as_percent(findings.level)} intervals{' for all at once' * findings.simultaneous}"


def _items_title(findings: Findings, shown: int) -> str:
    count = len(findings.p)
    if shown == count:
        return "all together" if findings.margins else ""
    if findings.counts is None:
        return f"the {shown} largest of {count:,} items"
    if shown == findings.counts.count:
        return f"{shown:,} of {count:,} items are clearly above zero"
    return f"the {shown} largest of {findings.counts.count:,} items that are clearly above zero"


def _wrapped(labels: Sequence[str], width: int) -> list[str]:
    """Wrap labels to lines, with blank lines so that each stays in the middle of its row."""
    listed = [textwrap.wrap(escaped(label), 16 if width <= NARROW else 38) or [escaped(label)] for label in labels]
    most = max(map(len, listed), default=1)
    blanks = [most - len(lines) for lines in listed]
    return ["\n".join([" "] * (blank // 2) + lines + [" "] * (blank - blank // 2)) for lines, blank in zip(listed, blanks, strict=True)]


def room_for(labels: Sequence[str], width: int) -> int:
    """The width of the longest line of the labels, so that all panels begin at the same place."""
    return 14 + 7 * max((len(line) for label in _wrapped(labels, width) for line in label.split("\n")), default=0)


class _Panel:
    """A row for each label: its interval as a thick line, its estimate as a dot, marks for comparisons, the share at the right.

    Dots of items that can't be distinguished from zero are hollow. If an interval is too wide to be useful, there's no dot.
    """

    def __init__(self, width: int, kind: str, shares: Shares, label_width: int, title: str = "share of the people") -> None:
        self.narrow, self.kind, self.shares, self.title = width <= NARROW, kind, shares, title
        self.labels = _wrapped(shares.labels, width)
        self.width = width - label_width - 30
        self.lines = self.labels[0].count("\n") + 1
        centred: dict[str, Any] = {"labelLineHeight": _LINE, "labelOffset": -_LINE * (self.lines - 1) / 2, "labelPadding": 10}
        axis = alt.Axis(labelExpr="split(datum.label, '\\n')", labelLimit=0, ticks=False, domain=False, **centred)
        self.y = alt.Y("item:N", sort=self.labels, title=None, axis=axis, scale=alt.Scale(paddingInner=0.35, paddingOuter=0.2))

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest number in the panel."""
        low, high = (self.shares.p, self.shares.p) if self.shares.interval is None else self.shares.interval
        beside = self.shares.beside.values()
        return min(0.0, *(float(each.min()) for each in (low, *beside))), max(float(each.max()) for each in (high, *beside)) or 1.0

    def chart(self, heading: str, *, ends: tuple[float, float] | None = None, first: bool = True, last: bool = True) -> Any:
        """Draw the panel. The `first` of several has the legend, the `last` one the numbers of the scale."""
        p, interval, beside, remarks = self.shares.p, self.shares.interval, self.shares.beside, self.shares.remarks
        shown = [remark if remark == VAGUE else self.shares.cells(k)[0] for k, remark in enumerate(remarks)]
        frame = pd.DataFrame({"item": self.labels, "p": p, "shown": shown, "remark": remarks})
        base = alt.Chart(frame)
        title, scale, axis = self.title if last else None, self._scale(ends or self.ends), self._axis(ends, last=last)
        x = alt.X("p:Q", title=title, scale=scale, axis=axis)
        layers: list[Any] = []
        if interval is not None:
            frame["low"], frame["high"] = interval
            line = base.mark_rule(color=INTERVAL, strokeWidth=8)
            layers.append(line.encode(x=alt.X("low:Q", title=title, scale=scale, axis=axis), x2="high:Q", y=self.y))
        for remark, fill in (("", PALETTE[0]), (MAYBE_ZERO, PAPER)):
            if remark in remarks:
                dot = base.transform_filter(f"datum.remark === '{remark}'").mark_point(size=70, opacity=1, strokeWidth=2, fill=fill)
                layers.append(dot.encode(x=x, y=self.y, stroke=alt.value(PALETTE[0])))
        layers.append(base.mark_text(align="right", color=INK, fontSize=11).encode(x=alt.value(self.width), y=self.y, text="shown:N"))
        if beside:
            layers.append(_marks(self.labels, beside, self.y, legend=first))
        legend = self._legend(hollow=MAYBE_ZERO in remarks) if first else ""
        return alt.layer(*layers).properties(width=self.width, height=alt.Step(12 + _LINE * self.lines), title=_heading(heading, legend))

    def _scale(self, ends: tuple[float, float]) -> alt.Scale:
        """A scale that leaves room for the numbers at the right."""
        low, high = ends
        return alt.Scale(domain=[low, low + (high - low) * (1.3 if self.narrow else 1.14)], nice=False)

    def _axis(self, ends: tuple[float, float] | None, *, last: bool) -> alt.Axis:
        room = (ends or self.ends)[1]
        form = ".0%" if room > 0.06 else ".1%" if room > 0.006 else ".2%"
        return alt.Axis(format=form, tickCount=4 if self.narrow else 6, labels=last, ticks=last)

    def _legend(self, *, hollow: bool) -> str:
        intervals = f", lines: {self.kind}" if self.shares.interval is not None else ""
        return f"Dots: estimate{intervals}{f', hollow: {MAYBE_ZERO}' * hollow}"


def _heading(title: str, legend: str) -> alt.TitleParams:
    if not title:
        return alt.TitleParams(legend, anchor="start", fontSize=11, fontWeight="normal")
    return alt.TitleParams(title, subtitle=legend, anchor="start") if legend else alt.TitleParams(title, anchor="start")


def _marks(labels: Sequence[str], beside: Mapping[str, Floats], y: Any, *, legend: bool) -> alt.Chart:
    frame = pd.concat([pd.DataFrame({"item": labels, "beside": name, "p": shares}) for name, shares in beside.items()])
    names, looks = list(beside), _BESIDE[: len(beside)]
    explained = alt.Legend(title=None, orient="top", direction="horizontal") if legend else None
    color = alt.Color(
        "beside:N",
        scale=alt.Scale(domain=names, range=[look[0] for look in looks]),
        legend=explained,
    )
    shape = alt.Shape("beside:N", scale=alt.Scale(domain=names, range=[look[1] for look in looks]), legend=explained)
    points = alt.Chart(frame).mark_point(filled=True, size=55, opacity=1, stroke="#ffffff", strokeWidth=0.6)
    return points.encode(x="p:Q", y=y, color=color, shape=shape)


def _crossing(findings: Findings, width: int, label_width: int) -> Any:
    """A heat map of two axes with many labels, with comparisons beside it on the same scale."""
    domain = findings.study.domain
    down, across = domain.axes
    rows, columns = np.unravel_index(np.arange(len(domain)), domain.shape)
    labels = [[escaped(str(label)) for label in axis.labels] for axis in (down, across)]
    shares = {"both together": findings.p, **findings.beside}
    top = max(float(each.max()) for each in shares.values())
    color = alt.Color("share:Q", scale=alt.Scale(scheme="cividis", domain=[0, top]), legend=alt.Legend(title="share", format=".1%"))
    charts = []
    for name, each in shares.items():
        frame = pd.DataFrame(
            {"down": [labels[0][k] for k in rows], "across": [labels[1][k] for k in columns], "share": np.maximum(each, 0.0)}
        )
        base = alt.Chart(
            frame, width=width - label_width - 110, height=min(600, 20 * len(down.labels)), title=alt.TitleParams(name, anchor="start")
        )
        x = alt.X("across:N", sort=labels[1], title=escaped(str(across.name)), axis=alt.Axis(grid=False, labelAngle=-90, labelOverlap=True))
        y = alt.Y("down:N", sort=labels[0], title=escaped(str(down.name)), axis=alt.Axis(grid=False, labelOverlap=True))
        charts.append(base.mark_rect().encode(x=x, y=y, color=color))
    return alt.vconcat(*charts)
