"""The findings of a questionnaire, on the terminal and in files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sottovoce.cli.common import console, note, print_json, tell_skipped
from sottovoce.names import escaped

if TYPE_CHECKING:
    from rich.console import Console

    from sottovoce.batch.collected import Collected
    from sottovoce.cli.outputs import Outputs
    from sottovoce.findings.questionnaire import QuestionnaireFindings
    from sottovoce.findings.shares import Shares
    from sottovoce.study.questionnaire import Questionnaire

#: The most items in the table of a question.
_FEW = 40


def estimate_questionnaire(
    study: Questionnaire, found: Collected, *, method: str | None, level: float, outputs: Outputs, force: bool, as_json: bool
) -> None:
    """The estimates of a study of several questions."""
    from sottovoce.errors import FewReportsError
    from sottovoce.findings.questionnaire import QuestionnaireFindings

    if found.tally.n < study.minimum and not force:
        raise FewReportsError(found.tally.n, study.minimum, "Wait for more reports or use --force.")
    notes = [found.skipped.sentence()] * bool(found.skipped.count)
    if found.tally.n < study.minimum:
        notes.append(f"The study shows results from {study.minimum:,} reports on. Don't publish these.")
    findings = QuestionnaireFindings.of(study, found.tally, method=method, level=level, notes=[*notes, *found.cautions])
    written = outputs.write(findings)
    if as_json:
        print_json(findings.to_dict() | {"skipped": found.skipped.to_dict(), "written": written})
        return
    tell_skipped(found.skipped)
    show_questionnaire(findings, console())
    for path in written:
        note(f"written to {path}")


def show_questionnaire(findings: QuestionnaireFindings, out: Console) -> None:
    """The findings of a questionnaire on the terminal: a section for each question."""
    from sottovoce.findings.figures import notes_of
    from sottovoce.findings.formatting import as_percent, counted
    from sottovoce.findings.terminal import figures_table, shares_table, wrapped

    width = min(100, out.width)
    out.print(f"[bold]{findings.study.name}[/bold]", end=": ")
    out.print(findings.study.question, markup=False, soft_wrap=True)
    out.print(f"{counted(findings.n, 'person', 'people')}, {as_percent(findings.level)} intervals", markup=False)
    for each in findings.questions:
        out.print()
        out.print(f"[bold]{escaped(each.question.name)}[/bold]", end=": ")
        out.print(each.question.text, markup=False, soft_wrap=True)
        out.print(wrapped(each.headline, width), style="bold", markup=False)
        out.print(f"asked of {counted(each.n, 'person', 'people')}, method {each.method}", markup=False)
        if each.figures:
            out.print(figures_table(each.figures))
            for said in notes_of(each.figures):
                out.print(wrapped(said, width), markup=False)
        if each.question.answers.edges is None:
            shares = each.shares if each.findings is None else each.findings.shares
            out.print(shares_table(shares.take(_largest(shares)), out.width))
        if each.question.answers.edges is not None or len(each.shares.p) > _FEW:
            out.print(f"--output writes all {len(each.shares.p):,} items.")
        if each.question.choices:
            out.print("Several answers were possible, so the shares don't sum to 100%.", markup=False)
        if each.among is not None:
            out.print("Among those who answered:")
            out.print(shares_table(each.among, out.width))
        if each.apart is not None and each.question.answers.edges is not None:
            out.print("Apart from these answers, of all who were asked:")
            out.print(shares_table(each.apart, out.width))
        for caution in each.cautions:
            out.print(wrapped(f"! {caution}", width), markup=False, style="yellow", soft_wrap=True)
    for name, joint in findings.together.items():
        out.print()
        out.print(f"[bold]{escaped(name)}[/bold], asked together")
        out.print(shares_table(joint.shares.take(joint.order(_FEW)), out.width))
    for caution in findings.cautions:
        out.print(wrapped(f"! {caution}", width), markup=False, style="yellow", soft_wrap=True)


def _largest(shares: Shares) -> list[int]:
    """The items that a table has: all in their order, or the largest."""
    if len(shares.p) <= _FEW:
        return list(range(len(shares.p)))
    return [int(k) for k in (-shares.p).argsort(kind="stable")[:_FEW]]
