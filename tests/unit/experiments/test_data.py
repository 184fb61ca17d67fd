"""Count files: what they hold, and own ones in their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.data import HERE, Data
from experiments.uldp.simulation import people_of
from files import unreadable
from messages import refused, wording
from sottovoce.errors import ParameterError


def test_count_files_say_what_they_are() -> None:
    names = sorted(path.name for path in HERE.glob("*.csv"))
    assert len(names) == 11
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
        ("adult_answers.csv", "count", 6 * 48_842),
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
    wording(data.caption("gowalla_world_415.csv"))
    assert data.path("peopleflow_sns_tokyo.csv").parent == HERE
    with refused(ParameterError, "none.csv"):
        data.path("none.csv")
    with refused(ParameterError, "missing"):
        Data(tmp_path / "missing")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (b"item,users\n1,2\n", ["'count'", "item, count"]),
        (b"item,count\n1,x3\n", ["'count'"]),
        (b"item,count\n1,-3\n", ["'count'"]),
        (b"item,count\n", ["'count'"]),
        (b"", []),
        (b"\xff\xfe\x00\x01", []),
    ],
    ids=["no counts", "not a number", "negative", "no rows", "empty", "not a table"],
)
def test_broken_data_are_refused(text: bytes, values: list[str], tmp_path: Path) -> None:
    (tmp_path / "kosarak_first100k_top100.csv").write_bytes(text)
    with unreadable(ParameterError, "kosarak_first100k_top100.csv", *values):
        Data(tmp_path).table("kosarak_first100k_top100.csv")
