"""The chart of a plan: the expected error of each option, with more or fewer people and with other budgets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle, islice, pairwise
from typing import Any

import pandas as pd

from sottovoce.errors import ParameterError
from sottovoce.findings.charts.style import DASHES, PALETTE, alt, styled
from sottovoce.utility import Plan

_WIDTH, _HEIGHT = 330, 300
#: Lines that mark what was asked, and the least distance between two labels, in pixels.
_MARK, _APART = "#57606a", 14


def plan_chart(plan: Plan) -> Any:
    """Draw the expected error of every option, by the number of people and by ε (the smallest budget, if items differ).

    The error is the plan's goal: the total variation, the half-width of an interval, or the smallest share that can be found. Both halves
    have the same scale. Dotted lines mark the target error, the number of people and the budget of the plan.
    """
    if not isinstance(plan, Plan):
        raise ParameterError(f"Expected a plan, got {type(plan).__name__}. Make one with plan(...).")
    people = f"{plan.n or plan.options[0].people:,}"
    budget = "ε" if plan.promise.budgets is None else "smallest ε"
    by_people, by_epsilon = plan.against_n(), plan.against_epsilon()
    errors = pd.concat([by_people, by_epsilon])[plan.goal.measure]
    known = [*errors[errors > 0], *([plan.goal.asked] if plan.goal.asked else [])]
    scale = (min(known), max(known))
    along_people = alt.X("n:Q", title="number of people", **_log(",~s"))
    along_budgets = alt.X("epsilon:Q", title=f"privacy budget {budget}", **_log("~g"))
    strictest = plan.promise.strictest
    halves = [
        _half(plan, by_people, scale, along_people, f"at {budget} = {strictest:g}", plan.n),
        _half(plan, by_epsilon, scale, along_budgets, f"with {people} people", strictest),
    ]
    title = alt.TitleParams(f"Expected error: {plan.promise}", anchor="start", fontSize=14)
    return styled(alt.hconcat(*halves, spacing=30).properties(title=title))


def _log(form: str) -> dict[str, Any]:
    """A logarithmic axis: errors fall as straight lines."""
    return {"scale": alt.Scale(type="log", nice=False), "axis": alt.Axis(format=form, tickCount=6)}


def _half(plan: Plan, frame: pd.DataFrame, scale: tuple[float, float], x: alt.X, title: str, here: float | None) -> Any:
    """A line for each option with its name at the end, and marks at the plan's target."""
    names, error, along = [option.name for option in plan.options], plan.goal.measure, str(x.shorthand).partition(":")[0]
    frame = frame[frame[error] > 0]
    axis = alt.Axis(format="~g", tickCount=6)
    log = alt.Scale(type="log", nice=False, domain=list(scale))
    y = alt.Y(f"{error}:Q", title=plan.goal.axis, scale=log, axis=axis)
    colour = alt.Color("name:N", sort=names, scale=_each(names, PALETTE), legend=None)
    dash = alt.StrokeDash("name:N", sort=names, scale=_each(names, DASHES), legend=None)
    squares = [alt.Tooltip("l2:Q", format=".3g")] if "l2" in frame else []
    base = alt.Chart(frame, width=_WIDTH, height=_HEIGHT, title=alt.TitleParams(title, fontSize=12, fontWeight="normal"))
    tooltip = ["name:N", alt.Tooltip(f"{along}:Q"), alt.Tooltip(f"{error}:Q", format=".4f"), *squares]
    layers = [base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=tooltip)]
    ends = frame.loc[frame.groupby("name")[along].idxmax()]
    labels = ends.assign(place=_spread(ends[error].tolist(), scale))
    layers.append(
        alt.Chart(labels)
        .mark_text(align="left", dx=6, fontSize=12)
        .encode(x=x, y=alt.Y("place:Q", scale=log, title=plan.goal.axis, axis=axis), text="name:N", color=colour)
    )
    if plan.goal.asked:
        layers.append(_level(plan.goal.asked, f"asked for: {plan.goal.short(plan.goal.asked)}", log, plan.goal.axis, axis))
    if here is not None:
        layers.append(alt.Chart(alt.InlineData([{along: here}])).mark_rule(color=_MARK, strokeDash=[2, 3]).encode(x=f"{along}:Q"))
    return alt.layer(*layers)


def _each(names: Sequence[str], values: Sequence[Any]) -> alt.Scale:
    return alt.Scale(domain=list(names), range=list(islice(cycle(values), len(names))))


def _level(value: float, text: str, log: alt.Scale, title: str, axis: alt.Axis) -> Any:
    """A line at the target error, with its label."""
    base = alt.Chart(alt.InlineData([{"asked": value, "text": text}])).encode(y=alt.Y("asked:Q", scale=log, title=title, axis=axis))
    label = base.mark_text(align="left", baseline="bottom", dx=4, dy=-3, fontSize=12, color=_MARK)
    return base.mark_rule(color=_MARK, strokeDash=[2, 3]) + label.encode(x=alt.value(0), text="text:N")


def _spread(values: Sequence[float], scale: tuple[float, float]) -> list[float]:
    """Positions for labels at these values, so that none covers another.

    >>> [round(place, 3) for place in _spread([0.01, 1.0, 0.99], (0.01, 1.0))]
    [0.01, 1.0, 0.807]
    """
    low, span = math.log(scale[0]), math.log(scale[1] / scale[0]) or 1.0
    heights = {place: _HEIGHT * (math.log(value) - low) / span for place, value in enumerate(values)}
    order = sorted(heights, key=lambda place: -heights[place])
    for above, below in pairwise(order):
        heights[below] = min(heights[below], heights[above] - _APART)
    floor = 0.0
    for place in reversed(order):
        heights[place] = max(heights[place], floor)
        floor = heights[place] + _APART
    return [math.exp(low + span * heights[place] / _HEIGHT) for place in range(len(values))]
