"""sottovoce map: cut a base map for the grid of a study out of open data."""

from __future__ import annotations

from typing import Annotated

import typer

from sottovoce.cli.common import DEFAULT, ForceOption, JsonOption, StudyArgument, fresh, load, note, print_json

_SEVERAL = "Repeat the option for more."


def cut_map(
    study: StudyArgument = DEFAULT,
    land: Annotated[list[str] | None, typer.Option("--land", metavar="FILE", help=f"A GeoJSON file with areas of land. {_SEVERAL}")] = None,
    water: Annotated[
        list[str] | None, typer.Option("--water", metavar="FILE", help=f"A GeoJSON file with areas of water. {_SEVERAL}")
    ] = None,
    lines: Annotated[
        list[str] | None, typer.Option("--lines", metavar="FILE", help=f"A GeoJSON file with roads or borders. {_SEVERAL}")
    ] = None,
    places: Annotated[
        list[str] | None,
        typer.Option(
            "--places", metavar="FILE", help=f"CSV with columns name, latitude and longitude, or GeoJSON with named points. {_SEVERAL}"
        ),
    ] = None,
    credit: Annotated[str, typer.Option("--credit", metavar="TEXT", help="The credit to show below the map.")] = "",
    question: Annotated[str | None, typer.Option("--question", help="The question with the grid, in a questionnaire.")] = None,
    points: Annotated[
        int, typer.Option("--points", min=100, max=20_000, help="The number of points to keep. Fewer points make the study smaller.")
    ] = 4000,
    output: Annotated[str, typer.Option("--output", "-o", help="The GeoJSON file to write.")] = "map.geojson",
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Cut a base map for the grid of a study out of GeoJSON, small enough for a phone.

    Without files, the map is cut out of the world map that ships with sottovoce. Name the result in the study: map = "map.geojson".

    $ sottovoce map study.toml --land shore.geojson --places stations.csv --credit "City of Example (CC BY 4.0)" -o city.geojson
    """
    from pathlib import Path

    from sottovoce.batch.writers import write_whole
    from sottovoce.findings.formatting import counted
    from sottovoce.study.cutting import cut, outlines_from
    from sottovoce.study.geojson import Outlines, geojson_of, read_geojson
    from sottovoce.study.maps import box_of, decimals_of, grid_of, read_places, shipped

    domain = grid_of(load(study), question)
    fresh(output, force=force)
    found = Outlines()
    for path in [*(land or []), *(lines or [])]:
        found += read_geojson(path)
    for path in water or []:
        found += read_geojson(path).as_water()
    for path in places or []:
        found += read_geojson(path) if Path(path).suffix in {".geojson", ".json", ".gz"} else read_places(path)
    if found == Outlines():
        found = shipped("world")
    box = box_of(domain)
    basemap = cut(Outlines(found.areas, found.lines, found.places, credit or found.credit), box, points)
    write_whole(Path(output), geojson_of(outlines_from(basemap, box), decimals_of(domain)))
    kept = sum(len(each.outline) for each in basemap.shapes) // 2 + sum(map(len, basemap.lines)) // 2
    if as_json:
        print_json({"output": output, "points": kept, "places": len(basemap.places), "credit": basemap.credit})
        return
    size = f"{counted(kept, 'point', 'points')} and {counted(len(basemap.places), 'place', 'places')}"
    note(f'{output} has {size}. Name it in the study, below [grid]: map = "{Path(output).name}"')
    if not basemap.credit:
        note("! The map has no credit. Most open data requires one: add --credit.")
