"""Which files are overwritten: what can't be made again stays unless people insist, everything else is replaced, and that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from invoking import as_json, complaint, run

REPORTS = ("perturb", "study.toml", "answers.csv", "-o", "reports.parquet")
#: Commands whose output can't be made again, or is meant to be edited.
KEPT = {
    "perturb": REPORTS,
    "new": ("new", "survey", "-o", "mine.toml"),
    "explain": ("explain", "study.toml", "-o", "page.md"),
    "map": ("map", "grid.toml", "-o", "map.geojson"),
}
#: Commands whose output is made of files that are still there, and the file.
AGAIN = {
    "tally": (("tally", "study.toml", "reports.parquet", "-o", "tally.arrow"), "tally.arrow"),
    "page": (("estimate", "study.toml", "reports.parquet", "--html", "report.html"), "report.html"),
    "table": (("estimate", "study.toml", "reports.parquet", "-o", "shares.csv"), "shares.csv"),
    "chart": (("plan", "study.toml", "--people", "5000", "--chart", "plan.svg"), "plan.svg"),
    "compiled": (("check", "study.toml", "--compiled", "study.json"), "study.json"),
}
GRID = (
    'name = "grid"\nquestion = "Where?"\n[grid]\nlatitude = [40.70, 40.80]\nlongitude = [-74.04, -73.92]\nshape = [4, 5]\n'
    '[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'
)


@pytest.mark.parametrize("name", KEPT)
def test_what_cannot_be_made_again_is_kept(place: Path, name: str) -> None:
    (place / "grid.toml").write_text(GRID)
    *_, path = arguments = KEPT[name]
    run(place, *arguments)
    before = (place / path).read_bytes()
    said = complaint(place, *arguments, code=1)
    assert path in said
    assert "--force" in said
    assert (place / path).read_bytes() == before
    run(place, *arguments, "--force")
    if name == "perturb":
        assert (place / path).read_bytes() != before, "and --force draws again"


@pytest.mark.parametrize("name", AGAIN)
def test_what_can_be_made_again_is_replaced_and_that_is_said(place: Path, name: str) -> None:
    arguments, path = AGAIN[name]
    run(place, *REPORTS)
    for there in (False, True):
        done = run(place, *arguments)
        said = (done.stdout + done.stderr).decode()
        assert (f"{path} (replaced)" in said) is there, said
        assert (place / path).stat().st_size > 0


def test_pipes_and_devices_are_written_to(place: Path) -> None:
    assert run(place, "perturb", "study.toml", "answers.csv", "--format", "ndjson", "-o", "/dev/null").returncode == 0
    assert as_json(place, "explain", "study.toml")["output"] == "-"
