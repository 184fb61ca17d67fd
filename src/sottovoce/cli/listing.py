"""sottovoce mechanisms, sottovoce notions: what there is."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sottovoce.cli.common import JsonOption, console, print_json
from sottovoce.extras import page

NameArgument = Annotated[str | None, typer.Argument(metavar="[NAME]", help="Tell more about one of them.")]


def mechanisms(name: NameArgument = None, as_json: JsonOption = False) -> None:
    """List the mechanisms that a study can name; or describe one.

    $ sottovoce mechanisms

    $ sottovoce mechanisms urap
    """
    from sottovoce.study.recipes import RECIPES

    rows = [
        {"name": each, "what": _summary(recipe.maker), "takes": list(recipe.takes), "settings": list(recipe.settings)}
        for each, recipe in RECIPES.items()
    ]
    _show("mechanism", rows, name, as_json=as_json, describe=lambda each: RECIPES[each].maker)


def notions(name: NameArgument = None, as_json: JsonOption = False) -> None:
    """List the notions of privacy that a study can promise; or describe one.

    $ sottovoce notions

    $ sottovoce notions uldp
    """
    from sottovoce import notions as there

    classes = {
        "ldp": (there.LDP, ["epsilon"]),
        "uldp": (there.ULDP, ["epsilon", "sensitive and/or tags"]),
        "ipldp": (there.IPLDP, ["budgets of some items"]),
        "minid": (there.IDLDP, ["budgets of all items"]),
        "item_uldp": (there.ItemULDP, ["budgets of some items"]),
        "lip": (there.LIP, ["epsilon", "prior"]),
    }
    rows = [{"name": each, "what": _summary(kind), "takes": takes, "settings": []} for each, (kind, takes) in classes.items()]
    _show("notion", rows, name, as_json=as_json, describe=lambda each: classes[each][0])


def _summary(thing: Any) -> str:
    import inspect

    text = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return " ".join(text.split())


def _show(kind: str, rows: list[dict[str, Any]], name: str | None, *, as_json: bool, describe: Any) -> None:
    import inspect

    from sottovoce.errors import ParameterError
    from sottovoce.findings.terminal import table

    names = [row["name"] for row in rows]
    if name is not None and name not in names:
        raise ParameterError(f"there is no {kind} {name!r}; there are {', '.join(names)}")
    chosen = [row for row in rows if name in {None, row["name"]}]
    if as_json:
        print_json({f"{kind}s": [row | ({"doc": inspect.getdoc(describe(row["name"]))} if name else {}) for row in chosen]})
        return
    out = console()
    if name is not None:
        takes, settings = ", ".join(chosen[0]["takes"]) or "–", ", ".join(chosen[0]["settings"]) or "–"
        out.print((inspect.getdoc(describe(name)) or "").split("\n\n>>>")[0], markup=False, soft_wrap=True)
        out.print(f"\ntakes of the promise: {takes}; settings: {settings}", markup=False)
        return
    heads = {kind: "left", "what it is": "left", "takes": "left"}
    out.print(table(heads, [(row["name"], row["what"], ", ".join(row["takes"]) or "a matrix") for row in chosen]))
    out.print(
        f"More about one: sottovoce {kind}s NAME. All of them, with their sources: {page(f'{kind}s.md')}", markup=False, soft_wrap=True
    )
