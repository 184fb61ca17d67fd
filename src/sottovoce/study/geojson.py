"""GeoJSON files as the areas, lines and places of a base map, in degrees, and the way back."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sottovoce.errors import ParameterError

#: A point in degrees: longitude, latitude.
Point = tuple[float, float]
#: The values of the property "kind", which says what an area is.
_KINDS = ("land", "water")
#: The largest file when it's unpacked, in bytes, and with what its name ends if it's compressed.
_LARGEST, _GZIP = 64 << 20, ".gz"


@dataclass(frozen=True)
class Outlines:
    """The content of GeoJSON: areas (land or not, and the outline), lines, places, and credits."""

    areas: tuple[tuple[bool, tuple[Point, ...]], ...] = ()
    lines: tuple[tuple[Point, ...], ...] = ()
    places: tuple[tuple[str, Point], ...] = ()
    credit: str = ""

    def __add__(self, other: Outlines) -> Outlines:
        named = dict.fromkeys(filter(None, (self.credit, other.credit)))
        return Outlines(self.areas + other.areas, self.lines + other.lines, self.places + other.places, "; ".join(named))

    def as_water(self) -> Outlines:
        """The same with all areas turned into water."""
        return replace(self, areas=tuple((not land, outline) for land, outline in self.areas))


def read_geojson(path: str | Path) -> Outlines:
    """The outlines of a GeoJSON file, which may be compressed with gzip."""
    packed = str(path).endswith(_GZIP)
    try:
        with gzip.open(path) if packed else open(path, "rb") as file:
            data = file.read(_LARGEST + 1)  # a small file can be unpacked to a very large one
        text = data.decode("utf-8-sig") if len(data) <= _LARGEST else ""
    except FileNotFoundError:
        raise ParameterError(f"There is no map {str(path)!r}. Make one with: sottovoce map") from None
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise ParameterError(f"The map {str(path)!r} can't be read: {error}") from None
    if not text:
        raise ParameterError(
            f"The map {str(path)!r} is empty or has more than {_LARGEST >> 20} MB{' unpacked' * packed}. Cut a smaller part of it."
        )
    try:
        form = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"The map {str(path)!r} isn't GeoJSON: {error}") from None
    return outlines_of(form, f"The map {str(path)!r}")


def outlines_of(form: Any, where: str) -> Outlines:
    """The outlines of GeoJSON that was parsed."""
    areas: list[tuple[bool, tuple[Point, ...]]] = []
    lines: list[tuple[Point, ...]] = []
    places: list[tuple[str, Point]] = []
    try:
        for geometry, properties in _geometries(form, {}):
            kind: str = geometry["type"]
            parts: Any = geometry.get("coordinates")
            several: Any = parts if kind.startswith("Multi") else [parts]
            if kind.endswith("Point"):
                places += [(properties["name"], _point(each)) for each in several if isinstance(properties.get("name"), str)]
            elif kind.endswith("LineString"):
                lines += [_points(each) for each in several]
            elif kind.endswith("Polygon"):
                land = properties.get("kind", "land")
                if land not in _KINDS:
                    raise ParameterError(f'{where} has an area of the unknown kind {land!r}. Use "land" or "water".')
                for polygon in several:  # a hole is the opposite of what is around it
                    areas += [((land == "land") == (k == 0), _points(ring)) for k, ring in enumerate(polygon)]
            else:
                raise ParameterError(f"{where} has a geometry of the unsupported type {kind!r}. Use points, lines and polygons.")
    except ParameterError:
        raise
    except ValueError as error:
        raise ParameterError(f"{where} isn't GeoJSON: {error}") from None
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise ParameterError(
            f"{where} isn't GeoJSON, because something is missing or has the wrong type. Export it again from a GIS program."
        ) from None
    credit = form.get("credit", "")
    return Outlines(tuple(areas), tuple(lines), tuple(places), credit if isinstance(credit, str) else "")


def _geometries(form: Mapping[str, Any], properties: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """The geometries of a collection, each with the properties of its feature."""
    match form["type"]:
        case "FeatureCollection":
            for each in form["features"]:
                yield from _geometries(each, {})
        case "Feature":
            if form["geometry"] is not None:
                yield from _geometries(form["geometry"], form.get("properties") or {})
        case "GeometryCollection":
            for each in form["geometries"]:
                yield from _geometries(each, properties)
        case _:
            yield form, properties


def _point(pair: Sequence[float]) -> Point:
    x, y = float(pair[0]), float(pair[1])
    if not (-180 <= x <= 180 and -90 <= y <= 90):
        raise ValueError(f"The point {x:g}, {y:g} isn't a longitude and a latitude. Give degrees.")
    return x, y


def _points(pairs: Sequence[Sequence[float]]) -> tuple[Point, ...]:
    return tuple(_point(each) for each in pairs)


@dataclass(frozen=True)
class Features:
    """GeoJSON that is being written, with so many decimals."""

    decimals: int
    listed: list[dict[str, Any]] = field(default_factory=list)

    def add(self, shape: str, coordinates: Any, **properties: str) -> None:
        geometry = {"type": shape, "coordinates": coordinates}
        self.listed.append({"type": "Feature", "properties": properties, "geometry": geometry})

    def rounded(self, points: Sequence[Point]) -> list[list[float]]:
        return [[round(x, self.decimals), round(y, self.decimals)] for x, y in points]

    def text(self, credit: str) -> str:
        """The file, a line for each feature."""
        lines = ",\n".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in self.listed)
        head = f'"credit":{json.dumps(credit, ensure_ascii=False)},' if credit else ""
        return f'{{"type":"FeatureCollection",{head}"features":[\n{lines}\n]}}\n'


def geojson_of(outlines: Outlines, decimals: int) -> str:
    """Outlines as a GeoJSON file. Areas are written one by one, so that the order in which they are painted stays."""
    made = Features(decimals)
    for land, outline in outlines.areas:
        ring = made.rounded(outline)
        made.add("Polygon", [[*ring, ring[0]] if ring[0] != ring[-1] else ring], kind=_KINDS[not land])
    for line in outlines.lines:
        made.add("LineString", made.rounded(line))
    for name, point in outlines.places:
        made.add("Point", made.rounded([point])[0], name=name)
    return made.text(outlines.credit)
