"""sottovoce perturb: from answers to reports."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from sottovoce.cli.common import (
    ForceOption,
    JsonOption,
    PathsArgument,
    SheetOption,
    StrictOption,
    fresh,
    note,
    print_json,
    study_and_files,
    tell_clipped,
    tell_skipped,
)


def perturb(
    paths: PathsArgument = None,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file to write (.parquet or .ndjson).")] = "-",
    form: Annotated[
        str | None,
        typer.Option("--format", help="The format of the reports: parquet or ndjson. [dim]By default from the file's ending.[/dim]"),
    ] = None,
    input_form: Annotated[
        str | None, typer.Option("--input-format", help="The format of the answers: csv, json, ndjson, parquet, excel or spss.")
    ] = None,
    column: Annotated[str | None, typer.Option("--column", help="The column with the answers. [dim]By default 'answer'.[/dim]")] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", help="The encoding of the answers, for example latin-1. [dim]By default UTF-8.[/dim]")
    ] = None,
    sheet: SheetOption = None,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", help="Read 'Flu' as 'flu'.")] = False,
    level: Annotated[str | None, typer.Option("--level", help="The privacy level of all respondents, if the study has levels.")] = None,
    unmarked: Annotated[bool, typer.Option("--unmarked", help="State that no answer is tagged, if the study has tags.")] = False,
    strict: StrictOption = False,
    force: ForceOption = False,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Draw from a seed. For simulations only: the reports protect no one.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Perturb answers from a CSV, JSON, NDJSON, Parquet, Excel or SPSS file and write reports.

    Randomness comes from the operating system. A line of NDJSON is the body of one POST to a collector.

    $ sottovoce perturb study.toml answers.csv -o reports.parquet

    $ cat answers.csv | sottovoce perturb study.toml | head -1

    The file has a column 'answer', or one for each axis of the study (for a grid, the coordinates), and 'level' and 'tag' if the
    study has them. For a questionnaire it has one column per question, with semicolons between several choices.
    Reports of an answer that are drawn a second time reveal more, so a file of reports is only overwritten with --force.
    Invalid rows are skipped and counted. With --strict, they stop the command instead.
    """
    from sottovoce.batch.input_files import ANSWERS, FORMATS
    from sottovoce.batch.perturbing import perturb_file
    from sottovoce.batch.reading import Reading
    from sottovoce.errors import ParameterError
    from sottovoce.findings.formatting import counted
    from sottovoce.sources import SecureSource, SeededSource

    if folder := next((each for each in paths or () if os.path.isdir(each)), None):
        raise ParameterError(f"{folder} is a folder. Name one file of answers.")
    study, files = study_and_files(paths, "a file of answers", [output])
    if len(files) > 1:
        raise ParameterError(f"Expected one file of answers, got {len(files)}. Run the command once for each file.")
    if form not in {None, "parquet", "ndjson"}:
        raise ParameterError(f"--format is {form!r}. Use parquet or ndjson.")
    if (input_form is not None and input_form not in (known := {**FORMATS, **ANSWERS}.values())) or input_form == "arrow":
        listed = ", ".join(dict.fromkeys(each for each in known if each != "arrow"))
        raise ParameterError(f"--input-format is {input_form!r}. Use one of {listed}.")
    if as_json and output == "-":
        raise ParameterError("--json needs standard output for the summary. Name a file for the reports with --output.")
    fresh(output, force=force)
    if seed is not None:
        note("These reports come from a seed, so anyone who knows it can recover the answers. Use them for simulations only.")
    source = SecureSource() if seed is None else SeededSource(seed)
    skipped = perturb_file(
        study,
        files[0],
        output,
        reading=Reading(input_form, column, encoding, ignore_case, sheet),
        output_form=form,
        level=level,
        unmarked=unmarked,
        strict=strict,
        source=source,
    )
    if as_json:
        print_json(
            {
                "study": study.name,
                "fingerprint": study.fingerprint,
                "answers": skipped.used,
                "reports": skipped.used * study.reports,
                "output": output,
                "skipped": skipped.to_dict(),
                **({"clipped": dict(zip(("below", "above"), skipped.clipped, strict=True))} if study.domain.edges is not None else {}),
            }
        )
    else:
        tell_skipped(skipped)
        tell_clipped(study, skipped)
        if output != "-":
            made = counted(skipped.used * study.reports, "report", "reports")
            note(f"{made} of {counted(skipped.used, 'answer', 'answers')} written to {output}")
