"""sottovoce simulate: what to expect of a study, before anybody is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    from sottovoce.batch.reading import Reading
    from sottovoce.study import Study
    from sottovoce.study.simulation import Trial
    from sottovoce.utility.numbers import Numbers

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
    from sottovoce.findings.formatting import counted
    from sottovoce.findings.terminal import table
    from sottovoce.study.simulation import trials

    loaded = single(load(study), "a simulation is of")
    shares, what = population(loaded, truth, reading_of(truth, column, encoding, ignore_case=ignore_case))
    n = people or loaded.people or 10_000
    goal = _goal(loaded, about, within, level)
    found = trials(loaded.mechanism, shares, n, reports=loaded.reports, runs=runs, methods=method or (), level=level, seed=seed, goal=goal)
    if as_json:
        asked = {} if within is None else {"within": within}
        print_json(
            {"study": loaded.name, "people": n, "runs": runs, "truth": what} | asked | {"methods": [each.to_dict() for each in found]}
        )
        return
    out = console()
    spread = "" if "" in loaded.blocks else ", spread evenly over the levels"
    out.print(f"{loaded.name}: {n:,} simulated people{spread}, {counted(runs, 'run', 'runs')}, {what}", markup=False)
    out.print(table({"method": "left"} | HEADS, [(each.method, *numbers(each)) for each in found]))
    if found[0].predicted is not None and goal is None:
        out.print(f"Predicted for the unbiased estimate: a total variation of {shown(found[0].predicted)}.", markup=False)
    for line in (LEGEND, *note(found)):
        out.print(line, markup=False)
    if goal is not None:
        out.print()
        out.print(_figures(goal, found))
        out.print(_figure_legend(goal), markup=False)


def _goal(study: Study, about: str | None, within: float | None, level: float) -> Numbers | None:
    """What is asked of numbers: by default the distance between the distributions, as in plans."""
    from sottovoce.errors import ParameterError
    from sottovoce.utility.numbers import numbers_goal

    if about is None:
        if within is not None:
            raise ParameterError("--within goes with --about. Add --about mean, or leave it out.")
        return numbers_goal(study.domain, "distance", None, level) if _plainly_ordered(study) and study.domain.edges is not None else None
    return numbers_goal(study.domain, about, within, level)


def _plainly_ordered(study: Study) -> bool:
    """Whether the answers are numbers or a scale, without items beside them."""
    return study.domain.ordered and len(study.inputs) == len(study.domain)


def _figures(goal: Numbers, found: list[Trial]) -> Any:
    from sottovoce.findings.terminal import table

    columns: dict[str, list[str]] = {"method": [each.method for each in found]}
    figures = [each.figure for each in found if each.figure is not None]
    columns["distance" if goal.about == "distance" else f"{goal.about} off by"] = [f"{each.error:.3g}" for each in figures]
    columns["9 runs of 10"] = [f"≤ {each.most:.3g}" for each in figures]
    if goal.about != "distance":
        columns["interval ±"] = ["–" if each.half_width is None else f"{each.half_width:.3g}" for each in figures]
        columns["intervals hold"] = ["–" if each.held is None else f"{each.held:.1%}" for each in figures]
    if goal.asked is not None:
        head = "runs ≤" if goal.about == "distance" else "runs within ±"
        columns[f"{head} {goal.asked:g}"] = [f"{each.reached:.0%}" for each in figures]
    sides = {name: "left" if name == "method" else "right" for name in columns}
    return table(sides, list(zip(*columns.values(), strict=True)))


def _figure_legend(goal: Numbers) -> str:
    if goal.about == "distance":
        return goal.legend + "."
    return (
        f"off by: the mean distance of the {goal.about} from the truth, in the units of the numbers; interval ±: its half-width on average."
    )


HEADS = {"tv": "right", "±": "right", "9 runs of 10": "right", "l2": "right", "intervals hold": "right"}
LEGEND = "tv: total variation, half the sum of the errors; ±: its Monte-Carlo error; intervals hold the truth so often."


def note(found: list[Trial]) -> list[str]:
    """What to tell if people were too many to keep their reports."""
    if not any(each.from_totals for each in found):
        return []
    return ["These are too many people to keep their reports. The estimates come from totals. To keep the reports, use --method mle."]


def shown(tv: float) -> str:
    """A total variation, with at least two digits that aren't zero."""
    return f"{tv:.4f}" if tv >= 0.001 or tv == 0 else f"{tv:.2g}"


def numbers(trial: Trial) -> list[str]:
    """The columns of a trial."""
    held = "–" if trial.held is None else f"{trial.held:.1%}"
    return [
        shown(trial.tv),
        "–" if trial.tv_error != trial.tv_error else f"{trial.tv_error:.4f}" if trial.tv >= 0.001 else shown(trial.tv_error),
        f"≤ {shown(trial.tv_most)}",
        f"{trial.l2:.3g}",
        held,
    ]


def population(study: Study, truth: str | None, reading: Reading) -> tuple[Any, str]:
    """The shares of a simulated population, over items and bots, and what they are called."""
    from sottovoce.batch.answers import read_shares
    from sottovoce.study.simulation import bell, zipf

    if truth is not None:
        return read_shares(study, truth, reading, marked=True), f"the distribution of {truth}"
    if _plainly_ordered(study):
        return bell(len(study.inputs)), "a bell around the middle"
    return zipf(len(study.inputs)), "a Zipf law"
