"""Charts (Vega-Lite, through Altair), written as SVG, PNG, HTML or JSON without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from sottovoce.batch.writers import write_whole
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.extras import install
from sottovoce.utility import Plan

try:
    import altair as alt
    import vl_convert
except ImportError:
    raise UnsupportedError(f"Charts need Altair and vl-convert. Install them with: {install('plot')}") from None

#: Colours that stay apart in print and for colour-blind readers (Okabe and Ito 2008).
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
#: Text, lines and intervals; a page replaces them by its own.
INK, LINES, INTERVAL = "#24292f", "#e1e4e8", "#9ec5ee"
#: The size of text in a chart that stands by itself.
_SIZE = 11
#: Patterns of lines, for those who cannot go by colour.
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3], [10, 4])


def plan_chart(plan: Plan) -> Any:
    """The error to expect of every option, against the number of people and against ε (the smallest budget, where items differ).

    The error is what the plan is for: the total variation, the half-width of an interval, or the smallest share that is found.
    """
    if not isinstance(plan, Plan):
        raise ParameterError(f"this chart is that of a plan, not of {type(plan).__name__}; make one with plan(...)")
    people = f"{plan.n or plan.options[0].people:,}"
    budget = "ε" if plan.promise.budgets is None else "smallest ε"
    by_people = _curves(plan, plan.against_n(), "n", "people", f"at {budget} = {plan.promise.strictest:g}", ",~s")
    by_epsilon = _curves(plan, plan.against_epsilon(), "epsilon", budget, f"with {people} people", "~g")
    marks = [(by_people, "n", plan.n), (by_epsilon, "epsilon", plan.promise.strictest)]
    ruled = [_ruled(chart, name, value) for chart, name, value in marks]
    title = alt.TitleParams(f"Expected error: {plan.promise}", anchor="start", fontSize=14)
    return styled((ruled[0] | ruled[1]).properties(title=title))


def styled(chart: Any, extent: int = 0, size: int = 11) -> Any:
    """The look that all charts share: no frames, quiet lines, one font. Labels at the left have at least `extent` pixels.

    Text has `size` pixels, and titles of axes one more unless it's a page's.
    """
    titles = size + (size == _SIZE)
    text: dict[str, Any] = {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": size,
        "titleFontSize": titles,
        "titleFontWeight": "normal",
    }
    return chart.configure(  # in one call, for each one copies the chart
        font="Arial, Helvetica, Liberation Sans, sans-serif",
        background="white",
        padding=8 if size == _SIZE else {"left": 0, "right": 2, "top": 2, "bottom": 2},
        axis=alt.AxisConfig(grid=True, gridColor=LINES, domainColor=LINES, tickColor=LINES, **text),
        axisY=alt.AxisConfig(grid=False, minExtent=extent or alt.Undefined),
        view=alt.ViewConfig(stroke=None),
        legend=alt.LegendConfig(**text, symbolStrokeWidth=1),
        title=alt.TitleConfig(color=INK, fontSize=size + 2, subtitleColor=INK, subtitleFontSize=size, offset=8),
    )


def _curves(plan: Plan, frame: pd.DataFrame, x: str, label: str, title: str, form: str) -> alt.Chart:
    """A line for each option, both axes logarithmic: errors fall as straight lines."""
    names, error = [option.name for option in plan.options], plan.goal.measure
    count, log = len(names), alt.Scale(type="log", nice=False)
    squares = [alt.Tooltip("l2:Q", format=".3g")] if "l2" in frame else []
    return (
        alt.Chart(frame, width=330, height=280, title=alt.TitleParams(title, fontSize=12, fontWeight="normal"))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X(f"{x}:Q", title=label, scale=log, axis=alt.Axis(format=form, tickCount=6)),
            y=alt.Y(f"{error}:Q", title=plan.goal.axis, scale=log, axis=alt.Axis(format="~g", tickCount=6)),
            color=alt.Color("name:N", title="mechanism", sort=names, scale=alt.Scale(domain=names, range=list(PALETTE[:count]))),
            strokeDash=alt.StrokeDash("name:N", title="mechanism", sort=names, scale=alt.Scale(domain=names, range=list(DASHES[:count]))),
            tooltip=["name:N", alt.Tooltip(f"{x}:Q", format=form), alt.Tooltip(f"{error}:Q", format=".4f"), *squares],
        )
    )


def _ruled(chart: alt.Chart, name: str, value: float | None) -> Any:
    """A line where the plan stands."""
    if value is None:
        return chart
    rule = alt.Chart(alt.InlineData([{name: value}])).mark_rule(color="#888888", strokeDash=[3, 3]).encode(x=f"{name}:Q")
    return chart + rule


def save_chart(chart: alt.TopLevelMixin, path: str | Path) -> Path:
    """Write a chart in the format of the file's ending: .svg, .png, .html (which needs no network) or .json."""
    target = Path(path)
    form = chart.to_dict()
    match target.suffix:
        case ".svg":
            data: bytes | str = vl_convert.vegalite_to_svg(form)
        case ".png":
            data = vl_convert.vegalite_to_png(form, ppi=144)
        case ".html":
            data = vl_convert.vegalite_to_html(form, bundle=True)
        case ".json":
            data = json.dumps(form, indent=1) + "\n"
        case _:
            raise ParameterError(f"the file is {target.name!r}; charts are written as .svg, .png, .html or .json")
    write_whole(target, data)
    return target
