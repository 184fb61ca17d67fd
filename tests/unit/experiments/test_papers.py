"""The papers: each experiment measures, and the committed results are what the tables say."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from experiments.data import Data
from experiments.page import Results, index
from experiments.papers import NAMES, paper_of
from experiments.running import Request, jobs_of
from experiments.timings import Timings
from experiments.verdicts import DIFFERS, PARTLY
from paths import ROOT

COMMITTED = ROOT / "docs" / "reproduction"
#: Cells that take under a second or so with two runs, where the first one takes longer.
QUICK = {"figure-9": 1, "figure-12a": -1, "figures-5-7": -1, "mechanisms-uldp": -1, "open-questions": -1}


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_measures_a_cell(name: str, tmp_path: Path) -> None:
    """With as few runs as have an error. The whole fast modes are among the system tests."""
    paper = paper_of(name)
    for experiment in paper.experiments:
        job = list(jobs_of(paper, experiment, Request(tmp_path, runs=2), Data()))[QUICK.get(experiment.name, 0)]
        frame = pd.DataFrame(job.measure().rows)
        assert set(job.setting) <= set(frame)
        assert frame["mean"].notna()[frame["metric"] != "r"].all(), experiment.name  # two runs have no correlation


def test_no_measurement_imports_that_of_another_experiment() -> None:
    """What a kept cell depends on is hashed: the experiment's own file, and those that are no experiment."""
    for name in NAMES:
        modules = {f"experiments.{name}.{each.file.stem}": each for each in paper_of(name).experiments}
        for module, experiment in modules.items():
            text = experiment.file.read_text(encoding="utf-8")
            for other in set(modules) - {module}:
                lines = [line for line in text.splitlines() if line.startswith(f"from {other} import")]
                imported = {part.strip() for line in lines for part in line.split("import ")[1].split(",")}
                used = imported & names_of(sys.modules[module], "measure")
                assert not used, f"{module} measures with {used} of {other}"


def names_of(module: ModuleType, function: str) -> set[str]:
    """The names that a function of a module uses, with those of the functions that it calls there."""
    seen: set[str] = set()
    waiting = [function]
    while waiting:
        found = getattr(module, waiting.pop(), None)
        fresh = set(getattr(getattr(found, "__code__", None), "co_names", ())) - seen
        seen |= fresh
        waiting += fresh
    return seen


@pytest.mark.parametrize("name", NAMES)
def test_committed_results(name: str) -> None:
    """The pages in docs are what the tables beside them say, of all experiments, in full mode; who differs says why."""
    paper = paper_of(name)
    results = Results(paper, COMMITTED, charts=False)
    assert set(results.found) == {each.name for each in paper.experiments}
    for experiment, _, conditions in results.found.values():
        assert (conditions["mode"], conditions["runs"], conditions["cells"]) == (
            "full",
            experiment.runs.full,
            len(experiment.settings(True)),
        )
    page = (COMMITTED / f"{name}.md").read_text(encoding="utf-8")
    assert results.page() == page
    assert "![" not in page  # charts are drawn, not kept
    assert "`make figures`" in page
    said = [claim.claim for claims in results.claims.values() for claim in claims]
    for headline in paper.headlines:
        assert any(claim.startswith(headline) for claim in said), headline
    for claims in results.claims.values():
        for claim in claims:
            assert claim.because or claim.verdict not in {DIFFERS, PARTLY}, claim.claim


def test_the_committed_index() -> None:
    assert index(COMMITTED, charts=False) == (COMMITTED / "README.md").read_text(encoding="utf-8")


def test_times_are_known_and_short() -> None:
    """All fast modes together take under ten minutes on two cores, all full modes under two hours, by what they took."""
    timings = json.loads((ROOT / "experiments" / "timings.json").read_text())
    for mode, most in (("fast", 600), ("full", 7200)):
        whole = 0.0
        for name in NAMES:
            paper = paper_of(name)
            for experiment in paper.experiments:
                assert mode in timings[name][experiment.name], f"{name}, {experiment.name}: run with --record"
            whole += Timings.load().wall(paper, paper.experiments, Request(Path(), full=mode == "full", workers=2))
        assert whole < most
