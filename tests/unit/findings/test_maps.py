"""Maps of findings: what is drawn below, what is coloured, and the names of places."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

import altair as alt
import numpy as np

import sottovoce as sv
from sottovoce.domain.maps import UNITS, Basemap, Place
from sottovoce.estimators import Interval
from sottovoce.findings.charts.map_ground import ruler
from sottovoce.findings.charts.map_labels import Label, placed
from sottovoce.findings.charts.map_legend import LAND, SHARES, WATER, breaks_of, classes_of, clear_shares, keys_of
from sottovoce.findings.charts.shares import findings_chart
from sottovoce.findings.display.terminal import grid_map
from sottovoce.findings.headlines import Told
from sottovoce.findings.pages.findings import findings_page
from sottovoce.findings.pages.map_sections import map_section
from sottovoce.findings.place_names import named
from sottovoce.findings.results import Findings
from sottovoce.findings.shares import Shares

STUDY = """
name = "places"
question = "Where are you at noon?"
[grid]
latitude = [40.70, 40.80]
longitude = [-74.04, -73.92]
shape = [10, 10]
map = "new-york"
[privacy]
notion = "uldp"
epsilon = 2.0
sensitive = [[2, 3]]
"""
N = 20_000


@cache
def found() -> Findings:
    """Most people are at the cell around Penn Station, some at its neighbour, none elsewhere."""
    study = sv.Study.from_toml(STUDY)
    p = np.zeros(100)
    p[[53, 54]] = 0.9, 0.1
    tally = sv.Tally.simulate(study.blocks[""], p, N, sv.SeededSource(3), keep_reports=True)
    return Findings.of(study, sv.estimate(tally))


def _drawn(name: str, width: int = 720) -> list[dict[str, Any]]:
    """The rows of the data set of the map that has this column: of the largest one, because others are parts of it."""
    sets: list[list[dict[str, Any]]] = list(findings_chart(found(), width).to_dict()["datasets"].values())
    return max((rows for rows in sets if rows and name in rows[0]), key=len)


def test_cells_have_names_and_no_tuples() -> None:
    findings = found()
    assert findings.shown[53] == "near Penn Station"
    assert all(re.match(r"near |[\d.]+ k?m (north|south|east|west)[a-z-]* of ", name) for name in findings.shown)
    assert len(set(findings.shown)) == len(findings.shown), "two cells never have one name"
    assert findings.texts[53] == "5 / 3", "files name cells as before"
    said = [*findings.shown, findings.words, *findings.cautions, *(cell["cell"] for cell in _drawn("cell"))]
    assert not [each for each in said if re.search(r"\(\d+, \d+\)|\d+ / \d+", each)]


def test_names_of_a_large_grid_differ_and_have_no_degrees() -> None:
    """Cells beside each other, as far from a place on the same side, differ too. Cells far from all places have names."""
    domain = sv.Study.from_toml(STUDY.replace("[10, 10]", "[25, 25]")).domain
    names = named(domain)
    assert len(set(names)) == len(names) == 625
    assert not [name for name in names if "°" in name or "cell" in name]
    (far,) = [name for name in names if name.startswith("340 m west of Times Square")]
    assert names[domain.code((14, 10))] == far
    alone = named(domain.on(Basemap(places=(Place("Corner", 0, UNITS),))))
    assert alone[0] == "near Corner"
    assert alone[-1] == "15 km north-east of Corner", "10.1 km to the east and 11.1 km to the north, without half a cell"
    assert len(set(alone)) == 625


def test_only_what_is_sure_is_coloured() -> None:
    """The places that the words below the map count have a colour, and no others."""
    findings, cells = found(), _drawn("cell")
    assert findings.found is not None
    assert findings.counts is not None
    sure = findings.found
    assert int(sure.sum()) == findings.counts.count
    assert [bool(cell["shade"]) for cell in cells] == sure.tolist()
    assert [cell["color"] == "transparent" for cell in cells] == (~sure).tolist()
    assert cells[53]["color"] == SHARES[-1]
    assert findings.low is not None
    assert np.array_equal(clear_shares(replace(findings, found=None)) > 0, (findings.low > 0) & (findings.p > 0))
    assert np.count_nonzero(clear_shares(replace(findings, low=None, found=None))) == np.count_nonzero(findings.p > 0)


def test_classes_end_at_round_numbers_and_cover_all_shares() -> None:
    for top in np.geomspace(1e-5, 1.0, 60):
        breaks = breaks_of(float(top))
        assert len(breaks) == 4
        assert all(re.fullmatch(r"[125]e[-+]\d+", f"{each:.0e}") and each == float(f"{each:.0e}") for each in breaks)
        assert 0.3 * top <= breaks[-1] <= 0.8 * top
        assert classes_of(np.array([0.0, *breaks, top]), float(top)).tolist() == [0, 2, 3, 4, 5, 5]
    keys = keys_of(found(), 2)
    assert [key.text for key in keys] == [
        "50% or more",
        "20 to 50%",
        "10 to 20%",
        "not clearly above zero",
        "sensitive place, where less is known",
        "the 2 largest shares, numbered",
    ], "smaller shares have no class if there are none"


def test_land_lies_below_the_shares_and_its_source_is_named() -> None:
    ground = _drawn("fill")
    assert {row["fill"] for row in ground} == {LAND, WATER}
    layers = findings_chart(found(), 720).to_dict()["vconcat"][1]["layer"]
    kinds = [layer["mark"]["type"] for layer in layers]
    assert kinds.index("line") < kinds.index("rect")
    (said,) = _drawn("said")
    assert said["said"].startswith("Map: NYC Department of City Planning")
    page = findings_page(found())
    for name in ("fill-water", "fill-land", "fill-share-5"):
        assert f'class="{name}"' in page, name
    assert SHARES[-1] in page


def test_the_text_of_a_phone_is_as_large_as_the_page() -> None:
    def sizes(form: Any) -> set[float]:
        if isinstance(form, dict):
            own = {form["fontSize"]} if "fontSize" in form else set()
            return own.union(*(sizes(each) for key, each in form.items() if key not in {"config", "datasets"}))
        return set().union(*map(sizes, form)) if isinstance(form, list) else set()

    assert min(sizes(findings_chart(found(), 360).to_dict())) >= 16


def test_a_ruler_is_only_on_maps_that_it_fits() -> None:
    x, y = alt.X("x"), alt.Y("y")

    def axes(south: float, north: float) -> Any:
        return sv.Domain.grid((2, 2), latitude=(south, north), longitude=(0.0, 10.0)).axes

    assert ruler(axes(40.7, 40.8), x, y, 14)
    assert ruler(axes(-24.0, 10.0), x, y, 14)
    assert not ruler(axes(35.0, 70.0), x, y, 14), "a kilometre in Lapland is twice as wide as in Sicily"
    assert not ruler(axes(-10.0, 60.0), x, y, 14)


def test_names_do_not_touch() -> None:
    labels = [Label(f"Place {k}", 0.1 + 0.8 * (k % 7) / 7, 0.1 + 0.8 * (k // 7) / 7) for k in range(49)]
    shown = placed(labels, 300, 300, 11)
    assert shown[0] == labels[0], "the most important one comes first"
    assert 3 < len(shown) < 49
    for one in shown:
        for other in shown:
            apart = abs(one.x - other.x) * 300 > 7 * 11 * 0.57 or abs(one.y - other.y) * 300 > 11
            assert one is other or apart


def test_names_avoid_what_is_taken() -> None:
    """A name goes below its place if the room above is taken, and isn't drawn if its place is."""
    above, around = (170.0, 180.0, 230.0, 196.0), (190.0, 190.0, 210.0, 210.0)
    (label,) = placed([Label("Here", 0.5, 0.5)], 400, 400, 12, [above])
    assert label.below
    assert placed([Label("Here", 0.5, 0.5)], 400, 400, 12, [around]) == []


def test_the_largest_shares_are_numbered_in_their_cells_and_in_the_table() -> None:
    findings = found()
    count = map_section(findings).numbered
    assert count == len(findings.listed) == 2
    sets = findings_chart(findings, 720).to_dict()["datasets"].values()
    assert sorted(row["number"] for rows in sets for row in rows if "number" in row) == ["1", "2"]
    page = findings_page(findings)
    assert [f"{k}. {findings.shown[code]}" in page for k, code in enumerate(findings.listed, 1)] == [True, True]
    names = [findings.shown[code].removeprefix("near ") for code in findings.listed]
    assert [f">{k}</text></svg>{name}</li>" in page for k, name in enumerate(names, 1)] == [True, True], "the key names them"


def test_cells_too_small_for_a_digit_have_no_numbers_nor_has_the_table() -> None:
    study = sv.Study.from_toml(STUDY.replace("[10, 10]", "[40, 40]"))
    p = np.zeros(1600)
    p[[820, 900]] = 0.9, 0.1
    findings = Findings.of(study, sv.estimate(sv.Tally.simulate(study.blocks[""], p, N, sv.SeededSource(3), keep_reports=True)))
    assert findings.listed
    assert map_section(findings).numbered == 0
    page = findings_page(findings)
    assert findings.shown[820] in page
    assert f"1. {findings.shown[820]}" not in page
    assert "numbered" not in page.partition("</style>")[2]


def test_the_terminal_dots_the_water() -> None:
    drawn = grid_map(found())
    assert drawn is not None
    lines = drawn.splitlines()
    assert lines[12:] == ["· water", "Map: NYC Department of City Planning, U.S. Census Bureau; places: GeoNames (CC BY 4.0)"]
    assert "██" in lines[5], "the fifth row from the north is cell 5 from the south"
    assert "··" in "".join(lines[1:11])
    assert "··" not in lines[5][7:11], "Manhattan is land"


def test_a_page_of_a_map_names_places_and_numbers_them() -> None:
    findings = found()
    page = findings_page(findings)
    assert "(40." not in findings.headline
    assert "1. near Penn Station" in page
    assert not re.search(r"'\d+ / \d+'", page), "the promise names places too"
    assert "“near " in page.partition("To check this page")[2]


def test_a_headline_has_the_digits_of_the_table_and_pairs_names_with_their_shares() -> None:
    findings = found()
    table = findings.shares.take(findings.listed)
    share, ends = table.cells(0)[:2]
    assert share in findings.headline
    assert ends.replace(" to ", " and ") in findings.headline
    shares = Shares("item", ["a", "b", "c"], np.array([0.4, 0.05, 0.3]), Interval(np.array([0.3, 0.04, 0.1]), np.array([0.5, 0.06, 0.45])))
    both = Told(shares, sv.Domain(3), digits=0).headline
    assert both.claim == "“a” (40%) and “c” (30%) are the most common answers."
    assert both.rest.startswith("The intervals are 30 to 50% and 10 to 45%, so the reports")
    assert both == f"{both.claim} {both.rest}", "it can be quoted as a whole"
    shares = Shares("item", ["a", "b", "c"], np.array([0.4, 0.38, 0.3]), Interval(np.array([0.3, 0.2, 0.1]), np.array([0.5, 0.29, 0.45])))
    rival = Told(shares, sv.Domain(3), digits=0).headline
    assert (rival.claim, rival.joint) == ("“a” may be the most common answer: 40%", ", ")
    assert rival == f"{rival.claim}, between 30 and 50%, but “c” may be as common."
