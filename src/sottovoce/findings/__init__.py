"""What people read: findings with their cautions, tables for the terminal, charts, and a page.

Charts and pages need the extra `plot`. They are loaded when they are used.
"""

from typing import TYPE_CHECKING

from sottovoce.later import exports

if TYPE_CHECKING:
    from sottovoce.findings.charts import save_chart
    from sottovoce.findings.page import findings_page
    from sottovoce.findings.plan_charts import plan_chart
    from sottovoce.findings.questionnaire import QuestionnaireFindings
    from sottovoce.findings.questionnaire_charts import questionnaire_chart
    from sottovoce.findings.questionnaire_pages import questionnaire_page
    from sottovoce.findings.results import Findings
    from sottovoce.findings.share_charts import findings_chart

__all__ = [
    "Findings",
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
    "QuestionnaireFindings": "questionnaire",
    "questionnaire_chart": "questionnaire_charts",
    "questionnaire_page": "questionnaire_pages",
    "findings_chart": "share_charts",
    "findings_page": "page",
    "plan_chart": "plan_charts",
    "save_chart": "charts",
}

__getattr__ = exports(__name__, _PLACES)
