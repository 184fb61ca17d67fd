"""How objects are displayed: on a terminal, in a notebook and as a chart. Each object defines its parts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any

from sottovoce.errors import UnsupportedError
from sottovoce.estimators import Estimate
from sottovoce.findings.display import estimates, plans, studies
from sottovoce.findings.display.html import as_html
from sottovoce.findings.display.parts import Part
from sottovoce.findings.display.text import as_text
from sottovoce.findings.questionnaire import QuestionnaireFindings
from sottovoce.findings.results import Findings
from sottovoce.later import later
from sottovoce.notions import Certificate
from sottovoce.study import Study
from sottovoce.study.comparing import Trials
from sottovoce.study.strategy_plan import StrategyPlan
from sottovoce.tallies import Tally
from sottovoce.utility import Plan

_charts = later("sottovoce.findings.display.charts")


@singledispatch
def parts_of(thing: Any) -> Iterable[Part]:
    """The parts that an object is displayed as."""
    raise UnsupportedError(f"Can't show {type(thing).__name__}. Expected a result of sottovoce, such as a study or an estimate.")


def chart_of(thing: Any, width: int) -> Any:
    """The chart of an object."""
    return _charts.safe(_charts.chart_of(thing, width))


def text_of(thing: Any) -> str:
    """An object as `print` shows it."""
    return as_text(parts_of(thing))


def html_of(thing: Any) -> str:
    """An object as a notebook shows it."""
    return as_html(parts_of(thing))


parts_of.register(Estimate, lambda estimate: estimates.findings_parts(estimates.findings_of(estimate)))
parts_of.register(Findings, estimates.findings_parts)
parts_of.register(QuestionnaireFindings, estimates.questionnaire_parts)
parts_of.register(Plan, plans.plan_parts)
parts_of.register(StrategyPlan, plans.strategy_parts)
parts_of.register(Trials, plans.trials_parts)
parts_of.register(Certificate, studies.certificate_parts)
parts_of.register(Study, studies.study_parts)
parts_of.register(Tally, studies.tally_parts)
