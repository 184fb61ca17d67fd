"""sottovoce estimate: from reports to shares with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sottovoce.cli.common import (
    ColumnOption,
    EncodingOption,
    IgnoreCaseOption,
    JsonOption,
    PathsArgument,
    StrictOption,
    TruthOption,
    apart,
    console,
    note,
    print_json,
    reading_of,
    study_and_files,
    tell_skipped,
)
from sottovoce.cli.engines import LOCAL, EngineOption, MasterOption, gathered, on_cluster
from sottovoce.cli.outputs import Outputs
from sottovoce.cli.questionnaires import estimate_questionnaire
from sottovoce.extras import page

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console

    from sottovoce.batch.reading import Reading
    from sottovoce.findings.results import Findings
    from sottovoce.study import Study


def estimate(
    paths: PathsArgument = None,
    method: Annotated[
        str | None, typer.Option("--method", help=f"The method, for example mle, projected, auto. [dim]See {page('estimates.md')}[/dim]")
    ] = None,
    level: Annotated[float, typer.Option("--level", help="The level of the intervals.")] = 0.95,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Intervals that hold for all items at once, instead of each by itself.")
    ] = False,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write a self-contained page.")] = None,
    chart: Annotated[str | None, typer.Option("--chart", metavar="FILE", help="Draw a chart (.svg, .png, .html, .json).")] = None,
    output: Annotated[
        list[str] | None, typer.Option("--output", "-o", metavar="FILE", help="Write the table (.csv, .parquet or .json); may be repeated.")
    ] = None,
    truth: TruthOption = None,
    column: ColumnOption = None,
    encoding: EncodingOption = None,
    ignore_case: IgnoreCaseOption = False,
    spread: Annotated[
        list[str] | None,
        typer.Option("--tag-spread", metavar="TAG=FILE", help="How the answers behind a tag are spread over the items; may be repeated."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Estimate from fewer reports than the study's minimum.")] = False,
    engine: EngineOption = LOCAL,
    master: MasterOption = None,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Estimate the distribution from reports, or from a tally, with error bars.

    $ sottovoce estimate study.toml reports.parquet

    $ sottovoce estimate study.toml 'reports/*.parquet' --html report.html -o shares.csv

    $ cat reports.ndjson | sottovoce estimate study.toml --json

    $ sottovoce estimate study.json hdfs:///reports --engine spark --master yarn
    """
    from sottovoce import estimators
    from sottovoce.batch.answers import read_shares
    from sottovoce.errors import FewReportsError, ParameterError
    from sottovoce.findings.results import Findings
    from sottovoce.study.questionnaire import Questionnaire

    cluster = on_cluster(engine, master)
    study, files = study_and_files(paths, "files of reports", [html, chart, *(output or [])], cluster=cluster)
    apart([each.partition("=")[2] for each in spread or []] + ([truth] if truth else []), [html, chart, *(output or [])])
    _known_endings(html, chart, output or [])
    if isinstance(study, Questionnaire):
        given = {
            "--truth": truth,
            "--column": column,
            "--encoding": encoding,
            "--ignore-case": ignore_case,
            "--tag-spread": spread,
            "--simultaneous": simultaneous,
        }
        if wrong := [name for name, value in given.items() if value]:
            raise ParameterError(f"{wrong[0]} is for studies of one question; leave it out")
        with gathered(study, files, cluster=cluster, master=master, method=method, strict=strict) as found:
            written_to = Outputs(html, chart, output or [])
            estimate_questionnaire(study, found, method=method, level=level, outputs=written_to, force=force, as_json=as_json)
        return
    reading = reading_of(truth or spread, column, encoding, ignore_case=ignore_case)
    known = _known(study, spread or [], reading)
    beside = {} if truth is None else {"truth": read_shares(study, truth, reading)}
    with gathered(study, files, cluster=cluster, master=master, method=method, strict=strict) as found:
        if found.tally.n < study.minimum and not force:
            raise FewReportsError(found.tally.n, study.minimum, "Wait for more reports or use --force.")
        made = estimators.estimate(found.tally, method)
    notes = list(found.cautions)
    if found.tally.n < study.minimum:
        notes.insert(0, f"The study shows results from {study.minimum:,} reports on. Don't publish these.")
    if found.skipped.count:
        notes.insert(0, found.skipped.sentence())
    findings = Findings.of(study, made, level=level, known=known, beside=beside, notes=notes, simultaneous=simultaneous)
    written = Outputs(html, chart, output or []).write(findings)
    if as_json:
        print_json(findings.to_dict() | {"skipped": found.skipped.to_dict(), "written": written})
        return
    tell_skipped(found.skipped)
    show(findings, console())
    for path in written:
        note(f"written to {path}")


def show(findings: Findings, out: Console) -> None:
    """The findings on the terminal."""
    from sottovoce.findings.figures import notes_of
    from sottovoce.findings.formatting import as_percent, counted, percent_about
    from sottovoce.findings.terminal import figures_table, findings_table, grid_map, margins_table, wrapped

    study, width = findings.study, min(100, out.width)
    out.print(f"[bold]{study.name}[/bold]", end=": ")
    out.print(study.question, markup=False, soft_wrap=True)
    people, kind = counted(findings.people, "person", "people"), " for all items at once" * findings.simultaneous
    out.print(f"{people}, method {findings.estimate.method}, {as_percent(findings.level)} intervals{kind}", markup=False)
    if findings.figures:
        out.print(figures_table(findings.figures))
        for said in notes_of(findings.figures):
            out.print(wrapped(said, width), markup=False)
    if findings.words:
        out.print(wrapped(findings.words, width), markup=False)
    if drawn := grid_map(findings):
        out.print(drawn, markup=False)
    if findings.margins:
        out.print(margins_table(findings, out.width))
    listed = findings_table(findings, out.width)
    if listed.row_count < len(findings.p):
        out.print(_left_out(findings, listed.row_count), markup=False)
    if listed.row_count:
        out.print(listed)
    if findings.low is not None:
        out.print(
            "█ to the low end of the interval, ▒ to the estimate, ░ to the high end" + (", │ truth" if "truth" in findings.beside else "")
        )
    for tag in findings.tags:
        out.print(f"marked as {tag.name!r}: {percent_about(tag.p, tag.low, tag.high)}", markup=False)
    if findings.note:
        out.print(wrapped(f"Method {findings.estimate.method}: {findings.note}", width), markup=False)
    for caution in findings.cautions:
        out.print(wrapped(f"! {caution}", width), markup=False, style="yellow", soft_wrap=True)


def _left_out(findings: Findings, shown: int) -> str:
    """Which items a table has, if it has not all of them."""
    count = len(findings.p)
    if findings.study.domain.ordered:
        return f"--output writes all {count:,} items."
    if findings.counts is None:
        return f"The {shown} largest of {count:,} items. --output writes them all."
    found = findings.counts.count
    which = f"The {shown} largest of the {found:,} items" if shown < found else f"The {found:,} of {count:,} items"
    return f"{which} that can be told from zero. --output writes all {count:,}." if found else f"--output writes all {count:,} items."


def _known(study: Study, spreads: list[str], reading: Reading) -> dict[str, NDArray[np.float64]]:
    from sottovoce.batch.answers import read_shares
    from sottovoce.errors import ParameterError

    known = {}
    for each in spreads:
        tag, sign, path = each.partition("=")
        if not sign or tag not in study.tags:
            tags = f"the tags are {', '.join(study.tags)}" if study.tags else "this study has no tags"
            raise ParameterError(f"--tag-spread is {each!r}; write TAG=FILE, and {tags}")
        known[tag] = read_shares(study, path, reading)
    return known


def _known_endings(html: str | None, chart: str | None, outputs: list[str]) -> None:
    """Refuse files of unknown kinds before any work is done."""
    from pathlib import Path

    from sottovoce.errors import ParameterError

    if html is not None and Path(html).suffix not in {".html", ".htm"}:
        raise ParameterError(f"--html is {html!r}; end the name in .html")
    if chart is not None and Path(chart).suffix not in {".svg", ".png", ".html", ".json"}:
        raise ParameterError(f"--chart is {chart!r}; end the name in .svg, .png, .html or .json")
    if wrong := [path for path in outputs if Path(path).suffix not in {".csv", ".parquet", ".json"}]:
        raise ParameterError(f"--output is {wrong[0]!r}; end the name in .csv, .parquet or .json")
    if html is not None or chart is not None:
        from sottovoce.findings import findings_chart  # noqa: F401 - says what is missing
