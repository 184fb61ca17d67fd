"""The charts of a questionnaire: one for each question, and all of them in one picture."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Any

import altair as alt

from sottovoce.findings.charts.numbers import numbers_chart
from sottovoce.findings.charts.shares import plain_chart, plain_shares, room_for
from sottovoce.findings.charts.style import styled
from sottovoce.findings.questionnaire import QuestionFindings, QuestionnaireFindings
from sottovoce.findings.results import Findings
from sottovoce.findings.whom import ANSWERED
from sottovoce.names import escaped


def question_chart(found: QuestionFindings, level: float, width: int = 640, size: int = 11) -> Any:
    """Draw the chart of a question: as for a study of this question alone, or bars of the shares among those who answered."""
    return styled(_plain(found, level, width, size), size=size)


def questionnaire_chart(findings: QuestionnaireFindings, width: int = 640) -> Any:
    """Draw the charts of all questions, one below the other, each with its question as the title."""
    parts = [_titled(found, findings.level, width) for found in findings.questions]
    labels = [label for found in findings.questions if found.question.answers.edges is None for label in found.main.labels]
    whole = alt.vconcat(*parts, spacing=28).resolve_scale(color="independent", shape="independent")
    return styled(whole, extent=room_for(labels, width) if labels else 0)  # so that the titles stand in a line


def _plain(found: QuestionFindings, level: float, width: int, size: int = 11) -> Any:
    if found.findings is not None and found.among is None:
        return plain_chart(found.findings, width, size)
    whose = ANSWERED if found.question.unanswered else "the people"
    if found.findings is not None and found.question.answers.edges is not None and len(found.main.p) == len(found.question.answers):
        return numbers_chart(_of_those_who_answered(found), width, whose, size, found.cumulative)
    return plain_shares(found.main, level, width, f"share of {whose}")


def _of_those_who_answered(found: QuestionFindings) -> Findings:
    """The findings of numbers among those who answered, in the form that their chart needs."""
    assert found.findings is not None
    study, shares = replace(found.findings.study, domain=found.question.answers), found.main
    low, high = (None, None) if shares.interval is None else shares.interval
    return replace(found.findings, study=study, p=shares.p, low=low, high=high, found=shares.found, figures=found.figures, margins=())


def _titled(found: QuestionFindings, level: float, width: int) -> Any:
    lines, headline = textwrap.wrap(escaped(found.question.text), width // 8), textwrap.wrap(escaped(found.headline), width // 7)
    title = alt.TitleParams(lines or [""], subtitle=headline, anchor="start", fontSize=14, subtitleFontSize=12)
    return alt.vconcat(_plain(found, level, width)).properties(title=title)
