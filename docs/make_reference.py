"""Write docs/reference.md: every command with its options, and every public name with what it says of itself.

Also the tables of docs/mechanisms.md, docs/notions.md and docs/estimates.md, from the catalogue, and that of problems in docs/http-api.md.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from sottovoce.catalogue import MECHANISMS, METHODS, NOTIONS, Declared, MechanismEntry, Need, NotionEntry
from sottovoce.cli.app import EPILOG, app
from sottovoce.errors import PROBLEMS

PAGE = Path(__file__).with_name("reference.md")
LAYERS = {
    "Domains, priors, sources": ("domain", "policy.prior", "sources"),
    "Studies": ("study",),
    "Devices": ("devices",),
    "Mechanisms": ("mechanisms",),
    "Notions": ("notions",),
    "Reports and tallies": ("reports", "tallies"),
    "Estimates": ("estimators",),
    "Findings": ("findings",),
    "What to expect": ("utility",),
    "Channels": ("channels",),
    "Errors": ("errors",),
}


def commands() -> list[str]:
    """A section for each command."""
    lines = ["## Commands", "", EPILOG, ""]
    group: Any = typer.main.get_command(app)
    for name, command in _all(group.commands):
        text, examples = _split(command.help or "")
        lines += [f"### `sottovoce {name}`", "", text, ""]
        if examples:
            lines += ["```sh", *examples, "```", ""]
        lines += ["| option | meaning |", "|---|---|"]
        for parameter in command.params:
            if parameter.name == "help":
                continue
            option = parameter.param_type_name == "option"
            called = [*parameter.opts, *parameter.secondary_opts] if option else [parameter.metavar or parameter.name]
            meaning = f"{_plain(getattr(parameter, 'help', '') or '')}{_choices(parameter)}{_default(parameter)}"
            lines.append(f"| {', '.join(f'`{each}`' for each in called)} | {meaning} |")
        lines.append("")
    return lines


def _all(commands: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """All commands, those of groups with the group's name before theirs."""
    found = []
    for name, command in commands.items():
        below = getattr(command, "commands", None)
        found += [(f"{prefix}{name}", command)] if below is None else _all(below, f"{prefix}{name} ")
    return found


def _split(text: str) -> tuple[str, list[str]]:
    """What a command does, and its examples."""
    parts = [" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n")]
    return "\n\n".join(part for part in parts if not part.startswith("$")), [
        part.removeprefix("$ ") for part in parts if part.startswith("$")
    ]


def _plain(text: str) -> str:
    return re.sub(r"\[/?\w+\]", "", text).replace("|", "\\|")


def _choices(parameter: Any) -> str:
    """The values of an option that takes one of a few, unless its help names them."""
    values = [str(getattr(each, "value", each)) for each in getattr(parameter.type, "choices", ())]
    return "" if all(each in (parameter.help or "") for each in values) else f" One of {', '.join(f'`{each}`' for each in values)}."


def _default(parameter: Any) -> str:
    value = parameter.default
    return f" (by default `{value}`)" if isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != "" else ""


def names() -> list[str]:
    """A table for each layer."""
    place = "Everything below is in the package `sottovoce` (imported as `sv` in the documentation), and findings in `sottovoce.findings`."
    lines = ["## Python", "", place, ""]
    for title, layers in LAYERS.items():
        lines += [f"### {title}", "", "| name | what it is |", "|---|---|"]
        for layer in layers:
            module = import_module(f"sottovoce.{layer}")
            for name in sorted(module.__all__, key=str.lower):
                thing = getattr(module, name)
                lines.append(f"| `{name}{_signature(thing)}` | {_summary(thing)} |")
        lines.append("")
    return lines


def _signature(thing: Any) -> str:
    if not callable(thing) or (isinstance(thing, type) and issubclass(thing, (Exception, ABC))):
        return ""
    parameters = inspect.signature(thing).parameters.values()
    texts = [
        f"{'*' if each.kind is each.VAR_POSITIONAL else '**' if each.kind is each.VAR_KEYWORD else ''}{each.name}"
        + ("" if each.default is each.empty else "=…")
        for each in parameters
        if not each.name.startswith("_")
    ]
    return f"({', '.join(texts)})"


def _summary(thing: Any) -> str:
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split()) if callable(thing) else repr(thing)
    return text.replace("|", "\\|").replace("<", "&lt;")


def page() -> str:
    """The whole page."""
    head = ["# Commands and names", "", "Every command with its options, and every public name with the first lines of its docstring.", ""]
    return "\n".join([*head, *commands(), *names()]).rstrip() + "\n"


def mechanisms() -> list[str]:
    """The table of mechanisms."""
    head = ["| constructor | for | promises | a report is | source |", "|---|---|---|---|---|"]
    rows = [(f"`{_call(each)}`", each.use, ", ".join(each.promises), each.report, _source(each)) for each in MECHANISMS.values()]
    return [*head, *(f"| {' | '.join(row)} |" for row in rows)]


def notions() -> list[str]:
    """The table of notions."""
    head = ["| notion | in study files | means | source |", "|---|---|---|---|"]
    rows = [
        (f"`{_call(each)}`", f"`{each.key}`" if each.key else "", each.says.replace("|", "\\|"), _source(each)) for each in NOTIONS.values()
    ]
    return [*head, *(f"| {' | '.join(row)} |" for row in rows)]


def _call(entry: Declared) -> str:
    """How it's called, with the defaults."""
    parameters = inspect.signature(entry.thing).parameters.values()
    texts = [_parameter(each) for each in parameters]
    if (named := next((place for place, each in enumerate(parameters) if each.kind is each.KEYWORD_ONLY), None)) is not None:
        texts.insert(named, "*")
    return f"{entry.name}({', '.join(texts)})"


def _parameter(each: inspect.Parameter) -> str:
    stars = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
    return stars + each.name + ("" if each.default is each.empty else f"={_value(each.default)}")


def _value(default: Any) -> str:
    return f'"{default}"' if isinstance(default, str) else getattr(default, "__name__", repr(default))


def _source(entry: MechanismEntry | NotionEntry) -> str:
    decision = re.match(r"decisions/0*(\d+)-", entry.see)
    link = f"[{f'decision {decision[1]}' if decision else 'below'}]({entry.see})" if entry.see else ""
    return "; ".join(part for part in (entry.source, link) if part)


def estimates() -> list[str]:
    """The methods of `estimate`, those that need least of a tally last."""
    rows = ["| method | what it does | needs |", "|---|---|---|"]
    order = [Need.REPORTS, Need.REPORTS_AT_HAND, Need.ORDER, Need.COUNTS, Need.ITEMS, Need.NOTHING]
    for entry in sorted(METHODS.values(), key=lambda each: order.index(each.needs)):
        more = f" [More]({entry.see})." if entry.see else ""
        rows.append(f"| `{entry.name}` | {entry.about}{more} | {entry.needs.value} |")
    return rows


def problems() -> list[str]:
    """The kinds of errors, with the status that each has over HTTP."""
    head = ["| kind | status | rule | what to do |", "|---|---|---|---|"]
    return [*head, *(f"| `{kind}` | {each.status} | {each.title} | {each.remedy} |" for kind, each in PROBLEMS.items())]


def with_table(text: str, name: str, table: list[str]) -> str:
    """A page with its table, which stands between two comments, written again."""
    begin, end = f"<!-- {name}: written by make reference -->", f"<!-- end of {name} -->"
    before, _, rest = text.partition(begin)
    return "\n".join([before + begin, "", *table, "", end + rest.partition(end)[2]])


#: The pages that have a table made of the code.
TABLES = {"mechanisms": mechanisms, "notions": notions, "estimates": estimates, "http-api": problems}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    for name, table in TABLES.items():
        file = PAGE.with_name(f"{name}.md")
        file.write_text(with_table(file.read_text(encoding="utf-8"), name, table()), encoding="utf-8")
