"""sottovoce simulate: what to expect of a study, before anyone is asked."""

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

RunsOption = Annotated[int, typer.Option("--runs", min=1, help="The number of simulations.")]


def simulate(
    study: StudyArgument = DEFAULT,
    truth: TruthOption = None,
    column: ColumnOption = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    ignore_case: IgnoreCaseOption = False,
    people: PeopleOption = None,
    runs: RunsOption = 100,
    method: Annotated[
        list[str] | None, typer.Option("--method", help="An estimation method. Repeat the option to compare several.")
    ] = None,
    level: Annotated[float, typer.Option("--level", help="The confidence level of the intervals.")] = 0.95,
    about: Annotated[
        str | None,
        typer.Option("--about", help="For numbers: measure the error of the mean, median, 'lower quartile', 'upper quartile' or distance."),
    ] = None,
    within: Annotated[
        float | None, typer.Option("--within", help="Count the runs in which --about is this close, in the units of the numbers.")
    ] = None,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Simulate a study many times: how far estimates are from the truth and how often intervals cover it.

    Without --truth, the population follows a Zipf law (the k-th item has a share proportional to 1/k). Numbers and scales follow a bell
    curve around the middle.

    $ sottovoce simulate study.toml --people 5000

    $ sottovoce simulate study.toml --truth census.csv -n 20000 --runs 200 --method mle --method auto

    $ sottovoce simulate ages.toml --people 5000 --about mean --within 2
    """
    from sottovoce.errors import ParameterError
    from sottovoce.findings.display.plans import trials_parts
    from sottovoce.findings.display.text import print_parts
    from sottovoce.study import simulate as simulated

    loaded = single(load(study), "simulate needs a study of")
    if within is not None and about is None:
        raise ParameterError("--within needs --about. Add --about mean or leave out --within.")
    reading = reading_of(truth, column, encoding, sheet, ignore_case=ignore_case)
    found = simulated(
        loaded, truth, people, runs=runs, methods=method or (), level=level, about=about, within=within, seed=seed, reading=reading
    )
    if as_json:
        print_json(found.to_dict())
    else:
        print_parts(trials_parts(found, "--method mle"), console())
