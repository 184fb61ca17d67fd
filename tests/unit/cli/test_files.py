"""Files that can't be read, can't be written, or must not be overwritten."""

from __future__ import annotations

import os
from pathlib import Path

from invoking import as_json, complaint, run


def test_files_that_cannot_be_read_or_written(place: Path) -> None:
    assert "none.csv" in complaint(place, "perturb", "none.csv", code=3)
    assert "no/where/" in complaint(place, "perturb", "answers.csv", "-o", "no/where/r.parquet", code=3)
    assert str(place) in complaint(place, "perturb", "answers.csv", "-o", str(place) + "/", "--format", "parquet", code=3)
    said = complaint(place, "perturb", "answers.csv", "-o", "r.xlsx", kind="parameter")
    assert all(each in said for each in ("r.xlsx", ".parquet", ".ndjson"))
    run(place, "perturb", "answers.csv", "-o", "r.parquet")
    said = complaint(place, "estimate", "r.parquet", "--html", "page.pdf", kind="parameter")
    assert all(each in said for each in ("page.pdf", ".html"))
    assert "no/where" in complaint(place, "estimate", "r.parquet", "--html", "no/where/page.html", code=3)
    assert as_json(place, "estimate", "r.parquet", "-o", "no/where/x.csv", code=3)["code"] == 3
    (place / "locked").mkdir()
    (place / "locked").chmod(0o500)
    if os.geteuid():
        run(place, "perturb", "answers.csv", "-o", "locked/r.parquet", code=3)
    (place / "elsewhere").mkdir()
    assert "study.toml" in complaint(place / "elsewhere", "estimate", "x.parquet", kind="parameter")


def test_nothing_that_is_read_is_written_over(place: Path) -> None:
    run(place, "perturb", "answers.csv", "-o", "r.ndjson")
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    (place / "same.parquet").hardlink_to(place / "r.ndjson")
    (place / "truth.csv").write_text("item,share\nflu,1\n")
    for written, *arguments in (
        ("answers.csv", "perturb", "answers.csv", "-o", "answers.csv", "--format", "ndjson"),
        ("study.toml", "check", "study.toml", "--compiled", "study.toml"),
        ("same.parquet", "estimate", "r.ndjson", "-o", "same.parquet"),
        ("study.toml", "perturb", "answers.csv", "-o", "study.toml", "--format", "ndjson"),
        ("truth.csv", "estimate", "r.ndjson", "--truth", "truth.csv", "-o", "truth.csv"),
        ("z.html", "estimate", "r.ndjson", "--html", "z.html", "--chart", "./z.html"),
    ):
        assert written in complaint(place, *arguments, kind="parameter")
    assert {name: (place / name).read_bytes() for name in before} == before


def test_folders_and_empty_files(place: Path) -> None:
    (place / "empty.csv").touch()
    for name in ("empty.csv", "answers.csv"):
        complaint(place, "estimate", name, kind="parameter")
    complaint(place, "perturb", "empty.csv", "-o", "x.parquet", kind="parameter")
    run(place, "perturb", "answers.csv", "-o", "r.parquet")
    for folder in (".", ".."):
        assert f"{folder} is a folder" in complaint(place, "perturb", folder, "-o", "x.parquet", kind="parameter")
        assert "folder" in complaint(place, "estimate", "r.parquet", "--truth", folder, code=3)
    for arguments in (
        ("perturb", "answers.csv", "-o", "no/where/r.parquet"),
        ("tally", "r.parquet", "-o", "no/where/t.arrow"),
        ("estimate", "r.parquet", "-o", "no/where/x.csv"),
        ("estimate", "r.parquet", "--chart", "no/where/x.svg"),
        ("plan", "-n", "100", "--chart", "no/where/x.svg"),
        ("new", "survey", "-o", "no/where/s.toml"),
        ("check", "--compiled", "no/where/s.json"),
    ):
        said = complaint(place, *arguments, code=3)
        assert "Folder no/where not found." in said
        assert ".part" not in said
    assert not (place / "no").exists()


def test_a_study_comes_first(place: Path) -> None:
    said = complaint(place, "perturb", "answers.csv", "study.toml", "-o", "r.parquet", kind="parameter")
    assert "study.toml is a study. Name it before" in said
    assert "is a study. Name it before" in complaint(place, "estimate", "r.parquet", "study.toml", kind="parameter")
