"""Another name of `sottovoce.findings`, kept for programs that import it by its first name."""

from typing import TYPE_CHECKING

from sottovoce.findings import __getattr__ as __getattr__  # noqa: PLC0414 - names are loaded on first use

if TYPE_CHECKING:
    from sottovoce.findings import Findings, findings_chart, findings_page, plan_chart, save_chart

__all__ = ["Findings", "findings_chart", "findings_page", "plan_chart", "save_chart"]
