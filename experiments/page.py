"""The page of a paper: every claim with a verdict, every figure with its chart, its conditions and its data."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import binom
from scipy.stats import t as student

from experiments.bounds import BOUNDS
from experiments.experiment import Experiment, Paper
from experiments.papers import NAMES, paper_of
from experiments.verdicts import AGREES, DIFFERS, PARTLY, UNDECIDED, Claim
from sottovoce.batch.writers import write_whole
from sottovoce.errors import ParameterError
from sottovoce.findings.charts.style import save_chart

#: The chance that a predicted mean lies further away than its error explains (three errors, if the runs are many), and that of a false alarm.
_CHANCE, _ALARM = 0.0027, 1e-3
#: The claim that every experiment with predictions settles.
PREDICTED = "Predicted losses lie on the simulated points"
#: Runs below which a Monte-Carlo error is itself little more than a guess.
_FEW = 10
#: What a page without charts says about them; `make figures` writes to this folder, which git ignores.
_DRAWN = "build/reproduction"
_NO_CHARTS = "The charts are not kept in the repository. To draw them from the tables, run `make figures` (about a minute)."


class Results:
    """The results of a paper in a folder: tables and conditions, as far as they are there; the page has charts, or says how to draw them."""

    def __init__(self, paper: Paper, folder: Path, *, charts: bool = True) -> None:
        self.paper, self.folder, self.charts = paper, folder, charts
        self.found: dict[str, tuple[Experiment, pd.DataFrame, dict[str, Any]]] = {}
        for experiment in paper.experiments:
            table, conditions = (folder / paper.name / f"{experiment.name}{end}" for end in (".csv", ".json"))
            if table.exists() and conditions.exists():
                self.found[experiment.name] = experiment, _table_of(table, experiment), _conditions_of(conditions)

    @cached_property
    def claims(self) -> dict[str, list[Claim]]:
        """The claims that the results settle, by experiment."""
        found = {}
        for name, (experiment, frame, _) in self.found.items():
            found[name] = [*experiment.claims(frame), *predictions(frame, experiment)]
        return found

    def write(self) -> Path:
        """The page, and its charts if it has them."""
        for experiment, frame, _ in self.found.values() if self.charts else ():
            for picture in experiment.pictures(frame):
                save_chart(picture.drawn(), self.folder / self.paper.name / f"{_file(picture.name)}.svg")
        target = self.folder / f"{self.paper.name}.md"
        write_whole(target, self.page())
        return target

    def _command(self) -> str:
        """The command that makes this page, if one does."""
        told = [(experiment, conditions) for experiment, _, conditions in self.found.values()]
        full = all(conditions["mode"] == "full" for _, conditions in told)
        runs = {conditions["runs"] for experiment, conditions in told if conditions["runs"] != experiment.runs.of(full)}
        options = " --full" * full + (f" --runs {min(runs)}" if len(runs) == 1 else "") + " --no-charts" * (not self.charts)
        return f"sottovoce reproduce {self.paper.name}{options}"

    def page(self) -> str:
        """The page, which is a function of the tables and their conditions."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        paper, claims = self.paper, self.claims
        yield from (f"# {paper.title}", "", *([paper.cite, ""] if paper.cite else []), _linked(paper.about, self.folder), "")
        yield f"Written by `{self._command()}`; do not edit. Figures are means over runs, ± is their Monte-Carlo standard error."
        if not self.charts:
            yield from ("", f"{_NO_CHARTS} This page with its charts is then `{_DRAWN}/{paper.name}.md`.")
        yield from ("", "## What is claimed, and what we found", "", _counted([each for of_one in claims.values() for each in of_one]), "")
        yield from table(("claim", "where", "our figure", "verdict"), [_cells(each) for name in claims for each in claims[name]])
        if any(1 < conditions["runs"] < _FEW for _, _, conditions in self.found.values()):
            yield from (
                "",
                f"Some figures are means over fewer than {_FEW} runs: their errors are uncertain themselves, and verdicts provisional.",
            )
        missing = [each for each in paper.experiments if each.name not in self.found]
        if missing:
            yield from ("", f"Not run yet: {'; '.join(each.title for each in missing)}.")
        for name, (experiment, frame, conditions) in self.found.items():
            yield from ("", f"## {experiment.title}", "", experiment.about, "")
            for picture in experiment.pictures(frame):
                if self.charts:
                    yield from (f"![{picture.name}]({paper.name}/{_file(picture.name)}.svg)", "")
                yield from (f"*{picture.name}.* {picture.caption}", "")
            if experiment.tables is not None:
                yield from (experiment.tables(frame).strip(), "")
            yield from _conditions(name, paper, conditions)
        if paper.examples is not None:
            yield from ("", "## Where we differ: examples to check by hand", "", paper.examples().strip())


def _linked(text: str, folder: Path) -> str:
    """A text without links to pages that do not lie beside the folder."""
    return text if (folder.parent / "papers").is_dir() else re.sub(r"\[([^]]*)\]\(\.\./(papers/[^)]*)\)", r"\1 (docs/\2)", text)


def predictions(frame: pd.DataFrame, experiment: Experiment) -> list[Claim]:
    """Whether the predicted means lie on the simulated ones: one row for an experiment that has predictions."""
    if "predicted" not in frame:
        return []
    told = frame[frame["predicted"].notna() & (frame["error"] > 1e-12 * frame["mean"].abs())]
    if told.empty:
        return []
    away = (told["mean"] - told["predicted"]).abs() / told["error"]
    relative = (told["mean"] / told["predicted"] - 1).abs()
    near = away <= student.isf(_CHANCE / 2, told["runs"] - 1)
    found = (
        f"{int(near.sum())} of {len(told)} predicted means within the error (99.7 %); half of them within {100 * relative.median():.1f} %"
    )
    if not near.all():
        found += f", the strays within {100 * relative[~near].max():.1f} %"
    # the points of a setting rest on the same people, and stray together: settings are what is counted
    setting = told[list(experiment.settings(True)[0])].astype(str).agg(" ".join, axis=1)
    points = setting.map(setting.value_counts())
    stray = (away > student.isf(_CHANCE / 2 / points, told["runs"] - 1)).groupby(setting).any()
    holds = stray.sum() <= binom.isf(_ALARM, len(stray), _CHANCE) or bool((near | (relative <= 0.01)).all())
    if stray.any():
        found += f"; strays beyond chance in {int(stray.sum())} of {len(stray)} settings, whose points rest on the same people"
    verdict = (AGREES if holds else DIFFERS) if told["runs"].min() >= _FEW or not holds else UNDECIDED
    farthest = told.loc[away.where(~near).idxmax()] if not near.all() else None
    because = "" if verdict != DIFFERS or farthest is None else f"the farthest is {_named(farthest)}; not explained"
    return [Claim(PREDICTED, f"theory, {experiment.title}", found, verdict, because)]


def _named(row: pd.Series[Any]) -> str:
    """What a line of a result is about."""
    about = row.drop(["runs", "mean", "error", "predicted"], errors="ignore").dropna()
    return ", ".join(f"{name} {value}" for name, value in about.items())


def _table_of(path: Path, experiment: Experiment) -> pd.DataFrame:
    try:
        frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    except ValueError:
        frame = pd.DataFrame()
    if not {"metric", "mean", "error", "runs"} <= set(frame):
        raise ParameterError(f"{path} is damaged. Measure it again with --again.")
    missing = {name for setting in experiment.settings(False) for name in setting} - set(frame)
    if missing:
        raise ParameterError(f"{path} was measured by another version, which had no {sorted(missing)[0]!r}. Measure it again with --again.")
    return frame


def _conditions_of(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except ValueError:
        raise ParameterError(f"{path} is damaged. Measure it again with --again.") from None


def _counted(claims: Sequence[Claim]) -> str:
    """How many claims there are, and how many of each verdict."""
    verdicts = Counter(claim.verdict for claim in claims)
    return f"{len(claims)} claims: {', '.join(f'{count} × {verdict}' for verdict, count in verdicts.most_common())}."


def _cells(claim: Claim) -> tuple[str, ...]:
    verdict = f"**{claim.verdict}**" + (f": {claim.because}" if claim.because else "")
    return claim.claim, claim.where, claim.found, verdict


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table in Markdown."""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |"


def _conditions(name: str, paper: Paper, told: dict[str, Any]) -> Iterator[str]:
    versions = ", ".join(f"{package} {version}" for package, version in told["versions"].items())
    yield (
        f"[Numbers]({paper.name}/{name}.csv): {told['cells']} settings, {told['runs']} run{'s' * (told['runs'] > 1)} each, {told['mode']} mode, "
        f"{told['core_seconds']:,.0f} core-seconds, {told['date']}, {versions}."
    )
    for caption in told["data"]:
        yield from ("", f"Data: {caption}")


def _file(name: str) -> str:
    return name.lower().replace(" ", "-").replace("(", "").replace(")", "").replace(",", "")


def index(folder: Path, *, charts: bool = True) -> str:
    """The page of all papers of which there are results: how many claims were settled, and how."""
    found = [Results(paper_of(name), folder, charts=charts) for name in NAMES]
    return "\n".join(_index([results for results in found if results.found], charts=charts)) + "\n"


def _tally(claims: Sequence[Claim]) -> tuple[str, str]:
    """How many claims, and with which verdicts."""
    counts = [sum(claim.verdict == verdict for claim in claims) for verdict in (AGREES, PARTLY, DIFFERS)]
    return str(len(claims)), " / ".join(map(str, (*counts, len(claims) - sum(counts))))


def _index(there: Sequence[Results], *, charts: bool) -> Iterator[str]:
    yield from (
        "# The papers, measured again",
        "",
        (
            "The figures and tables of the experiments (but for the maps: Figure 9 of the first paper, Figures 11 and 12 of the last, of which only the numbers are used), on the library, with fixed seeds: `sottovoce reproduce` lists them with the time that they take. Each page "
            "begins with a key and a table of claims, ours beside theirs. Data that we do not have was replaced by parts and stand-ins, each named where it is used: what is called Manhattan, census or Kosarak below is such a part or stand-in, too."
        ),
        "",
    )
    if not charts:
        yield from (f"{_NO_CHARTS} The pages with their charts are then in `{_DRAWN}`.", "")
    rows = []
    for results in there:
        claims = [claim for of_one in results.claims.values() for claim in of_one]
        theirs = [claim for claim in claims if not claim.claim.startswith(("Ours", PREDICTED))] if results.paper.cite else []
        seconds = sum(conditions["core_seconds"] for _, _, conditions in results.found.values())
        page = f"[{results.paper.title}]({results.paper.name}.md)"
        rows.append((page, *_tally(theirs), *_tally([claim for claim in claims if claim not in theirs]), f"{seconds / 60:.1f}"))
    yield from table(
        ("page", "claims of the paper", "agree / in part / differ / open", "ours", "agree / in part / differ / open", "core-minutes"), rows
    )
    yield from ("", "## What words are taken to mean", "")
    yield (
        'The papers rarely say how much "close" or "an order of magnitude" is. We chose a bound for each kind of word (`experiments/bounds.py`), and every claim of that kind is judged by it, whichever paper '
        "makes it. A claim about several cases must keep its bound in all of them. Figures are ratios unless the words say otherwise."
    )
    yield ""
    yield from table(("words", "what is asked"), [(bound.words, bound.told) for bound in BOUNDS])
    yield from ("", "## What the papers are known for", "")
    known = [
        (results, claim)
        for results in there
        for of_one in results.claims.values()
        for claim in of_one
        if claim.claim.startswith(results.paper.headlines)
    ]
    yield from table(
        ("claim", "our figure", "verdict", "page"),
        [
            (claim.claim, claim.found, f"**{claim.verdict}**", f"[{results.paper.name}]({results.paper.name}.md)")
            for results, claim in known
        ],
    )
    yield from (
        "",
        (
            '"Differs" says that our figure contradicts the claim, beyond the Monte-Carlo error; the page gives the reason as far as we know it, and for errors in formulas an example to check by hand. "In part": it holds in some of the cases tried, be it one, and not in others; a theorem '
            'that is said to hold always is refuted then. "Open" are claims '
            "that the runs do not decide, or that cannot be tested with the data at hand. Written by `sottovoce reproduce`; do not edit."
        ),
    )
