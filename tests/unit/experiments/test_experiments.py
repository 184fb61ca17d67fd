"""What the experiments share: seeds, cells that are kept, verdicts, pages; and that every experiment runs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import toy_paper
from experiments.data import HERE, Data
from experiments.experiment import Cell, Samples, seed_of
from experiments.measured import Measured, measured, pick
from experiments.page import Results, predictions
from experiments.papers import NAMES
from experiments.running import Wish, jobs_of, outlook, paper_of, run
from experiments.timings import Timings, spoken
from experiments.uldp.people import people_of
from experiments.verdicts import AGREES, DIFFERS, PARTLY, UNDECIDED, all_of, judged
from paths import ROOT
from sottovoce.errors import ParameterError

COMMITTED = ROOT / "docs" / "reproduction"
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
        run(PAPER, EXPERIMENTS, Wish(tmp_path / name, workers=1), silent)
    assert table(tmp_path / "one") == table(tmp_path / "other")


def test_processes_find_what_one_process_finds(tmp_path: Path) -> None:
    uldp = paper_of("uldp")
    chosen = [each for each in uldp.experiments if "5" in each.figures]
    for name, workers in (("one", 1), ("two", 2)):
        run(uldp, chosen, Wish(tmp_path / name, runs=1, workers=workers), silent)
    one, two = ((tmp_path / name / "uldp" / f"{chosen[0].name}.csv").read_text() for name in ("one", "two"))
    assert one == two


class StoppedError(Exception):
    pass


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    def stopping(*_: object) -> None:
        raise StoppedError

    wish = Wish(tmp_path / "broken", workers=1)
    with pytest.raises(StoppedError):
        run(PAPER, EXPERIMENTS, wish, stopping)
    assert toy_paper.calls == [0.5]
    assert outlook(PAPER, EXPERIMENTS, wish).waiting == 2
    run(PAPER, EXPERIMENTS, wish, silent)
    assert toy_paper.calls == [0.5, 1.0, 2.0]
    run(PAPER, EXPERIMENTS, Wish(tmp_path / "whole", workers=1), silent)
    assert table(tmp_path / "broken") == table(tmp_path / "whole")


def test_what_is_kept_is_used_only_for_the_same_wish(tmp_path: Path) -> None:
    wish = Wish(tmp_path, workers=1)
    run(PAPER, EXPERIMENTS, wish, silent)
    run(PAPER, EXPERIMENTS, wish, silent)
    assert len(toy_paper.calls) == 3
    run(PAPER, EXPERIMENTS, Wish(tmp_path, workers=1, runs=7), silent)
    assert len(toy_paper.calls) == 6
    run(PAPER, EXPERIMENTS, Wish(tmp_path, workers=1, again=True), silent)
    assert len(toy_paper.calls) == 9
    run(PAPER, EXPERIMENTS, Wish(tmp_path, workers=1, full=True), silent)
    assert len(toy_paper.calls) == 13  # other runs, so other cells


def test_a_kept_cell_that_is_not_whole_is_measured_again(tmp_path: Path) -> None:
    wish = Wish(tmp_path, workers=1)
    run(PAPER, EXPERIMENTS, wish, silent)
    before, kept = table(tmp_path), sorted((tmp_path / "toy" / ".cells" / "figure-1").iterdir())
    kept[0].write_text(kept[0].read_text()[:40])
    kept[1].write_text("[]")
    kept[2].unlink()
    run(PAPER, EXPERIMENTS, wish, silent)
    assert len(toy_paper.calls) == 6
    assert table(tmp_path) == before


def test_other_data_are_other_cells(tmp_path: Path) -> None:
    uldp, own = paper_of("uldp"), tmp_path / "own"
    experiment = next(each for each in uldp.experiments if "5" in each.figures)
    own.mkdir()
    text = (HERE / experiment.data[0]).read_text()
    wishes = [Wish(tmp_path / "results", runs=1, data=folder) for folder in (None, own)]

    def keys(wish: Wish) -> set[str]:
        return {job.kept.name for job in jobs_of(uldp, experiment, wish, Data(wish.data))}

    assert keys(wishes[0]) == keys(wishes[1])
    (own / experiment.data[0]).write_text(text.replace("\n0,0,", "\n0,5,"))
    assert not keys(wishes[0]) & keys(wishes[1])


def test_progress_ends_at_one(tmp_path: Path) -> None:
    told: list[tuple[float, float, str]] = []
    run(PAPER, EXPERIMENTS, Wish(tmp_path, workers=1), lambda *each: told.append(each))
    fractions = [fraction for fraction, _, _ in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1)
    assert told[-1][1] == pytest.approx(0, abs=1e-6)


def test_times_follow_the_runs(tmp_path: Path) -> None:
    timings = Timings({"toy": {"figure-1": {"fast": {"seconds": 30.0, "runs": 40}}}})
    apart = [timings.wall(PAPER, EXPERIMENTS, Wish(tmp_path, runs=runs, workers=2)) for runs in (80, 40)]
    assert apart[0] - apart[1] == pytest.approx(15)
    run(PAPER, EXPERIMENTS, Wish(tmp_path, workers=1), silent)
    renewed = timings.with_results(PAPER, tmp_path).seconds["toy"]["figure-1"]["fast"]
    assert renewed["runs"] == 40
    assert renewed["seconds"] < 30
    assert spoken(90) == "about 2 minutes"


@pytest.mark.parametrize(
    ("figure", "low", "high", "verdict"),
    [
        (Measured(12, 0.5), 10, math.inf, AGREES),
        (Measured(10.5, 0.5), 10, math.inf, UNDECIDED),
        (Measured(8, 0.5), 10, math.inf, DIFFERS),
        (Measured(1.0, 0.1), 0.5, 1.5, AGREES),
        (Measured(1.45, 0.1), 0.5, 1.5, UNDECIDED),
        (Measured(2.0, 0.1), 0.5, 1.5, DIFFERS),
        (Measured(12, math.nan), 10, math.inf, UNDECIDED),  # a single run decides nothing
        (Measured(10), 10, math.inf, AGREES),  # computed, not simulated
    ],
)
def test_verdicts(figure: Measured, low: float, high: float, verdict: str) -> None:
    assert judged(figure, low, high) == verdict


def test_verdicts_on_several_figures() -> None:
    assert all_of([AGREES, AGREES]) == AGREES
    assert all_of([AGREES, DIFFERS]) == PARTLY
    assert all_of([DIFFERS, UNDECIDED]) == DIFFERS
    assert all_of([AGREES, UNDECIDED]) == UNDECIDED


def test_figures_carry_their_errors() -> None:
    rng = np.random.default_rng(1)
    a, b = 10 + rng.normal(size=100_000), 2 + 0.1 * rng.normal(size=100_000)
    ratio = Measured(10, 1) / Measured(2, 0.1)
    assert ratio.error == pytest.approx((a / b).std(), rel=0.05)
    assert str(Measured(0.00123, 0.00004)) == "(1.230 ± 0.040)e-3"
    assert str(Measured(12.3, math.nan)) == "12.3 (one run)"
    assert str(Measured(1234.5)) == "1,234"


def test_a_line_is_found_or_refused() -> None:
    samples = Samples()
    for value in (1.0, 3.0):
        samples.add({"tv": value}, mechanism="RR", method="emp")
    frame = pd.DataFrame([{"epsilon": 0.1} | row for row in samples.rows()])
    found = measured(frame, epsilon=0.1, mechanism="RR", metric="tv")
    assert (found.value, found.error) == (2.0, 1.0)
    with pytest.raises(LookupError, match="0 lines"):
        measured(frame, epsilon=0.2)
    assert pick(frame, method="EM").empty


def test_predictions_are_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The true channel's losses lie on the simulated ones; those of a channel with a tenth more budget do not."""
    run(PAPER, EXPERIMENTS, Wish(tmp_path / "right", workers=1, runs=400), silent)
    monkeypatch.setattr(toy_paper, "cheat", 0.1)
    run(PAPER, EXPERIMENTS, Wish(tmp_path / "wrong", workers=1, runs=400), silent)
    verdicts = [
        predictions(pd.read_csv(tmp_path / name / "toy" / "figure-1.csv"), EXPERIMENTS[0])[0].verdict for name in ("right", "wrong")
    ]
    assert verdicts == [AGREES, DIFFERS]


def test_the_page_is_made_of_the_tables(tmp_path: Path) -> None:
    run(PAPER, EXPERIMENTS, Wish(tmp_path, workers=1), silent)
    page = Results(PAPER, tmp_path).write().read_text()
    for part in ("| The loss is small | nowhere |", "![Figure 1](toy/figure-1.svg)", "40 runs each, fast mode", "2 + 2 = 4"):
        assert part in page
    assert (tmp_path / "toy" / "figure-1.svg").read_text().startswith("<svg")
    assert not Results(PAPER, tmp_path / "empty").found


def test_tables_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    run(PAPER, EXPERIMENTS, Wish(tmp_path, workers=1), silent)
    place = tmp_path / "toy" / f"{EXPERIMENTS[0].name}.csv"
    lines = pd.read_csv(place)
    setting = next(iter(EXPERIMENTS[0].settings(False)[0]))
    lines.drop(columns=setting).to_csv(place, index=False)
    with pytest.raises(ParameterError, match=f"another version, which had no '{setting}'"):
        Results(PAPER, tmp_path)
    place.write_bytes(b"\0")
    with pytest.raises(ParameterError, match="damaged"):
        Results(PAPER, tmp_path)


def test_count_files_say_what_they_are() -> None:
    names = sorted(path.name for path in HERE.glob("*.csv"))
    assert len(names) == 9
    for name in names:
        lines = (HERE / name).read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith(f"# {name}: ")
        assert lines[1].startswith("# Cite: ")
        assert lines[2].startswith("# Terms: ")
        assert name in Data().caption(name)
        assert name in (HERE / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "column", "people"),
    [
        ("foursquare_nyc_manhattan.csv", "count", 77_117),
        ("gowalla_nyc_latest.csv", "latest", 7_115),
        ("gowalla_nyc_latest.csv", "earlier", 138_957 - 7_115),
        ("gowalla_world_415.csv", "count", 5_999_928),
        ("peopleflow_1998_printed.csv", "count", 303_916),
        ("peopleflow_sns_tokyo.csv", "count", 30_000),
        ("census_income_kdd_400.csv", "count", 299_285),
        ("census_income_kdd_12800.csv", "count", 299_285),
        ("adult_workclass_income.csv", "count", 48_842),
        ("kosarak_first100k_top100.csv", "count", 65_441),
    ],
)
def test_count_files_are_whole(name: str, column: str, people: int) -> None:
    assert Data().table(name)[column].sum() == people


def test_sensitive_items_are_as_many_as_in_the_paper() -> None:
    data = Data()
    assert len(people_of("Manhattan", data).sensitive) == 15
    assert len(people_of("census", data).sensitive) == 76


def test_data_of_ones_own_come_first(tmp_path: Path) -> None:
    (tmp_path / "gowalla_world_415.csv").write_text("cell,count\n1,5\n")
    data = Data(tmp_path)
    assert data.table("gowalla_world_415.csv")["count"].tolist() == [5]
    assert "says nothing of itself" in data.caption("gowalla_world_415.csv")
    assert data.path("peopleflow_sns_tokyo.csv").parent == HERE
    with pytest.raises(ParameterError, match="no count file 'none.csv'"):
        data.path("none.csv")
    with pytest.raises(ParameterError, match="no folder"):
        Data(tmp_path / "missing")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"item,users\n1,2\n", "lacks the column 'count'; it needs item, count"),
        (b"item,count\n1,x3\n", "'count' must hold whole numbers"),
        (b"item,count\n1,-3\n", "'count' must hold whole numbers, none of them negative"),
        (b"item,count\n", "'count' must hold whole numbers"),
        (b"", "is no table of counts"),
        (b"\xff\xfe\x00\x01", "is no table of counts"),
    ],
)
def test_broken_data_are_refused(text: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "kosarak_first100k_top100.csv").write_bytes(text)
    with pytest.raises(ParameterError, match=message):
        Data(tmp_path).table("kosarak_first100k_top100.csv")


def test_no_measurement_imports_that_of_another_experiment() -> None:
    """What a kept cell depends on is hashed: the experiment's own file, and those that are no experiment."""
    for name in NAMES:
        paper = paper_of(name)
        modules = {each.measure.__module__ for each in paper.experiments}
        for module in modules:
            text = Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8")
            for other in modules - {module}:
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
def test_the_fast_mode_of_every_paper(name: str, tmp_path: Path) -> None:
    """Every experiment runs in its fast mode, with as few runs as have an error, and settles its claims."""
    paper = paper_of(name)
    run(paper, paper.experiments, Wish(tmp_path, runs=2, workers=1), silent)
    results = Results(paper, tmp_path)
    assert set(results.found) == {each.name for each in paper.experiments}
    page = results.page()
    for experiment, frame, _ in results.found.values():
        assert frame["mean"].notna()[frame["metric"] != "r"].all()  # two runs have no correlation
        assert _pictures(page, name)
        for file in experiment.data:
            assert file in page


def _pictures(page: str, name: str) -> list[str]:
    return [line.split(f"({name}/")[1].removesuffix(".svg)") for line in page.splitlines() if line.startswith("![")]


@pytest.mark.parametrize("name", NAMES)
def test_committed_results(name: str) -> None:
    """The pages in docs are what the tables beside them say, of all experiments, in full mode; who differs says why."""
    paper = paper_of(name)
    results = Results(paper, COMMITTED)
    assert set(results.found) == {each.name for each in paper.experiments}
    for experiment, _, conditions in results.found.values():
        assert (conditions["mode"], conditions["runs"], conditions["cells"]) == (
            "full",
            experiment.full_runs,
            len(experiment.settings(True)),
        )
    page = (COMMITTED / f"{name}.md").read_text(encoding="utf-8")
    assert results.page() == page
    assert all((COMMITTED / name / f"{picture}.svg").exists() for picture in _pictures(page, name))
    said = [claim.claim for claims in results.claims.values() for claim in claims]
    for headline in paper.headlines:
        assert any(claim.startswith(headline) for claim in said), headline
    for claims in results.claims.values():
        for claim in claims:
            assert claim.because or claim.verdict not in {DIFFERS, PARTLY}, claim.claim


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_committed_cells_are_measured_again(name: str) -> None:
    """The first cell of each committed table comes out as it stands there."""
    paper = paper_of(name)
    for experiment, frame, _ in Results(paper, COMMITTED).found.values():
        if experiment.alone:
            continue
        job = next(jobs_of(paper, experiment, Wish(COMMITTED, full=True), Data()))
        fresh = pd.DataFrame(job.measure().rows)
        stands = frame.head(len(fresh))
        for column in job.setting:
            assert stands[column].nunique(dropna=False) == 1
        assert fresh["metric"].tolist() == stands["metric"].tolist()
        np.testing.assert_allclose(fresh["mean"].astype(float), stands["mean"].astype(float), rtol=1e-8, atol=1e-14)


def test_times_are_known_and_short() -> None:
    """All fast modes together take under ten minutes on two cores, all full modes under two hours, by what they took."""
    timings = json.loads((ROOT / "experiments" / "timings.json").read_text())
    for mode, most in (("fast", 600), ("full", 7200)):
        whole = 0.0
        for name in NAMES:
            paper = paper_of(name)
            for experiment in paper.experiments:
                assert mode in timings[name][experiment.name], f"{name}, {experiment.name}: run with --record"
            whole += Timings.load().wall(paper, paper.experiments, Wish(Path(), full=mode == "full", workers=2))
        assert whole < most
