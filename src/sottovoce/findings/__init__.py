"""What people read: findings with their cautions, tables for the terminal, charts, and a page.

Charts and pages need the extra `plot`. They are loaded when they are used.
"""

from typing import TYPE_CHECKING

from sottovoce.later import exports

if TYPE_CHECKING:
    from sottovoce.findings.charts import plan_chart, save_chart
    from sottovoce.findings.page import findings_page
    from sottovoce.findings.results import Findings
    from sottovoce.findings.share_charts import findings_chart

__all__ = ["Findings", "findings_chart", "findings_page", "plan_chart", "save_chart"]

_PLACES = {
    "Findings": "results",
    "findings_chart": "share_charts",
    "findings_page": "page",
    "plan_chart": "charts",
    "save_chart": "charts",
}

__getattr__ = exports(__name__, _PLACES)
