"""Charts (Vega-Lite, through Altair), written as SVG, PNG, HTML or JSON without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.utility import Plan

try:
    import altair as alt
except ImportError:
    raise UnsupportedError('charts need the extra "plot"; install it with: pip install "sottovoce[plot]"') from None

#: Colours that stay apart in print and for colour-blind readers (Okabe and Ito 2008).
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3], [10, 4])


def plan_chart(plan: Plan) -> alt.HConcatChart:
    """The error to expect of every option, against the number of people and against ε (the smallest budget, where items differ)."""
    if not isinstance(plan, Plan):
        raise ParameterError(f"this chart is that of a plan, not of {type(plan).__name__}; make one with plan(...)")
    names = [option.name for option in plan.options]
    people = f"{plan.n or plan.options[0].people:,}"
    budget = "ε" if plan.promise.budgets is None else "smallest ε"
    by_people = _curves(plan.against_n(), "n", "people", names, f"at {budget} = {plan.promise.strictest:g}", ",~s")
    by_epsilon = _curves(plan.against_epsilon(), "epsilon", budget, names, f"with {people} people", "~g")
    marks = [(by_people, "n", plan.n), (by_epsilon, "epsilon", plan.promise.strictest)]
    ruled = [_ruled(chart, name, value) for chart, name, value in marks]
    title = alt.TitleParams(f"Expected error: {plan.promise}", anchor="start", fontSize=14)
    return (ruled[0] | ruled[1]).properties(title=title).configure_axis(grid=True, gridColor="#eeeeee").configure_view(stroke=None)


def _curves(frame: pd.DataFrame, x: str, label: str, names: list[str], title: str, form: str) -> alt.Chart:
    """A line for each option, both axes logarithmic: errors fall as straight lines."""
    count, log = len(names), alt.Scale(type="log", nice=False)
    return (
        alt.Chart(frame, width=330, height=280, title=alt.TitleParams(title, fontSize=12, fontWeight="normal"))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X(f"{x}:Q", title=label, scale=log, axis=alt.Axis(format=form, tickCount=6)),
            y=alt.Y("tv:Q", title="expected total variation", scale=log, axis=alt.Axis(format="~g", tickCount=6)),
            color=alt.Color("name:N", title="mechanism", sort=names, scale=alt.Scale(domain=names, range=list(PALETTE[:count]))),
            strokeDash=alt.StrokeDash("name:N", title="mechanism", sort=names, scale=alt.Scale(domain=names, range=list(_DASHES[:count]))),
            tooltip=["name:N", alt.Tooltip(f"{x}:Q", format=form), alt.Tooltip("tv:Q", format=".4f"), alt.Tooltip("l2:Q", format=".3g")],
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
    if target.suffix not in {".svg", ".png", ".html", ".json"}:
        raise ParameterError(f"the file is {target.name!r}; charts are written as .svg, .png, .html or .json")
    if target.suffix == ".png":
        chart.save(str(target), ppi=144)
    elif target.suffix == ".html":
        chart.save(str(target), inline=True)
    else:
        chart.save(str(target))
    return target
