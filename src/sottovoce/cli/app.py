"""The commands, put together."""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import Annotated, Any

import typer

from sottovoce._version import __version__
from sottovoce.cli import (
    check,
    compare,
    demo,
    estimate,
    explain,
    listing,
    maps,
    new,
    perturb,
    plan,
    reproduce,
    serve,
    simulate,
    store,
    tally,
    token,
)
from sottovoce.cli.common import FILES, command, leave

_HELP = """Learn how a population is distributed without knowing who gave the answers you protect.

Devices send reports that prove no answer you protect. From all of them together you estimate the distribution, with error bars.

[bold]From your own CSV to a report[/bold]

  $ sottovoce new survey --items-from answers.csv     [dim]# writes study.toml, read it[/dim]

  $ sottovoce perturb answers.csv -o reports.parquet

  $ sottovoce estimate reports.parquet --html report.html
"""
EPILOG = (
    "Exit codes: 0 success, 1 invalid study, option or data, 2 invalid command line, "
    "3 a file couldn't be read or written, 4 invalid rows with --strict, 130 interrupted (141 or 143 by a signal). "
    "Files of reports and tickets, and files that you edit, are overwritten only with --force. "
    "Other outputs can be made again, so they are replaced, and commands print that."
)

app = typer.Typer(
    name="sottovoce",
    help=_HELP,
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"sottovoce {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")] = False,
) -> None: ...


for _name, _run, _panel in (
    ("new", new.new, "A study"),
    ("check", check.check, "A study"),
    ("explain", explain.explain, "A study"),
    ("plan", plan.plan, "A study"),
    ("map", maps.cut_map, "A study"),
    ("perturb", perturb.perturb, "Answers and reports"),
    ("tally", tally.tally, "Answers and reports"),
    ("estimate", estimate.estimate, "Answers and reports"),
    ("serve", serve.serve, "A collector"),
    ("export", store.export, "A collector"),
    ("simulate", simulate.simulate, "What to expect"),
    ("compare", compare.compare, "What to expect"),
    ("reproduce", reproduce.reproduce, "What to expect"),
    ("mechanisms", listing.mechanisms, "Lists and a demo"),
    ("notions", listing.notions, "Lists and a demo"),
    ("demo", demo.demo, "Lists and a demo"),
):
    app.command(_name, rich_help_panel=_panel)(command(_run))

for _name, _group in (("token", token.token), ("ticket", token.ticket), ("store", store.store)):
    app.add_typer(_group, name=_name, rich_help_panel="A collector")


def _ended(number: int, frame: Any) -> None:
    """On a signal to end, exit the usual way, so that half-written files are removed."""
    sys.exit(128 + number)


def main() -> None:
    """Run the command line."""
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no hangup
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup means it
            signal.signal(number, _ended)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a sign shows another, and no error
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the whole life of the process
    try:
        app()
    except OSError as error:  # help and version are printed outside the commands
        leave(str(error.strerror or error), FILES)
