"""sottovoce simulate: what to expect of a study, before anybody is asked."""

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
    StudyArgument,
    TruthOption,
    console,
    load,
    print_json,
    reading_of,
    single,
)

RunsOption = Annotated[int, typer.Option("--runs", min=1, help="How often the study is simulated.")]


def simulate(
    study: StudyArgument = DEFAULT,
    truth: TruthOption = None,
    column: ColumnOption = None,
    encoding: EncodingOption = None,
    ignore_case: IgnoreCaseOption = False,
    people: PeopleOption = None,
    runs: RunsOption = 100,
    method: Annotated[list[str] | None, typer.Option("--method", help="A method of estimation; may be repeated.")] = None,
    level: Annotated[float, typer.Option("--level", help="The level of the intervals.")] = 0.95,
    about: Annotated[
        str | None,
        typer.Option("--about", help="Of numbers: the mean, median, 'lower quartile', 'upper quartile' or distance."),
    ] = None,
    within: Annotated[
        float | None, typer.Option("--within", help="How close --about should come: count the runs that do. In the units of the numbers.")
    ] = None,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Simulate a study many times: how far the estimate is from the truth, and how often the intervals hold it.

    Without --truth the population follows a Zipf law (the k-th item has a share proportional to 1/k). Numbers and scales lie in a bell
    around the middle.

    $ sottovoce simulate study.toml --people 5000

    $ sottovoce simulate study.toml --truth census.csv -n 20000 --runs 200 --method mle --method auto

    $ sottovoce simulate ages.toml --people 5000 --about mean --within 2
    """
    from sottovoce.errors import ParameterError
    from sottovoce.findings.look_text import print_parts
    from sottovoce.findings.planned_looks import trials_parts
    from sottovoce.study import simulate as simulated

    loaded = single(load(study), "a simulation is of")
    if within is not None and about is None:
        raise ParameterError("--within goes with --about. Add --about mean, or leave it out.")
    reading = reading_of(truth, column, encoding, ignore_case=ignore_case)
    found = simulated(
        loaded, truth, people, runs=runs, methods=method or (), level=level, about=about, within=within, seed=seed, reading=reading
    )
    if as_json:
        print_json(found.to_dict())
    else:
        print_parts(trials_parts(found, "--method mle"), console())
