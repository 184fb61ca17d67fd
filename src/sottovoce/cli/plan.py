"""sottovoce plan: which mechanism, and how many people?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sottovoce.cli.common import DEFAULT, JsonOption, PeopleOption, TruthOption, console, load, print_json

_LEGEND = "tv: expected total variation; to the limit: worst-case l2 over the least possible; words: randomness per report"


def plan(
    study: Annotated[
        str | None, typer.Argument(metavar="[STUDY]", help="A study file; or describe the promise by the options below.")
    ] = None,
    people: PeopleOption = None,
    target: Annotated[float | None, typer.Option("--target", help="The total variation that is good enough, for example 0.05.")] = None,
    truth: TruthOption = None,
    level: Annotated[str | None, typer.Option("--level", help="The level to plan for, where people choose one.")] = None,
    items: Annotated[
        int | None, typer.Option("--items", min=2, max=10_000_000, help="Instead of a study: how many items there are.")
    ] = None,
    epsilon: Annotated[float | None, typer.Option("--epsilon", help="Instead of a study: the budget.")] = None,
    sensitive: Annotated[int | None, typer.Option("--sensitive", min=1, help="Instead of a study: how many items are sensitive.")] = None,
    chart: Annotated[
        str | None, typer.Option("--chart", metavar="FILE", help="Draw the errors against people and ε (.svg, .png, .html).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Rank the mechanisms that keep the promise by the error to expect of them.

    With --people the errors, with --target the people needed, with both whether it can be done.

    $ sottovoce plan study.toml --people 5000

    $ sottovoce plan study.toml --target 0.05 --chart plan.svg

    $ sottovoce plan --items 400 --sensitive 76 --epsilon 1 --target 0.05
    """
    from sottovoce.errors import ParameterError
    from sottovoce.findings.terminal import table, wrapped
    from sottovoce.utility import plan as planned

    if items is not None:
        if study is not None:
            raise ParameterError("a study and --items were given; give one of them")
        if truth is not None or level is not None:
            raise ParameterError("--truth and --level go with a study; leave them out, or name one")
        found = planned(items, epsilon, sensitive=sensitive, n=people, target=target)
    else:
        if epsilon is not None or sensitive is not None:
            raise ParameterError("--epsilon and --sensitive go with --items; a study has its own promise: edit it, or leave them out")
        from sottovoce.batch.answers import read_shares

        loaded = load(study or DEFAULT)
        found = loaded.plan(people, target, None if truth is None else read_shares(loaded, truth, marked=True), level)
    if chart is not None:
        from sottovoce.findings import plan_chart, save_chart

        save_chart(plan_chart(found), Path(chart))
    if as_json:
        print_json(found.to_dict() | ({"chart": chart} if chart else {}))
        return
    out = console()
    first = next((name for name, promise in loaded.promises.items() if promise), "") if items is None else ""
    planned_level = f", level {level or first!r}" if level or first else ""
    several = f", {found.reports} reports per person" if found.reports > 1 else ""
    out.print(f"{found.promise}{several}{planned_level}", markup=False)
    out.print(wrapped(found.reason, min(100, out.width)), markup=False, soft_wrap=True)
    heads = {"mechanism": "left"}
    heads |= {"tv": "right", "l2": "right"} if found.n else {}
    heads |= {"people": "right"} if found.target else {}
    rows = [
        [
            option.name,
            *([f"{option.tv:.4f}", f"{option.l2:.3g}"] if found.n else []),
            *([f"{option.people:,}"] if found.target else []),
            "–" if option.ratio is None else f"{option.ratio:.2f}",
            f"{option.report_bytes:,}",
            f"{option.words:,.1f}",
        ]
        for option in found.options
    ]
    out.print(table(heads | {"to the limit": "right", "bytes": "right", "words": "right"}, rows))
    out.print(_LEGEND, markup=False)
    if chart is not None:
        out.print(f"chart written to {chart}", markup=False)
