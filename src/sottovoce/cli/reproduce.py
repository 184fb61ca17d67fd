"""sottovoce reproduce: the figures and tables of the papers, measured again."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sottovoce.cli.common import INTERRUPTED, JsonOption, console, leave, note, print_json

if TYPE_CHECKING:
    from experiments.experiment import Experiment, Paper
    from experiments.running import Request

PaperArgument = Annotated[
    str,
    typer.Argument(
        metavar="[PAPER]",
        help="The paper: uldp, lip, ipldp, small_samples, beyond or all. [dim]By default, list them and how long they take.[/dim]",
    ),
]
FigureOption = Annotated[
    list[str] | None,
    typer.Option("--figure", help="A figure or table, such as 5 or 'table 1'. Repeat the option for more. [dim]By default all.[/dim]"),
]
FullOption = Annotated[bool, typer.Option("--full", help="Measure all points and runs of the paper, not only some.")]
RunsOption = Annotated[
    int | None, typer.Option("--runs", min=1, help="The number of repetitions. [dim]By default as --full or the fast mode sets it.[/dim]")
]
DataOption = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="A folder with your own count files, which replace those of the same name.")
]
FolderOption = Annotated[Path, typer.Option("--folder", help="The folder for tables, charts and pages.")]
AgainOption = Annotated[bool, typer.Option("--again", help="Measure again what was already measured.")]
RedrawOption = Annotated[bool, typer.Option("--redraw", help="Draw charts and pages from the tables in the folder, without measuring.")]
NoChartsOption = Annotated[bool, typer.Option("--no-charts", help="Write tables and pages without charts.")]
RecordOption = Annotated[bool, typer.Option("--record", help="Record how long it took.", hidden=True)]


def reproduce(
    paper: PaperArgument = "",
    figure: FigureOption = None,
    full: FullOption = False,
    runs: RunsOption = None,
    data: DataOption = None,
    folder: FolderOption = Path("reproduction"),
    again: AgainOption = False,
    redraw: RedrawOption = False,
    no_charts: NoChartsOption = False,
    record: RecordOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the papers' figures and tables again, and write a page with a verdict on every claim.

    The experiments are part of the repository, so run this in a clone of it. `python -m experiments` is the same command there.

    Seeds are fixed. If you interrupt the command, run it again to continue: what was measured is kept.

    $ sottovoce reproduce

    $ sottovoce reproduce uldp --figure 5

    $ sottovoce reproduce all --full --folder docs/reproduction
    """
    sys.path.insert(0, str(_root()))
    from experiments.page import Results, index
    from experiments.papers import paper_of
    from experiments.running import Request
    from experiments.timings import Timings
    from sottovoce.batch.writers import write_whole
    from sottovoce.errors import ParameterError

    request = Request(folder, full=full, runs=runs, data=data, again=again)
    if not paper and not figure:
        _list(request, as_json)
        return
    chosen = _chosen([paper_of(name) for name in _names(paper)], figure)
    _check(request, [experiment for _, experiments in chosen for experiment in experiments])
    results = []
    for each, experiments in chosen:
        began = time.monotonic()
        if not redraw:
            _measure(each, experiments, request, quiet=as_json)
        found = Results(each, folder, charts=not no_charts)
        if redraw and not found.found:
            note(f"{each.name}: {folder} has no measurements yet")
            continue
        page = found.write()
        if record:
            Timings.load().with_results(each, folder).save()
        claims = [claim for of_one in found.claims.values() for claim in of_one]
        results.append(
            {
                "paper": each.name,
                "modes": sorted({conditions["mode"] for _, _, conditions in found.found.values()}),
                "seconds": time.monotonic() - began,
                "page": str(page),
                "tables": [str(folder / each.name / f"{name}.csv") for name in found.found],
                "claims": [vars(claim) for claim in claims],
            }
        )
        if not as_json:
            _show(each, claims, page)
    if not results:
        raise ParameterError(f"{folder} has no measurements to draw. Leave out --redraw.")
    write_whole(folder / "README.md", index(folder, charts=not no_charts))
    if as_json:
        print_json({"papers": results})


def _root() -> Path:
    """The folder that contains the experiments, which come with the repository."""
    from sottovoce.errors import UnsupportedError
    from sottovoce.extras import REPOSITORY

    own = Path(__file__).resolve().parents[3]
    for place in (own, Path.cwd(), *Path.cwd().parents):
        if (place / "experiments" / "running.py").is_file() and (place / "src" / "sottovoce").is_dir():
            return place
    raise UnsupportedError(f"The experiments aren't part of the package. Clone {REPOSITORY} and run there: python -m experiments")


def _names(paper: str) -> Sequence[str]:
    from experiments.papers import NAMES
    from sottovoce.errors import ParameterError

    if paper == "all":
        return NAMES
    name = paper.replace("-", "_")
    if name not in NAMES:
        what = f"Unknown paper {paper!r}" if paper else "No paper was named"
        raise ParameterError(f"{what}. Choose one of {', '.join(NAMES)}, or all.")
    return [name]


def _chosen(papers: Sequence[Paper], figures: Sequence[str] | None) -> list[tuple[Paper, Sequence[Experiment]]]:
    """The papers with the experiments that contain the figures."""
    from sottovoce.errors import ParameterError

    if not figures:
        return [(paper, paper.experiments) for paper in papers]
    wanted = {each: each.lower().removeprefix("figure").removeprefix("chart").strip() for each in figures}
    there = [name for paper in papers for experiment in paper.experiments for name in experiment.figures]
    for typed, name in wanted.items():
        if name not in there:
            what = papers[0].name if len(papers) == 1 else "no paper"
            raise ParameterError(f"{what} has{' no' * (len(papers) == 1)} figure {typed!r}. There are {', '.join(dict.fromkeys(there))}.")
    found = [(paper, [each for each in paper.experiments if set(wanted.values()) & set(each.figures)]) for paper in papers]
    return [(paper, experiments) for paper, experiments in found if experiments]


def _check(request: Request, experiments: Sequence[Experiment]) -> None:
    """Check the options before hours are spent."""
    from experiments.data import Data
    from sottovoce.errors import ParameterError

    if request.folder.exists() and not request.folder.is_dir():
        raise ParameterError(f"{request.folder} is a file. Choose a folder with --folder.")
    data, names = Data(request.data), list(dict.fromkeys(name for each in experiments for name in each.data))
    if request.data is not None:
        own = data.own(names)
        if not own:
            raise ParameterError(
                f"{request.data} contains none of the count files that are used ({', '.join(names) or 'none'}). Add one or "
                "leave out --data."
            )
        note(f"Your own count files: {', '.join(own)}")
    for name in names:
        data.table(name)


def _measure(paper: Paper, experiments: Sequence[Experiment], request: Request, *, quiet: bool) -> None:
    from experiments.running import forecast, run
    from experiments.timings import spoken
    from sottovoce.findings.formatting import counted
    from sottovoce.progress import Progress

    ahead = forecast(paper, experiments, request)
    if not quiet:
        mode = "full" if request.full else "fast"
        kept = f", {ahead.cells - ahead.waiting} of them kept from before" * (ahead.waiting < ahead.cells)
        cores = counted(request.workers, "core", "cores")
        note(f"{paper.name}, {mode} mode: {ahead.cells} settings{kept}, {spoken(ahead.seconds)} on {cores}")
    began = time.monotonic()
    try:
        with Progress(f"{paper.name}", shown=False if quiet else None) as bar:

            def show(fraction: float, left: float, title: str) -> None:
                bar.at(fraction, f"{title}, {spoken(left)} left")

            run(paper, experiments, request, show)
    except KeyboardInterrupt:
        leave("Interrupted. What was measured is kept. Run the same command to continue.", INTERRUPTED, as_json=quiet)
    if not quiet:
        note(f"{paper.name}: measured in {time.monotonic() - began:.0f} s")


def _show(paper: Paper, claims: Sequence[Any], page: Path) -> None:
    from sottovoce.findings.display.terminal import table

    out = console()
    out.rule(f"[bold]{paper.title}", align="left")
    out.print(
        table(
            {"claim": "left", "our figure": "left", "verdict": "left"},
            [[text.replace("*", "").replace("`", "") for text in (each.claim, each.found, each.verdict)] for each in claims],
        )
    )
    out.print(f"The page: {page}", markup=False, soft_wrap=True)


def _list(request: Request, as_json: bool) -> None:
    """List the papers, and how long each takes."""
    from sottovoce.findings.display.terminal import table
    from sottovoce.findings.formatting import counted

    rows = list(_overview(request))
    if as_json:
        print_json({"cores": request.workers, "papers": rows})
        return
    from experiments.timings import spoken

    out = console()
    out.print(
        table(
            {"paper": "left", "what": "left", "figures": "left", "fast": "left", "full": "left"},
            [(each["paper"], each["title"], ", ".join(each["figures"]), spoken(each["fast"]), spoken(each["full"])) for each in rows],
        )
    )
    fast, full = (spoken(sum(each[mode] for each in rows)) for mode in ("fast", "full"))
    cores = counted(request.workers, "core", "cores")
    out.print(f"All of them take {fast} on {cores}, or {full} with --full. Begin with: sottovoce reproduce uldp", markup=False)


def _overview(request: Request) -> Iterator[dict[str, Any]]:
    from dataclasses import replace

    from experiments.papers import NAMES, paper_of
    from experiments.timings import Timings

    timings = Timings.load()
    for name in NAMES:
        paper = paper_of(name)
        times = {mode: timings.wall(paper, paper.experiments, replace(request, full=mode == "full")) for mode in ("fast", "full")}
        yield {"paper": name, "title": paper.title, "figures": [each for one in paper.experiments for each in one.figures]} | times
