"""The files that findings are written to: tables, a chart, a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sottovoce.cli.common import replaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sottovoce.findings.questionnaire import QuestionnaireFindings
    from sottovoce.findings.results import Findings


@dataclass(frozen=True)
class Outputs:
    """Files to write, by their content."""

    html: str | None
    chart: str | None
    tables: Sequence[str]

    def write(self, findings: Findings | QuestionnaireFindings) -> dict[str, str]:
        """Write all of them and return their names, each with what to add to it if it replaced a file."""
        from sottovoce.batch.writers import write_whole

        found = {path: replaced(path) for path in (*self.tables, self.chart, self.html) if path is not None}
        for path in self.tables:
            write_whole(path, _table_bytes(findings, path))
        if self.chart is not None:
            from sottovoce.findings import save_chart

            save_chart(_chart(findings), self.chart)
        if self.html is not None:
            write_whole(self.html, _page(findings))
        return found


def _chart(findings: Findings | QuestionnaireFindings) -> Any:
    from sottovoce.findings import Findings, findings_chart, questionnaire_chart

    return findings_chart(findings) if isinstance(findings, Findings) else questionnaire_chart(findings)


def _page(findings: Findings | QuestionnaireFindings) -> str:
    from sottovoce.findings import Findings, findings_page, questionnaire_page

    return findings_page(findings) if isinstance(findings, Findings) else questionnaire_page(findings)


def _table_bytes(findings: Findings | QuestionnaireFindings, path: str) -> bytes:
    """Write a table in the format of the file's ending."""
    import io
    import json
    from pathlib import Path

    sink = io.BytesIO()
    match Path(path).suffix:
        case ".csv":
            findings.to_frame().to_csv(sink, index=False)
        case ".parquet":
            findings.to_frame().to_parquet(sink, index=False)
        case _:
            sink.write(json.dumps(findings.to_dict(), indent=1, ensure_ascii=False).encode())
    return sink.getvalue()
