"""sottovoce plan: which mechanism, and how many people?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sottovoce.cli.common import (
    DEFAULT,
    ColumnOption,
    EncodingOption,
    IgnoreCaseOption,
    JsonOption,
    PeopleOption,
    SheetOption,
    TruthOption,
    console,
    load,
    print_json,
    reading_of,
    replaced,
)

if TYPE_CHECKING:
    from sottovoce.domain import Domain
    from sottovoce.study import Study
    from sottovoce.study.strategy_plan import StrategyPlan
    from sottovoce.utility import Plan


def plan(
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="[STUDY]", help="A study file. Without one, describe the guarantee with --items, --sensitive and --epsilon."
        ),
    ] = None,
    people: PeopleOption = None,
    target: Annotated[
        float | None,
        typer.Option("--target", help="The error to reach in total variation, half the sum of the errors of all shares. For example 0.05."),
    ] = None,
    item: Annotated[str | None, typer.Option("--item", help="Plan for the share of this item.")] = None,
    group: Annotated[
        list[str] | None, typer.Option("--group", metavar="ITEMS", help="Plan for the sum of these items: a,b,c, or repeat the option.")
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option("--margin", metavar="AXIS", help="Plan for every label of this axis. Repeat the option for combinations."),
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(
            "--within", help="The half-width of the interval to reach. 0.02 is two percentage points. [dim]By default for every item.[/dim]"
        ),
    ] = None,
    find: Annotated[float | None, typer.Option("--find", help="Plan to find items with this share, for example 0.01.")] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", help="The confidence of --within and --find. [dim]By default 0.95.[/dim]")
    ] = None,
    at_most: Annotated[
        float | None, typer.Option("--at-most", help="The largest share that you expect for what --within is about, for example 0.1.")
    ] = None,
    about: Annotated[
        str | None,
        typer.Option(
            "--about",
            help="For numbers: plan for the mean, median, 'lower quartile', 'upper quartile' or distance. "
            "For a questionnaire: the question that --within is about. Of numbers it's the mean.",
        ),
    ] = None,
    truth: TruthOption = None,
    column: ColumnOption = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    ignore_case: IgnoreCaseOption = False,
    level: Annotated[str | None, typer.Option("--level", help="The privacy level to plan for, if the study has levels.")] = None,
    items: Annotated[int | None, typer.Option("--items", min=2, max=10_000_000, help="Instead of a study: the number of items.")] = None,
    epsilon: Annotated[float | None, typer.Option("--epsilon", help="Instead of a study: the privacy budget ε.")] = None,
    sensitive: Annotated[int | None, typer.Option("--sensitive", min=1, help="Instead of a study: the number of sensitive items.")] = None,
    chart: Annotated[
        str | None, typer.Option("--chart", metavar="FILE", help="Draw the error against people and ε (.svg, .png, .html).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Rank the mechanisms with the study's guarantee by their expected error.

    With --people, you see the expected errors.
    With --target, --within or --find, you see how many people you need.
    With both, you see whether that many people are enough.

    $ sottovoce plan study.toml --people 5000

    $ sottovoce plan study.toml --target 0.05 --chart plan.svg

    $ sottovoce plan study.toml --item hiv --within 0.02

    $ sottovoce plan study.toml --find 0.01 --people 30000

    $ sottovoce plan ages.toml --about mean --within 2

    $ sottovoce plan questionnaire.toml --within 0.02

    $ sottovoce plan questionnaire.toml --about age --within 2

    $ sottovoce plan --items 400 --sensitive 76 --epsilon 1 --target 0.05
    """
    from sottovoce.domain import Domain
    from sottovoce.errors import ParameterError
    from sottovoce.study.questionnaire import Questionnaire
    from sottovoce.study.strategy_plan import StrategyPlan
    from sottovoce.utility import plan as planned

    loaded, reading = None, reading_of(truth, column, encoding, sheet, ignore_case=ignore_case)
    exact: dict[str, Any] = {"within": within, "find": find, "confidence": confidence, "at_most": at_most}
    exact |= {"margin": margin or None, "about": about}
    if items is not None:
        if study is not None:
            raise ParameterError("You gave both a study and --items. Leave one of them out.")
        if truth is not None or level is not None:
            raise ParameterError("--truth and --level need a study. Name one or leave them out.")
        domain = Domain(items)
        found = planned(domain, epsilon, sensitive=sensitive, n=people, target=target, **exact, **_named(domain, item, group))
    else:
        if epsilon is not None or sensitive is not None:
            raise ParameterError("--epsilon and --sensitive need --items. Leave them out, or edit [privacy] in the study.")
        from sottovoce.batch.answers import read_shares

        loaded = load(study or DEFAULT)
        if isinstance(loaded, Questionnaire):
            given = {"--target": target, "--item": item, "--group": group, "--find": find, "--margin": margin, "--at-most": at_most}
            given |= {"--truth": truth, "--chart": chart}
            if wrong := [name for name, value in given.items() if value not in (None, [])]:
                raise ParameterError(
                    f"{wrong[0]} works only for studies of one question. For a questionnaire, use --people, or --within for the error "
                    "of every share. Add --about QUESTION for one question, such as the mean of a number."
                )
            _questionnaire(StrategyPlan.of(loaded, people, within, confidence, level, about), as_json=as_json)
            return
        shares = None if truth is None else read_shares(loaded, truth, reading, marked=True)
        found = loaded.plan(people, target, shares, level, **exact, **_named(loaded.domain, item, group))
    there = replaced(chart)
    if chart is not None:
        from sottovoce.findings import plan_chart, save_chart

        save_chart(plan_chart(found), Path(chart))
    if as_json:
        print_json(found.to_dict() | ({"chart": chart} if chart else {}))
        return
    _print(found, loaded, level)
    if chart is not None:
        console().print(f"Chart written to {chart}{there}", markup=False)


def _questionnaire(found: StrategyPlan, *, as_json: bool) -> None:
    """The strategies of a questionnaire: the error of every question, and the people that each needs."""
    from sottovoce.findings.display.plans import strategy_parts
    from sottovoce.findings.display.text import print_parts

    if as_json:
        print_json(found.to_dict())
        return
    print_parts(strategy_parts(found), console())


def _named(domain: Domain, item: str | None, group: list[str] | None) -> dict[str, Any]:
    """The item and the group from the options, as items of the domain."""
    from sottovoce.labels import labels_of

    def one(text: str) -> Any:
        code = labels_of(domain).code(text)
        return domain.item(domain.code(text) if code is None else code)  # an unknown one is explained by the domain

    texts = [part for text in group or [] for part in ([text] if labels_of(domain).code(text) is not None else text.split(","))]
    return {"item": None if item is None else one(item), "group": [one(text) for text in texts] if group else None}


def _print(found: Plan, study: Study | None, level: str | None) -> None:
    from sottovoce.findings.display.plans import plan_parts
    from sottovoce.findings.display.text import print_parts

    first = next((name for name, promise in study.promises.items() if promise), "") if study is not None else ""
    hint = ""
    if study is not None and found.best is not found.closest and found.closest.name == study.blocks[level or first].name:
        hint = f'This study uses {found.closest.name}. To switch to {found.best.name}, write name = "{found.best.name}" under [mechanism].'
    print_parts(plan_parts(found, f"{level or first!r}" if level or first else "", hint), console())
