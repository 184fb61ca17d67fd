"""sottovoce new: write a study file to start from."""

from __future__ import annotations

from typing import Annotated

import typer

from sottovoce.cli.common import DEFAULT, EncodingOption, ForceOption, JsonOption, SheetOption, fresh, note, print_json, reading_of


def new(
    kind: Annotated[
        str, typer.Argument(metavar="[TEMPLATE]", help="The template: survey, questionnaire, numbers, grid, telemetry or personal.")
    ] = "survey",
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The file to write ('-': standard output).")] = DEFAULT,
    name: Annotated[str | None, typer.Option("--name", help="The name of the study.")] = None,
    question: Annotated[
        str | None, typer.Option("--question", help="The question that people answer, or the title of a questionnaire.")
    ] = None,
    item: Annotated[list[str] | None, typer.Option("--item", help="A possible answer. Repeat the option for each.")] = None,
    items_from: Annotated[
        str | None,
        typer.Option(
            "--items-from", metavar="FILE", help="Use the answers that occur in a file (CSV, JSON, NDJSON, Parquet, Excel or SPSS)."
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="The column of the --items-from file to read. [dim]By default 'answer'.[/dim]")
    ] = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", help="Treat 'Flu' and 'flu' in the --items-from file as one answer.")
    ] = False,
    sensitive: Annotated[list[str] | None, typer.Option("--sensitive", help="A sensitive answer. Repeat the option for each.")] = None,
    epsilon: Annotated[float | None, typer.Option("--epsilon", help="The privacy budget ε.")] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a study file with comments, from a template.

    survey: one question, a list of answers. questionnaire: several questions. numbers: a number or a scale.
    grid: places, some of them sensitive. telemetry: a setting out of many. personal: places, with private ones that people mark.

    $ sottovoce new survey

    $ sottovoce new survey --items-from answers.csv --sensitive hiv --sensitive cancer

    $ sottovoce new questionnaire -o wellbeing.toml

    $ sottovoce new grid -o city.toml
    """
    from difflib import get_close_matches

    from sottovoce.batch.writers import write_whole
    from sottovoce.errors import ParameterError
    from sottovoce.study import Study
    from sottovoce.study.templates import KINDS, template

    if kind not in KINDS:
        raise ParameterError(
            f"Unknown template {kind!r}. Choose one of {', '.join(f'{each} ({known.what})' for each, known in KINDS.items())}."
        )
    items = list(item or [])
    reading = reading_of(items_from, column, encoding, sheet, "--items-from", ignore_case=ignore_case)
    if items_from is not None:
        from sottovoce.batch.answers import distinct_answers

        items += [each for each in distinct_answers(items_from, reading) if each not in items]
        _tell_alike(items)
        note("The items are the answers in the file, so the study reveals which answers occur. To avoid this, name all possible")
        note("answers yourself: --item yes --item no")
    if (items or sensitive) and not KINDS[kind].items:
        raise ParameterError(f"The template {kind!r} has no list of items. Edit the numbers or the grid in the file instead.")
    if missing := [each for each in sensitive or [] if items and each not in items]:
        alike = get_close_matches(missing[0].casefold(), folded := {each.casefold(): each for each in items}, n=1)
        meant = f" Did you mean {folded[alike[0]]!r}?" if alike else ""
        raise ParameterError(
            f"The sensitive answer {missing[0]!r} isn't one of the items: {', '.join(items[:10])}."
            f"{meant or ' Correct it or add it with --item.'}"
        )
    text = template(kind, name, question, items, sensitive or [], epsilon)
    study = Study.from_toml(text, output if output != "-" else "the new study")
    if output == "-":
        print_json({"output": output, "name": study.name, "text": text}) if as_json else typer.echo(text, nl=False)
        return
    fresh(output, force=force)
    write_whole(output, text)
    if as_json:
        size = {"questions": len(study.questions)} if study.of_several_questions else {"items": len(study.domain)}
        print_json({"output": output, "name": study.name, **size, "fingerprint": study.fingerprint})
        return
    if study.of_several_questions:
        size_of_it = f"{len(study.questions)} questions, {len(study.blocks)} forms"
    else:
        size_of_it = f"{len(study.domain):,} items, {next(iter(study.blocks.values())).name}"
    note(f"{output} written: {study.question} ({size_of_it})")
    note(f"Read and edit it, then run: sottovoce check{'' if output == DEFAULT else ' ' + output}")


def _tell_alike(items: list[str]) -> None:
    """Warn about answers that differ only in case."""
    first: dict[str, str] = {}
    for each in items:
        if (other := first.setdefault(each.casefold(), each)) != each:
            note(f"{other!r} and {each!r} differ only in upper and lower case. Use --ignore-case to treat them as one answer.")
            return
