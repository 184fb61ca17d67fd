"""Findings for people: results with their cautions, tables for the terminal, charts, and a page.

Charts and pages need the extra `plot`. They are loaded on first use.
"""

from typing import TYPE_CHECKING

from sottovoce.later import exports

if TYPE_CHECKING:
    from sottovoce.findings.charts.plan import plan_chart
    from sottovoce.findings.charts.questionnaire import questionnaire_chart
    from sottovoce.findings.charts.shares import findings_chart
    from sottovoce.findings.charts.style import save_chart
    from sottovoce.findings.pages.findings import findings_page
    from sottovoce.findings.pages.questionnaire import questionnaire_page
    from sottovoce.findings.questionnaire import QuestionFindings, QuestionnaireFindings
    from sottovoce.findings.results import Findings

__all__ = [
    "Findings",
    "QuestionFindings",
    "QuestionnaireFindings",
    "findings_chart",
    "findings_page",
    "plan_chart",
    "questionnaire_chart",
    "questionnaire_page",
    "save_chart",
]

_PLACES = {
    "Findings": "results",
    "QuestionFindings": "questionnaire",
    "QuestionnaireFindings": "questionnaire",
    "questionnaire_chart": "charts.questionnaire",
    "questionnaire_page": "pages.questionnaire",
    "findings_chart": "charts.shares",
    "findings_page": "pages.findings",
    "plan_chart": "charts.plan",
    "save_chart": "charts.style",
}

__getattr__ = exports(__name__, _PLACES)
