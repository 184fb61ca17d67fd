"""sottovoce map: a base map for the grid of a study, cut out of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from invoking import as_json, complaint, run

STUDY = """
name = "places"
question = "Where are you?"
[grid]
latitude = [0.0, 1.0]
longitude = [0.0, 1.0]
shape = [10, 10]
[privacy]
notion = "ldp"
epsilon = 3.0
"""
TOGETHER = """
name = "two"
title = "Two questions"
[privacy]
notion = "ldp"
epsilon = 3.0
[[questions]]
name = "well"
text = "Are you well?"
items = ["yes", "no"]
[[questions]]
name = "home"
text = "Where do you live?"
grid = {latitude = [0.0, 1.0], longitude = [0.0, 1.0], shape = [4, 4]}
"""


def feature(kind: str, coordinates: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": {}, "geometry": {"type": kind, "coordinates": coordinates}}


def square(low: float, high: float) -> list[list[list[float]]]:
    return [[[low, low], [high, low], [high, high], [low, high], [low, low]]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study, land that is wider than its grid, a lake, a road, and two places of which one is elsewhere."""
    for name, made in {
        "shore": feature("Polygon", square(-1, 2)),
        "lakes": feature("Polygon", square(0.4, 0.6)),
        "roads": feature("LineString", [[-1, 0.5], [2, 0.5]]),
    }.items():
        (tmp_path / f"{name}.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [made]}), encoding="utf-8")
    (tmp_path / "stations.csv").write_text("name,latitude,longitude\nMain station,0.2,0.3\nFar away,9,9\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path


FILES = ("--land", "shore.geojson", "--water", "lakes.geojson", "--lines", "roads.geojson", "--places", "stations.csv")


def test_a_map_is_cut_for_the_grid_and_the_study_takes_it(folder: Path) -> None:
    before = as_json(folder, "check")["fingerprint"]
    told = as_json(folder, "map", *FILES, "--credit", "City of Example", "-o", "city.geojson")
    assert (told["output"], told["places"], told["credit"]) == ("city.geojson", 1, "City of Example")
    cut = json.loads((folder / "city.geojson").read_text(encoding="utf-8"))
    assert sorted(each["geometry"]["type"] for each in cut["features"]) == ["LineString", "Point", "Polygon", "Polygon"]
    numbers = [float(each) for part in cut["features"] for each in _flat(part["geometry"]["coordinates"])]
    assert 0 <= min(numbers) <= max(numbers) <= 1, "nothing lies outside of the grid"
    (folder / "study.toml").write_text(STUDY.replace("shape = [10, 10]", 'shape = [10, 10]\nmap = "city.geojson"'), encoding="utf-8")
    basemap = sv.Study.load(folder / "study.toml").domain.basemap
    assert basemap is not None
    assert [each.name for each in basemap.places] == ["Main station"]
    assert [each.land for each in basemap.shapes] == [True, False]
    assert (len(basemap.lines), basemap.credit) == (1, "City of Example")
    assert as_json(folder, "check")["fingerprint"] != before, "the map is part of the question"


def _flat(coordinates: Any) -> list[float]:
    return [number for each in coordinates for number in _flat(each)] if isinstance(coordinates, list) else [coordinates]


def test_a_map_is_never_overwritten_unasked_and_a_missing_credit_is_mentioned(folder: Path) -> None:
    said = run(folder, "map", "--land", "shore.geojson").stderr.decode()
    assert 'map = "map.geojson"' in said
    assert "! The map has no credit." in said
    before = (folder / "map.geojson").read_bytes()
    assert "map.geojson" in complaint(folder, "map", *FILES, kind="parameter")
    assert (folder / "map.geojson").read_bytes() == before
    assert "no credit" not in run(folder, "map", *FILES, "--credit", "City", "--force").stderr.decode()
    assert (folder / "map.geojson").read_bytes() != before


def test_without_files_the_world_is_cut(folder: Path) -> None:
    europe = STUDY.replace("latitude = [0.0, 1.0]", "latitude = [35, 60]").replace("longitude = [0.0, 1.0]", "longitude = [-10, 30]")
    (folder / "study.toml").write_text(europe, encoding="utf-8")
    told = as_json(folder, "map", "--points", "500", "-o", "world.geojson")
    assert "Natural Earth" in told["credit"]
    assert 100 < told["points"] <= 500
    assert told["places"] > 10


def test_a_grid_of_a_questionnaire_is_named(folder: Path) -> None:
    (folder / "two.toml").write_text(TOGETHER, encoding="utf-8")
    assert as_json(folder, "map", "two.toml", *FILES, "--question", "home", "-o", "home.geojson")["places"] == 1
    complaint(folder, "map", "two.toml", *FILES, "--question", "well", kind="parameter")
    complaint(folder, "map", "two.toml", *FILES, "--question", "absent", kind="parameter")
    assert not (folder / "map.geojson").exists()


def test_what_is_no_map_is_refused(folder: Path) -> None:
    (folder / "shore.geojson").write_text("{}", encoding="utf-8")
    complaint(folder, "map", "--land", "shore.geojson")
    complaint(folder, "map", "--land", "nowhere.geojson")
    (folder / "stations.csv").write_text("station\nMain\n", encoding="utf-8")
    complaint(folder, "map", "--places", "stations.csv")
    assert not (folder / "map.geojson").exists()
