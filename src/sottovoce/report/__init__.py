"""Charts and reports for people. Needs the extra `plot`: pip install "sottovoce[plot]"."""

from sottovoce.report.charts import plan_chart, save_chart

__all__ = ["plan_chart", "save_chart"]
