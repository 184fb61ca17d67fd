"""sottovoce compare: several mechanisms on one truth."""

from __future__ import annotations

from typing import Annotated

import typer

from sottovoce.cli.common import (
    DEFAULT,
    ColumnOption,
    EncodingOption,
    IgnoreCaseOption,
    JsonOption,
    PeopleOption,
    SeedOption,
    SheetOption,
    StudyArgument,
    TruthOption,
    console,
    load,
    print_json,
    reading_of,
    single,
)
from sottovoce.cli.simulate import RunsOption


def compare(
    study: StudyArgument = DEFAULT,
    mechanism: Annotated[
        list[str] | None,
        typer.Option(
            "--mechanism", "-m", help="A mechanism to compare. Repeat the option for more. [dim]By default all that suit the study.[/dim]"
        ),
    ] = None,
    truth: TruthOption = None,
    column: ColumnOption = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    ignore_case: IgnoreCaseOption = False,
    people: PeopleOption = None,
    runs: RunsOption = 30,
    method: Annotated[str | None, typer.Option("--method", help="The estimation method.")] = None,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Compare mechanisms with the study's guarantee on simulated answers.

    $ sottovoce compare study.toml --people 5000

    $ sottovoce compare study.toml -m urr -m urap -m krr --truth census.csv
    """
    from sottovoce.findings.display.plans import trials_parts
    from sottovoce.findings.display.text import print_parts
    from sottovoce.study import compare as compared

    loaded = single(load(study), "compare needs a study of")
    reading = reading_of(truth, column, encoding, sheet, ignore_case=ignore_case)
    found = compared(loaded, truth, people, mechanisms=mechanism or (), method=method, runs=runs, seed=seed, reading=reading)
    if as_json:
        print_json(found.to_dict())
    else:
        print_parts(trials_parts(found, "--method mle"), console())
