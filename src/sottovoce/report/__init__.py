"""What people read: findings with their cautions, tables for the terminal, charts, and a page.

Charts and pages need the extra `plot`. They are loaded when they are used.
"""

from typing import TYPE_CHECKING

from sottovoce.later import exports

if TYPE_CHECKING:
    from sottovoce.report.charts import plan_chart, save_chart
    from sottovoce.report.findings import Findings
    from sottovoce.report.page import findings_page
    from sottovoce.report.pictures import findings_chart

__all__ = ["Findings", "findings_chart", "findings_page", "plan_chart", "save_chart"]

_PLACES = {
    "Findings": "findings",
    "findings_chart": "pictures",
    "findings_page": "page",
    "plan_chart": "charts",
    "save_chart": "charts",
}

__getattr__ = exports(__name__, _PLACES)
