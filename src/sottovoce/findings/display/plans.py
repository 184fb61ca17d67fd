"""How plans and simulations are displayed: what to expect before anyone is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sottovoce.findings.display.estimates import findings_of, listed_items
from sottovoce.findings.display.parts import Line, Part, Rows, SharesTable, Title
from sottovoce.findings.formatting import counted
from sottovoce.findings.results import Findings
from sottovoce.study.comparing import Trials
from sottovoce.study.strategy_plan import StrategyPlan
from sottovoce.utility import Plan
from sottovoce.utility.numbers import Numbers

_TV = "tv: total variation, half the sum of all errors of shares"
_LEGEND = f"{_TV}; ±: its Monte-Carlo error; intervals hold: how often they contain the true share."
_LEGEND_ONCE = f"{_TV}; intervals hold: the part of the true shares that they contain."
_TOTALS = "These are too many people to keep their reports. The estimates come from totals. To keep the reports, use "


def plan_parts(plan: Plan, level: str = "", hint: str = "") -> Iterator[Part]:
    """The mechanisms with a guarantee, best first, for a `level`, and with a `hint` about the study."""
    several = f", {plan.reports} reports per person" if plan.reports > 1 else ""
    yield Title(f"{plan.promise}{several}{f', level {level}' if level else ''}")
    yield Line(plan.reason)
    if hint:
        yield Line(hint)
    goal, columns = plan.goal, {"mechanism": [option.name for option in plan.options]}
    if plan.n is not None:
        columns[goal.heads[0]] = [goal.cell(getattr(option, goal.measure)) for option in plan.options]
    if plan.n is not None and goal.measure == "tv":
        columns["l2"] = [f"{option.l2:.3g}" for option in plan.options]
    if goal.asked is not None:
        columns[goal.heads[1]] = [f"{option.people:,}" for option in plan.options]
    if goal.measure == "tv":
        columns["to the limit"] = ["–" if option.ratio is None else f"{option.ratio:.2f}" for option in plan.options]
    if goal.compares:
        columns["to the best"] = [f"{ratio:.2f}" for ratio in plan.to_best()]
    columns["bytes"] = [f"{option.report_bytes:,}" for option in plan.options]
    columns["words"] = [f"{option.words:,.1f}" for option in plan.options]
    yield _columns(columns)
    best = "; to the best: the error divided by the smallest one" if "to the best" in columns else ""
    yield Line(f"{goal.legend}{best}; words: 64-bit random numbers per report", "facts")


def strategy_parts(plan: StrategyPlan) -> Iterator[Part]:
    """The strategies of a questionnaire: the error of every question, and how many people each needs."""
    questions = counted(len(plan.study.questions), "question", "questions")
    notion = plan.study.mechanism.claim.title.removesuffix(", for the whole record")
    title = f"{notion} at ε = {plan.asking.epsilon:g} for the whole record, {questions}"
    yield Title(title + (f", level {plan.level!r}" if plan.level else ""))
    yield Line(plan.reason)
    yield Rows({name: "left" if name == "question" else "right" for name in plan.columns}, plan.rows)
    yield Line(plan.legend, "facts")


def trials_parts(found: Trials, remedy: str = 'methods=["mle"]') -> Iterator[Part]:
    """How methods or mechanisms did on a known truth. `remedy` is how to keep the reports of very many people."""
    runs = "" if found.runs is None else f", {counted(found.runs, 'run', 'runs')}"
    people = f"{found.people:,} {'simulated ' * (found.runs is not None)}people{', spread evenly over the levels' * found.spread}"
    yield Title(found.name, f"{people}{runs}, {found.truth}") if found.name else Title(f"{people}{runs}, {found.truth}")
    compared = len({each.mechanism for each in found.trials}) > 1 or found.compared
    columns: dict[str, list[str]] = {"mechanism": [each.mechanism for each in found.trials]} if compared else {}
    columns["method"] = [each.method for each in found.trials]
    columns |= _errors(found)
    if compared and found.runs is not None:
        columns["predicted tv"] = ["–" if each.predicted is None else shown(each.predicted) for each in found.trials]
    yield _columns(columns)
    if len(found.estimates) == 1:
        beside = beside_truth(found)
        yield SharesTable([listed_items(beside)])
        yield Line("│ truth", "facts", "text")
    first = found.trials[0].predicted
    if not compared and first is not None and found.goal is None:
        yield Line(f"Predicted for the unbiased estimate: a total variation of {shown(first)}.", "facts")
    legend = _LEGEND_ONCE if found.runs is None else _LEGEND
    yield Line(legend + " The prediction is that of the unbiased estimate." * (compared and found.runs is not None), "facts")
    if any(each.from_totals for each in found.trials):
        yield Line(f"{_TOTALS}{remedy}.", "facts")
    if found.goal is not None:
        yield Title("", section=True)
        yield _figures(found.goal, found.trials)
        yield Line(_figure_legend(found.goal), "facts")


def shown(tv: float) -> str:
    """A total variation with at least two significant digits."""
    return f"{tv:.4f}" if tv >= 0.001 or tv == 0 else f"{tv:.2g}"


def _errors(found: Trials) -> dict[str, list[str]]:
    """The errors of shares, as columns. A single run has no spread."""
    trials, columns = found.trials, {"tv": [shown(each.tv) for each in found.trials]}
    if found.runs is not None:
        columns["±"] = [
            "–" if each.tv_error != each.tv_error else f"{each.tv_error:.4f}" if each.tv >= 0.001 else shown(each.tv_error)
            for each in trials
        ]
        columns["9 runs of 10"] = [f"≤ {shown(each.tv_most)}" for each in trials]
    columns["l2"] = [f"{each.l2:.3g}" for each in trials]
    columns["intervals hold"] = ["–" if each.held is None else f"{each.held:.1%}" for each in trials]
    return columns


def _figures(goal: Numbers, found: Any) -> Rows:
    columns: dict[str, list[str]] = {"method": [each.method for each in found]}
    figures = [each.figure for each in found if each.figure is not None]
    columns["distance" if goal.about == "distance" else f"{goal.about} off by"] = [f"{each.error:.3g}" for each in figures]
    columns["9 runs of 10"] = [f"≤ {each.most:.3g}" for each in figures]
    if goal.about != "distance":
        columns["interval ±"] = ["–" if each.half_width is None else f"{each.half_width:.3g}" for each in figures]
        columns["intervals hold"] = ["–" if each.held is None else f"{each.held:.1%}" for each in figures]
    if goal.asked is not None:
        head = "runs ≤" if goal.about == "distance" else "runs within ±"
        columns[f"{head} {goal.asked:g}"] = [f"{each.reached:.0%}" for each in figures]
    return _columns(columns)


def _figure_legend(goal: Numbers) -> str:
    if goal.about == "distance":
        return goal.legend + "."
    return (
        f"off by: the mean distance of the {goal.about} from the truth, in the units of the numbers; interval ±: its half-width on average."
    )


def _columns(columns: dict[str, list[str]]) -> Rows:
    """Columns as a table: names at the left, numbers at the right."""
    sides = {name: "left" if name in {"mechanism", "method"} else "right" for name in columns}
    return Rows(sides, list(zip(*columns.values(), strict=True)))


def beside_truth(found: Trials) -> Findings:
    """The findings of the estimate, with the truth to compare."""
    (estimate,) = found.estimates
    size = len(findings_of(estimate).p)
    return replace(findings_of(estimate), beside={"truth": found.p[:size]})
