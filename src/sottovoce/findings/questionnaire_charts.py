"""The charts of questions: one for each, and all of them in one picture."""

from __future__ import annotations

import textwrap
from typing import Any

import altair as alt

from sottovoce.findings.charts import styled
from sottovoce.findings.questionnaire import QuestionFindings, QuestionnaireFindings
from sottovoce.findings.share_charts import plain_chart, plain_shares, room_for
from sottovoce.names import escaped


def question_chart(found: QuestionFindings, level: float, width: int = 640) -> Any:
    """The chart of a question: as for a study of this question alone, or bars of the shares among those who answered."""
    return styled(_plain(found, level, width))


def questionnaire_chart(findings: QuestionnaireFindings, width: int = 640) -> Any:
    """The charts of all questions, one below the other, under the questions."""
    parts = [_titled(found, findings.level, width) for found in findings.questions]
    labels = [label for found in findings.questions if found.question.answers.edges is None for label in found.main.labels]
    whole = alt.vconcat(*parts, spacing=28).resolve_scale(color="independent", shape="independent")
    return styled(whole, extent=room_for(labels, width) if labels else 0)  # so that the titles stand in a line


def _plain(found: QuestionFindings, level: float, width: int) -> Any:
    if found.findings is not None and found.among is None:
        return plain_chart(found.findings, width)
    whose = "share of the people" if found.among is None else "share of those who answered"
    return plain_shares(found.main, level, width, whose)


def _titled(found: QuestionFindings, level: float, width: int) -> Any:
    lines, said = textwrap.wrap(escaped(found.question.text), width // 8), textwrap.wrap(escaped(found.headline), width // 7)
    title = alt.TitleParams(lines or [""], subtitle=said, anchor="start", fontSize=14, subtitleFontSize=12)
    return alt.vconcat(_plain(found, level, width)).properties(title=title)
