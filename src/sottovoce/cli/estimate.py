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
    SheetOption,
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

    from sottovoce.batch.reading import Reading
    from sottovoce.study import Study


def estimate(
    paths: PathsArgument = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help=f"The estimation method, for example mle, projected or auto. [dim]See {page('estimates.md')}[/dim]"),
    ] = None,
    level: Annotated[float, typer.Option("--level", help="The confidence level of the intervals.")] = 0.95,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Make the intervals hold for all items at once, not only for each one.")
    ] = False,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write a self-contained HTML page.")] = None,
    chart: Annotated[str | None, typer.Option("--chart", metavar="FILE", help="Draw a chart (.svg, .png, .html, .json).")] = None,
    output: Annotated[
        list[str] | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the table (.csv, .parquet or .json). Repeat the option for more files."),
    ] = None,
    truth: TruthOption = None,
    column: ColumnOption = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    ignore_case: IgnoreCaseOption = False,
    spread: Annotated[
        list[str] | None,
        typer.Option(
            "--tag-spread",
            metavar="TAG=FILE",
            help="A file with the distribution of a tag's answers over the items. Repeat it for each tag.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Estimate even from fewer reports than the study's minimum.")] = False,
    engine: EngineOption = LOCAL,
    master: MasterOption = None,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Estimate the distribution, with error bars, from reports or a tally.

    $ sottovoce estimate study.toml reports.parquet

    $ sottovoce estimate study.toml 'reports/*.parquet' --html report.html -o shares.csv

    $ cat reports.ndjson | sottovoce estimate study.toml --json

    $ sottovoce estimate study.json hdfs:///reports --engine spark --master yarn
    """
    from sottovoce import estimators
    from sottovoce.batch.answers import read_shares
    from sottovoce.errors import FewReportsError, ParameterError
    from sottovoce.findings.display.estimates import COMMAND, findings_parts
    from sottovoce.findings.display.text import print_parts
    from sottovoce.findings.results import Findings
    from sottovoce.policy.wording import unpublished
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
            "--sheet": sheet,
            "--ignore-case": ignore_case,
            "--tag-spread": spread,
            "--simultaneous": simultaneous,
        }
        if wrong := [name for name, value in given.items() if value]:
            raise ParameterError(f"{wrong[0]} works only for studies of one question. Leave it out.")
        with gathered(study, files, cluster=cluster, master=master, method=method, strict=strict) as found:
            written_to = Outputs(html, chart, output or [])
            estimate_questionnaire(study, found, method=method, level=level, outputs=written_to, force=force, as_json=as_json)
        return
    reading = reading_of(truth or spread, column, encoding, sheet, ignore_case=ignore_case)
    known = _known(study, spread or [], reading)
    beside = {} if truth is None else {"truth": read_shares(study, truth, reading)}
    with gathered(study, files, cluster=cluster, master=master, method=method, strict=strict) as found:
        if found.tally.n < study.minimum and not force:
            raise FewReportsError(found.tally.n, study.minimum, "Wait for more reports or use --force.")
        made = estimators.estimate(found.tally, method)
    notes = list(found.cautions)
    if found.tally.n < study.minimum:
        notes.insert(0, unpublished(study.minimum))
    if found.skipped.count:
        notes.insert(0, found.skipped.sentence())
    findings = Findings.of(study, made, level=level, known=known, beside=beside, notes=notes, simultaneous=simultaneous)
    written = Outputs(html, chart, output or []).write(findings)
    if as_json:
        print_json(findings.to_dict() | {"skipped": found.skipped.to_dict(), "written": list(written)})
        return
    tell_skipped(found.skipped)
    print_parts(findings_parts(findings, COMMAND), console())
    for path, there in written.items():
        note(f"Written to {path}{there}")


def _known(study: Study, spreads: list[str], reading: Reading) -> dict[str, NDArray[np.float64]]:
    from sottovoce.batch.answers import read_shares
    from sottovoce.errors import ParameterError

    known = {}
    for each in spreads:
        tag, sign, path = each.partition("=")
        if not sign or tag not in study.tags:
            tags = f"The tags are {', '.join(study.tags)}" if study.tags else "This study has no tags"
            raise ParameterError(f"--tag-spread is {each!r}. Write it as TAG=FILE. {tags}.")
        known[tag] = read_shares(study, path, reading)
    return known


def _known_endings(html: str | None, chart: str | None, outputs: list[str]) -> None:
    """Refuse files of unknown formats before any work is done."""
    from pathlib import Path

    from sottovoce.errors import ParameterError

    if html is not None and Path(html).suffix not in {".html", ".htm"}:
        raise ParameterError(f"--html is {html!r}. Use a name that ends in .html.")
    if chart is not None and Path(chart).suffix not in {".svg", ".png", ".html", ".json"}:
        raise ParameterError(f"--chart is {chart!r}. Use a name that ends in .svg, .png, .html or .json.")
    if wrong := [path for path in outputs if Path(path).suffix not in {".csv", ".parquet", ".json"}]:
        raise ParameterError(f"--output is {wrong[0]!r}. Use a name that ends in .csv, .parquet or .json.")
    if html is not None or chart is not None:
        from sottovoce.findings import findings_chart  # noqa: F401 - says what is missing
