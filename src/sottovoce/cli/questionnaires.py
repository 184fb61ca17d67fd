"""The findings of a questionnaire, on the terminal and in files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sottovoce.cli.common import console, note, print_json, tell_skipped

if TYPE_CHECKING:
    from sottovoce.batch.collected import Collected
    from sottovoce.cli.outputs import Outputs
    from sottovoce.study.questionnaire import Questionnaire


def estimate_questionnaire(
    study: Questionnaire, found: Collected, *, method: str | None, level: float, outputs: Outputs, force: bool, as_json: bool
) -> None:
    """The estimates of a study of several questions."""
    from sottovoce.errors import FewReportsError
    from sottovoce.findings.display.estimates import COMMAND, questionnaire_parts
    from sottovoce.findings.display.text import print_parts
    from sottovoce.findings.questionnaire import QuestionnaireFindings
    from sottovoce.policy.wording import unpublished

    if found.tally.n < study.minimum and not force:
        raise FewReportsError(found.tally.n, study.minimum, "Wait for more reports or use --force.")
    notes = [found.skipped.sentence()] * bool(found.skipped.count)
    if found.tally.n < study.minimum:
        notes.append(unpublished(study.minimum))
    findings = QuestionnaireFindings.of(study, found.tally, method=method, level=level, notes=[*notes, *found.cautions])
    written = outputs.write(findings)
    if as_json:
        print_json(findings.to_dict() | {"skipped": found.skipped.to_dict(), "written": list(written)})
        return
    tell_skipped(found.skipped)
    print_parts(questionnaire_parts(findings, COMMAND), console())
    for path, there in written.items():
        note(f"Written to {path}{there}")
