"""The map of a grid in a study file: one that ships with the package, or a GeoJSON file beside the study file."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sottovoce.domain import Domain
from sottovoce.domain.maps import Basemap, is_geographic
from sottovoce.errors import DomainError, ParameterError
from sottovoce.names import checked_text
from sottovoce.study.cutting import Box, cut
from sottovoce.study.geojson import Outlines, read_geojson
from sottovoce.study.sections import Section

if TYPE_CHECKING:
    from sottovoce.study.study import Study

#: Maps that ship with the package, and what each shows.
SHIPPED = {"world": "coasts, borders and large cities of the world, coarse", "new-york": "shores and places of Manhattan and around it"}
_FOLDER, _ENDING = ("data", "maps"), ".geojson.gz"


def read_map(grid: Section, domain: Domain) -> Domain:
    """The grid with the map that its table names, if it names one."""
    name = grid.text("map", "new-york")
    if not is_geographic(domain.axes):
        grid.fail(
            "The axes of the grid aren't latitude and longitude, in this order and in degrees. Rename them, or leave the map out.", "map"
        )
    with grid.at("map"):
        outlines = shipped(name) if name in SHIPPED else read_geojson(_beside(grid.document.where, name))
        basemap = cut(outlines, box_of(domain))
        _check_texts(basemap)
    return domain.on(basemap)


def read_map_form(form: Mapping[str, Any], domain: Domain) -> Basemap:
    """The map of a compiled study."""
    if not is_geographic(domain.axes):
        raise DomainError("The axes aren't latitude and longitude, in this order and in degrees. Rename them.")
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
        raise DomainError(
            f"{name!r} isn't a GeoJSON file or a map that comes with sottovoce. Choose a file or one of {', '.join(SHIPPED)}."
        )
    return Path(where).parent / name


def _check_texts(basemap: Basemap) -> None:
    for place in basemap.places:
        checked_text(place.name, "the place")
    if basemap.credit:
        checked_text(basemap.credit, "the credit")


def grid_of(study: Study, question: str | None = None) -> Domain:
    """The grid of a study, or of one of its questions, that can have a map."""
    grids = {each.name: each.domain for each in study.questions if is_geographic(each.domain.axes)}
    if question is not None and question not in grids:
        raise ParameterError(f"{question!r} isn't a question about places. Choose from: {', '.join(grids) or 'none'}.")
    if not grids:
        raise ParameterError("The study has no grid with a latitude and a longitude, in this order. Write one under [grid].")
    if question is None and len(grids) > 1:
        raise ParameterError(f"Several questions are about places: {', '.join(grids)}. Choose one with --question.")
    return grids[question] if question is not None else next(iter(grids.values()))


def decimals_of(domain: Domain) -> int:
    """The decimals that a map of the grid needs: those of a hundredth of a thousandth of its width."""
    box = box_of(domain)
    return max(0, 5 - math.floor(math.log10(min(box.east - box.west, box.north - box.south))))


def read_places(path: str | Path) -> Outlines:
    """The places of a CSV file with the columns name, latitude and longitude."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        found = tuple((row["name"], (float(row["longitude"]), float(row["latitude"]))) for row in rows)
    except FileNotFoundError:
        raise ParameterError(f"There is no file {str(path)!r}. Check its name.") from None
    except KeyError as error:
        raise ParameterError(f"{path} has no column {error}. Give it the columns name, latitude and longitude.") from None
    except (OSError, TypeError, ValueError) as error:
        raise ParameterError(f"{path} can't be read: {error}. Write latitude and longitude as numbers in degrees.") from None
    return Outlines(places=found)
