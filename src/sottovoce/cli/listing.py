"""sottovoce mechanisms, sottovoce notions: list or describe what you can use."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sottovoce.cli.common import JsonOption, console, print_json
from sottovoce.extras import page

NameArgument = Annotated[str | None, typer.Argument(metavar="[NAME]", help="Describe this one.")]


def mechanisms(name: NameArgument = None, as_json: JsonOption = False) -> None:
    """List the mechanisms that a study can use, or describe one.

    $ sottovoce mechanisms

    $ sottovoce mechanisms urap
    """
    from sottovoce.catalogue import load_extensions
    from sottovoce.study.recipes import nameable

    load_extensions()
    entries = nameable()
    about = ("use", "report", "source", "promises")
    rows = [
        {"name": each, "what": entry.summary, "takes": entry.takes, "settings": entry.settings}
        | {field: getattr(entry, field) for field in about}
        for each, entry in entries.items()
    ]
    _show("mechanism", rows, name, as_json=as_json, describe=lambda each: entries[each].thing)


def notions(name: NameArgument = None, as_json: JsonOption = False) -> None:
    """List the privacy notions that a study can guarantee, or describe one.

    $ sottovoce notions

    $ sottovoce notions uldp
    """
    from sottovoce.catalogue import promisable

    entries = promisable()
    rows = [
        {"name": each, "what": entry.summary, "takes": entry.takes, "settings": (), "source": entry.source}
        for each, entry in entries.items()
    ]
    _show("notion", rows, name, as_json=as_json, describe=lambda each: entries[each].thing)


def _show(kind: str, rows: list[dict[str, Any]], name: str | None, *, as_json: bool, describe: Any) -> None:
    import inspect

    from sottovoce.errors import ParameterError
    from sottovoce.findings.display.terminal import table

    names = [row["name"] for row in rows]
    if name is not None and name not in names:
        raise ParameterError(f"Unknown {kind} {name!r}. Choose one of {', '.join(names)}.")
    chosen = [row for row in rows if name in {None, row["name"]}]
    if as_json:
        print_json({f"{kind}s": [row | ({"doc": inspect.getdoc(describe(row["name"]))} if name else {}) for row in chosen]})
        return
    out = console()
    if name is not None:
        takes, settings = ", ".join(chosen[0]["takes"]) or "–", ", ".join(chosen[0]["settings"]) or "–"
        out.print((inspect.getdoc(describe(name)) or "").split("\n\n>>>")[0], markup=False, soft_wrap=True)
        out.print(f"\nFrom [privacy]: {takes}. Settings: {settings}.", markup=False)
        return
    heads = {kind: "left", "what it is": "left", "takes": "left"}
    out.print(table(heads, [(row["name"], row["what"], ", ".join(row["takes"]) or "a matrix") for row in chosen]))
    out.print(
        f"To describe one, run: sottovoce {kind}s NAME. For all of them with sources, see {page(f'{kind}s.md')}",
        markup=False,
        soft_wrap=True,
    )
