"""sottovoce tally: from reports to a tally."""

from __future__ import annotations

from typing import Annotated

import typer

from sottovoce.cli.common import JsonOption, PathsArgument, StrictOption, note, print_json, study_and_files, tell_skipped


def tally(
    paths: PathsArgument = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Where the tally goes (.arrow).")] = None,
    keep: Annotated[
        bool | None,
        typer.Option(
            "--keep-reports/--totals",
            help="Keep the reports for maximum likelihood, or their totals only. [dim]By default as long as they are few.[/dim]",
        ),
    ] = None,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Count reports into a tally; tallies add up.

    $ sottovoce tally study.toml 'reports/*.parquet' -o monday.arrow

    $ sottovoce tally study.toml monday.arrow tuesday.arrow -o week.arrow
    """
    from sottovoce.batch.collecting import collect, save_tally
    from sottovoce.errors import ParameterError

    study, files = study_and_files(paths, "files of reports", [output])
    if output is not None and not output.endswith(".arrow"):
        raise ParameterError(f"a tally is written as .arrow, not as {output!r}")
    found = collect(study, files, keep=keep, strict=strict)
    if output is not None:
        save_tally(output, study, found.tally)
    if as_json:
        blocks = [{"level": block.name, "n": block.n, "counts": block.counts.tolist()} for block in found.tally.blocks]
        print_json(
            {
                "study": study.name,
                "fingerprint": study.fingerprint,
                "n": found.tally.n,
                "kept": found.tally.keep_reports,
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
    levels = "".join(f"; {block.name}: {block.n:,}" for block in found.tally.blocks if block.name)
    typer.echo(f"{found.tally.n:,} reports of {study.name}{levels}{f', written to {output}' if output else ''}")
