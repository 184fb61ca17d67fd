"""The map of a grid in a study file: one that ships with the package, or a GeoJSON file beside the study file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from sottovoce.domain import Domain
from sottovoce.domain.maps import Basemap, is_geographic
from sottovoce.errors import DomainError
from sottovoce.names import checked_text
from sottovoce.study.cutting import Box, cut
from sottovoce.study.geojson import Outlines, read_geojson
from sottovoce.study.sections import Section

#: Maps that ship with the package, and what each shows.
SHIPPED = {"world": "coasts, borders and large cities of the world, coarse", "new-york": "shores and places of Manhattan and around it"}
_FOLDER, _ENDING = ("data", "maps"), ".geojson.gz"


def read_map(grid: Section, domain: Domain) -> Domain:
    """The grid with the map that its table names, if it names one."""
    name = grid.text("map", "new-york")
    if not is_geographic(domain.axes):
        grid.fail("a map needs the axes latitude and longitude, in this order and in degrees. Rename them, or leave the map out", "map")
    with grid.at("map"):
        outlines = shipped(name) if name in SHIPPED else read_geojson(_beside(grid.document.where, name))
        basemap = cut(outlines, box_of(domain))
        _check_texts(basemap)
    return domain.on(basemap)


def read_map_form(form: Mapping[str, Any], domain: Domain) -> Basemap:
    """The map of a compiled study."""
    if not is_geographic(domain.axes):
        raise DomainError("a map needs the axes latitude and longitude, in this order and in degrees")
    return Basemap.read(form)


def box_of(domain: Domain) -> Box:
    """The box of a grid with a latitude and a longitude."""
    (south, north), (west, east) = (axis.bounds or (0.0, 0.0) for axis in domain.axes)
    return Box(west, south, east, north)


@lru_cache(maxsize=2)
def shipped(name: str) -> Outlines:
    """A map that ships with the package."""
    with as_file(files("sottovoce").joinpath(*_FOLDER, name + _ENDING)) as path:
        return read_geojson(path)


def _beside(where: str, name: str) -> Path:
    """The file beside the study file."""
    if Path(name).suffix not in {".geojson", ".json", ".gz"}:
        raise DomainError(f"{name!r} is neither a GeoJSON file nor one of the maps that ship with sottovoce: {', '.join(SHIPPED)}")
    return Path(where).parent / name


def _check_texts(basemap: Basemap) -> None:
    for place in basemap.places:
        checked_text(place.name, "the place")
    if basemap.credit:
        checked_text(basemap.credit, "the credit")
