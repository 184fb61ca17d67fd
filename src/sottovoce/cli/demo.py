"""sottovoce demo: two studies from beginning to end, with simulated people whose truth is known."""

from __future__ import annotations

import csv
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sottovoce.cli.common import JsonOption, console, print_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console

    from sottovoce.study import Study

#: The health survey's population.
_HEALTH = {"hiv": 0.01, "cancer": 0.05, "hepatitis": 0.04, "flu": 0.25, "none": 0.65}
_PEOPLE = 100_000
#: Check-ins at medical centres from which on a cell of the city is sensitive.
_MEDICAL = 10
#: What the shares are compared with, besides the truth: its name, and what it is.
_EQUAL = "all protected alike"
_COMPARED = (
    "“Truth” is how people answered before chance came in. “All protected alike” is what their reports would show if every answer were "
    "protected like the most sensitive one. Then {} in 100 people would have to move to another answer to make the shares true. In this "
    "study it’s {}. For a single answer, either can be nearer by chance."
)


def demo(
    folder: Annotated[str, typer.Option("--folder", help="Where the studies, reports and pages go.")] = "sottovoce-demo",
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="The seed of the simulated people. Their reports use secure randomness.")
    ] = 2026,
    as_json: JsonOption = False,
) -> None:
    """Run two studies from answers to a page: a health survey and places in a city.

    $ sottovoce demo
    """
    began = time.monotonic()
    out = console()
    if as_json:
        out.quiet = True
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    results = [_Health(place, seed, out).run(), _City(place, seed, out).run()]
    if as_json:
        print_json({"studies": results, "seconds": time.monotonic() - began})
        return
    out.print(f"\nTwo pages to look at, after {time.monotonic() - began:.0f} s:", markup=False)
    for result in results:
        out.print(f"  {result['page']}", markup=False, soft_wrap=True)


class _Part(ABC):
    """One study of the demonstration."""

    title: str
    #: Why the truth is known.
    known: str

    def __init__(self, folder: Path, seed: int, out: Console) -> None:
        import numpy as np

        self.folder, self.out, self.random = folder, out, np.random.default_rng(seed)

    @abstractmethod
    def study_file(self) -> str:
        """The text of the study file."""

    @abstractmethod
    def answers(self) -> Iterator[list[str]]:
        """Rows of the file of answers, its header first."""

    def spreads(self) -> dict[str, Path]:
        """Files with the distribution of each tag over the items."""
        return {}

    def run(self) -> dict[str, Any]:
        """The study from its file to its page."""
        from sottovoce.batch.answers import read_shares
        from sottovoce.batch.collecting import collect
        from sottovoce.batch.perturbing import perturb_file
        from sottovoce.batch.writers import write_whole
        from sottovoce.estimators import distance, estimate
        from sottovoce.findings.display.estimates import COMMAND, findings_parts
        from sottovoce.findings.display.terminal import wrapped
        from sottovoce.findings.display.text import print_parts
        from sottovoce.findings.pages.findings import findings_page
        from sottovoce.findings.results import Findings
        from sottovoce.sources import SecureSource
        from sottovoce.study import Study

        name = type(self).__name__.strip("_").lower()
        toml, answers, reports, page = (self.folder / f"{name}{end}" for end in (".toml", "-answers.csv", "-reports.parquet", ".html"))
        self.out.rule(f"[bold]{self.title}", align="left")
        write_whole(toml, self.study_file())
        study = Study.load(toml)
        rows = list(self.answers())
        write_whole(answers, "".join(",".join(row) + "\n" for row in rows))
        people = len(rows) - 1

        self._say(f"sottovoce check {toml}")
        self.out.print(wrapped(study.explain().split("\n\nWhat seeing")[0]), markup=False)
        self._say(f"sottovoce plan {toml} --people {people}")
        self.out.print(wrapped(study.plan(people).reason), markup=False)
        self._say(f"sottovoce perturb {toml} {answers} -o {reports}")
        perturb_file(study, str(answers), str(reports), source=SecureSource())
        self.out.print(f"{people:,} reports written. The answers aren't needed from here on.", markup=False)
        spreads = self.spreads()
        known = "".join(f" --tag-spread {tag}={path}" for tag, path in spreads.items())
        self._say(f"sottovoce estimate {toml} {reports}{known} --truth {answers} --html {page}")
        found = estimate(collect(study, [str(reports)]).tally, progress=False)
        truth = read_shares(study, str(answers))
        plain = self._plain(study, truth, people)
        findings = Findings.of(
            study,
            found,
            known={tag: read_shares(study, str(path)) for tag, path in spreads.items()},
            beside={"truth": truth, _EQUAL: plain},
        )
        away, plain_away = distance(findings.p, truth).tv, distance(plain, truth).tv
        compared = _COMPARED.format(*(f"{100 * each:.1f}" for each in (plain_away, away)))
        write_whole(page, findings_page(findings, remarks=[compared], notice=self.known))
        print_parts(findings_parts(findings, COMMAND), self.out)
        self.out.print(
            f"Total variation from the truth: {away:.3f}. With plain local differential privacy, which protects every answer like the most "
            f"sensitive one, it would have been {plain_away:.3f}.",
            style="bold",
            markup=False,
        )
        return {"study": study.name, "tv": away, "plain_ldp_tv": plain_away, "people": people, "page": str(page.resolve())}

    def _say(self, command: str) -> None:
        self.out.print()
        self.out.print(f"$ {command}", style="bold cyan", markup=False, soft_wrap=True)

    def _plain(self, study: Study, truth: NDArray[np.float64], people: int) -> NDArray[np.float64]:
        """What the best mechanism for protecting every place would have found with the same people."""
        from sottovoce.estimators import estimate
        from sottovoce.sources import SeededSource
        from sottovoce.tallies import Tally
        from sottovoce.utility import plan

        promise = study.promises[""]
        assert promise is not None
        best = plan(study.domain, promise.strictest, n=people).best
        tally = Tally.simulate(best, truth, people, SeededSource(int(self.random.integers(1 << 62))), keep_reports=True)
        return estimate(tally, progress=False).p


class _Health(_Part):
    title = "A health survey: some answers are more sensitive than others"
    known = "This is a demo with invented answers, so the truth is known."

    def study_file(self) -> str:
        from sottovoce.study.templates import template

        return template("survey", "health-demo", "Which of these do you have?", [], [])

    def answers(self) -> Iterator[list[str]]:
        yield ["answer"]
        yield from ([answer] for answer in self.random.choice(list(_HEALTH), size=_PEOPLE, p=list(_HEALTH.values())).tolist())


class _City(_Part):
    title = "A city: hospitals are sensitive for everyone, homes for the people who live there"
    known = "This is a demo with public check-ins, so the truth is known."

    def _cells(self) -> list[dict[str, str]]:
        text = files("sottovoce").joinpath("data", "manhattan.csv").read_text(encoding="utf-8")
        return list(csv.DictReader(text.splitlines()))

    def study_file(self) -> str:
        medical = [row["item"].split(" / ") for row in self._cells() if int(row["medical"]) >= _MEDICAL]
        cells = "".join(f"    [{row}, {column}],\n" for row, column in medical)
        return (
            "# Cells of Manhattan with a medical centre are sensitive. People mark their own homes.\n\n"
            'name = "city-demo"\nquestion = "Where do you check in?"\npeople = 77117\n\n[grid]\nlatitude = [40.70, 40.80]\n'
            'longitude = [-74.04, -73.92]\nshape = [25, 25]\nmap = "new-york"\n\n'
            '[privacy]\nnotion = "uldp"\nepsilon = 1.0\ntags = ["home"]\n'
            f"sensitive = [                     # cells [row, column] with a medical centre\n{cells}]\n"
        )

    def answers(self) -> Iterator[list[str]]:
        yield ["answer", "tag"]
        rows = [
            [row["item"], tag]
            for row in self._cells()
            for tag, count in (("home", int(row["home"])), ("", int(row["count"]) - int(row["home"])))
            for _ in range(count)
        ]
        self.random.shuffle(rows)
        yield from rows

    def spreads(self) -> dict[str, Path]:
        """Spread homes like the venues that are registered as homes."""
        from sottovoce.batch.writers import write_whole

        path = self.folder / "city-homes.csv"
        lines = ["item,count", *(f"{row['item']},{row['home_venues']}" for row in self._cells())]
        write_whole(path, "\n".join(lines) + "\n")
        return {"home": path}
