"""Charts of results: curves with their Monte-Carlo errors and predictions, boxes, maps of a winner."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from sottovoce.findings.charts import DASHES, INK, PALETTE, styled

#: A chart that has not been drawn yet.
Chart = Callable[[], Any]

#: A panel's width and height.
SIZE = (300, 240)
#: A series of this name is what no other can be below, and is black.
LIMIT, BLACK = "the limit", "#000000"
LIMITS = (LIMIT, "Cramér-Rao")


def _later(draw: Callable[..., Any]) -> Callable[..., Chart]:
    """A chart that is drawn when it is called for: pages are made of captions alone."""

    @functools.wraps(draw)
    def ordered(*arguments: Any, **options: Any) -> Chart:
        return functools.partial(draw, *arguments, **options)

    return ordered


@dataclass(frozen=True)
class Axis:
    """The column that a chart goes along, what it is called, whether its scale is logarithmic, and how its numbers are written."""

    column: str
    label: str
    log: bool = False
    form: str = ",~r"


#: The axes of most charts.
EPSILON, NUMBER_OF_PEOPLE = Axis("epsilon", "ε", log=True), Axis("n", "people", log=True, form="~s")


@_later
def curves(
    frame: pd.DataFrame,
    x: Axis,
    metric: str,
    *,
    color: str = "mechanism",
    dash: str = "method",
    panels: str | None = None,
    log_y: bool = True,
    columns: int = 3,
    rules: Mapping[str, float] | None = None,
    form: str | None = None,
    order: Sequence[str] = (),
) -> Any:
    """A line for each series with its points, ±2 Monte-Carlo errors, and a ring around each point where theory predicts it.

    `panels` names the column whose values get a panel each; `rules` maps such a value (or "" for all) to an upright line; `form` is how the numbers of the
    metric are written; `order` names series whose colours are those of their places in it, in every chart that has the same order.
    """
    lines = _Curves(x, metric, color, dash, log_y, form, order)
    upright = rules or {}
    return _joined([lines.panel(part, frame, name, upright.get(name, upright.get(""))) for name, part in _panels(frame, panels)], columns)


@dataclass(frozen=True)
class _Curves:
    """What a panel of curves shows against what, and how."""

    x: Axis
    metric: str
    color: str
    dash: str
    log_y: bool
    form: str | None
    order: Sequence[str]

    def panel(self, part: pd.DataFrame, frame: pd.DataFrame, title: str, rule: float | None) -> Any:
        """The curves of a part of the frame; series have the colours that they have in the whole of it."""
        part = part.assign(low=part["mean"] - 2 * part["error"].fillna(0), high=part["mean"] + 2 * part["error"].fillna(0))
        if self.log_y:
            part = part[part["mean"] > 0]
            part = part.assign(low=part["low"].clip(lower=part["mean"] / 10))  # a logarithmic axis has no place for zero
        base = _base(part, title)
        told = part[["mean", "predicted"]].to_numpy()
        across, up = self._across(part[self.x.column]), self._up("mean", told)
        names = _names(frame, self.color)
        series: list[Any] = [alt.Color(f"{self.color}:N", title=self.color, sort=names, scale=_colours(names, self.order))]
        detail = [self.color]
        if self.dash in frame and frame[self.dash].nunique() > 1:
            names = _names(frame, self.dash)
            scale = alt.Scale(domain=names, range=list(DASHES[: len(names)]))
            series.append(alt.StrokeDash(f"{self.dash}:N", title=self.dash, sort=names, scale=scale))
            detail.append(self.dash)
        tooltip = [
            *(f"{name}:N" for name in detail),
            f"{self.x.column}:Q",
            alt.Tooltip("mean:Q", format=".4g"),
            alt.Tooltip("error:Q", format=".2g"),
        ]
        layers = [
            base.mark_line(strokeWidth=1.8).encode(across, up, *series, tooltip=tooltip),
            base.mark_rule(strokeWidth=1.2).encode(across, self._up("low", told), alt.Y2("high:Q"), series[0], detail=detail),
            base.mark_point(filled=True, size=18, opacity=1).encode(across, up, series[0], detail=detail, tooltip=tooltip),
        ]
        if part["predicted"].notna().any():
            rings = base.transform_filter("isValid(datum.predicted)").mark_point(filled=False, size=60, strokeWidth=1, color=INK)
            layers.append(rings.encode(across, self._up("predicted", told), detail=detail))
        if rule is not None:
            upright = alt.Chart(alt.InlineData([{self.x.column: rule}])).mark_rule(color="#888888", strokeDash=[3, 3])
            layers.append(upright.encode(x=f"{self.x.column}:Q"))
        return alt.layer(*layers)

    def _across(self, values: Any) -> alt.X:
        scale = alt.Scale(type="log" if self.x.log else "linear", nice=False, padding=8)
        axis = alt.Axis(format=self.x.form, **_marks(values, self.x.log))
        return alt.X(f"{self.x.column}:Q", title=self.x.label, scale=scale, axis=axis)

    def _up(self, column: str, values: Any) -> alt.Y:
        """All layers name the same axis; otherwise its title would be joined from theirs."""
        scale = alt.Scale(type="log" if self.log_y else "linear", zero=False, nice=False, padding=8)
        form = self.form or ("~g" if self.log_y else "~r")
        return alt.Y(f"{column}:Q", title=self.metric, scale=scale, axis=alt.Axis(format=form, grid=True, **_marks(values, self.log_y)))


def _base(part: pd.DataFrame, title: str, wider: int = 0) -> Any:
    """An empty panel."""
    return alt.Chart(part, width=SIZE[0] + wider, height=SIZE[1], title=alt.TitleParams(title, fontSize=12, fontWeight="normal"))


def _marks(values: Any, log: bool) -> dict[str, Any]:
    """Where an axis is labelled: a logarithmic one at powers of ten, or at 1, 2 and 5 where it is short."""
    known = np.asarray(values, dtype=np.float64)
    known = known[np.isfinite(known) & (known > 0)]
    if not log or not known.size:
        return {"tickCount": 6}
    low, high = np.log10(known.min()), np.log10(known.max())
    steps = (1.0,) if high - low >= 2 else (1.0, 2.0, 5.0) if high - low >= 0.6 else (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
    every = 2 if high - low > 7 else 1
    powers = range(math.floor(low), math.ceil(high) + 1, every)
    return {
        "values": [
            round(step * 10.0**power, 12) for power in powers for step in steps if low - 0.02 <= math.log10(step) + power <= high + 0.02
        ]
    }


def _names(frame: pd.DataFrame, column: str) -> list[str]:
    return [str(each) for each in dict.fromkeys(frame[column])]


def _colours(names: Sequence[str], order: Sequence[str] = ()) -> alt.Scale:
    """A colour for each name: that of its place in the order, so that a name has the same in every chart; for others one that is free. Limits are black."""
    colours = [
        colour for colour in (*PALETTE, "#882255", "#44AA99", "#999933", "#AA4499", "#332288", "#777777", "#117733") if colour != BLACK
    ]
    found = dict(zip((name for name in order if name not in LIMITS), colours, strict=False)) | dict.fromkeys(LIMITS, BLACK)
    free = iter([colour for colour in colours if colour not in {found.get(name) for name in names}])
    return alt.Scale(domain=list(names), range=[found[name] if name in found else next(free) for name in names])


def _panels(frame: pd.DataFrame, panels: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """The parts of a frame that get a panel each, with their names."""
    if panels is None:
        yield "", frame
        return
    for value in dict.fromkeys(frame[panels]):
        yield str(value), frame[frame[panels] == value]


def _joined(charts: Sequence[Any], columns: int) -> Any:
    """Charts in rows, in the look that all charts share."""
    rows = [alt.hconcat(*charts[start : start + columns]) for start in range(0, len(charts), columns)]
    return styled(rows[0] if len(rows) == 1 else alt.vconcat(*rows))


@_later
def boxes(
    frame: pd.DataFrame,
    x: Axis,
    metric: str,
    *,
    color: str,
    panels: str | None = None,
    log_y: bool = True,
    order: Sequence[str] = (),
) -> Any:
    """A box from quartile to quartile with the median, whiskers to the least and the largest: columns least, q1, median, q3, largest."""
    names, up = _names(frame, color), alt.Scale(type="log" if log_y else "linear", zero=False, nice=False, padding=6)
    across = {
        "x": alt.X(
            f"{x.column}:O", title=x.label, axis=alt.Axis(labelAngle=0, grid=False), scale=alt.Scale(paddingInner=0.35, paddingOuter=0.2)
        ),
        "xOffset": alt.XOffset(f"{color}:N", sort=names),
    }
    coloured = across | {"color": alt.Color(f"{color}:N", title=color, sort=names, scale=_colours(names, order))}
    charts = []
    for name, part in _panels(frame, panels):
        base = _base(part, name)
        axis = alt.Axis(format="~g" if log_y else "~r", grid=True, **_marks(part[["least", "largest"]], log_y))
        whiskers = base.mark_rule().encode(y=alt.Y("least:Q", title=metric, scale=up, axis=axis), y2="largest:Q", **coloured)
        box = base.mark_bar(size=7).encode(y=alt.Y("q1:Q", title=metric, scale=up), y2="q3:Q", **coloured)
        tick = base.mark_tick(color="white", size=7, thickness=1.5)
        charts.append(whiskers + box + tick.encode(y=alt.Y("median:Q", title=metric, scale=up), **across))
    return _joined(charts, 3)


@_later
def winners(frame: pd.DataFrame, x: Axis, y: Axis, *, winner: str, panels: str | None = None, order: Sequence[str] = ()) -> Any:
    """A field for each pair of x and y, in the colour of the winner, with the short text of the column "text" in it."""
    there = {str(each) for each in frame[winner]}
    names = [name for name in order if name in there] or sorted(there)
    charts = []
    for name, part in _panels(frame, panels):
        base = _base(part, name, wider=60).encode(
            alt.X(f"{x.column}:O", title=x.label, axis=alt.Axis(labelAngle=0, grid=False, format="~g")),
            alt.Y(f"{y.column}:O", title=y.label, sort="descending"),
        )
        fields = base.mark_rect(stroke="white", opacity=0.55).encode(
            alt.Color(f"{winner}:N", title=winner, sort=names, scale=_colours(names, order))
        )
        charts.append(fields + base.mark_text(fontSize=9, color=INK).encode(alt.Text("text:N")))
    return _joined(charts, 2)
