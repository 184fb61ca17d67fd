"""Charts of results: curves with their Monte-Carlo errors and predictions, boxes, maps of a winner.

Every chart of one figure has the same scales, so that its panels can be compared, and series differ in colour, in the shape of their points and
in their dashes, so that a copy in black and white can still be read.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from experiments.words import headed, in_words
from sottovoce.findings.charts.style import DASHES, INK, PALETTE, styled

#: A chart that has not been drawn yet.
Chart = Callable[[], Any]

#: A panel's width and height.
SIZE = (300, 240)
#: A series with one of these names is a bound that no other can be below. It is solid black and has no points.
LIMIT, BLACK = "the limit", "#000000"
LIMITS = (LIMIT, "Cramér-Rao")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
_COLOURS = tuple(
    colour for colour in (*PALETTE, "#882255", "#44AA99", "#999933", "#AA4499", "#332288", "#777777", "#117733") if colour != BLACK
)


def _later(draw: Callable[..., Any]) -> Callable[..., Chart]:
    """A chart that is drawn when it is called: pages need only the captions."""

    @functools.wraps(draw)
    def ordered(*arguments: Any, **options: Any) -> Chart:
        return functools.partial(draw, *arguments, **options)

    return ordered


@dataclass(frozen=True)
class Axis:
    """The column along an axis, its label, whether its scale is logarithmic, and the format of its numbers."""

    column: str
    label: str
    log: bool = False
    form: str = ",~r"


#: The axes of most charts.
EPSILON, NUMBER_OF_PEOPLE = Axis("epsilon", "privacy budget ε", log=True), Axis("n", "number of people", log=True, form="~s")


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
    rules: Mapping[str, tuple[float, str]] | None = None,
    form: str | None = None,
    order: Sequence[str] = (),
    common: bool = True,
) -> Any:
    """A line for each series with its points, ±2 Monte-Carlo errors, and a ring around each point for which theory has a prediction.

    `panels` names the column whose values get a panel each. `rules` maps such a value (or "" for all) to an upright line and its meaning. `form` is the format
    of the metric's numbers. `order` names series whose colours and shapes are those of their places in it, in every chart with the same order. Panels
    have the same scales, unless `common` is false: then each has its own, which the key says.
    """
    frame = frame.assign(low=frame["mean"] - 2 * frame["error"].fillna(0), high=frame["mean"] + 2 * frame["error"].fillna(0))
    if log_y:
        frame = frame[frame["mean"] > 0]
        frame = frame.assign(low=frame["low"].clip(lower=frame["mean"] / 10))  # a logarithmic axis has no place for zero
    lines = _Curves(frame, x, metric, color, dash, log_y, form, order, common)
    upright = rules or {}
    charts = [
        lines.panel(part, name, upright.get(name, upright.get("")), first=not place % columns)
        for place, (name, part) in enumerate(_panels(frame, panels))
    ]
    return _joined(charts, columns, f"{metric}, by {x.label}", lines.key(upright))


@dataclass(frozen=True)
class _Curves:
    """What the panels of a figure show against what, and how."""

    frame: pd.DataFrame = field(repr=False)
    x: Axis
    metric: str
    color: str
    dash: str
    log_y: bool
    form: str | None
    order: Sequence[str]
    common: bool

    @property
    def dashed(self) -> bool:
        """Whether a second column tells series apart, by their dashes."""
        return self.dash in self.frame and self.frame[self.dash].nunique() > 1

    def key(self, rules: Mapping[str, tuple[float, str]]) -> list[str]:
        """What the marks mean, as far as the figure has them."""
        told = []
        if (self.frame["high"] > self.frame["low"]).any():
            told.append("Bars: ± 2 standard errors of the simulation.")
        if self.frame["predicted"].notna().any():
            told.append("Rings: predicted by theory.")
        told += [f"Dotted line: {meaning}." for meaning in dict.fromkeys(meaning for _, meaning in rules.values())]
        return [*told, *([] if self.common else ["Each panel has its own vertical scale."])]

    def panel(self, part: pd.DataFrame, title: str, rule: tuple[float, str] | None, *, first: bool) -> Any:
        """The curves of a part of the frame; series have the colours that they have in the whole of it."""
        base = _base(part, title)
        up = functools.partial(self._up, self.frame if self.common else part, first)
        across = self._across(self.frame)
        names = _names(self.frame, self.color)
        shown: dict[str, Any] = {"title": headed(self.color), "sort": names}
        colour = alt.Color(f"{self.color}:N", scale=_colours(names, self.order), **shown)
        shape = alt.Shape(f"{self.color}:N", scale=_shapes(names, self.order), **shown)
        detail = [self.color]
        lines: list[Any] = [colour]
        if self.dashed:
            kinds = _names(self.frame, self.dash)
            detail.append(self.dash)
            lines.append(alt.StrokeDash(f"{self.dash}:N", title=headed(self.dash), sort=kinds, scale=_dashes(kinds)))
        else:
            lines.append(alt.StrokeDash(f"{self.color}:N", scale=_dashes(names, self.order), **shown))
        points = base.transform_filter(alt.FieldOneOfPredicate(field=self.color, oneOf=[name for name in names if name not in LIMITS]))
        layers = [
            base.mark_line(strokeWidth=1.8).encode(across, up("mean"), *lines, detail=detail),
            base.mark_rule(strokeWidth=1.2).encode(across, up("low"), alt.Y2("high:Q"), colour, detail=detail),
            points.mark_point(filled=True, size=34, opacity=1).encode(across, up("mean"), colour, shape, detail=detail),
        ]
        if part["predicted"].notna().any():
            rings = points.transform_filter("isValid(datum.predicted)").mark_point(filled=False, size=90, strokeWidth=1, color=INK)
            layers.append(rings.encode(across, up("predicted"), detail=detail))
        if rule is not None:
            upright = alt.Chart(alt.InlineData([{self.x.column: rule[0]}])).mark_rule(color="#57606a", strokeDash=[2, 3])
            layers.append(upright.encode(x=f"{self.x.column}:Q"))
        return alt.layer(*layers)

    def _across(self, whole: pd.DataFrame) -> alt.X:
        values = whole[self.x.column]
        known = values[values > 0] if self.x.log else values
        scale = alt.Scale(type="log" if self.x.log else "linear", nice=False, padding=8, domain=[float(known.min()), float(known.max())])
        axis = alt.Axis(format=self.x.form, **_marks(values, self.x.log))
        return alt.X(f"{self.x.column}:Q", title=self.x.label, scale=scale, axis=axis)

    def _up(self, whole: pd.DataFrame, first: bool, column: str) -> alt.Y:
        """All layers have the same axis; otherwise its title would be joined from theirs. Only the first panel of a row has it."""
        values = whole[["mean", "predicted", "low", "high"]].to_numpy(dtype=np.float64)
        values = values[np.isfinite(values) & (values > 0 if self.log_y else True)]
        scale = alt.Scale(
            type="log" if self.log_y else "linear", zero=False, nice=False, padding=8, domain=[float(values.min()), float(values.max())]
        )
        form = self.form or ("~g" if self.log_y else "~r")
        axis = alt.Axis(format=form, grid=True, **_marks(values, self.log_y))
        return alt.Y(f"{column}:Q", title=self.metric if first else None, scale=scale, axis=axis)


def _base(part: pd.DataFrame, title: str, wider: int = 0) -> Any:
    """An empty panel."""
    return alt.Chart(part, width=SIZE[0] + wider, height=SIZE[1], title=alt.TitleParams(in_words(title), fontSize=12, fontWeight="normal"))


def _marks(values: Any, log: bool) -> dict[str, Any]:
    """Where an axis is labelled: a logarithmic one at powers of ten, or at 1, 2 and 5 if it is short."""
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


def _given(names: Sequence[str], order: Sequence[str], values: Sequence[Any], limit: Any) -> alt.Scale:
    """A value for each name: that of its place in the order, so that a name has the same in every chart; for others one that is free."""
    wanted = [name for name in order if name not in LIMITS]
    endless = list(islice(cycle(values), max(len(values), len(wanted) + len(names))))
    found = dict(zip(wanted, endless, strict=False)) | dict.fromkeys(LIMITS, limit)
    taken = [found[name] for name in names if name in found]
    free = iter([*(value for value in values if value not in taken), *endless])
    return alt.Scale(domain=list(names), range=[found[name] if name in found else next(free) for name in names])


def _colours(names: Sequence[str], order: Sequence[str] = ()) -> alt.Scale:
    return _given(names, order, _COLOURS, BLACK)


def _shapes(names: Sequence[str], order: Sequence[str] = ()) -> alt.Scale:
    return _given(names, order, SHAPES, "stroke")


def _dashes(names: Sequence[str], order: Sequence[str] = ()) -> alt.Scale:
    return _given(names, order, DASHES, [1, 0])


def _panels(frame: pd.DataFrame, panels: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """The parts of a frame that get a panel each, with their names."""
    if panels is None:
        yield "", frame
        return
    for value in dict.fromkeys(frame[panels]):
        yield str(value), frame[frame[panels] == value]


def _joined(charts: Sequence[Any], columns: int, title: str, key: Sequence[str] = ()) -> Any:
    """Charts in rows under a title and a key, in the look that all charts share."""
    rows = [alt.hconcat(*charts[start : start + columns]) for start in range(0, len(charts), columns)]
    whole = rows[0] if len(rows) == 1 else alt.vconcat(*rows)
    about = alt.TitleParams(title, subtitle=" ".join(key) or alt.Undefined, anchor="start", fontSize=14, offset=14)
    return styled(whole.properties(title=about))


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
    names, ends = _names(frame, color), frame[["least", "largest"]]
    up = alt.Scale(
        type="log" if log_y else "linear",
        zero=False,
        nice=False,
        padding=6,
        domain=[float(ends["least"].min()), float(ends["largest"].max())],
    )
    axis = alt.Axis(format="~g" if log_y else "~r", grid=True, **_marks(ends, log_y))
    across: dict[str, Any] = {
        "x": alt.X(
            f"{x.column}:O", title=x.label, axis=alt.Axis(labelAngle=0, grid=False), scale=alt.Scale(paddingInner=0.35, paddingOuter=0.2)
        ),
        "xOffset": alt.XOffset(f"{color}:N", sort=names),
    }
    # the boxes of a place are filled from full to empty, in the order of the legend
    fills = alt.Scale(domain=names, range=[1 - place / max(len(names) - 1, 1) for place in range(len(names))])
    shown: dict[str, Any] = {"title": headed(color), "sort": names}
    coloured = across | {"color": alt.Color(f"{color}:N", scale=_colours(names, order), legend=None)}
    filled = across | {
        "stroke": alt.Stroke(f"{color}:N", scale=_colours(names, order), **shown),
        "fill": alt.Fill(f"{color}:N", scale=_colours(names, order), **shown),
        "fillOpacity": alt.FillOpacity(f"{color}:N", scale=fills, **shown),
    }
    wide = 11 if len(names) < 3 and frame[x.column].nunique() < 10 else 7
    charts = []
    for place, (name, part) in enumerate(_panels(frame, panels)):
        base, titled = _base(part, name), metric if not place % 3 else None
        whiskers = base.mark_rule().encode(y=alt.Y("least:Q", title=titled, scale=up, axis=axis), y2="largest:Q", **coloured)
        ground = base.mark_bar(size=wide, color="white").encode(y=alt.Y("q1:Q", title=titled, scale=up, axis=axis), y2="q3:Q", **across)
        box = base.mark_bar(size=wide, strokeWidth=1).encode(y=alt.Y("q1:Q", title=titled, scale=up, axis=axis), y2="q3:Q", **filled)
        tick = base.mark_tick(color=INK, size=wide, thickness=1.5).encode(y=alt.Y("median:Q", title=titled, scale=up, axis=axis), **across)
        charts.append(whiskers + ground + box + tick)
    return _joined(charts, 3, f"{metric}, by {x.label}", ["Boxes: the middle half of the runs, with the median. Whiskers: all runs."])


@_later
def winners(
    frame: pd.DataFrame, x: Axis, y: Axis, *, winner: str, number: str, panels: str | None = None, order: Sequence[str] = ()
) -> Any:
    """A field for each pair of x and y, in the colour and with the letter of the winner, and with the short text of the column "text".

    `number` says what the text is.
    """
    there = {str(each) for each in frame[winner]}
    names = [name for name in order if name in there] or sorted(there)
    letters = {name: chr(ord("A") + place) for place, name in enumerate(names)}
    lettered = [f"{letters[name]}  {in_words(name)}" for name in names]
    frame = frame.assign(
        letter=frame[winner].map(letters), named=frame[winner].map(dict(zip(names, lettered, strict=True))), field=frame["text"]
    )
    colours = alt.Scale(domain=lettered, range=_colours(names, order)["range"])
    charts = []
    for name, part in _panels(frame, panels):
        base = _base(part, name, wider=60).encode(
            alt.X(f"{x.column}:O", title=x.label, axis=alt.Axis(labelAngle=0, grid=False, format=",~g")),
            alt.Y(f"{y.column}:O", title=y.label, sort="descending", axis=alt.Axis(format=",~g")),
        )
        fields = base.mark_rect(stroke="white", opacity=0.55).encode(
            alt.Color("named:N", title=headed(winner), sort=lettered, scale=colours)
        )
        texts = base.transform_calculate(both="datum.letter + ' ' + datum.field").mark_text(fontSize=10, color=INK)
        charts.append(fields + texts.encode(alt.Text("both:N")))
    return _joined(charts, 2, f"the best {headed(winner).lower()}, by {x.label} and {y.label}", [f"Letter: the winner. Number: {number}."])
