"""What people read: findings with their cautions, tables for the terminal, charts, and a page.

Charts and pages need the extra `plot`. They are loaded when they are used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sottovoce.report.charts import plan_chart, save_chart
    from sottovoce.report.findings import Findings
    from sottovoce.report.page import findings_page
    from sottovoce.report.pictures import findings_chart

    __all__ = ["Findings", "findings_chart", "findings_page", "plan_chart", "save_chart"]
else:
    __all__ = ["Findings", "findings_chart", "findings_page", "plan_chart", "save_chart"]
    _PLACES = {
        "Findings": "findings",
        "findings_chart": "pictures",
        "findings_page": "page",
        "plan_chart": "charts",
        "save_chart": "charts",
    }

    def __getattr__(name: str) -> Any:
        if name not in _PLACES:
            raise AttributeError(f"module 'sottovoce.report' has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"sottovoce.report.{_PLACES[name]}"), name)
