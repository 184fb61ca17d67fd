"""What all experiments share: seeds, cells that are kept, progress, pages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import toy_paper
from experiments.cells import Cell, seed_of
from experiments.data import HERE, Data
from experiments.page import Results, predictions
from experiments.papers import paper_of
from experiments.running import Request, forecast, jobs_of, run
from experiments.timings import Timings, spoken
from experiments.verdicts import AGREES, DIFFERS
from messages import refused
from sottovoce.errors import ParameterError

PAPER, EXPERIMENTS = toy_paper.PAPER, toy_paper.PAPER.experiments


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "experiments.toy", toy_paper)
    toy_paper.calls.clear()
    yield
    toy_paper.calls.clear()


def silent(*_: object) -> None: ...


def table(folder: Path) -> bytes:
    return (folder / "toy" / "figure-1.csv").read_bytes()


def test_seeds_are_fixed_and_differ() -> None:
    def cell(setting: dict[str, float]) -> Cell:
        return Cell(setting, 2, seed_of("toy", "figure-1", setting), Data())

    one, same, other = cell({"epsilon": 1.0}), cell({"epsilon": 1.0}), cell({"epsilon": 2.0})
    words = [source.take(4).tolist() for source in (one.source(0), same.source(0), other.source(0), one.source(1), one.source(0, 1))]
    assert words[0] == words[1]
    assert len({tuple(each) for each in words[1:]}) == 4
    assert one.random(3).random() == same.random(3).random() != one.random(4).random()


def test_a_run_is_repeated_to_the_last_digit(tmp_path: Path) -> None:
    for name in ("one", "other"):
        run(PAPER, EXPERIMENTS, Request(tmp_path / name, workers=1), silent)
    assert table(tmp_path / "one") == table(tmp_path / "other")


class StoppedError(Exception):
    pass


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    def stopping(*_: object) -> None:
        raise StoppedError

    request = Request(tmp_path / "broken", workers=1)
    with pytest.raises(StoppedError):
        run(PAPER, EXPERIMENTS, request, stopping)
    assert toy_paper.calls == [0.5]
    assert forecast(PAPER, EXPERIMENTS, request).waiting == 2
    run(PAPER, EXPERIMENTS, request, silent)
    assert toy_paper.calls == [0.5, 1.0, 2.0]
    run(PAPER, EXPERIMENTS, Request(tmp_path / "whole", workers=1), silent)
    assert table(tmp_path / "broken") == table(tmp_path / "whole")


def test_what_is_kept_is_used_only_for_the_same_request(tmp_path: Path) -> None:
    request = Request(tmp_path, workers=1)
    run(PAPER, EXPERIMENTS, request, silent)
    run(PAPER, EXPERIMENTS, request, silent)
    assert len(toy_paper.calls) == 3
    run(PAPER, EXPERIMENTS, Request(tmp_path, workers=1, runs=7), silent)
    assert len(toy_paper.calls) == 6
    run(PAPER, EXPERIMENTS, Request(tmp_path, workers=1, again=True), silent)
    assert len(toy_paper.calls) == 9
    run(PAPER, EXPERIMENTS, Request(tmp_path, workers=1, full=True), silent)
    assert len(toy_paper.calls) == 13  # other runs, so other cells


def test_a_kept_cell_that_is_not_whole_is_measured_again(tmp_path: Path) -> None:
    request = Request(tmp_path, workers=1)
    run(PAPER, EXPERIMENTS, request, silent)
    before, kept = table(tmp_path), sorted((tmp_path / "toy" / ".cells" / "figure-1").iterdir())
    kept[0].write_text(kept[0].read_text()[:40])
    kept[1].write_text("[]")
    kept[2].unlink()
    run(PAPER, EXPERIMENTS, request, silent)
    assert len(toy_paper.calls) == 6
    assert table(tmp_path) == before


def test_other_data_are_other_cells(tmp_path: Path) -> None:
    uldp, own = paper_of("uldp"), tmp_path / "own"
    experiment = next(each for each in uldp.experiments if "5" in each.figures)
    own.mkdir()
    text = (HERE / experiment.data[0]).read_text()
    requests = [Request(tmp_path / "results", runs=1, data=folder) for folder in (None, own)]

    def keys(request: Request) -> set[str]:
        return {job.kept.name for job in jobs_of(uldp, experiment, request, Data(request.data))}

    assert keys(requests[0]) == keys(requests[1])
    (own / experiment.data[0]).write_text(text.replace("\n0,0,", "\n0,5,"))
    assert not keys(requests[0]) & keys(requests[1])


def test_progress_ends_at_one(tmp_path: Path) -> None:
    told: list[tuple[float, float, str]] = []
    run(PAPER, EXPERIMENTS, Request(tmp_path, workers=1), lambda *each: told.append(each))
    fractions = [fraction for fraction, _, _ in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1)
    assert told[-1][1] == pytest.approx(0, abs=1e-6)


def test_times_follow_the_runs(tmp_path: Path) -> None:
    timings = Timings({"toy": {"figure-1": {"fast": {"seconds": 30.0, "runs": 40}}}})
    apart = [timings.wall(PAPER, EXPERIMENTS, Request(tmp_path, runs=runs, workers=2)) for runs in (80, 40)]
    assert apart[0] - apart[1] == pytest.approx(15)
    run(PAPER, EXPERIMENTS, Request(tmp_path, workers=1), silent)
    renewed = timings.with_results(PAPER, tmp_path).seconds["toy"]["figure-1"]["fast"]
    assert renewed["runs"] == 40
    assert renewed["seconds"] < 30
    assert spoken(90) == "about 2 minutes"


def test_predictions_are_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The true channel's losses lie on the simulated ones; those of a channel with a tenth more budget do not."""
    run(PAPER, EXPERIMENTS, Request(tmp_path / "right", workers=1, runs=400), silent)
    monkeypatch.setattr(toy_paper, "cheat", 0.1)
    run(PAPER, EXPERIMENTS, Request(tmp_path / "wrong", workers=1, runs=400), silent)
    verdicts = [
        predictions(pd.read_csv(tmp_path / name / "toy" / "figure-1.csv"), EXPERIMENTS[0])[0].verdict for name in ("right", "wrong")
    ]
    assert verdicts == [AGREES, DIFFERS]


def test_the_page_is_made_of_the_tables(tmp_path: Path) -> None:
    run(PAPER, EXPERIMENTS, Request(tmp_path, workers=1), silent)
    page = Results(PAPER, tmp_path).write().read_text()
    for part in ("| The loss is small | nowhere |", "![Figure 1](toy/figure-1.svg)", "40 runs each, fast mode", "2 + 2 = 4"):
        assert part in page
    assert (tmp_path / "toy" / "figure-1.svg").read_text().startswith("<svg")
    assert not Results(PAPER, tmp_path / "empty").found


def test_tables_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    run(PAPER, EXPERIMENTS, Request(tmp_path, workers=1), silent)
    place = tmp_path / "toy" / f"{EXPERIMENTS[0].name}.csv"
    lines = pd.read_csv(place)
    setting = next(iter(EXPERIMENTS[0].settings(False)[0]))
    lines.drop(columns=setting).to_csv(place, index=False)
    with refused(ParameterError, "figure-1.csv", setting):
        Results(PAPER, tmp_path)
    place.write_bytes(b"\0")
    with refused(ParameterError, "figure-1.csv"):
        Results(PAPER, tmp_path)
