"""Base maps: GeoJSON that is cut for a grid, what a study compiles of it, and what is refused."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from messages import refused
from sottovoce.domain.maps import UNITS, Basemap, is_land, nearest_places, proportion
from sottovoce.errors import ParameterError
from sottovoce.labels import described
from sottovoce.study.cutting import Box, cut, outlines_from
from sottovoce.study.geojson import Outlines, geojson_of, outlines_of, read_geojson
from sottovoce.study.maps import SHIPPED, box_of, decimals_of, shipped
from studies import STUDIES

#: A square of land around the box, with a lake in it, an island in the lake, a road through it and two places.
LAND: Any = {
    "type": "FeatureCollection",
    "credit": "City of Example",
    "features": [
        {
            "type": "Feature",
            "properties": {},
            "geometry": {
                "type": "Polygon",
                "coordinates": [
                    [[-1, -1], [3, -1], [3, 1], [-1, 1], [-1, -1]],
                    [[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8], [0.2, 0.2]],
                ],
            },
        },
        {
            "type": "Feature",
            "properties": {"kind": "land"},
            "geometry": {"type": "MultiPolygon", "coordinates": [[[[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.6], [0.4, 0.4]]]]},
        },
        {"type": "Feature", "properties": {}, "geometry": {"type": "LineString", "coordinates": [[-5, 0.9], [0.5, 0.9], [0.5, 5]]}},
        {"type": "Feature", "properties": {"name": "Island"}, "geometry": {"type": "Point", "coordinates": [0.5, 0.5]}},
        {"type": "Feature", "properties": {"name": "Elsewhere"}, "geometry": {"type": "Point", "coordinates": [2.5, 0.5]}},
    ],
}
UNIT = Box(0.0, 0.0, 1.0, 1.0)
STUDY = """
name = "places"
question = "Where are you?"
[grid]
latitude = [0.0, 1.0]
longitude = [0.0, 1.0]
shape = [10, 10]
map = "MAP"
[privacy]
notion = "ldp"
epsilon = 3.0
"""


def _land() -> Basemap:
    return cut(outlines_of(LAND, "the map"), UNIT)


def test_a_map_is_clipped_to_its_box() -> None:
    found = _land()
    assert [each.land for each in found.shapes] == [True, False, True], "the lake lies on the land, and the island in the lake"
    assert sorted(found.shapes[0].points) == [(0, 0), (0, UNITS), (UNITS, 0), (UNITS, UNITS)]
    assert [(each.name, each.x, each.y) for each in found.places] == [("Island", 2048, 2048)]
    assert found.lines == ((0, 410, 2048, 0, 0, -410),)
    assert found.credit == "City of Example"
    at = {
        name: is_land(found, x * UNITS, (1 - y) * UNITS) for name, x, y in (("shore", 0.1, 0.1), ("lake", 0.3, 0.3), ("island", 0.5, 0.5))
    }
    assert at == {"shore": True, "lake": False, "island": True}


def test_a_map_survives_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "map.geojson").write_text(geojson_of(outlines_from(_land(), UNIT), 6), encoding="utf-8")
    (tmp_path / "map.geojson.gz").write_bytes(gzip.compress((tmp_path / "map.geojson").read_bytes()))
    for name in ("map.geojson", "map.geojson.gz"):
        again = cut(read_geojson(tmp_path / name), UNIT)
        assert again.form == _land().form


def test_details_that_cannot_be_seen_are_left_out() -> None:
    """However many points there are, few stay, and each stays close to the outline."""
    steps = [(k / 20_000, 0.5 + 0.01 * ((k * 7919) % 13) / 13) for k in range(20_001)]
    rough = Outlines(areas=((True, (*steps, (1.0, 0.0), (0.0, 0.0))),))
    found = cut(rough, UNIT, points=300)
    (shape,) = found.shapes
    assert 3 < len(shape.points) <= 300
    assert all(y >= 0.49 * UNITS or y in (0,) or x in (0, UNITS) for x, y in shape.points)


@pytest.mark.parametrize("name", SHIPPED)
def test_maps_that_ship_are_small_and_credited(name: str) -> None:
    outlines = shipped(name)
    assert "GeoNames (CC BY 4.0)" in outlines.credit
    study = sv.Study.from_toml(STUDIES["map"].replace("new-york", name))
    assert study.domain.basemap is not None
    assert len(json.dumps(study.compile())) < 70_000
    whole = sv.Domain.grid((10, 10), latitude=(-85.0, 85.0), longitude=(-180.0, 180.0))
    assert len(json.dumps(cut(outlines, box_of(whole)).form)) < 70_000


def test_a_compiled_study_keeps_its_map(tmp_path: Path) -> None:
    (tmp_path / "city.geojson").write_text(json.dumps(LAND), encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY.replace("MAP", "city.geojson"), encoding="utf-8")
    study = sv.Study.load(tmp_path / "study.toml")
    again = sv.Study.from_json(json.dumps(study.compile()))
    assert again.fingerprint == study.fingerprint
    assert again.domain.basemap == study.domain.basemap == _land()
    bare = sv.Study.from_toml(STUDY.replace('map = "MAP"\n', ""))
    assert bare.fingerprint != study.fingerprint, "people choose by what they see"
    assert bare.domain == study.domain, "reports don't depend on it"
    assert "map" not in bare.compile()["domain"]
    assert described(study.domain)[55] == "near Island (0.55, 0.55)"
    assert described(bare.domain)[55] == "cell 0.50–0.60 N, 0.50–0.60 E"


def test_a_questionnaire_has_a_map_for_each_grid() -> None:
    text = """
    name = "trips"
    title = "Where do you go?"
    [privacy]
    notion = "ldp"
    epsilon = 4.0
    [[questions]]
    name = "work"
    text = "Where do you work?"
    grid = {latitude = [40.70, 40.80], longitude = [-74.04, -73.92], shape = [5, 5], map = "new-york"}
    [[questions]]
    name = "born"
    text = "Where were you born?"
    grid = {latitude = [-60, 80], longitude = [-180, 180], shape = [7, 18], map = "world"}
    """
    study = sv.Study.from_toml(text)
    again = sv.Study.from_json(json.dumps(study.compile()))
    maps = [each.domain.basemap for each in study.questions]
    assert [each.answers.basemap for each in again.questions] == maps
    assert all(maps)
    assert maps[0] != maps[1]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"latitude = [0.0, 1.0]": "y = [0.0, 1.0]"}, "latitude and longitude"),
        ({"MAP": "nowhere"}, "world, new-york"),
        ({"MAP": "nowhere.geojson"}, "sottovoce map"),
        ({"[0.0, 1.0]\nlongitude": "[0.0, 100.0]\nlongitude", "MAP": "world"}, "latitude and longitude"),
        (
            {
                "latitude = [0.0, 1.0]": "latitude = [-50.1, -50.0]",
                "longitude = [0.0, 1.0]": "longitude = [-30.0, -29.9]",
                "MAP": "new-york",
            },
            "empty",
        ),
    ],
)
def test_maps_that_do_not_fit_are_refused_with_their_line(change: dict[str, str], part: str) -> None:
    text = STUDY
    for old, new in change.items():
        text = text.replace(old, new)
    with refused(sv.StudyError, "[grid] map", "line 8", part):
        sv.Study.from_toml(text)


@pytest.mark.parametrize(
    "broken",
    [
        "[1, 2",
        "[]",
        '{"type": "Topology"}',
        '{"type": "Polygon", "coordinates": [[[0, 91], [1, 1], [0, 0]]]}',
        '{"type": "Polygon", "coordinates": [[["x", 1]]]}',
        '{"type": "Feature", "properties": {"kind": "lava"}, "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 1]]]}}',
        "",
    ],
)
def test_files_that_are_no_maps_are_refused(broken: str, tmp_path: Path) -> None:
    (tmp_path / "map.geojson").write_text(broken, encoding="utf-8")
    with refused(ParameterError, "map.geojson"):
        read_geojson(tmp_path / "map.geojson")


def test_packed_files_that_are_broken_or_enormous_are_refused(tmp_path: Path) -> None:
    """A file is unpacked no further than a map may be large, and data that can't be unpacked are no crash."""
    broken = bytearray(gzip.compress(b'{"type": "Feature"}' * 3000 + bytes(range(256)) * 40))
    broken[20:60] = b"\xff" * 40
    (tmp_path / "broken.geojson.gz").write_bytes(broken)
    with pytest.raises(ParameterError) as caught:  # zlib's part of the message depends on its version
        read_geojson(tmp_path / "broken.geojson.gz")
    assert "broken.geojson.gz" in str(caught.value)
    with gzip.open(tmp_path / "large.geojson.gz", "wb", compresslevel=1) as file:
        for _ in range(100):
            file.write(b" " * (1 << 20))
    tracemalloc.start()
    with refused(ParameterError, "large.geojson.gz", "64 MB"):
        read_geojson(tmp_path / "large.geojson.gz")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100 << 20


def test_places_are_near_within_a_cell_and_a_half() -> None:
    domain = sv.Domain.grid((5, 5), latitude=(0.0, 5.0), longitude=(0.0, 5.0))
    near = nearest_places(domain.axes, _land().places)
    assert [k for k, place in enumerate(near) if place] == [2, 6, 7, 8, 10, 11, 12, 13, 14, 16, 17, 18, 22]
    assert proportion(domain.axes) == pytest.approx(1.0, abs=1e-3)
    assert decimals_of(domain) == 5


def test_cells_have_the_names_that_browsers_give_them() -> None:
    """clients/js/test/maps.test.ts has the same list."""
    assert described(sv.Study.from_toml(STUDIES["map"]).domain) == [
        "near Flatiron (40.745, −73.995)",
        "near Kips Bay (40.745, −73.985)",
        "near Murray Hill (40.745, −73.975)",
        "near Penn Station (40.755, −73.995)",
        "near Bryant Park (40.755, −73.985)",
        "near Grand Central (40.755, −73.975)",
        "near Hell's Kitchen (40.765, −73.995)",
        "near Columbus Circle (40.765, −73.985)",
        "near Columbus Circle (40.765, −73.975)",
    ]
