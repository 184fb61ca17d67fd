"""sottovoce compare: several mechanisms on one truth."""

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
from sottovoce.cli.simulate import HEADS, LEGEND, RunsOption, note, numbers, population, shown

if TYPE_CHECKING:
    from sottovoce.mechanisms import Mechanism
    from sottovoce.study import Study


def compare(
    study: StudyArgument = DEFAULT,
    mechanism: Annotated[
        list[str] | None,
        typer.Option("--mechanism", "-m", help="A mechanism to try; may be repeated. [dim]By default all that the plan knows.[/dim]"),
    ] = None,
    truth: TruthOption = None,
    column: ColumnOption = None,
    encoding: EncodingOption = None,
    ignore_case: IgnoreCaseOption = False,
    people: PeopleOption = None,
    runs: RunsOption = 30,
    method: Annotated[str | None, typer.Option("--method", help="The method of estimation.")] = None,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Compare mechanisms that keep the study's promise, on one truth.

    $ sottovoce compare study.toml --people 5000

    $ sottovoce compare study.toml -m urr -m urap -m krr --truth census.csv
    """
    from sottovoce.findings.terminal import table
    from sottovoce.study.simulation import trials

    loaded = single(load(study), "mechanisms are compared for")
    shares, what = population(loaded, truth, reading_of(truth, column, encoding, ignore_case=ignore_case))
    n = people or loaded.people or 10_000
    methods = () if method is None else (method,)
    found = [
        each
        for candidate in _candidates(loaded, mechanism or [])
        for each in trials(candidate, shares, n, reports=loaded.reports, runs=runs, methods=methods, seed=seed)
    ]
    found.sort(key=lambda each: each.tv)
    if as_json:
        print_json({"study": loaded.name, "people": n, "runs": runs, "truth": what, "mechanisms": [each.to_dict() for each in found]})
        return
    out = console()
    out.print(f"{loaded.name}: {n:,} simulated people, {runs} runs, {what}", markup=False)
    heads = {"mechanism": "left", "method": "left"} | HEADS | {"predicted tv": "right"}
    rows = [(each.mechanism, each.method, *numbers(each), "–" if each.predicted is None else shown(each.predicted)) for each in found]
    out.print(table(heads, rows))
    for line in (f"{LEGEND} The prediction is that of the unbiased estimate.", *note(found)):
        out.print(line, markup=False)


def _candidates(study: Study, names: list[str]) -> list[Mechanism]:
    """The mechanisms that were named, or those of the plan; each keeps the promise."""
    from sottovoce.errors import ParameterError
    from sottovoce.study.recipes import built, promised
    from sottovoce.utility.candidates import candidates_for

    if len(study.blocks) > 1:
        raise ParameterError("people choose their level in this study; compare mechanisms in a study with one level")
    promise: Any = study.promises[""]
    each_report = promise.divided(study.reports)
    if names:
        return [built(each_report, name, {}) for name in names]
    return [promised(each_report, each) for each in candidates_for(each_report)]
