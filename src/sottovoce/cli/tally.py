"""sottovoce tally: from reports to a tally."""

from __future__ import annotations

from typing import Annotated

import typer

from sottovoce.cli.common import JsonOption, PathsArgument, StrictOption, note, print_json, replaced, study_and_files, tell_skipped
from sottovoce.cli.engines import LOCAL, EngineOption, MasterOption, gathered, on_cluster
from sottovoce.findings.formatting import counted
from sottovoce.names import escaped


def tally(
    paths: PathsArgument = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write (.arrow).")] = None,
    keep: Annotated[
        bool | None,
        typer.Option(
            "--keep-reports/--totals",
            help="Keep the reports, which maximum likelihood needs, or only their totals. [dim]By default only while they are few.[/dim]",
        ),
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option(
            "--parts",
            metavar="FOLDER",
            help="A folder for the tally of each Parquet file, so that only new files are read. [dim]By default OUTPUT.parts if there "
            "are several.[/dim]",
        ),
    ] = None,
    no_parts: Annotated[bool, typer.Option("--no-parts", help="Read all files again and keep no tallies of single files.")] = False,
    engine: EngineOption = LOCAL,
    master: MasterOption = None,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Count reports into a tally, or merge tallies.

    $ sottovoce tally study.toml 'reports/*.parquet' -o tally.arrow

    $ sottovoce tally merge study.toml monday.arrow tuesday.arrow -o week.arrow

    $ sottovoce tally study.json s3a://bucket/reports/ -o tally.arrow --engine spark --master spark://host:7077

    With several Parquet files, the tally of each is kept in a folder beside the output, so the next run reads only new files.
    """
    from sottovoce.batch.input_files import PARTS
    from sottovoce.batch.left_out import LeftOut
    from sottovoce.batch.tally_files import save_tally
    from sottovoce.errors import ParameterError
    from sottovoce.study.questionnaire import Questionnaire

    given, cluster = list(paths or ()), on_cluster(engine, master)
    merge = given[:1] == ["merge"]
    if cluster and (merge or parts is not None or no_parts):
        raise ParameterError("--engine spark doesn't work with merge, --parts or --no-parts. Leave out one or the other.")
    study, files = study_and_files(given[merge:], "tallies" if merge else "files of reports", [output], cluster=cluster)
    if output is not None and not output.endswith(".arrow"):
        raise ParameterError(f"--output is {output!r}. Use a name that ends in .arrow.")
    if merge and (wrong := [path for path in files if not path.endswith(".arrow")]):
        raise ParameterError(f"{wrong[0]} isn't a tally (.arrow). To count reports, leave out the word merge.")
    if no_parts and parts is not None:
        raise ParameterError("--parts and --no-parts contradict each other. Leave one of them out.")
    if parts is None and output is not None and not (no_parts or cluster) and sum(path.lower().endswith(".parquet") for path in files) > 1:
        parts = output + PARTS
    # the tally of a cluster has no reports unless they are asked for: they stay there
    with gathered(study, files, cluster=cluster, master=master, keep=bool(keep) if cluster else keep, strict=strict, parts=parts) as found:
        pass
    there = replaced(output)
    if output is not None:
        save_tally(output, study, found.tally, found.left_out + LeftOut(reports=found.skipped.count))
    if as_json:
        blocks = [{"level": block.name, "n": block.n, "counts": block.counts.tolist()} for block in found.tally.blocks]
        print_json(
            {
                "study": study.name,
                "fingerprint": study.fingerprint,
                "n": found.tally.n,
                "kept": found.tally.keep_reports,
                "again": found.again,
                "blocks": blocks,
                "output": output,
                "skipped": found.skipped.to_dict(),
                "cautions": found.cautions,
            }
        )
        return
    tell_skipped(found.skipped)
    for caution in found.cautions:
        note(caution)
    if found.again:
        note(f"{'1 file was' if found.again == 1 else f'{found.again:,} files were'} already counted (see {parts}).")
    word = "form " if isinstance(study, Questionnaire) else ""
    levels = "".join(f", {word}{block.name}: {block.n:,}" for block in found.tally.blocks if block.name)
    there = f" written to {output}{there}" if output else ""
    typer.echo(escaped(f"{counted(found.tally.n, 'report', 'reports')} of {study.name}{levels}{there}"))
