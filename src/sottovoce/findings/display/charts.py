"""The chart of each kind of object."""

from __future__ import annotations

import json
import math
import re
from functools import singledispatch
from typing import Any

from sottovoce.errors import UnsupportedError
from sottovoce.estimators import Estimate
from sottovoce.findings.charts.beliefs_and_errors import belief_chart, errors_chart
from sottovoce.findings.charts.plan import plan_chart
from sottovoce.findings.charts.questionnaire import questionnaire_chart
from sottovoce.findings.charts.shares import findings_chart
from sottovoce.findings.display.estimates import findings_of
from sottovoce.findings.display.plans import beside_truth
from sottovoce.findings.questionnaire import QuestionnaireFindings
from sottovoce.findings.results import Findings
from sottovoce.notions import Certificate
from sottovoce.notions.odds import protected, swing, swing_of
from sottovoce.study import Study, Trials
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.utility import Plan

#: What would end or nest the script of the HTML that notebooks show charts with. It gets a joiner that no one sees.
_MARKUP, _JOINED = re.compile("<(?=[/!a-zA-Z])"), "<\u2060"


def safe(chart: Any) -> Any:
    """Escape names in a chart that look like markup, so that they stay text in the HTML of a notebook."""
    form = chart.to_dict()
    return type(chart).from_dict(_harmless(form)) if _MARKUP.search(json.dumps(form)) else chart


def _harmless(form: Any) -> Any:
    if isinstance(form, dict):
        return {_harmless(key): _harmless(each) for key, each in form.items()}
    if isinstance(form, list):
        return [_harmless(each) for each in form]
    return _MARKUP.sub(_JOINED, form) if isinstance(form, str) else form


@singledispatch
def chart_of(thing: Any, width: int) -> Any:
    """The chart of an object."""
    raise UnsupportedError(f"{type(thing).__name__} has no chart. Print it instead.")


chart_of.register(Findings, findings_chart)
chart_of.register(QuestionnaireFindings, questionnaire_chart)


@chart_of.register
def _(estimate: Estimate, width: int) -> Any:
    return findings_chart(findings_of(estimate), width)


@chart_of.register
def _(plan: Plan, width: int) -> Any:
    return plan_chart(plan)


@chart_of.register
def _(found: Trials, width: int) -> Any:
    """The shares beside the truth, of a single estimate, or the errors of all."""
    if len(found.estimates) == 1:
        return findings_chart(beside_truth(found), width)
    return errors_chart(found.trials, width, simulated=found.runs is not None)


@chart_of.register
def _(certificate: Certificate, width: int) -> Any:
    return belief_chart({"": swing_of(certificate)}, width)


@chart_of.register
def _(study: Study, width: int) -> Any:
    """How far everything that a person reports can move a belief, for each level."""
    if isinstance(study, Questionnaire):
        forms, shows = study.mechanism, study.written.notion != "ldp"
        return belief_chart({tier: (forms.raised(tier), math.inf if shows else forms.raised(tier)) for tier in forms.tiers}, width)
    hidden = {name: protected(mechanism.certify()) for name, mechanism in study.blocks.items()}
    return belief_chart({name: swing(study.blocks[name], mask, study.reports) for name, mask in hidden.items()}, width)
